// The text of /metrics.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/histogram.h"
#include "server/config/compatibility.h"
#include "server/figures/figures.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

// Types of families.
constexpr std::string_view kCounter = "counter";
constexpr std::string_view kGauge = "gauge";
constexpr std::string_view kHistogram = "histogram";

// Microseconds as a decimal number of seconds, exact and without an exponent.
std::string Seconds(std::int64_t micros) {
  const bool negative = micros < 0;
  const std::uint64_t size =
      negative ? 0 - static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  std::string text = (negative ? "-" : "") + std::to_string(size / 1'000'000);
  std::string fraction = std::to_string(1'000'000 + size % 1'000'000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) text += "." + fraction;
  return text;
}

// Writes families one after the other: HELP and TYPE, then the samples.
class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Begins a family. `help` is one line without a backslash.
  void Family(std::string_view type, std::string_view name, std::string_view help) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  void Sample(Labels labels, std::string_view value) { Line("", labels, value); }
  void Sample(Labels labels, std::uint64_t value) { Sample(labels, std::to_string(value)); }

  // Families with one sample.
  void Counter(std::string_view name, std::string_view help, std::uint64_t value) {
    Family(kCounter, name, help);
    Sample({}, value);
  }
  void Gauge(std::string_view name, std::string_view help, const auto& value) {
    Family(kGauge, name, help);
    Sample({}, value);
  }
  void Histogram(std::string_view name, std::string_view help, const base::Histogram& histogram) {
    Family(kHistogram, name, help);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < base::Histogram::kBuckets; ++i) {
      sum += histogram.counts()[i];
      const bool last = i + 1 == base::Histogram::kBuckets;
      const std::string bound = last ? "+Inf" : Seconds(base::Histogram::kBoundsUs[i]);
      Line("_bucket", {{"le", bound}}, std::to_string(sum));
    }
    Line("_sum", {}, Seconds(histogram.total_us()));
    Line("_count", {}, std::to_string(sum));
  }

  [[nodiscard]] std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view suffix, Labels labels, std::string_view value) {
    text_.append(name_).append(suffix);
    char before = '{';
    for (const auto& [label, text] : labels) {
      text_ += std::exchange(before, ',');
      text_.append(label).append("=\"");
      for (const char c : text) {
        if (c == '\\' || c == '"') text_ += '\\';
        c == '\n' ? text_.append("\\n") : text_.append(1, c);
      }
      text_ += '"';
    }
    if (labels.size() > 0) text_ += '}';
    text_.append(" ").append(value).append("\n");
  }

  std::string name_;
  std::string text_;
};

void AddServer(const engine::Figures& figures, const ServerFigures& server, Exposition* out) {
  const engine::Persistence& disk = figures.persistence;
  out->Family(kGauge, "laurel_build_info", "Always 1. The label has the version.");
  out->Sample({{"version", kLaurelVersion}}, "1");
  out->Gauge("laurel_uptime_seconds", "Time since the start of the server.",
             Seconds(server.UptimeUs()));
  out->Gauge("laurel_loading", "1 while the boards are being read from disk.", disk.loading);
  out->Gauge("laurel_writes_accepted", "0 while the server loads, or the disk takes no writes.",
             disk.TakesWrites());
}

