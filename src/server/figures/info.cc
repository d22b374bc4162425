// The text of INFO.
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/text.h"
#include "engine/limits.h"
#include "server/config/compatibility.h"
#include "server/figures/figures.h"
#include "server/figures/process_usage.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

constexpr std::int64_t kSecond = 1'000'000;  // in microseconds

std::string Human(std::size_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "K", "M", "G"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f%s", value, kUnits[unit]);
  return text.data();
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string Fixed(double value, int decimals) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

class InfoLines {
 public:
  // `sections` are the arguments of INFO.
  explicit InfoLines(std::span<const std::string_view> sections) : sections_(sections) {}

  // Begins the section, and returns true, if the request asks for it by its name, with "all" or
  // with "everything". With `by_default`, INFO without a section and "default" ask for it too.
  bool Begin(std::string_view title, bool by_default = true) {
    const auto asks = [&](std::string_view word) {
      return base::IsWord(word, title) || base::IsWord(word, "all") ||
             base::IsWord(word, "everything") || (by_default && base::IsWord(word, "default"));
    };
    if (sections_.empty() ? !by_default : std::none_of(sections_.begin(), sections_.end(), asks)) {
      return false;
    }
    if (!text_.empty()) text_ += "\r\n";
    Remark(title);
    return true;
  }
  // Adds a line that clients skip.
  void Remark(std::string_view text) { text_.append("# ").append(text).append("\r\n"); }
  void Line(std::string_view name, std::string_view value) {
    text_.append(name).append(":").append(value).append("\r\n");
  }
  void Line(std::string_view name, std::integral auto value) { Line(name, std::to_string(value)); }
  void Line(std::string_view name, const std::atomic<std::uint64_t>& counter) {
    Line(name, counter.load());
  }
  void Line(std::string_view name, double value) { Line(name, Fixed(value, 6)); }
  void LineOfBytes(const std::string& name, std::size_t bytes) {
    Line(name, bytes);
    Line(name + "_human", Human(bytes));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::span<const std::string_view> sections_;
  std::string text_;
};

void AddCpu(InfoLines* info) {
  rusage self{};
  rusage children{};
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  info->Line("used_cpu_sys", Seconds(self.ru_stime));
  info->Line("used_cpu_user", Seconds(self.ru_utime));
  info->Line("used_cpu_sys_children", Seconds(children.ru_stime));
  info->Line("used_cpu_user_children", Seconds(children.ru_utime));
}

void AddMemory(const engine::Figures& figures, const ServerFigures& server, InfoLines* info) {
  const std::size_t resident = server.resident_bytes;
  info->LineOfBytes("used_memory", figures.used_bytes);
  info->LineOfBytes("used_memory_rss", resident);
  info->Line("used_memory_peak", std::max(figures.used_bytes, PeakResidentBytes()));
  info->Line("used_memory_dataset", figures.boards_bytes);
  info->LineOfBytes("maxmemory", server.config.max_memory);
  info->Line("maxmemory_policy", "noeviction");
  info->Line("mem_fragmentation_ratio",
             static_cast<double>(resident) /
                 static_cast<double>(std::max<std::size_t>(figures.used_bytes, 1)));
  info->Line("mem_allocator", "libc");
}

void AddReplication(InfoLines* info) {
  info->Line("role", "master");
  info->Line("connected_slaves", 0);
  info->Line("master_failover_state", "no-failover");
  info->Line("master_replid", std::string(40, '0'));
  info->Line("master_repl_offset", 0);
}

void AddLog(const engine::Persistence& disk, InfoLines* info) {
  const auto& log = disk.log;
  const auto& keeper = disk.keeper;
  const std::int64_t running_us =
      keeper.snapshot_runs ? base::MonotonicMicros() - keeper.snapshot_began_us : 0;
  const auto syncs = static_cast<std::int64_t>(log.sync_times.count());
  if (!disk.folder.empty()) info->Line("laurel_data", disk.folder);
  info->Line("laurel_fsync", disk.fsync);
  info->Line("laurel_read_only", !disk.trouble.empty());
  info->Line("laurel_disk_trouble", disk.trouble);
  info->Line("laurel_disk_takes_removals", disk.trouble.empty() || disk.takes_removals);
  if (keeper.disk_free_bytes) info->Line("laurel_disk_free_bytes", *keeper.disk_free_bytes);
  info->Line("laurel_disk_reserve_bytes", keeper.reserve_bytes);
  info->Line("laurel_log_given_up_bytes", keeper.log_given_up_bytes);
  info->Line("laurel_log_epoch", disk.epoch);
  info->Line("laurel_log_bytes", log.bytes);
  info->Line("laurel_log_segments", log.segments);
  info->Line("laurel_log_written_bytes", log.written_bytes);
  info->Line("laurel_log_pending_bytes", log.pending_bytes);
  info->Line("laurel_records", log.appended);
  info->Line("laurel_durable_records", log.durable);
  info->Line("laurel_records_since_snapshot", disk.RecordsSinceSnapshot());
  info->Line("laurel_snapshot_bytes", keeper.snapshot_bytes);
  info->Line("laurel_snapshot_entries_done", keeper.entries_done);
  info->Line("laurel_snapshot_entries_estimate", keeper.entries_estimate);
  info->Line("laurel_snapshot_running_ms", running_us / 1000);
  info->Line("laurel_waiting_for_disk", disk.parked_pipelines);
  info->Line("laurel_fsyncs", syncs);
  info->Line("laurel_fsync_last_us", log.last_sync_us);
  info->Line("laurel_fsync_mean_us", syncs == 0 ? 0 : log.sync_times.total_us() / syncs);
  info->Line("laurel_fsync_p99_us", log.SyncTimeAt(99));
  info->Line("laurel_fsync_longest_us", log.longest_sync_us);
}

void AddPersistence(const engine::Persistence& disk, std::int64_t started_at_us, InfoLines* info) {
  const auto& keeper = disk.keeper;
  info->Line("loading", disk.loading);
  info->Line("async_loading", 0);
  if (disk.loading) {
    info->Line("loading_start_time", disk.loading_since_us / kSecond);
    info->Line("loading_total_bytes", disk.loading_bytes);
    info->Line("loading_loaded_bytes", disk.loaded_bytes);
    info->Line("loading_loaded_perc", disk.loading_bytes == 0
                                          ? 0.0
                                          : 100.0 * static_cast<double>(disk.loaded_bytes) /
                                                static_cast<double>(disk.loading_bytes));
  }
  const std::int64_t saved_us = keeper.snapshot_at_us != 0 ? keeper.snapshot_at_us : started_at_us;
  info->Line("rdb_changes_since_last_save", disk.RecordsSinceSnapshot());
  info->Line("rdb_bgsave_in_progress", keeper.snapshot_runs);
  info->Line("rdb_last_save_time", saved_us / kSecond);
  info->Line("rdb_last_bgsave_status", keeper.snapshot_failed ? "err" : "ok");
  info->Line("rdb_last_bgsave_time_sec", keeper.snapshot_took_us / kSecond);
  info->Line("rdb_saves", keeper.snapshots);
  info->Line("aof_enabled", disk.durable);
  info->Line("aof_rewrite_in_progress", 0);
  info->Line("aof_last_write_status", disk.trouble.empty() ? "ok" : "err");
  if (disk.durable) AddLog(disk, info);
}

void AddServer(const ServerFigures& server, InfoLines* info) {
  const std::int64_t uptime = server.UptimeUs() / kSecond;
  info->Line("redis_version", kRedisVersion);
  info->Line("redis_mode", "standalone");
  info->Line("laurel_version", kLaurelVersion);
  info->Line("os", "Linux");
  info->Line("arch_bits", 64);
  info->Line("multiplexing_api", "epoll");
  info->Line("process_id", getpid());
  info->Line("run_id", server.run_id);
  info->Line("tcp_port", server.port);
  info->Line("server_time_usec", server.BoardTime());
  info->Line("laurel_clock_offset_ms", server.config.clock_offset_us / 1000);
  info->Line("uptime_in_seconds", uptime);
  info->Line("uptime_in_days", uptime / 86'400);
  info->Line("io_threads_active", server.threads > 1);
}

void AddClients(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  info->Line("connected_clients", server.resp_connections + server.http_connections);
  info->Line("cluster_connections", 0);
  info->Line("maxclients", server.config.max_clients);
  info->Line("blocked_clients", figures.blocked);
  info->Line("tracking_clients", 0);
}

void AddStats(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  const Counters& counters = server.counters;
  info->Line("total_connections_received", counters.connections);
  info->Line("total_commands_processed", counters.commands);
  info->Line("instantaneous_ops_per_sec", server.commands_per_second);
  info->Line("total_net_input_bytes", counters.bytes_in);
  info->Line("total_net_output_bytes", counters.bytes_out);
  info->Line("rejected_connections", counters.rejected);
  info->Line("expired_keys", figures.expired);
  info->Line("evicted_keys", 0);
  info->Line("evicted_clients", counters.output_overflows);
  info->Line("keyspace_hits", figures.hits);
  info->Line("keyspace_misses", figures.misses);
  info->Line("acl_access_denied_auth", counters.refused_logins);
  info->Line("latest_fork_usec", 0);
}

// Adds the commands that were executed or refused since CONFIG RESETSTAT, in Redis' format.
void AddCommandStats(const engine::CommandCounters& counters, InfoLines* info) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const engine::CommandFigures figures = counters.FiguresSinceReset(command.id);
    const std::uint64_t calls = figures.calls();
    if (calls == 0 && figures.rejected == 0) continue;
    const std::int64_t micros = figures.times.total_us();
    info->Line(
        "cmdstat_" + wire::LowerName(command),
        "calls=" + std::to_string(calls) + ",usec=" + std::to_string(micros) + ",usec_per_call=" +
            Fixed(calls == 0 ? 0 : static_cast<double>(micros) / static_cast<double>(calls), 2) +
            ",rejected_calls=" + std::to_string(figures.rejected) +
            ",failed_calls=" + std::to_string(figures.failed));
  }
}

void AddErrorStats(const engine::CommandCounters& counters, InfoLines* info) {
  const engine::ErrorFigures errors = counters.ErrorsSinceReset();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) continue;
    info->Line("errorstat_" + std::string(engine::kCountedErrors[i]),
               "count=" + std::to_string(errors[i]));
  }
}

