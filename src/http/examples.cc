#include "http/examples.h"

#include <array>
#include <span>

namespace laurel::http {
namespace {

constexpr std::array kBoardExamples = {
    Example{"listBoards", "/v1/boards?match=a*", "", 200,
            R"({"boards": [{"board": "arena", "policy": "best", "periods": [], "start": null,
                "end": null, "window": "open", "size": 3, "bytes": 840}], "cursor": null})"},
    Example{"listBoards", "/v1/boards?kind=sorted-set", "", 200,
            R"({"boards": [], "cursor": null})"},
    Example{"getBoard", "/v1/boards/arena", "", 200,
            R"({"board": "arena",
                "fields": [{"name": "score", "type": "int", "direction": "desc",
                            "operator": "set"}],
                "policy": "best", "tie": "first", "cap": 0, "start": null, "end": null,
                "grace": "0s", "expire": null, "dedup": 100000, "ids": 0, "size": 3, "hidden": 0,
                "bytes": 840, "create": "FIELDS 1 score:int:desc POLICY best TIE first"})"},
    Example{"createBoard", "/v1/boards/season",
            R"({"fields": [{"name": "points"},
                           {"name": "time", "type": "decimal2", "direction": "asc"}],
                "policy": "best", "periods": ["day", "all"], "tz": "Asia/Shanghai"})",
            201,
            R"({"board": "season",
                "fields": [{"name": "points", "type": "int", "direction": "desc",
                            "operator": "set"},
                           {"name": "time", "type": "decimal2", "direction": "asc",
                            "operator": "set"}],
                "policy": "best", "tie": "first", "cap": 0, "start": null, "end": null,
                "grace": "0s", "expire": null, "dedup": 100000, "ids": 0, "size": 0, "hidden": 0,
                "bytes": 688, "periods": ["day", "all"], "tz": "Asia/Shanghai", "turn": "00:00",
                "keep": 1,
                "create": "FIELDS 2 points:int:desc time:decimal2:asc POLICY best TIE first )"
            R"(PERIODS 2 day all TZ Asia/Shanghai"})"},
    Example{"alterBoard", "/v1/boards/arena", R"({"cap": 1000, "expire": null})", 200,
            R"({"board": "arena",
                "fields": [{"name": "score", "type": "int", "direction": "desc",
                            "operator": "set"}],
                "policy": "best", "tie": "first", "cap": 1000, "start": null, "end": null,
                "grace": "0s", "expire": null, "dedup": 100000, "ids": 0, "size": 3, "hidden": 0,
                "bytes": 840, "create": "FIELDS 1 score:int:desc POLICY best TIE first CAP 1000"})"},
    Example{"dropBoard", "/v1/boards/season", "", 200, R"({"ok": true})"},
};

constexpr std::array kTemplateExamples = {
    Example{"listTemplates", "/v1/templates", "", 200,
            R"({"templates": [{"pattern": "rank:*", "spec": {
                "fields": [{"name": "score", "type": "int", "direction": "desc",
                            "operator": "set"}],
                "policy": "best", "tie": "first", "cap": 0, "start": null, "end": null,
                "grace": "0s", "expire": null, "dedup": 100000}}]})"},
    Example{"getTemplate", "/v1/templates/rank:*", "", 200,
            R"({"pattern": "rank:*", "spec": {
                "fields": [{"name": "score", "type": "int", "direction": "desc",
                            "operator": "set"}],
                "policy": "best", "tie": "first", "cap": 0, "start": null, "end": null,
                "grace": "0s", "expire": null, "dedup": 100000}})"},
    Example{"setTemplate", "/v1/templates/weekly:*", R"({"policy": "sum", "expire": "30d"})", 201,
            R"({"ok": true})"},
    Example{"deleteTemplate", "/v1/templates/weekly:*", "", 200, R"({"removed": 1})"},
};

