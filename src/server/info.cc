#include "server/info.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/text.h"
#include "laurel/stamp_clock.h"
#include "server/state/compatibility.h"
#include "server/state/process_usage.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

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
  void Section(std::string_view title) {
    if (!text_.empty()) text_ += "\r\n";
    text_ += "# " + std::string(title) + "\r\n";
  }
  void Line(std::string_view name, std::string_view value) {
    text_ += std::string(name) + ":" + std::string(value) + "\r\n";
  }
  void Line(std::string_view name, std::uint64_t value) { Line(name, std::to_string(value)); }
  void Line(std::string_view name, double value) { Line(name, Fixed(value, 6)); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Whether the request asks for a section by its name or with "all" or "everything".
bool Names(std::span<const std::string_view> arguments, std::string_view section) {
  const auto names = [section](std::string_view word) {
    return base::IsWord(word, section) || base::IsWord(word, "all") ||
           base::IsWord(word, "everything");
  };
  return std::any_of(arguments.begin() + 1, arguments.end(), names);
}

// The same for a section that INFO shows by default.
bool Wants(std::span<const std::string_view> arguments, std::string_view section) {
  const auto is_default = [](std::string_view word) { return base::IsWord(word, "default"); };
  return arguments.size() == 1 || Names(arguments, section) ||
         std::any_of(arguments.begin() + 1, arguments.end(), is_default);
}

void AddCpu(InfoLines* info) {
  rusage self{};
  rusage children{};
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  info->Section("CPU");
  info->Line("used_cpu_sys", Seconds(self.ru_stime));
  info->Line("used_cpu_user", Seconds(self.ru_utime));
  info->Line("used_cpu_sys_children", Seconds(children.ru_stime));
  info->Line("used_cpu_user_children", Seconds(children.ru_utime));
}

void AddMemory(const engine::Figures& figures, std::uint64_t max_memory, InfoLines* info) {
  const std::size_t resident = ResidentBytes();
  info->Section("Memory");
  info->Line("used_memory", figures.used_bytes);
  info->Line("used_memory_human", Human(figures.used_bytes));
  info->Line("used_memory_rss", resident);
  info->Line("used_memory_rss_human", Human(resident));
  info->Line("used_memory_peak", std::max(figures.used_bytes, PeakResidentBytes()));
  info->Line("used_memory_dataset", figures.boards_bytes);
  info->Line("maxmemory", max_memory);
  info->Line("maxmemory_human", Human(max_memory));
  info->Line("maxmemory_policy", "noeviction");
  info->Line("mem_fragmentation_ratio",
             static_cast<double>(resident) /
                 static_cast<double>(std::max<std::size_t>(figures.used_bytes, 1)));
  info->Line("mem_allocator", "libc");
}

void AddReplication(InfoLines* info) {
  info->Section("Replication");
  info->Line("role", "master");
  info->Line("connected_slaves", std::uint64_t{0});
  info->Line("master_failover_state", "no-failover");
  info->Line("master_replid", std::string(40, '0'));
  info->Line("master_repl_offset", std::uint64_t{0});
}

void AddPersistence(const engine::Persistence& disk, std::int64_t started_at_us, InfoLines* info) {
  const auto seconds = [](std::int64_t micros) {
    return static_cast<std::uint64_t>(micros / 1'000'000);
  };
  const auto micros = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  info->Section("Persistence");
  info->Line("loading", std::uint64_t{disk.loading});
  info->Line("async_loading", std::uint64_t{0});
  if (disk.loading) {
    info->Line("loading_start_time", seconds(disk.loading_since_us));
    info->Line("loading_total_bytes", disk.loading_bytes);
    info->Line("loading_loaded_bytes", disk.loaded_bytes);
    info->Line("loading_loaded_perc", disk.loading_bytes == 0
                                          ? 0.0
                                          : 100.0 * static_cast<double>(disk.loaded_bytes) /
                                                static_cast<double>(disk.loading_bytes));
  }
  const std::int64_t saved_us =
      disk.keeper.snapshot_at_us != 0 ? disk.keeper.snapshot_at_us : started_at_us;
  info->Line("rdb_changes_since_last_save", disk.RecordsSinceSnapshot());
  info->Line("rdb_bgsave_in_progress", std::uint64_t{disk.keeper.snapshot_runs});
  info->Line("rdb_last_save_time", seconds(saved_us));
  info->Line("rdb_last_bgsave_status", disk.keeper.snapshot_failed ? "err" : "ok");
  info->Line("rdb_last_bgsave_time_sec", seconds(disk.keeper.snapshot_took_us));
  info->Line("rdb_saves", disk.keeper.snapshots);
  info->Line("aof_enabled", std::uint64_t{disk.durable});
  info->Line("aof_rewrite_in_progress", std::uint64_t{0});
  info->Line("aof_last_write_status", disk.trouble.empty() ? "ok" : "err");
  if (!disk.durable) return;
  const std::int64_t running_us =
      disk.keeper.snapshot_runs ? base::MonotonicMicros() - disk.keeper.snapshot_began_us : 0;
  const auto syncs = static_cast<std::int64_t>(disk.log.sync_times.count());
  if (!disk.folder.empty()) info->Line("laurel_data", disk.folder);
  info->Line("laurel_fsync", disk.fsync);
  info->Line("laurel_read_only", std::uint64_t{!disk.trouble.empty()});
  info->Line("laurel_disk_trouble", disk.trouble);
  info->Line("laurel_disk_takes_removals",
             std::uint64_t{disk.trouble.empty() || disk.takes_removals});
  if (disk.keeper.disk_free_bytes)
    info->Line("laurel_disk_free_bytes", *disk.keeper.disk_free_bytes);
  info->Line("laurel_disk_reserve_bytes", disk.keeper.reserve_bytes);
  info->Line("laurel_log_given_up_bytes", disk.keeper.log_given_up_bytes);
  info->Line("laurel_log_epoch", disk.epoch);
  info->Line("laurel_log_bytes", disk.log.bytes);
  info->Line("laurel_log_segments", disk.log.segments);
  info->Line("laurel_log_written_bytes", disk.log.written_bytes);
  info->Line("laurel_log_pending_bytes", disk.log.pending_bytes);
  info->Line("laurel_records", disk.log.appended);
  info->Line("laurel_durable_records", disk.log.durable);
  info->Line("laurel_records_since_snapshot", disk.RecordsSinceSnapshot());
  info->Line("laurel_snapshot_bytes", disk.keeper.snapshot_bytes);
  info->Line("laurel_snapshot_entries_done", disk.keeper.entries_done);
  info->Line("laurel_snapshot_entries_estimate", disk.keeper.entries_estimate);
  info->Line("laurel_snapshot_running_ms", micros(running_us / 1000));
  info->Line("laurel_waiting_for_disk", disk.parked_pipelines);
  info->Line("laurel_fsyncs", disk.log.sync_times.count());
  info->Line("laurel_fsync_last_us", micros(disk.log.last_sync_us));
  info->Line("laurel_fsync_mean_us",
             micros(syncs == 0 ? 0 : disk.log.sync_times.total_us() / syncs));
  info->Line("laurel_fsync_p99_us", micros(disk.log.SyncTimeAt(99)));
  info->Line("laurel_fsync_longest_us", micros(disk.log.longest_sync_us));
}

void AddServer(const ServerFigures& server, InfoLines* info) {
  const std::int64_t now = SystemNow();
  const std::int64_t uptime = (now - server.started_at_us) / 1'000'000;
  const std::int64_t offset = server.config.clock_offset_us;
  info->Section("Server");
  info->Line("redis_version", kRedisVersion);
  info->Line("redis_mode", "standalone");
  info->Line("laurel_version", kLaurelVersion);
  info->Line("os", "Linux");
  info->Line("arch_bits", std::uint64_t{64});
  info->Line("multiplexing_api", "epoll");
  info->Line("process_id", static_cast<std::uint64_t>(getpid()));
  info->Line("run_id", server.run_id);
  info->Line("tcp_port", std::uint64_t{server.port});
  info->Line("server_time_usec", static_cast<std::uint64_t>(now + offset));
  info->Line("laurel_clock_offset_ms", static_cast<std::uint64_t>(offset / 1000));
  info->Line("uptime_in_seconds", static_cast<std::uint64_t>(uptime));
  info->Line("uptime_in_days", static_cast<std::uint64_t>(uptime / 86'400));
  info->Line("io_threads_active", std::uint64_t{server.threads > 1});
}

void AddClients(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  info->Section("Clients");
  info->Line("connected_clients", server.clients);
  info->Line("cluster_connections", std::uint64_t{0});
  info->Line("maxclients", std::uint64_t{server.config.max_clients});
  info->Line("blocked_clients", figures.blocked);
  info->Line("tracking_clients", std::uint64_t{0});
}

void AddStats(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  const Counters& counters = server.counters;
  info->Section("Stats");
  info->Line("total_connections_received", counters.connections);
  info->Line("total_commands_processed", counters.commands);
  info->Line("instantaneous_ops_per_sec", server.commands_per_second);
  info->Line("total_net_input_bytes", counters.bytes_in);
  info->Line("total_net_output_bytes", counters.bytes_out);
  info->Line("rejected_connections", counters.rejected);
  info->Line("expired_keys", figures.expired);
  info->Line("evicted_keys", std::uint64_t{0});
  info->Line("evicted_clients", counters.output_overflows);
  info->Line("keyspace_hits", figures.hits);
  info->Line("keyspace_misses", figures.misses);
  info->Line("acl_access_denied_auth", counters.refused_logins);
  info->Line("latest_fork_usec", std::uint64_t{0});
}

// Commands that were executed or refused since CONFIG RESETSTAT, in Redis' format.
void AddCommandStats(const engine::CommandCounters& counters, InfoLines* info) {
  info->Section("Commandstats");
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
  info->Section("Errorstats");
  const engine::ErrorFigures errors = counters.ErrorsSinceReset();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) continue;
    info->Line("errorstat_" + std::string(engine::kCountedErrors[i]),
               "count=" + std::to_string(errors[i]));
  }
}

// Percentiles are upper bounds: those of the histogram's buckets.
void AddLatencyStats(const engine::CommandCounters& counters, InfoLines* info) {
  info->Section("Latencystats");
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
  info->Section("Keyspace");
  if (!figures.boards || figures.boards->existing == 0) return;
  info->Line("db0", "keys=" + std::to_string(figures.boards->existing) +
                        ",expires=" + std::to_string(figures.boards->expiring) + ",avg_ttl=0");
}

void AddLaurel(const ServerFigures& server, const engine::Figures& figures, InfoLines* info) {
  info->Section("Laurel");
  if (figures.boards) info->Line("boards", figures.boards->all);
  info->Line("boards_bytes", figures.boards_bytes);
  info->Line("buffer_bytes", server.buffer_bytes);
  info->Line("stamp_lead_us", static_cast<std::uint64_t>(figures.stamp_lead_us));
  info->Line("io_threads", server.threads);
  info->Line("protocol_errors", server.counters.errors_protocol);
}

}  // namespace