// Percentiles are upper bounds of the histogram's buckets.
void AddLatencyStats(const engine::CommandCounters& counters, InfoLines* info) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const base::Histogram times = counters.FiguresSinceReset(command.id).times;
    if (times.count() == 0) continue;
    const auto at = [&](unsigned permille) {
      const std::int64_t bound =
          std::min(times.BoundAt(permille), base::Histogram::kBoundsUs.back());
      return Fixed(static_cast<double>(bound), 3);
    };
    info->Line("latency_percentiles_usec_" + wire::LowerName(command),
               "p50=" + at(500) + ",p99=" + at(990) + ",p99.9=" + at(999));
  }
}

void AddKeyspace(const engine::Figures& figures, InfoLines* info) {
  if (!figures.boards) {
    return info->Remark("more than " + std::to_string(engine::kMaxCountedBoards) +
                        " boards: those of the token's pattern are not counted");
  }
  if (figures.boards->existing == 0) return;
  info->Line("db0", "keys=" + std::to_string(figures.boards->existing) +
                        ",expires=" + std::to_string(figures.boards->expiring) + ",avg_ttl=0");
}

void AddLaurel(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  if (figures.boards) info->Line("boards", figures.boards->all);
  info->Line("boards_bytes", figures.boards_bytes);
  info->Line("buffer_bytes", server.buffer_bytes);
  info->Line("stamp_lead_us", figures.stamp_lead_us);
  info->Line("io_threads", server.threads);
  info->Line("protocol_errors", server.counters.errors_protocol);
}

}  // namespace

