// ./dev bench pauses: measures how long one large command delays other clients. A client sends PING
// and ZADD every millisecond. The figure is its longest wait while the command runs and its memory
// is freed, compared with its longest wait in the same minute while nothing runs. redis-server is
// measured too, if it has the command.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/durability/data_folder.h"
#include "bench/http/load.h"
#include "bench/member_name.h"
#include "bench/option_parser.h"
#include "bench/pauses/probe.h"
#include "bench/pauses/unread_streams.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/server/connection.h"
#include "bench/server/server_process.h"
#include "laurel/limits.h"

namespace {

using namespace laurel::bench;
using namespace std::chrono_literals;
using Clock = Probe::Clock;

constexpr double kAllowedMs = 20;    // above the idle server's longest wait
constexpr auto kSettle = 1500ms;     // after a case is prepared
constexpr auto kAftermath = 1500ms;  // memory is freed after the reply
constexpr std::uint64_t kSomeMembers = 100'000;
constexpr std::uint64_t kLeastMembers = 1001;
constexpr int kRolledBoards = 20;
constexpr std::uint64_t kLongRange = 20'000;  // as many entries as the reads of an EXEC may return
constexpr std::uint64_t kMostAmong = 10'000;
constexpr int kTemplates = 1000;
constexpr std::size_t kMostReads = 32;   // of POST /v1/read
constexpr std::size_t kMostPage = 1000;  // entries of a page of HTTP, buckets of a histogram
constexpr std::size_t kStreams = 2000;   // follow as many members as live streams may
constexpr std::size_t kFollowed = 50;    // members per stream
constexpr char kOurs[] = "laurel";

struct Options {
  std::string folder = "build/bench/pauses";
  std::string binary = LAUREL_BINARY;
  std::string only;
  std::uint64_t members = 1'000'000;
  int repeats = 3;
};

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddText("--only", "CASE", "one case alone", &options->only);
  parser.AddNumber("--repeats", "N", "runs per case, of which the median counts (3)",
                   &options->repeats);
  parser.AddNumber("--members", "N", "entries of a board (1000000)", &options->members,
                   kLeastMembers);
  parser.AddText("--folder", "DIR",
                 "where the servers keep their data, on a disk (build/bench/pauses)",
                 &options->folder);
  parser.AddText("--binary", "PATH", "another Laurel in our place", &options->binary);
  return parser;
}

// A command that is large because of its board or its own arguments.
struct Case {
  std::string name;
  Command command;
  std::string from;                   // `lb` is a copy of this board; empty: no `lb`
  std::vector<Command> before{};      // executed on that copy
  std::optional<Command> redis = {};  // the equivalent on redis-server, on a copy of its sorted set
  std::vector<Command> queued{};      // the commands of an EXEC
  std::string body{};                 // the body of POST /v1/read, instead of a command
};

Command WithMembers(Command command, std::uint64_t first, std::uint64_t count, bool scores) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    command.push_back(MemberName(i));
    if (scores) command.push_back(std::to_string(i * 7919 % 1'000'003));
  }
  return command;
}