std::string InfoText(std::span<const std::string_view> arguments, const engine::Access& access,
                     engine::Figures figures, const ServerFigures& server) {
  engine::Persistence& disk = figures.persistence;
  if (!access.all()) disk.folder.clear();
  if (!disk.trouble.empty()) disk.trouble = access.Shown(disk.trouble);
  InfoLines info;
  if (Wants(arguments, "server")) AddServer(server, &info);
  if (Wants(arguments, "clients")) AddClients(server, figures, &info);
  if (Wants(arguments, "memory")) AddMemory(figures, server.config.max_memory, &info);
  if (Wants(arguments, "persistence")) AddPersistence(disk, server.started_at_us, &info);
  if (Wants(arguments, "stats")) AddStats(server, figures, &info);
  if (Wants(arguments, "replication")) AddReplication(&info);
  if (Wants(arguments, "cpu")) AddCpu(&info);
  if (Names(arguments, "commandstats")) AddCommandStats(server.commands, &info);
  if (Wants(arguments, "errorstats")) AddErrorStats(server.commands, &info);
  if (Names(arguments, "latencystats")) AddLatencyStats(server.commands, &info);
  if (Wants(arguments, "cluster")) {
    info.Section("Cluster");
    info.Line("cluster_enabled", std::uint64_t{0});
  }
  if (Wants(arguments, "keyspace")) AddKeyspace(figures, &info);
  if (Wants(arguments, "laurel")) AddLaurel(server, figures, &info);
  return info.text();
}

}  // namespace laurel::server