constexpr std::array kWriteExamples = {
    Example{"writeEntries", "/v1/boards/arena/entries",
            R"({"member": "bob", "score": ["120"], "meta": "Bob B."})", 200,
            R"({"status": "accepted", "rank": 1, "previous_rank": 2, "score": ["120"],
                "previous_score": ["90"], "reached": "2026-11-15T13:00:00.000000Z"})"},
    Example{"writeEntries", "/v1/boards/arena/entries",
            R"({"entries": [{"member": "ann", "score": 95}, {"member": "gus", "score": 40}]})", 200,
            R"({"verdicts": [
                {"status": "not-best", "rank": 2, "previous_rank": 2, "score": ["100"],
                 "previous_score": ["100"], "reached": "2026-11-15T12:00:00.000000Z"},
                {"status": "accepted", "rank": 7, "previous_rank": null, "score": ["40"],
                 "previous_score": null, "reached": "2026-11-15T13:00:01.000001Z"}]})"},
    Example{"removeEntry", "/v1/boards/arena/entries/gus", "", 200, R"({"removed": 1})"},
    Example{"hideMember", "/v1/boards/arena/entries/eve/hidden", "", 200, R"({"changed": 1})"},
    Example{"showMember", "/v1/boards/arena/entries/eve/hidden", "", 200, R"({"changed": 1})"},
    Example{"setMeta", "/v1/boards/arena/entries/ann/meta", R"({"meta": "Ann A."})", 200,
            R"({"changed": 1})"},
    Example{"removeMembers", "/v1/boards/arena/remove",
            R"({"members": ["fay", {"member_base64": "/w=="}]})", 200, R"({"removed": 1})"},
    Example{"popEntries", "/v1/boards/arena/pop", R"({"n": 1, "bottom": true})", 200,
            R"({"board": "arena", "count": 5, "entries": [
                {"rank": 5, "member": "eve", "score": ["60"],
                 "reached": "2026-11-15T12:00:00.000004Z"}]})"},
    Example{"trimBoard", "/v1/boards/arena/trim", R"({"n": 3})", 200, R"({"removed": 1})"},
    Example{"clearBoard", "/v1/boards/arena/clear", "{}", 200, R"({"removed": 3})"},
    Example{"submitToBoards", "/v1/submit",
            R"({"submits": [{"board": "arena", "member": "ann", "score": ["100"]},
                            {"board": "guilds", "member": "red", "score": ["100"]}]})",
            200,
            R"({"verdicts": [
                {"status": "accepted", "rank": 1, "previous_rank": null, "score": ["100"],
                 "previous_score": null, "reached": "2026-11-15T13:00:02.000000Z"},
                {"status": "accepted", "rank": 1, "previous_rank": null, "score": ["100"],
                 "previous_score": null, "reached": "2026-11-15T13:00:02.000001Z"}]})"},
};

constexpr std::array kReadExamples = {
    Example{"listEntries", "/v1/boards/arena/entries?limit=2", "", 200,
            R"({"board": "arena", "version": "94be02427911-1-0-4", "count": 4, "entries": [
                {"rank": 1, "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z"},
                {"rank": 2, "member": "bob", "score": ["90"],
                 "reached": "2026-11-15T12:00:00.000001Z"}]})"},
    Example{"listEntries", "/v1/boards/arena/entries?offset=-1&kind=dense&meta=1", "", 200,
            R"({"board": "arena", "version": "94be02427911-1-0-4", "count": 4, "entries": [
                {"rank": 3, "member_base64": "/w==", "score": ["70"],
                 "reached": "2026-11-15T12:00:00.000003Z", "meta": null}]})"},
    Example{"getEntry", "/v1/boards/arena/entries/ann?meta=1", "", 200,
            R"({"rank": 1, "member": "ann", "score": ["100"],
                "reached": "2026-11-15T12:00:00.000000Z", "meta": "Ann A.", "count": 4})"},
    Example{"getEntry", "/v1/boards/arena/entries/zoe", "", 404,
            R"({"title": "Not Found", "status": 404, "code": "NOMEMBER",
                "detail": "the member has no entry here", "field": "member",
                "request_id": "e798ad62864e2661"})"},
    Example{"aroundEntry", "/v1/boards/arena/entries/bob/around?radius=1", "", 200,
            R"({"board": "arena", "version": "94be02427911-1-0-4", "count": 4, "entries": [
                {"rank": 1, "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z"},
                {"rank": 2, "member": "bob", "score": ["90"],
                 "reached": "2026-11-15T12:00:00.000001Z"},
                {"rank": 3, "member": "cid", "score": ["90"],
                 "reached": "2026-11-15T12:00:00.000002Z"}]})"},
    Example{"amongMembers", "/v1/boards/arena/among", R"({"members": ["zoe", "cid", "ann"]})", 200,
            R"({"board": "arena", "version": "94be02427911-1-0-4", "count": 4, "entries": [
                {"rank": 1, "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z", "place": 1},
                {"rank": 3, "member": "cid", "score": ["90"],
                 "reached": "2026-11-15T12:00:00.000002Z", "place": 2},
                {"rank": null, "member": "zoe", "score": null, "reached": null,
                 "place": null}]})"},
    Example{"rankOfScore", "/v1/boards/arena/rank-of?score=95", "", 200, R"({"rank": 2})"},
    Example{"countEntries", "/v1/boards/arena/count?min=(70&max=%2Binf", "", 200,
            R"({"count": 3})"},
    Example{"listBetween", "/v1/boards/arena/between?min=80&limit=1", "", 200,
            R"({"board": "arena", "version": "94be02427911-1-0-4", "count": 4, "entries": [
                {"rank": 1, "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z"}]})"},
    Example{"getPercentile", "/v1/boards/arena/percentile?member=bob", "", 200,
            R"({"percentile": 33.3333, "worse": 1, "equal": 1, "count": 4})"},
    Example{"getQuantile", "/v1/boards/arena/quantile?p=50", "", 200, R"({"score": ["90"]})"},
    Example{"getHistogram", "/v1/boards/arena/histogram?buckets=2", "", 200,
            R"({"buckets": [{"from": "70", "to": "86", "count": 1},
                            {"from": "86", "to": "102", "count": 3}]})"},
    Example{"listPeriods", "/v1/boards/season/periods", "", 200,
            R"({"periods": [
                {"board": "season@day:2026-11-15", "period": "day",
                 "begin": "2026-11-15T00:00:00.000000Z", "end": "2026-11-16T00:00:00.000000Z",
                 "present": true, "size": 1, "closed": null},
                {"board": "season@all", "period": "all", "begin": null, "end": null,
                 "present": true, "size": 1, "closed": null}]})"},
    Example{"readBoards", "/v1/read",
            R"({"reads": [{"read": "entry", "board": "arena", "member": "ann"},
                          {"read": "rank-of", "board": "season@day", "score": ["7"]},
                          {"read": "count", "board": "nowhere"}]})",
            200,
            R"({"results": [
                {"rank": 1, "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z", "count": 4},
                {"rank": 1},
                {"code": "NOBOARD",
                 "detail": "no board 'nowhere': PUT /v1/boards/nowhere or a template makes one"}]})"},
};

