#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/figures/figures.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

// A family of metrics as the text describes it.
struct Family {
  std::string type;
  std::string help;
  // Name with suffix, then labels in their order, as "name{a=b,c=d}", with its value.
  std::vector<std::pair<std::string, std::string>> samples;
};

// Parses the text exposition format 0.0.4, more strictly than Prometheus does: HELP and TYPE come
// once per family, in this order, right before all of its samples, and no series comes twice.
// Throws std::runtime_error at the first violation.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    Require(text.ends_with('\n'), "the last line has no end");
    while (at_ < text_.size()) TakeLine();
    for (const auto& [name, family] : families_) {
      if (family.type == "histogram") CheckHistogram(name, family);
    }
  }

  [[nodiscard]] const std::map<std::string, Family>& families() const { return families_; }

 private:
  void Require(bool holds, const std::string& what) const {
    if (!holds) throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  bool Skip(std::string_view part) {
    if (!text_.substr(at_).starts_with(part)) return false;
    at_ += part.size();
    return true;
  }
  std::string Until(std::string_view ends) {
    const std::size_t end = text_.find_first_of(ends, at_);
    Require(end != std::string_view::npos, "line without end");
    const std::string part(text_.substr(at_, end - at_));
    at_ = end;
    return part;
  }
  std::string Name(bool colons) {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
           (colons && text_[at_] == ':')) {
      ++at_;
    }
    const std::string name(text_.substr(begin, at_ - begin));
    Require(!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0, "bad name");
    return name;
  }

  void TakeLine() {
    if (Skip("# HELP ")) {
      family_ = Name(true);
      Require(Skip(" "), "HELP without text");
      Require(families_.count(family_) == 0, "second HELP of " + family_);
      families_[family_].help = Until("\n");
      Require(!families_[family_].help.empty(), "empty HELP");
      Require(families_[family_].help.find('\\') == std::string::npos, "escape in HELP");
    } else if (Skip("# TYPE ")) {
      Require(Name(true) == family_, "TYPE of another family than HELP");
      Family& family = families_[family_];
      Require(family.type.empty() && family.samples.empty(), "TYPE is not first, or second");
      Require(Skip(" "), "TYPE without type");
      family.type = Until("\n");
      Require(family.type == "counter" || family.type == "gauge" || family.type == "histogram",
              "bad type");
    } else {
      TakeSample();
    }
    Require(Skip("\n"), "more than expected on the line");
  }

  void TakeSample() {
    const std::string name = Name(true);
    Require(!family_.empty(), "sample before HELP");
    Family& family = families_[family_];
    Require(!family.type.empty(), "sample before TYPE");
    const std::string suffix = name.starts_with(family_) ? name.substr(family_.size()) : "?";
    const bool fits = family.type == "histogram"
                          ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count"
                          : suffix.empty();
    Require(fits, "sample " + name + " in family " + family_);
    std::string series = name;
    if (Skip("{")) series += TakeLabels();
    Require(Skip(" "), "sample without value");
    const std::string value = Until("\n");
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    Require(!value.empty() && value[0] != ' ' && end == value.c_str() + value.size(),
            "bad value " + value);
    Require(family.type != "counter" || number >= 0, "negative counter");
    Require(all_.insert(series).second, "second sample of " + series);
    family.samples.emplace_back(series, value);
  }

  std::string TakeLabels() {
    std::string labels = "{";
    std::set<std::string> names;
    for (;;) {
      const std::string name = Name(false);
      Require(names.insert(name).second, "label twice: " + name);
      Require(Skip("=\""), "label without value");
      std::string value;
      while (text_[at_] != '"') {
        Require(text_[at_] != '\n', "line ends in a label");
        if (Skip("\\")) {
          constexpr std::string_view kKnown = "\\\"n";
          Require(kKnown.find(text_[at_]) != std::string_view::npos, "unknown escape");
          value += text_[at_] == 'n' ? '\n' : text_[at_];
        } else {
          value += text_[at_];
        }
        ++at_;
        Require(at_ < text_.size(), "text ends in a label");
      }
      ++at_;
      labels += name + "=" + value;
      if (Skip("}")) return labels + "}";
      Require(Skip(","), "no comma between labels");
      labels += ",";
    }
  }

  // Buckets rise in their bounds and do not fall in their counts, and the last is +Inf and equal to
  // the count.
  void CheckHistogram(const std::string& name, const Family& family) const {
    double bound = -1;
    double count = 0;
    std::string last;
    bool has_sum = false;
    for (const auto& [series, value] : family.samples) {
      if (series == name + "_sum") {
        has_sum = true;
      } else if (series == name + "_count") {
        Require(last == "+Inf", name + ": the last bucket is not +Inf");
        Require(std::stod(value) == count, name + ": the count is not that of +Inf");
        count = -1;
      } else {
        const std::string prefix = name + "_bucket{le=";
        Require(series.starts_with(prefix), name + ": bucket without le");
        last = series.substr(prefix.size(), series.size() - prefix.size() - 1);
        const double next = last == "+Inf" ? HUGE_VAL : std::stod(last);
        Require(next > bound, name + ": bounds do not rise");
        Require(std::stod(value) >= count, name + ": counts fall");
        bound = next;
        count = std::stod(value);
      }
    }
    Require(has_sum && count == -1, name + ": no sum or no count");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string family_;
  std::map<std::string, Family> families_;
  std::set<std::string> all_;
};