void AddCommands(const engine::CommandCounters& commands, Exposition* out) {
  out->Family(kCounter, "laurel_requests_total",
              "Requests by command and outcome. failed: executed, and answered with an error. "
              "rejected: refused before execution.");
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const engine::CommandFigures figures = commands.Figures(command.id);
    if (figures.calls() + figures.rejected == 0) continue;
    const std::string name = wire::LowerName(command);
    out->Sample({{"command", name}, {"outcome", "ok"}}, figures.ok);
    out->Sample({{"command", name}, {"outcome", "failed"}}, figures.failed);
    out->Sample({{"command", name}, {"outcome", "rejected"}}, figures.rejected);
  }
  out->Family(kCounter, "laurel_request_seconds_total",
              "Time of the executed requests by command. Requests that are executed together share "
              "their time evenly. The time of PING and the like is not measured.");
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const engine::CommandFigures figures = commands.Figures(command.id);
    if (figures.times.count() == 0) continue;
    out->Sample({{"command", wire::LowerName(command)}}, Seconds(figures.times.total_us()));
  }
  out->Family(kCounter, "laurel_errors_total",
              "Error replies by code. UNKNOWN: the disk failed under a write that was executed.");
  const engine::ErrorFigures errors = commands.Errors();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    out->Sample({{"code", engine::kCountedErrors[i]}}, errors[i]);
  }
  out->Histogram("laurel_engine_seconds",
                 "Execution time of a request in the engine, without waits for the lock and the "
                 "disk. Requests that are executed together count with their mean.",
                 commands.EngineTimes());
}

void AddRoutes(const std::vector<RouteFigures>& routes, Exposition* out) {
  if (routes.empty()) return;
  out->Family(kCounter, "laurel_http_requests_total",
              "HTTP requests by method, route and class of status.");
  for (const RouteFigures& route : routes) {
    out->Sample({{"method", route.method}, {"route", route.route}, {"status", route.status}},
                route.requests);
  }
  out->Family(kCounter, "laurel_http_request_seconds_total",
              "Time of the HTTP requests by method, route and class of status.");
  for (const RouteFigures& route : routes) {
    out->Sample({{"method", route.method}, {"route", route.route}, {"status", route.status}},
                Seconds(route.total_us));
  }
}

void AddConnections(const engine::Figures& figures, const ServerFigures& server, Exposition* out) {
  const Counters& counters = server.counters;
  out->Family(kGauge, "laurel_connections", "Open connections by protocol.");
  out->Sample({{"protocol", "resp"}}, server.resp_connections);
  out->Sample({{"protocol", "http"}}, server.http_connections);
  out->Gauge("laurel_streams", "Open streams of server-sent events.", server.streams);
  out->Gauge("laurel_streams_limit", "The most streams that may be open.",
             server.config.max_streams);
  out->Gauge("laurel_blocked_clients", "Clients that wait in a blocking pop or in LB.CHANGES.",
             figures.blocked);
  out->Gauge("laurel_changes_waiting", "Clients that wait in LB.CHANGES.", figures.changes_waiting);
  out->Gauge("laurel_live_readers", "Readers of live boards.", figures.live_readers);
  out->Counter("laurel_connections_accepted_total", "Connections accepted.", counters.connections);
  out->Counter("laurel_connections_rejected_total", "Connections closed because of max-clients.",
               counters.rejected);
  out->Counter("laurel_clients_dropped_total",
               "Clients closed because they did not read (max-output, max-buffers).",
               counters.output_overflows);
  out->Counter("laurel_refused_logins_total", "Logins with an unknown token.",
               counters.refused_logins);
  out->Counter("laurel_protocol_errors_total", "Connections that sent no valid request.",
               counters.errors_protocol);
  out->Counter("laurel_received_bytes_total", "Bytes received from clients.", counters.bytes_in);
  out->Counter("laurel_sent_bytes_total", "Bytes sent to clients.", counters.bytes_out);
}

