#include "server/figures_json.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "wire/json_writer.h"

namespace laurel::server {
namespace {

using Numbers = std::vector<std::pair<std::string_view, std::uint64_t>>;

void Write(std::string_view key, const Numbers& numbers, wire::JsonWriter& json) {
  json.Key(key);
  json.Map(numbers.size());
  for (const auto& [name, number] : numbers) {
    json.Key(name);
    json.Integer(static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX)));
  }
}

// With the counts of all buckets, so that a client that reads twice can tell the percentiles of the
// time between.
void WriteTimes(std::string_view key, const base::Histogram& times, wire::JsonWriter& json) {
  json.Key(key);
  json.Map(7);
  json.Key("count");
  json.Integer(static_cast<std::int64_t>(times.count()));
  json.Key("total_us");
  json.Integer(times.total_us());
  json.Key("p50_us");
  json.Integer(times.BoundAt(500));
  json.Key("p99_us");
  json.Integer(times.BoundAt(990));
  json.Key("p999_us");
  json.Integer(times.BoundAt(999));
  json.Key("bounds_us");
  json.Array(base::Histogram::kBoundsUs.size());
  for (const std::int64_t bound : base::Histogram::kBoundsUs) json.Integer(bound);
  json.Key("buckets");
  json.Array(base::Histogram::kBuckets);
  for (const std::uint64_t count : times.counts()) json.Integer(static_cast<std::int64_t>(count));
}

void WritePersistence(const engine::Persistence& state, const engine::Access& access,
                      wire::JsonWriter& json) {
  json.Key("disk");
  json.Map(6);
  json.Key("durable");
  json.Bool(state.durable);
  json.Key("fsync");
  state.durable ? json.Bulk(state.fsync) : json.Null();
  json.Key("writes");
  json.Bool(state.TakesWrites());
  json.Key("trouble");
  state.trouble.empty() ? json.Null() : json.Bulk(access.Shown(state.trouble));
  Write("log",
        {{"bytes", state.log.bytes},
         {"segments", state.log.segments},
         {"pending_bytes", state.log.pending_bytes},
         {"records", state.log.appended},
         {"durable_records", state.log.durable}},
        json);
  Write("snapshot",
        {{"count", state.keeper.snapshots},
         {"running", state.keeper.snapshot_runs ? 1U : 0U},
         {"failed", state.keeper.snapshot_failed ? 1U : 0U},
         {"bytes", state.keeper.snapshot_bytes},
         {"taken_unix_us", static_cast<std::uint64_t>(state.keeper.snapshot_at_us)},
         {"took_us", static_cast<std::uint64_t>(state.keeper.snapshot_took_us)}},
        json);
}

}  // namespace

std::string FiguresJson(const engine::Figures& figures, const MetricsSource& source,
                        const ServerState& state, const engine::Access& access) {
  const engine::ErrorFigures errors = source.commands.ErrorsSinceReset();
  std::string text;
  wire::JsonWriter json;
  json.Begin(&text);
  json.Map(16);
  json.Key("version");
  json.Bulk(state.version);
  json.Key("run_id");
  json.Bulk(state.run_id);
  json.Key("state");
  json.Bulk(state.stops ? "stopping" : figures.persistence.loading ? "loading" : "serving");
  json.Key("time");
  json.Moment(state.now);
  json.Key("stamp_lead_us");
  json.Integer(figures.stamp_lead_us);
  json.Key("uptime_seconds");
  json.Integer(source.uptime_us / 1'000'000);
  json.Key("requests_per_second");
  json.Integer(static_cast<std::int64_t>(state.commands_per_second));
  json.Key("commands_total");
  json.Integer(static_cast<std::int64_t>(source.counters.commands.load()));
  json.Key("errors_total");
  json.Integer(
      static_cast<std::int64_t>(std::accumulate(errors.begin(), errors.end(), std::uint64_t{0})));
  json.Key("cpu_us");
  json.Integer(state.cpu_us);
  Write("connections",
        {{"resp", source.resp_connections},
         {"http", source.http_connections},
         {"streams", source.streams},
         {"blocked", figures.blocked}},
        json);
  Numbers boards = {{"entries", figures.entries},
                    {"request_ids", figures.request_ids},
                    {"live_readers", figures.live_readers}};
  if (figures.boards) boards.insert(boards.begin(), {"boards", figures.boards->all});
  Write("boards", boards, json);
  Write("memory",
        {{"boards_bytes", figures.boards_bytes},
         {"buffers_bytes", source.buffer_bytes},
         {"used_bytes", figures.used_bytes},
         {"resident_bytes", source.resident_bytes},
         {"max_bytes", source.max_memory_bytes}},
        json);
  WritePersistence(figures.persistence, access, json);
  WriteTimes("engine_times", source.commands.EngineTimes(), json);
  WriteTimes("fsync_times", figures.persistence.log.sync_times, json);
  return text;
}

}  // namespace laurel::server