class Metrics : public testing::Test {
 protected:
  [[nodiscard]] std::string Text() const { return MetricsText(figures_, server_); }
  // The value of a series; "none" if there is none.
  [[nodiscard]] std::string Value(const std::string& series) const {
    const std::string text = Text();
    const Parser parser(text);
    for (const auto& [name, family] : parser.families()) {
      for (const auto& [found, value] : family.samples) {
        if (found == series) return value;
      }
    }
    return "none";
  }

  Config config_;
  engine::Figures figures_;
  Counters counters_;
  engine::CommandCounters commands_;
  ServerFigures server_{.config = config_, .counters = counters_, .commands = commands_};
};

TEST_F(Metrics, TheParserRefusesWhatTheFormatForbids) {
  const std::string head = "# HELP a b\n# TYPE a counter\n";
  const std::string buckets = "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\n";
  EXPECT_NO_THROW(Parser(head + "a 1\na{x=\"\\\\ \\\" \\n\"} 2.5\n"));
  EXPECT_NO_THROW(Parser(buckets + "h_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2\n"));
  const std::vector<std::string> bad = {
      "a 1\n",
      "# TYPE a counter\na 1\n",
      "# HELP a b\na 1\n",
      head + head + "a 1\n",
      head + "a 1",
      head + "a  1\n",
      head + "a x\n",
      head + "a -1\n",
      head + "b 1\n",
      head + "a 1\na 1\n",
      head + "a{x=\"1\"} 1\na{x=\"1\"} 1\n",
      head + "a{x=\"1\",x=\"2\"} 1\n",
      head + "a{x=\"\\t\"} 1\n",
      head + "a{x=\"1} 1\n",
      head + "a{1=\"1\"} 1\n",
      head + "a{} 1\n",
      "# HELP a b\n# TYPE a thing\na 1\n",
      buckets,
      buckets + "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
      buckets + "h_bucket{le=\"+Inf\"} 3\nh_sum 1\nh_count 2\n",
      buckets + "h_bucket{le=\"0.5\"} 3\nh_bucket{le=\"+Inf\"} 3\nh_sum 1\nh_count 3\n",
      buckets + "h_sum 1\nh_count 2\n",
      buckets + "h_bucket{le=\"+Inf\"} 2\nh_count 2\n",
  };
  for (const std::string& text : bad) EXPECT_THROW(Parser{text}, std::runtime_error) << text;
}