std::vector<Case> Cases(std::uint64_t members) {
  const std::string all = std::to_string(members);
  const std::string half = std::to_string(members / 2);
  const std::string last = std::to_string(members / 2 - 1);
  const std::string some = std::to_string(kSomeMembers);
  const Command removed_by_rank = {"ZREMRANGEBYRANK", "lb", "0", last};
  const Command removed_by_score = {"ZREMRANGEBYSCORE", "lb", "-inf", half};
  const Command popped = {"ZPOPMIN", "lb", some};
  return {
      {"lb_trim_10",
       {"LB.TRIM", "lb", "10"},
       "board",
       {},
       Command{"ZREMRANGEBYRANK", "lb", "0", "-11"}},
      {"lb_trim_half", {"LB.TRIM", "lb", half}, "board", {}, removed_by_rank},
      {"lb_alter_cap", {"LB.ALTER", "lb", "CAP", half}, "board", {}, {}},
      {"lb_pop_100k", {"LB.POP", "lb", some}, "board", {}, popped},
      {"lb_pop_all", {"LB.POP", "lb", all}, "board", {}, Command{"ZPOPMIN", "lb", all}},
      {"lb_clear", {"LB.CLEAR", "lb"}, "board", {}, Command{"UNLINK", "lb"}},
      {"lb_drop", {"LB.DROP", "lb"}, "board", {}, Command{"UNLINK", "lb"}},
      {"del", {"DEL", "lb"}, "board", {}, Command{"DEL", "lb"}},
      {"zremrangebyrank", removed_by_rank, "set", {}, removed_by_rank},
      {"zremrangebyscore", removed_by_score, "set", {}, removed_by_score},
      {"zpopmin_100k", popped, "set", {}, popped},
      {"lb_describe_hidden", {"LB.DESCRIBE", "hidden"}, "", {}, {}},
      {"lb_msubmit_100k",
       WithMembers({"LB.MSUBMIT", "lb", some}, 0, kSomeMembers, true),
       "board",
       {},
       {}},
      {"lb_hide_100k", WithMembers({"LB.HIDE", "lb"}, 0, kSomeMembers, false), "board", {}, {}},
      {"lb_show_100k",
       WithMembers({"LB.SHOW", "lb"}, 0, kSomeMembers, false),
       "board",
       {WithMembers({"LB.HIDE", "lb"}, 0, kSomeMembers, false)},
       {}},
      {"lb_remove_100k",
       WithMembers({"LB.REMOVE", "lb"}, 0, kSomeMembers, false),
       "board",
       {},
       WithMembers({"ZREM", "lb"}, 0, kSomeMembers, false)},
      {"adopt", {"LB.CREATE", "lb", "ADOPT"}, "set", {}, {}},
      {"copy", {"COPY", "board", "copied"}, "", {}, Command{"COPY", "set", "copied"}},
  };
}

// Returns the body of POST /v1/read with the maximum number of reads.
std::string ReadsBody(const std::string& read) {
  std::string body = R"({"reads":[)";
  for (std::size_t i = 0; i < kMostReads; ++i) {
    body += (i > 0 ? "," : "") + (R"({"board":"board",)" + read) + "}";
  }
  return body + "]}";
}