std::string InfoText(std::span<const std::string_view> words, const engine::Access& access,
                     engine::Figures figures, const ServerFigures& server) {
  engine::Persistence& disk = figures.persistence;
  if (!access.all()) disk.folder.clear();
  if (!disk.trouble.empty()) disk.trouble = access.Shown(disk.trouble);
  InfoLines info(words.subspan(1));
  if (info.Begin("Server")) AddServer(server, &info);
  if (info.Begin("Clients")) AddClients(server, figures, &info);
  if (info.Begin("Memory")) AddMemory(figures, server, &info);
  if (info.Begin("Persistence")) AddPersistence(disk, server.started_at_us, &info);
  if (info.Begin("Stats")) AddStats(server, figures, &info);
  if (info.Begin("Replication")) AddReplication(&info);
  if (info.Begin("CPU")) AddCpu(&info);
  if (info.Begin("Commandstats", false)) AddCommandStats(server.commands, &info);
  if (info.Begin("Errorstats")) AddErrorStats(server.commands, &info);
  if (info.Begin("Latencystats", false)) AddLatencyStats(server.commands, &info);
  if (info.Begin("Cluster")) info.Line("cluster_enabled", 0);
  if (info.Begin("Keyspace")) AddKeyspace(figures, &info);
  if (info.Begin("Laurel")) AddLaurel(server, figures, &info);
  return info.text();
}

}  // namespace laurel::server
