#include "server/figures_json.h"

#include <algorithm>
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

void WriteTimes(std::string_view key, const base::Histogram& times, wire::JsonWriter& json) {
  Write(key,
        {{"count", times.count()},
         {"p50_us", static_cast<std::uint64_t>(times.BoundAt(500))},
         {"p99_us", static_cast<std::uint64_t>(times.BoundAt(990))},
         {"p999_us", static_cast<std::uint64_t>(times.BoundAt(999))}},
        json);
}

void WritePersistence(const engine::Persistence& state, wire::JsonWriter& json) {
  json.Key("disk");
  json.Map(5);
  json.Key("durable");
  json.Bool(state.durable);
  json.Key("fsync");
  state.durable ? json.Bulk(state.fsync) : json.Null();
  json.Key("writes");
  json.Bool(!state.loading && state.trouble.empty());
  Write("log",
        {{"bytes", state.log_bytes},
         {"segments", state.log_segments},
         {"pending_bytes", state.log_pending_bytes},
         {"records", state.records},
         {"durable_records", state.durable_records}},
        json);
  Write("snapshot",
        {{"count", state.snapshots},
         {"running", state.snapshot_runs ? 1U : 0U},
         {"failed", state.snapshot_failed ? 1U : 0U},
         {"bytes", state.snapshot_bytes},
         {"taken_unix_us", static_cast<std::uint64_t>(state.snapshot_at_us)},
         {"took_us", static_cast<std::uint64_t>(state.snapshot_took_us)}},
        json);
}

}  // namespace

std::string FiguresJson(const engine::Figures& figures, const MetricsSource& source,
                        const ServerState& state) {
  std::string text;
  wire::JsonWriter json;
  json.Begin(&text);
  json.Map(11);
  json.Key("version");
  json.Bulk(state.version);
  json.Key("run_id");
  json.Bulk(state.run_id);
  json.Key("state");
  json.Bulk(state.stops ? "stopping" : figures.persistence.loading ? "loading" : "serving");
  json.Key("uptime_seconds");
  json.Integer(source.uptime_us / 1'000'000);
  json.Key("requests_per_second");
  json.Integer(static_cast<std::int64_t>(state.commands_per_second));
  Write("connections",
        {{"resp", source.resp_connections},
         {"http", source.http_connections},
         {"streams", source.streams},
         {"blocked", figures.blocked}},
        json);
  Write("boards",
        {{"boards", figures.boards},
         {"entries", figures.entries},
         {"request_ids", figures.request_ids},
         {"live_readers", figures.live_readers}},
        json);
  Write("memory",
        {{"boards_bytes", figures.boards_bytes},
         {"buffers_bytes", source.buffer_bytes},
         {"used_bytes", figures.used_bytes},
         {"resident_bytes", source.resident_bytes},
         {"max_bytes", source.max_memory_bytes}},
        json);
  WritePersistence(figures.persistence, json);
  WriteTimes("engine_times", source.commands.EngineTimes(), json);
  WriteTimes("fsync_times", figures.persistence.sync_times, json);
  return text;
}

}  // namespace laurel::server