// Returns large reads. Those of an EXEC and of POST /v1/read ask for more than they may get.
std::vector<Case> ReadCases(std::uint64_t members) {
  const std::string all = std::to_string(members);
  const std::string page = std::to_string(kMostPage);
  const std::string drawn = std::to_string(members * 9 / 10);
  const Command among = WithMembers({"LB.AMONG", "board", std::to_string(kMostAmong)}, 0,
                                    std::min(kMostAmong, members), false);
  const std::string range = std::to_string(kLongRange);
  const auto exec = [](const std::string& name, std::size_t count, const Command& command) {
    Case made{name, {"EXEC"}, ""};
    made.queued.assign(count, command);
    return made;
  };
  const auto read = [](const std::string& name, const std::string& one) {
    Case made{name, {}, ""};
    made.body = ReadsBody(one);
    return made;
  };
  const auto redis = [](const Command& ours, const Command& theirs, const std::string& name) {
    Case made{name, ours, ""};
    made.redis = theirs;
    return made;
  };
  return {
      {"lb_among_10k", among, ""},
      {"lb_histogram", {"LB.HISTOGRAM", "board", page}, ""},
      redis({"LB.RANGE", "board", "1", range}, {"ZRANGE", "set", "0", range, "WITHSCORES"},
            "lb_range_20k"),
      redis({"LB.RANGE", "board", "1", all}, {"ZRANGE", "set", "0", "-1", "WITHSCORES"},
            "lb_range_all"),
      redis({"ZRANDMEMBER", "set", range}, {"ZRANDMEMBER", "set", range}, "zrandmember_20k"),
      redis({"ZRANDMEMBER", "set", drawn}, {"ZRANDMEMBER", "set", drawn}, "zrandmember_900k"),
      exec("exec_100_among", 100, among),
      exec("exec_2k_histogram", 2000, {"LB.HISTOGRAM", "board", page}),
      exec("exec_10k_top", 10'000, {"LB.TOP", "board", page}),
      exec("exec_10k_get", 10'000, {"LB.GET", "board", MemberName(7)}),
      exec("exec_10k_info", 10'000, {"INFO"}),
      exec("exec_10k_info_cpu", 10'000, {"INFO", "cpu"}),
      exec("exec_10k_command_list", 10'000,
           {"COMMAND", "LIST", "FILTERBY", "PATTERN", std::string(500, '?') + "*a*b*"}),
      exec("exec_10k_past_day", 10'000, {"LB.SIZE", "days@day:-9999"}),
      exec("exec_10k_past_hour", 10'000, {"LB.GET", "days@hour:-8999", MemberName(7)}),
      exec("exec_20_wide_top", 20, {"LB.TOP", "wide", page, "WITHMETA"}),
      exec("exec_2k_templates", 2000, {"LB.GET", std::string(200, 'n'), MemberName(7)}),
      exec("exec_10k_submit", 10'000, {"LB.SUBMIT", "board", MemberName(7), "5"}),
      read("http_read_entries", R"("read":"entries","limit":)" + page),
      read("http_read_histogram", R"("read":"histogram","buckets":)" + page),
  };
}

// Makes a board of entries with the longest meta, one with many periods, and templates that match
// no name.
void PrepareWide(Connection* connection) {
  connection->Ask({"LB.CREATE", "wide"});
  const std::string meta(laurel::kMaxMetaBytes, 'x');
  for (std::uint64_t i = 0; i < kMostPage; ++i) {
    connection->Ask({"LB.SET", "wide", MemberName(i), std::to_string(i), "META", meta});
  }
  connection->Ask({"LB.CREATE", "days", "PERIODS", "2", "day", "hour", "KEEP", "10000", "TZ",
                   "America/New_York"});
  for (int i = 0; i < kTemplates; ++i) {
    connection->Ask({"LB.TEMPLATE", "SET", "*" + std::to_string(i) + "?no*name*"});
  }
}

// Fills the boards that the cases copy.
void Prepare(const Target& target, ServerKind kind, std::uint64_t members) {
  FillBoard(target, "set", members);
  if (kind == ServerKind::kRedis) return;
  Connection connection(target);
  connection.Ask({"LB.CREATE", "board", "POLICY", "best"});
  FillBoard(target, "board", members);
  connection.Ask({"LB.CREATE", "hidden", "POLICY", "best"});
  for (std::uint64_t at = 0; at < members; at += kSomeMembers) {
    connection.Ask(
        WithMembers({"LB.HIDE", "hidden"}, at, std::min(kSomeMembers, members - at), false));
  }
  PrepareWide(&connection);
}

struct Pause {
  double idle_ms = 0;
  double busy_ms = 0;
  double reply_ms = 0;  // until the command was answered
};

// Drops the declaration, which outlives the entries.
void Undeclare(Connection* connection, const std::string& name) {
  try {
    connection->Ask({"LB.DROP", name});
  } catch (const Failure& failure) {
    if (std::string_view(failure.what()).find("NOBOARD") == std::string_view::npos) throw;
  }
}

void PostOnce(const Target& target, const std::string& request) {
  LoopLoad load;
  load.target = target;
  load.clients = 1;
  load.seconds = 0;
  load.next = [&](std::uint64_t, std::string* next) { *next = request; };
  const LoopResult result = RunLoop(load);
  if (result.errors > 0) throw Failure("POST /v1/read answered: " + result.first_error);
}

// Measures the waits of another client while `act` runs, and after it.
Pause MeasureWhile(const Target& target, const std::function<void()>& act) {
  std::this_thread::sleep_for(kSettle);
  Pause pause;
  Probe probe(target);
  const Clock::time_point idle_from = Clock::now();
  std::this_thread::sleep_for(kAftermath);
  pause.idle_ms = probe.LongestSince(idle_from);
  const Clock::time_point busy_from = Clock::now();
  act();
  pause.reply_ms = std::chrono::duration<double, std::milli>(Clock::now() - busy_from).count();
  std::this_thread::sleep_for(kAftermath);
  pause.busy_ms = probe.LongestSince(busy_from);
  return pause;
}

Pause Measure(const Target& target, const Case& what, const Command& command,
              const std::string& from) {
  Connection connection(target);
  connection.Ask({"UNLINK", "lb", "copied"});
  if (target.name == kOurs) Undeclare(&connection, "lb");
  if (!from.empty()) connection.Ask({"COPY", from, "lb", "REPLACE"});
  for (const Command& before : what.before) connection.Ask(before);
  if (!what.queued.empty()) {
    connection.Ask({"MULTI"});
    for (const Command& queued : what.queued) connection.Ask(queued);
  }
  const std::string request =
      what.body.empty() ? Encode(command) : PostRequest("/v1/read", what.body);
  return MeasureWhile(target, [&] {
    if (!what.body.empty()) return PostOnce(target, request);
    connection.Send(request);
    connection.ReadReply();
  });
}

// Returns the strings and numbers of an array of RESP2.
std::vector<std::string> ValuesIn(std::string_view reply) {
  std::vector<std::string> values;
  std::size_t at = reply.find("\r\n") + 2;
  while (at < reply.size()) {
    const std::size_t end = reply.find("\r\n", at);
    const std::string line(reply.substr(at + 1, end - at - 1));
    const bool is_string = reply[at] == '$';
    at = end + 2;
    if (is_string) {
      const std::size_t bytes = std::stoul(line);
      values.emplace_back(reply.substr(at, bytes));
      at += bytes + 2;
    } else {
      values.push_back(line);
    }
  }
  return values;
}

// Reads a board as the chunks of LB.LOAD.
std::vector<std::string> ChunksOf(Connection* connection, const std::string& board) {
  std::vector<std::string> chunks;
  std::string cursor = "0";
  do {
    const std::vector<std::string> reply = ValuesIn(connection->Ask({"LB.WALK", board, cursor}));
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
      if (reply[i] == "effects") chunks.push_back(reply[i + 1]);
      if (reply[i] == "cursor") cursor = reply[i + 1];
    }
  } while (cursor != "0");
  return chunks;
}

// Measures an import: a board is read in chunks, and loaded under another name.
std::vector<Pause> MeasureLoad(const Target& target, const Options& options) {
  std::vector<Pause> pauses;
  for (int i = 0; i < options.repeats; ++i) {
    Connection connection(target);
    Undeclare(&connection, "lb");
    pauses.push_back(MeasureWhile(target, [&] {
      const std::vector<std::string> chunks = ChunksOf(&connection, "board");
      connection.Ask({"LB.LOAD", "lb", "BEGIN", "bench", "POLICY", "best"});
      int number = 0;
      for (const std::string& chunk : chunks) {
        connection.Ask({"LB.LOAD", "lb", "CHUNK", "bench", std::to_string(++number), chunk});
      }
      connection.Ask({"LB.LOAD", "lb", "COMMIT", "bench"});
    }));
  }
  return pauses;
}

// Measures writes that change every entry of the top and every followed member of live streams.
std::vector<Pause> MeasureStreams(const Target& target, const Options& options) {
  std::string path = "/v1/boards/board/live?top=" + std::to_string(kMostPage);
  for (std::size_t i = 0; i < kFollowed; ++i) path += "&member=" + MemberName(i);
  const UnreadStreams streams(target, path, kStreams);
  std::vector<Pause> pauses;
  for (int i = 0; i < options.repeats; ++i) {
    const std::uint64_t score = options.members * 2 + static_cast<std::uint64_t>(i);
    const Command first = {"LB.SUBMIT", "board",
                           MemberName(kFollowed + static_cast<std::uint64_t>(i)),
                           std::to_string(score)};
    pauses.push_back(Measure(target, {"", first, ""}, first, ""));
  }
  return pauses;
}

double MedianOf(const std::vector<Pause>& pauses, double Pause::*figure) {
  std::vector<double> values;
  for (const Pause& pause : pauses) values.push_back(pause.*figure);
  return Median(values);
}

void Add(const std::string& name, const std::vector<Pause>& ours, const std::vector<Pause>& redis,
         Report* report) {
  const double idle = MedianOf(ours, &Pause::idle_ms);
  Figure figure{name, MedianOf(ours, &Pause::busy_ms), idle + kAllowedMs, "ms", AtMost(1)};
  figure.details.push_back({"idle", idle, {}});
  figure.details.push_back({"reply", MedianOf(ours, &Pause::reply_ms), {}});
  if (!redis.empty()) {
    figure.details.push_back({"redis", MedianOf(redis, &Pause::busy_ms), {}});
    figure.details.push_back({"redis_idle", MedianOf(redis, &Pause::idle_ms), {}});
  }
  report->Add(figure);
}

void RunCases(const Options& options, Report* report) {
  DataFolder ours_folder(options.folder, "laurel");
  DataFolder redis_folder(options.folder, "redis");
  ServerProcess ours(kOurs, ServerKind::kLaurel, options.binary,
                     {"--data", ours_folder.path(), "--fsync", "everysec"});
  ServerProcess redis("redis", ServerKind::kRedis, "redis-server",
                      {"--dir", redis_folder.path(), "--save", "", "--appendonly", "yes"});
  Prepare(ours.target(), ServerKind::kLaurel, options.members);
  Prepare(redis.target(), ServerKind::kRedis, options.members);
  std::vector<Case> cases = Cases(options.members);
  for (Case& what : ReadCases(options.members)) cases.push_back(std::move(what));
  for (const Case& what : cases) {
    if (!options.only.empty() && options.only != what.name) continue;
    std::vector<Pause> our_pauses;
    std::vector<Pause> redis_pauses;
    for (int i = 0; i < options.repeats; ++i) {
      our_pauses.push_back(Measure(ours.target(), what, what.command, what.from));
      if (what.redis) {
        redis_pauses.push_back(
            Measure(redis.target(), {}, *what.redis, what.from.empty() ? "" : "set"));
      }
    }
    Add(what.name, our_pauses, redis_pauses, report);
  }
  if (options.only.empty() || options.only == "live_streams") {
    Add("live_streams", MeasureStreams(ours.target(), options), {}, report);
  }
  if (options.only.empty() || options.only == "lb_walk_and_load") {
    Add("lb_walk_and_load", MeasureLoad(ours.target(), options), {}, report);
  }
}

// Measures the end of an hour on twenty boards: the instances close, and those of the previous hour
// are dropped.
Pause MeasureRollover(const Options& options, const std::string& name) {
  DataFolder folder(options.folder, name);
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  constexpr auto kTimeToFill = 40s;
  const auto offset = 3600s - now % 3600s - kTimeToFill;
  ServerProcess server(kOurs, ServerKind::kLaurel, options.binary,
                       {"--data", folder.path(), "--fsync", "everysec", "--clock-offset",
                        std::to_string((offset + 3600s).count() % 3600) + "s"});
  const Clock::time_point turn = Clock::now() + kTimeToFill;
  Connection connection(server.target());
  for (int i = 0; i < kRolledBoards; ++i) {
    const std::string board = "lb" + std::to_string(i);
    connection.Ask({"LB.CREATE", board, "PERIODS", "1", "hour", "KEEP", "0"});
    connection.Ask(
        WithMembers({"LB.MSUBMIT", board, std::to_string(kSomeMembers)}, 0, kSomeMembers, true));
  }
  if (Clock::now() > turn - 4s) throw Failure("the boards were not filled before the hour ended");
  Pause pause;
  Probe probe(server.target());
  std::this_thread::sleep_until(turn - 3s);
  pause.idle_ms = probe.LongestSince(turn - 3s - kAftermath);
  const Clock::time_point busy_from = Clock::now();
  std::this_thread::sleep_until(turn + 3s);
  pause.busy_ms = probe.LongestSince(busy_from);
  return pause;
}

void Run(const Options& options, Report* report) {
  std::printf("Pauses on: %s\n", DescribeMachine().c_str());
  std::printf(
      "the longest wait of a client that sends PING and ZADD every ms, in ms; boards of %llu; both "
      "servers on disk,\neverysec; medians of %d; rival: the same client on the idle server + %g "
      "ms\n",
      static_cast<unsigned long long>(options.members), options.repeats, kAllowedMs);
  RunCases(options, report);
  if (options.only.empty() || options.only == "rollover") {
    std::vector<Pause> pauses;
    for (int i = 0; i < options.repeats; ++i) {
      pauses.push_back(MeasureRollover(options, "rollover" + std::to_string(i)));
    }
    Add("rollover", pauses, {}, report);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("pauses", OptionsInto(&options), argc, argv,
                  [&](Report* report) { Run(options, report); });
}