constexpr std::array kEventExamples = {
    Example{"listChanges", "/v1/boards/arena/changes?from=0&limit=10", "", 200,
            R"({"events": [
                {"cursor": "1c0d32-0-1-1", "cause": "created",
                 "spec": "FIELDS 1 score:int:desc POLICY best TIE first"},
                {"cursor": "1c0d32-1-1-1", "cause": "put", "member": "ann", "score": ["100"],
                 "reached": "2026-11-15T12:00:00.000000Z"},
                {"cursor": "1c0d32-2-1-1", "cause": "hidden", "member": "bob"}],
                "next": "1c0d32-3-0-1"})"},
    Example{"followBoard", "/v1/boards/arena/live?top=2&member=bob", "", 200,
            R"(event: state
data: {"board":"arena","version":1,"count":1,"size":1,"entries":[{"rank":1,"member":"ann",)"
            R"("score":["100"],"reached":"2026-11-15T12:00:00.000000Z"}]}

event: members
data: {"board":"arena","version":1,"members":[{"rank":null,"member":"bob","score":null,)"
            R"("reached":null}]}

event: update
data: {"board":"arena","version":2,"count":2,"size":2,"entries":[{"rank":1,"member":"bob",)"
            R"("score":["120"],"reached":"2026-11-15T12:00:01.000000Z"},{"rank":2,"member":"ann",)"
            R"("score":["100"],"reached":"2026-11-15T12:00:00.000000Z"}]}
)",
            /*is_stable=*/false},
};

constexpr std::array kServerExamples = {
    Example{"whoAmI", "/v1/whoami", "", 200,
            R"({"name": "default", "role": "admin", "boards": "*", "anonymous": false,
                "tokens": false})"},
    Example{"getServer", "/v1/server", "", 200,
            R"({"version": "0.1.0", "run_id": "07a3d6a3c5a24d6f7d8d2f4a7a3c8be95d0d1b52",
                "state": "serving", "time": "2026-11-15T13:00:00.000000Z", "stamp_lead_us": 0,
                "uptime_seconds": 60, "requests_per_second": 12, "commands_total": 16,
                "errors_total": 1, "cpu_us": 30000,
                "connections": {"resp": 3, "http": 1, "streams": 0, "blocked": 0},
                "boards": {"boards": 1, "entries": 3, "request_ids": 0, "live_readers": 0},
                "memory": {"boards_bytes": 840, "buffers_bytes": 65536, "used_bytes": 4200000,
                           "resident_bytes": 9000000, "max_bytes": 0},
                "disk": {"durable": true, "fsync": "always", "writes": true, "trouble": null,
                         "log": {"bytes": 4096, "segments": 1, "pending_bytes": 0, "records": 4,
                                 "durable_records": 4},
                         "snapshot": {"count": 0, "running": 0, "failed": 0, "bytes": 0,
                                      "taken_unix_us": 0, "took_us": 0}},
                "engine_times": {"count": 12, "total_us": 90, "p50_us": 5, "p99_us": 50,
                                 "p999_us": 50, "bounds_us": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000,
                                               10000, 20000, 50000, 100000, 200000, 500000, 1000000,
                                               2000000, 5000000, 10000000],
                                 "buckets": [0, 3, 6, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0]},
                "fsync_times": {"count": 4, "total_us": 4100, "p50_us": 1000, "p99_us": 2000,
                                "p999_us": 2000, "bounds_us": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000,
                                               10000, 20000, 50000, 100000, 200000, 500000, 1000000,
                                               2000000, 5000000, 10000000],
                                "buckets": [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0,
                                            0, 0, 0, 0, 0]}})",
            /*is_stable=*/false},
    Example{"listClients", "/v1/clients", "", 200,
            R"({"clients": [{"id": 7, "address": "127.0.0.1:50448", "user": "default",
                "age_seconds": 60, "idle_seconds": 0,
                "line": "id=7 addr=127.0.0.1:50448 laddr=127.0.0.1:7680 cmd=http|listClients"}]})",
            /*is_stable=*/false},
    Example{"listSlowCommands", "/v1/slowlog", "", 200,
            R"({"commands": [{"id": 3, "time": "2026-11-15T13:00:00.000000Z", "micros": 12040,
                "words": ["LB.POP", "arena", "1000"], "address": "127.0.0.1:50448",
                "client": ""}]})",
            /*is_stable=*/false},
    Example{"health", "/healthz", "", 200, R"({"ok": true})"},
    Example{"ready", "/readyz", "", 200, R"({"ready": true, "state": "serving", "writes": true})"},
    Example{"metrics", "/metrics", "", 200,
            "# HELP laurel_connections Connected clients.\n# TYPE laurel_connections gauge\n"
            "laurel_connections{protocol=\"http\"} 1\n",
            /*is_stable=*/false},
    Example{"openapi", "/openapi.json", "", 200,
            R"({"openapi": "3.1.0", "info": {"title": "Laurel", "version": "0.1.0"}})",
            /*is_stable=*/false},
    Example{"console", "/", "", 200, "<!doctype html>\n", /*is_stable=*/false},
    Example{"consoleAsset", "/assets/index-BkRfboVd.js", "", 200, "const app = 1;\n",
            /*is_stable=*/false},
};

