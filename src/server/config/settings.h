// The settings that CONFIG GET shows and CONFIG SET changes. Every method may be called from any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "server/config/config.h"

namespace laurel::server {

// Settings under Redis' names. Those with a meaning in Laurel show the configuration; the others
// are stored without effect.
class Settings {
 public:
  explicit Settings(const Config& config);

  // Returns name and value of the settings that match any of the patterns.
  [[nodiscard]] std::map<std::string, std::string> Matching(
      std::span<const std::string_view> patterns) const;
  [[nodiscard]] bool Has(std::string_view name) const;
  // Returns why CONFIG SET may not set `name` to `value`; none if it may.
  [[nodiscard]] static std::optional<std::string> Refusal(std::string_view name,
                                                          std::string_view value);
  void Set(std::string_view name, std::string_view value);
  // Returns the value as a number; 0 if it is not one.
  [[nodiscard]] std::int64_t Number(std::string_view name) const;

 private:
  mutable base::Mutex mutex_;
  std::map<std::string, std::string> values_ LAUREL_GUARDED_BY(mutex_);
};

}  // namespace laurel::server
