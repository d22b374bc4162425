// The JSON of /v1/server.
#include <numeric>
#include <string>
#include <string_view>

#include "server/config/compatibility.h"
#include "server/figures/figures.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

// Writes the counts of all buckets, so that a client can compute the percentiles between two reads.
void WriteTimes(std::string_view key, const base::Histogram& times, wire::JsonWriter& json) {
  json.Key(key);
  json.Map(7);
  json.Pair("count", times.count());
  json.Pair("total_us", times.total_us());
  json.Pair("p50_us", times.BoundAt(500));
  json.Pair("p99_us", times.BoundAt(990));
  json.Pair("p999_us", times.BoundAt(999));
  json.Key("bounds_us");
  json.Array(base::Histogram::kBoundsUs.size());
  for (const std::int64_t bound : base::Histogram::kBoundsUs) json.Integer(bound);
  json.Key("buckets");
  json.Array(base::Histogram::kBuckets);
  for (const std::uint64_t count : times.counts()) json.Integer(static_cast<std::int64_t>(count));
}

void WriteConnections(const engine::Figures& figures, const ServerFigures& server,
                      wire::JsonWriter& json) {
  json.Key("connections");
  json.Map(4);
  json.Pair("resp", server.resp_connections);
  json.Pair("http", server.http_connections);
  json.Pair("streams", server.streams);
  json.Pair("blocked", figures.blocked);
}

void WriteBoards(const engine::Figures& figures, wire::JsonWriter& json) {
  json.Key("boards");
  json.Map(figures.boards ? 4 : 3);
  if (figures.boards) json.Pair("boards", figures.boards->all);
  json.Pair("entries", figures.entries);
  json.Pair("request_ids", figures.request_ids);
  json.Pair("live_readers", figures.live_readers);
}

void WriteMemory(const engine::Figures& figures, const ServerFigures& server,
                 wire::JsonWriter& json) {
  json.Key("memory");
  json.Map(5);
  json.Pair("boards_bytes", figures.boards_bytes);
  json.Pair("buffers_bytes", server.buffer_bytes);
  json.Pair("used_bytes", figures.used_bytes);
  json.Pair("resident_bytes", server.resident_bytes);
  json.Pair("max_bytes", server.config.max_memory);
}

void WriteDisk(const engine::Persistence& disk, const engine::Access& access,
               wire::JsonWriter& json) {
  json.Key("disk");
  json.Map(6);
  json.Pair("durable", disk.durable);
  json.Key("fsync");
  disk.durable ? json.Bulk(disk.fsync) : json.Null();
  json.Pair("writes", disk.TakesWrites());
  json.Key("trouble");
  disk.trouble.empty() ? json.Null() : json.Bulk(access.Shown(disk.trouble));
  json.Key("log");
  json.Map(5);
  json.Pair("bytes", disk.log.bytes);
  json.Pair("segments", disk.log.segments);
  json.Pair("pending_bytes", disk.log.pending_bytes);
  json.Pair("records", disk.log.appended);
  json.Pair("durable_records", disk.log.durable);
  json.Key("snapshot");
  json.Map(6);
  json.Pair("count", disk.keeper.snapshots);
  json.Pair("running", int{disk.keeper.snapshot_runs});
  json.Pair("failed", int{disk.keeper.snapshot_failed});
  json.Pair("bytes", disk.keeper.snapshot_bytes);
  json.Pair("taken_unix_us", disk.keeper.snapshot_at_us);
  json.Pair("took_us", disk.keeper.snapshot_took_us);
}

}  // namespace

std::string FiguresJson(const engine::Figures& figures, const ServerFigures& server,
                        const engine::Access& access) {
  const engine::ErrorFigures errors = server.commands.ErrorsSinceReset();
  std::string text;
  wire::JsonWriter json(&text);
  json.Map(16);
  json.Pair("version", kLaurelVersion);
  json.Pair("run_id", server.run_id);
  json.Pair("state", server.stops                  ? "stopping"
                     : figures.persistence.loading ? "loading"
                                                   : "serving");
  json.Key("time");
  json.Moment(server.BoardTime());
  json.Pair("stamp_lead_us", figures.stamp_lead_us);
  json.Pair("uptime_seconds", server.UptimeUs() / 1'000'000);
  json.Pair("requests_per_second", server.commands_per_second);
  json.Pair("commands_total", server.counters.commands.load());
  json.Pair("errors_total", std::accumulate(errors.begin(), errors.end(), std::uint64_t{0}));
  json.Pair("cpu_us", server.cpu_us);
  WriteConnections(figures, server, json);
  WriteBoards(figures, json);
  WriteMemory(figures, server, json);
  WriteDisk(figures.persistence, access, json);
  WriteTimes("engine_times", server.commands.EngineTimes(), json);
  WriteTimes("fsync_times", figures.persistence.log.sync_times, json);
  return text;
}

}  // namespace laurel::server