void AddBoards(const engine::Figures& figures, const ServerFigures& server, Exposition* out) {
  out->Gauge("laurel_boards", "Leaderboards and sorted sets, empty ones included.",
             figures.boards ? figures.boards->all : 0);
  out->Gauge("laurel_entries", "Visible entries of all boards and periods.", figures.entries);
  out->Gauge("laurel_request_ids", "Request ids that the leaderboards remember.",
             figures.request_ids);
  out->Counter("laurel_expired_boards_total", "Boards that have expired.", figures.expired);
  out->Gauge("laurel_stamp_lead_seconds", "How far the stamps of writes are ahead of the clock.",
             Seconds(figures.stamp_lead_us));
  out->Family(kGauge, "laurel_memory_bytes",
              "Memory by kind. resident: of the whole process. boards and buffers count towards "
              "max-memory.");
  out->Sample({{"kind", "boards"}}, figures.boards_bytes);
  out->Sample({{"kind", "buffers"}}, server.buffer_bytes);
  out->Sample({{"kind", "log_pending"}}, figures.persistence.log.pending_bytes);
  out->Sample({{"kind", "resident"}}, server.resident_bytes);
  out->Gauge("laurel_memory_limit_bytes", "max-memory; 0: no limit.", server.config.max_memory);
}

void AddLog(const engine::Persistence& disk, Exposition* out) {
  out->Gauge("laurel_log_bytes", "Size of the log.", disk.log.bytes);
  out->Gauge("laurel_log_segments", "Files of the log.", disk.log.segments);
  out->Gauge("laurel_log_pending_bytes", "Bytes of the log that are not written yet.",
             disk.log.pending_bytes);
  out->Counter("laurel_log_written_bytes_total", "Bytes written to the log.",
               disk.log.written_bytes);
  out->Gauge("laurel_log_records", "Number of the last record of the log.", disk.log.appended);
  out->Gauge("laurel_log_durable_records", "Number of the last record that is on disk.",
             disk.log.durable);
  out->Counter("laurel_log_given_up_bytes_total", "Bytes of log deleted because the disk was full.",
               disk.keeper.log_given_up_bytes);
  if (disk.keeper.disk_free_bytes) {
    out->Gauge("laurel_disk_free_bytes", "Free bytes of the disk.", *disk.keeper.disk_free_bytes);
  }
  out->Gauge("laurel_disk_reserve_bytes", "Bytes kept for a full disk.", disk.keeper.reserve_bytes);
  out->Gauge("laurel_waiting_for_disk", "Clients whose replies wait for the disk.",
             disk.parked_pipelines);
  out->Histogram("laurel_disk_wait_seconds",
                 "How long executed requests of a client waited for the disk (fsync always).",
                 disk.disk_waits);
  out->Histogram("laurel_fsync_seconds", "Time of an fsync of the log.", disk.log.sync_times);
}

void AddSnapshots(const engine::Persistence& disk, Exposition* out) {
  out->Counter("laurel_snapshots_total", "Snapshots taken since the start.", disk.keeper.snapshots);
  out->Gauge("laurel_snapshot_running", "1 while a snapshot is being taken.",
             disk.keeper.snapshot_runs);
  out->Gauge("laurel_snapshot_failed", "1 if the last snapshot failed.",
             disk.keeper.snapshot_failed);
  out->Gauge("laurel_snapshot_last_timestamp_seconds",
             "When the last snapshot was taken, as Unix time; 0: never.",
             Seconds(disk.keeper.snapshot_at_us));
  out->Gauge("laurel_snapshot_last_duration_seconds", "How long the last snapshot took.",
             Seconds(disk.keeper.snapshot_took_us));
  out->Gauge("laurel_snapshot_last_bytes", "Size of the last snapshot.",
             disk.keeper.snapshot_bytes);
  out->Gauge("laurel_records_since_snapshot", "Records of the log after the last snapshot.",
             disk.RecordsSinceSnapshot());
}

}  // namespace

std::string MetricsText(const engine::Figures& figures, const ServerFigures& server) {
  Exposition out;
  AddServer(figures, server, &out);
  AddCommands(server.commands, &out);
  AddRoutes(server.routes, &out);
  AddConnections(figures, server, &out);
  AddBoards(figures, server, &out);
  if (figures.persistence.durable) {
    AddLog(figures.persistence, &out);
    AddSnapshots(figures.persistence, &out);
  }
  return out.Take();
}

}  // namespace laurel::server