TEST_F(Metrics, FollowTheFormatInEveryState) {
  EXPECT_NO_THROW(Parser{Text()});
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    commands_.NoteExecuted(command.id, 3, 2, 12'345);
    commands_.NoteRejected(command.id);
  }
  for (const std::string_view code : engine::kCountedErrors) commands_.NoteError(code);
  figures_.stamp_lead_us = -1'500'000;
  figures_.persistence.durable = true;
  figures_.persistence.keeper.disk_free_bytes = UINT64_MAX;
  for (std::int64_t micros = 1; micros < 100'000'000; micros *= 3) {
    figures_.persistence.disk_waits.Record(micros);
    figures_.persistence.log.sync_times.Record(micros, 7);
  }
  const std::vector<RouteFigures> routes = {{"GET", "/v1/boards/{board}", "2xx", 1, 2},
                                            {"GET", "/v1/boards/{board}", "4xx", 1, 2},
                                            {"PUT", "/v1/boards/{board}", "2xx", 1, 2}};
  server_.routes = routes;
  const std::string text = Text();
  const Parser parser(text);
  for (const auto& [name, family] : parser.families()) {
    EXPECT_TRUE(name.starts_with("laurel_")) << name;
    EXPECT_EQ(name.ends_with("_total"), family.type == "counter") << name;
    EXPECT_FALSE(family.samples.empty()) << name;
  }
}

TEST_F(Metrics, CountRequestsByCommandAndOutcome) {
  EXPECT_EQ(Text().find("command="), std::string::npos);
  commands_.NoteExecuted(wire::CommandId::kLbSubmit, 30, 2, 64);
  commands_.NoteRejected(wire::CommandId::kLbSubmit);
  commands_.NoteQuick(wire::CommandId::kPing, 5);
  commands_.NoteRejected(wire::CommandId::kConfigGet);
  const auto requests = [&](const std::string& command, const std::string& outcome) {
    return Value("laurel_requests_total{command=" + command + ",outcome=" + outcome + "}");
  };
  EXPECT_EQ(requests("lb.submit", "ok"), "30");
  EXPECT_EQ(requests("lb.submit", "failed"), "2");
  EXPECT_EQ(requests("lb.submit", "rejected"), "1");
  EXPECT_EQ(requests("ping", "ok"), "5");
  EXPECT_EQ(requests("config|get", "ok"), "0");
  EXPECT_EQ(requests("config|get", "rejected"), "1");
  EXPECT_EQ(requests("zadd", "ok"), "none");
  EXPECT_EQ(Value("laurel_request_seconds_total{command=lb.submit}"), "0.000064");
  EXPECT_EQ(Value("laurel_request_seconds_total{command=ping}"), "none");
  commands_.Reset();
  EXPECT_EQ(requests("lb.submit", "ok"), "30");  // CONFIG RESETSTAT is for INFO
}