constexpr std::array<std::span<const Example>, 6> kExamples = {kBoardExamples, kTemplateExamples,
                                                               kWriteExamples, kReadExamples,
                                                               kEventExamples, kServerExamples};

constexpr SetUp kArena = {"PUT", "/v1/boards/arena", R"({"policy": "best"})"};

}  // namespace

std::vector<const Example*> ExamplesOf(const Route& route) {
  std::vector<const Example*> found;
  for (const std::span<const Example> examples : kExamples) {
    for (const Example& example : examples) {
      if (example.route == route.name) found.push_back(&example);
    }
  }
  return found;
}

std::size_t ExampleCount() {
  std::size_t count = 0;
  for (const std::span<const Example> examples : kExamples) count += examples.size();
  return count;
}

std::vector<SetUp> SetUpOf(RouteGroup group) {
  switch (group) {
    case RouteGroup::kBoards:
      return {kArena,
              {"POST", "/v1/boards/arena/entries",
               R"({"entries": [{"member": "ann", "score": 100}, {"member": "bob", "score": 90},
                               {"member": "cid", "score": 80}]})"}};
    case RouteGroup::kTemplates:
      return {{"PUT", "/v1/templates/rank:*", R"({"policy": "best"})"}};
    case RouteGroup::kWrites:
      return {kArena,
              {"PUT", "/v1/boards/guilds", R"({"policy": "sum"})"},
              {"POST", "/v1/boards/arena/entries",
               R"({"entries": [{"member": "ann", "score": 100}, {"member": "bob", "score": 90},
                               {"member": "cid", "score": 80}, {"member": "dee", "score": 70},
                               {"member": "eve", "score": 60}, {"member": "fay", "score": 50}]})"}};
    case RouteGroup::kReads:
      return {kArena,
              {"PUT", "/v1/boards/season", R"({"periods": ["day", "all"]})"},
              {"POST", "/v1/boards/arena/entries",
               R"({"member": "ann", "score": 100, "meta": "Ann A."})"},
              {"POST", "/v1/boards/arena/entries",
               R"({"entries": [{"member": "bob", "score": 90}, {"member": "cid", "score": 90},
                               {"member_base64": "/w==", "score": 70}]})"},
              {"POST", "/v1/boards/season/entries", R"({"member": "ann", "score": 5})"}};
    case RouteGroup::kEvents:
      return {kArena,
              {"POST", "/v1/boards/arena/entries", R"({"member": "ann", "score": 100})"},
              {"PUT", "/v1/boards/arena/entries/bob/hidden", ""}};
    case RouteGroup::kServer:
      return {};
  }
  return {};
}

}  // namespace laurel::http
