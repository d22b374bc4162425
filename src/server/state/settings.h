// The settings that CONFIG GET shows and CONFIG SET changes. Every method may be called from any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/config/config.h"

namespace laurel::server {

// Settings by the names that Redis has for them. Those that mean something here are tied to the
// configuration; the others are remembered without effect.
class Settings {
 public:
  explicit Settings(const Config& config);

  // Name and value of those that match any of the patterns.
  [[nodiscard]] std::map<std::string, std::string> Matching(
      std::span<const std::string_view> patterns) const;
  [[nodiscard]] bool Has(std::string_view name) const;
  // Whether CONFIG SET may change it, and to this.
  [[nodiscard]] static std::optional<std::string> Refusal(std::string_view name,
                                                          std::string_view value);
  void Set(std::string_view name, std::string_view value);
  // 0 if it is no number.
  [[nodiscard]] std::int64_t Number(std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

}  // namespace laurel::server