TEST_F(Metrics, ShowTimesInSeconds) {
  commands_.NoteExecuted(wire::CommandId::kZAdd, 32, 0, 96);  // 3 µs each
  commands_.NoteExecuted(wire::CommandId::kLbTop, 1, 0, 1'500);
  commands_.NoteExecuted(wire::CommandId::kExec, 1, 0, 1'600);      // its requests are counted
  commands_.NoteAnswered(wire::CommandId::kCommandDocs, true, 99);  // not the engine's
  EXPECT_EQ(Value("laurel_engine_seconds_bucket{le=0.000002}"), "0");
  EXPECT_EQ(Value("laurel_engine_seconds_bucket{le=0.000005}"), "32");
  EXPECT_EQ(Value("laurel_engine_seconds_bucket{le=0.001}"), "32");
  EXPECT_EQ(Value("laurel_engine_seconds_bucket{le=0.002}"), "33");
  EXPECT_EQ(Value("laurel_engine_seconds_bucket{le=10}"), "33");
  EXPECT_EQ(Value("laurel_engine_seconds_count"), "33");
  EXPECT_EQ(Value("laurel_engine_seconds_sum"), "0.001596");
  server_.now_us = 90'000'000;
  EXPECT_EQ(Value("laurel_uptime_seconds"), "90");
  figures_.stamp_lead_us = -250'000;
  EXPECT_EQ(Value("laurel_stamp_lead_seconds"), "-0.25");
}

TEST_F(Metrics, ShowTheDataFolderOnlyIfThereIsOne) {
  EXPECT_EQ(Value("laurel_fsync_seconds_count"), "none");
  EXPECT_EQ(Value("laurel_writes_accepted"), "1");
  engine::Persistence& disk = figures_.persistence;
  disk.durable = true;
  disk.log.sync_times.Record(200, 4);
  disk.disk_waits.Record(300, 5);
  disk.log.segments = 3;
  disk.keeper.snapshots = 2;
  disk.keeper.snapshot_at_us = 1'700'000'000'123'456;
  disk.keeper.snapshot_failed = true;
  EXPECT_EQ(Value("laurel_fsync_seconds_bucket{le=0.0002}"), "4");
  EXPECT_EQ(Value("laurel_disk_wait_seconds_bucket{le=0.0002}"), "0");
  EXPECT_EQ(Value("laurel_disk_wait_seconds_bucket{le=0.0005}"), "5");
  EXPECT_EQ(Value("laurel_log_segments"), "3");
  EXPECT_EQ(Value("laurel_snapshots_total"), "2");
  EXPECT_EQ(Value("laurel_snapshot_failed"), "1");
  EXPECT_EQ(Value("laurel_snapshot_last_timestamp_seconds"), "1700000000.123456");
  disk.trouble = "no space";
  EXPECT_EQ(Value("laurel_writes_accepted"), "0");
  EXPECT_EQ(Text().find("no space"), std::string::npos);
  disk.trouble.clear();
  disk.loading = true;
  EXPECT_EQ(Value("laurel_writes_accepted"), "0");
  EXPECT_EQ(Value("laurel_loading"), "1");
}

TEST_F(Metrics, ShowConnectionsMemoryAndBoards) {
  server_.resp_connections = 7;
  server_.http_connections = 8;
  server_.streams = 9;
  server_.buffer_bytes = 10;
  server_.resident_bytes = 11;
  figures_.boards_bytes = 12;
  figures_.boards = engine::Figures::Boards{.all = 13};
  figures_.entries = 14;
  figures_.request_ids = 15;
  figures_.changes_waiting = 16;
  figures_.live_readers = 17;
  figures_.persistence.log.pending_bytes = 18;
  counters_.refused_logins = 19;
  commands_.NoteError("NOAUTH Authentication required.", 20);
  EXPECT_EQ(Value("laurel_connections{protocol=resp}"), "7");
  EXPECT_EQ(Value("laurel_connections{protocol=http}"), "8");
  EXPECT_EQ(Value("laurel_streams"), "9");
  EXPECT_EQ(Value("laurel_memory_bytes{kind=buffers}"), "10");
  EXPECT_EQ(Value("laurel_memory_bytes{kind=resident}"), "11");
  EXPECT_EQ(Value("laurel_memory_bytes{kind=boards}"), "12");
  EXPECT_EQ(Value("laurel_boards"), "13");
  EXPECT_EQ(Value("laurel_entries"), "14");
  EXPECT_EQ(Value("laurel_request_ids"), "15");
  EXPECT_EQ(Value("laurel_changes_waiting"), "16");
  EXPECT_EQ(Value("laurel_live_readers"), "17");
  EXPECT_EQ(Value("laurel_memory_bytes{kind=log_pending}"), "18");
  EXPECT_EQ(Value("laurel_refused_logins_total"), "19");
  EXPECT_EQ(Value("laurel_errors_total{code=NOAUTH}"), "20");
}

TEST_F(Metrics, CountRoutesAndEscapeTheirLabels) {
  const std::vector<RouteFigures> routes = {
      {"GET", "/v1/boards/{board}/entries", "2xx", 12, 3'400'000},
      {"GET", "a\"b\\c\nd", "5xx", 1, 0}};
  server_.routes = routes;
  const std::string labels = "{method=GET,route=/v1/boards/{board}/entries,status=2xx}";
  EXPECT_EQ(Value("laurel_http_requests_total" + labels), "12");
  EXPECT_EQ(Value("laurel_http_request_seconds_total" + labels), "3.4");
  EXPECT_EQ(Value("laurel_http_requests_total{method=GET,route=a\"b\\c\nd,status=5xx}"), "1");
}

}  // namespace
}  // namespace laurel::server
