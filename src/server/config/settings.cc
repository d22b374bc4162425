#include "server/config/settings.h"

#include "base/glob.h"
#include "base/integer.h"
#include "base/text.h"

namespace laurel::server {
namespace {

// Settings that clients, benchmarks and test suites commonly set. They are stored without effect.
bool IsRemembered(std::string_view name) {
  return name.starts_with("zset-max-") || name.starts_with("set-max-") || name == "save" ||
         name == "appendonly" || name == "maxmemory-policy" || name == "notify-keyspace-events" ||
         name == "lazyfree-lazy-user-del" || name == "activedefrag";
}

bool IsNumber(std::string_view name) {
  return name.starts_with("zset-max-") || name.starts_with("set-max-") ||
         name.starts_with("slowlog-");
}

}  // namespace

Settings::Settings(const Config& config) {
  values_ = {
      {"activedefrag", "no"},
      {"appendonly", "no"},
      {"bind", config.bind},
      {"databases", "1"},
      {"dir", config.data},
      {"lazyfree-lazy-user-del", "yes"},
      {"maxclients", std::to_string(config.max_clients)},
      {"maxmemory", std::to_string(config.max_memory)},
      {"maxmemory-policy", "noeviction"},
      {"notify-keyspace-events", ""},
      {"port", std::to_string(config.port)},
      {"proto-max-bulk-len", std::to_string(1 << 20)},
      {"save", ""},
      {"set-max-intset-entries", "512"},
      {"set-max-listpack-entries", "128"},
      {"set-max-listpack-value", "64"},
      {"slowlog-log-slower-than", std::to_string(config.slowlog_slower_than_us)},
      {"slowlog-max-len", std::to_string(config.slowlog_max_len)},
      {"timeout", std::to_string(config.idle_timeout_ms / 1000)},
      {"zset-max-listpack-entries", "128"},
      {"zset-max-listpack-value", "64"},
      {"zset-max-ziplist-entries", "128"},
      {"zset-max-ziplist-value", "64"},
  };
}

std::map<std::string, std::string> Settings::Matching(
    std::span<const std::string_view> patterns) const {
  const base::MutexLock lock(mutex_);
  std::map<std::string, std::string> found;
  for (const std::string_view text : patterns) {
    const base::Glob pattern(base::Lower(text));
    for (const auto& [name, value] : values_) {
      if (pattern.Matches(name)) found.emplace(name, value);
    }
  }
  return found;
}

bool Settings::Has(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  return values_.count(base::Lower(name)) > 0;
}

std::optional<std::string> Settings::Refusal(std::string_view name, std::string_view value) {
  const std::string lower = base::Lower(name);
  if (!IsRemembered(lower) && !lower.starts_with("slowlog-")) {
    return "set it with a flag or in the configuration file when the server starts";
  }
  std::int64_t number = 0;
  if (IsNumber(lower) && !base::ParseInteger(value, &number)) {
    return "argument couldn't be parsed into an integer";
  }
  return std::nullopt;
}

void Settings::Set(std::string_view name, std::string_view value) {
  const base::MutexLock lock(mutex_);
  values_[base::Lower(name)] = value;
}

std::int64_t Settings::Number(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  std::int64_t number = 0;
  const auto found = values_.find(std::string(name));
  if (found != values_.end()) base::ParseInteger(found->second, &number);
  return number;
}

}  // namespace laurel::server
