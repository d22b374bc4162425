// What all connections of a server share: counters, settings that CONFIG SET changes, the slow log,
// the list of clients. Every method may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/config.h"

namespace laurel::server {

struct Counters {
  std::atomic<std::uint64_t> connections{0};  // accepted since the start
  std::atomic<std::uint64_t> rejected{0};     // beyond --max-clients
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> errors_protocol{0};
  std::atomic<std::uint64_t> refused_logins{0};
  std::atomic<std::uint64_t> output_overflows{0};  // clients closed because they did not read

  void Reset();
};

struct SlowEntry {
  std::int64_t id = 0;
  std::int64_t unix_seconds = 0;
  std::int64_t micros = 0;
  std::vector<std::string> arguments;
  std::string address;
  std::string client_name;
};

class SlowLog {
 public:
  void Add(SlowEntry entry, std::size_t max_entries);
  [[nodiscard]] std::vector<SlowEntry> Latest(std::size_t count) const;  // newest first
  [[nodiscard]] std::size_t size() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::deque<SlowEntry> entries_;  // newest first
  std::int64_t next_id_ = 0;
};

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
