#include "fuzz/command_samples.h"

#include <map>

#include "laurel/limits.h"

namespace laurel::fuzz {
namespace {

using Texts = std::vector<std::string>;

std::string Long(std::size_t bytes) { return std::string(bytes, 'x'); }

// A string literal with zero bytes in it.
template <std::size_t n>
std::string Binary(const char (&literal)[n]) {
  return std::string(literal, n - 1);
}

Texts StrangeKeys() {
  return {"absent",
          "rank:2",
          "z\n",
          "",
          Binary("\0\r\n"),
          Long(kMaxBoardNameBytes + 1),
          "lb@day",
          "s@day",
          "s@day:-1",
          "s@hour:-2",
          "s@hour:2023-11-14T22+0000",
          "s@hour:2023-11-15T00+0000",
          "s@all",
          "u@day:2023-11-15",
          "u@week:2023-W46",
          "u@month",
          "s@day:-9223372036854775808",
          "s@day:2023-02-30",
          "s@day:",
          "s@",
          "s@year",
          "s@all:0",
          "@day"};
}

Samples Members() {
  Samples members;
  for (int i = 0; i < 8; ++i) members.plain.push_back("m" + std::to_string(i));
  for (int i = 8; i < 40; ++i) members.strange.push_back("m" + std::to_string(i));
  for (const std::string& strange :
       {std::string(), Binary("\xff\0\r\n"), std::string("KIND"), std::string("NX"),
        Long(kMaxMemberBytes), Long(kMaxMemberBytes + 1), Long(20'000)}) {
    members.strange.push_back(strange);
  }
  return members;
}

Samples Scores() {
  return {{"1", "2", "3", "0", "-1", "10", "1e3", "+5"},
          {"2.5",
           "-0",
           ".5",
           "1.25",
           "inf",
           "-inf",
           "+inf",
           "nan",
           "9007199254740993",
           "9223372036854775807",
           "-9223372036854775808",
           "9223372036854775808",
           "1.7976931348623157e308",
           "-1.7976931348623157e308",
           "5e-324",
           "0.30000000000000004",
           "1e400",
           "abc",
           "",
           "0x10",
           " 1",
           "1e999999999999"}};
}

using Kinds = std::map<std::string, Samples, std::less<>>;

Kinds BoardKinds() {
  return {
      {"key", {{"z", "y", "lb", "cap", "rank:1", "s", "s@hour"}, StrangeKeys()}},
      {"board", {{"lb", "run", "cap", "rank:1", "s", "s@hour", "u@day"}, StrangeKeys()}},
      {"single", {{"lb", "cap", "rank:1"}, StrangeKeys()}},  // leaderboards of one field
      {"season", {{"s", "u"}, StrangeKeys()}},               // leaderboards with periods
      {"triple", {{"run"}, StrangeKeys()}},                  // a leaderboard of three fields
      {"member", Members()},
      {"score", Scores()},
      {"bound",
       {{"-inf", "+inf", "0", "(0", "1", "(1", "3"},
        {"2.5", "(2.5", "inf", "(", "nan", "abc", "1e400", "((1", "(9223372036854775807"}}},
      {"lex", {{"-", "+", "[m", "(m1", "[m2"}, {"[", "(", "m", "", "[\xff", "(m9"}}},
      {"field",
       {{"score", "points:int:desc:sum", "best:decimal3:asc:min", "score:int:asc"},
        {"t:decimal9", "m:int:desc:max", "bad:float", ":", "", "a:b:c:d:e"}}},
      {"policy", {{"set", "best", "sum"}, {"SUM", "x"}}},
      {"tie", {{"first", "last", "member"}, {"x"}}},
      {"kind", {{"ordinal", "competition", "dense"}, {"x"}}},
      {"meta", {{"hello", ""}, {Long(kMaxMetaBytes), Long(kMaxMetaBytes + 1), Binary("\0\r\n")}}},
      {"percent", {{"0", "50", "100", "99.9"}, {"-1", "101", "33.333333333", "x", "1e-9"}}},
  };
}

Kinds NumberKinds() {
  const std::string most = "9223372036854775807";
  const std::string least = "-9223372036854775808";
  return {
      {"index",
       {{"0", "-1", "1", "2", "-2"},
        {"5", "-100", "100", "", "x", most, least, "01", "9223372036854775808"}}},
      {"count", {{"1", "2", "3", "10"}, {"0", "-1", "100", "-5", most, least, "x", "1.5"}}},
      {"cursor", {{"0"}, {"1", "5", "-1", "x", "18446744073709551615", "18446744073709551616"}}},
      {"seconds", {{"1", "10", "100"}, {"0", "-1", most, "9223372036854775", "x"}}},
      {"ms", {{"1", "1500", "20000"}, {"0", "-1", most, least, "x"}}},
      {"unix", {{"1700000010", "1700000010000"}, {"0", "-1", most, "x"}}},
      {"timeout",
       {{"0", "0.01", "1", "10"}, {"-1", "1e300", "nan", "x", "9223372036854775.807", "1e15"}}},
      {"keep", {{"0", "1", "2", "3"}, {"1000", "-1", most, "x"}}},
      {"time",
       {{"1700000000", "1699999999.5", "1700000000123ms", "2023-11-14T22:13:20Z", "1700003600",
         "2023-11-15T02:00:00Z"},
        {"1700000000000", "0", "4000000000", "x", "2023-11-14T22:13:20+08:00", "253402300799",
         "0001-01-01T00:00:00Z"}}},
      {"duration", {{"1s", "90s", "15m", "1h", "30d"}, {"0s", "-1s", "1", "99999999d", "x", ""}}},
      {"place",
       {{"0", "$", "-3"},
        {"1", "1-1-0-1", "x", "", "ffffffffffffffff-ffffffffffffffff-0-1", "-1", "-10000", "-0"}}},
  };
}

Kinds WordKinds() {
  return {
      {"glob", {{"*", "m*", "rank:*"}, {"?", "[a-m]*", "z", "[", "\\", "**a*b**", "", "lb"}}},
      {"period", {{"hour", "day", "all", "week", "month"}, {"year", "DAY", ""}}},
      {"which",  // the value of PERIOD
       {{"hour", "day", "all", "hour:-1", "day:2023-11-14"},
        {"week:2023-W46", "day:", "day:-9223372036854775808", "day:2023-02-30", "all:0", "year",
         ""}}},
      {"zone",
       {{"UTC", "Asia/Shanghai", "Europe/Berlin", "Pacific/Apia"},
        {"utc", "", "Mars/Olympus", "../../etc/passwd", "Australia/Lord_Howe"}}},
      {"turn", {{"00:00", "04:00", "23:59"}, {"24:00", "4:00", "x", "04:60"}}},
      {"id", {{"i1", "i2", "i3", "i4"}, {"", Binary("\0\r\n"), Long(128), Long(129)}}},
      {"text", {{"hello", "default", "1"}, {"", "a b", Binary("x\r\ny"), "id", "100"}}},
      {"name",
       {{"zadd", "GET", "lb.submit", "zunionstore"}, {"client|list", "nothing", "command", ""}}},
      {"setting",
       {{"maxmemory", "slowlog-log-slower-than"}, {"*", "zset-max-listpack-entries", "save"}}},
      {"word",
       {{"NX", "XX", "GT", "LT", "CH", "INCR", "WITHSCORES", "WITHSCORE", "LIMIT", "BYSCORE"},
        {"BYLEX", "REV", "COUNT", "MATCH", "KIND", "WITHMETA", "AT", "ID", "META", "MIN",
         "AGGREGATE", "1", "PERIODS", "END", "KEEP"}}},
  };
}

}  // namespace

const Samples* SamplesOf(std::string_view kind) {
  static const Kinds kinds = [] {
    Kinds all = BoardKinds();
    all.merge(NumberKinds());
    all.merge(WordKinds());
    return all;
  }();
  const auto found = kinds.find(kind);
  return found == kinds.end() ? nullptr : &found->second;
}

std::span<const std::vector<std::string_view>> Preludes() {
  static const std::vector<std::vector<std::string_view>> requests = {
      {"LB.CREATE", "lb"},
      {"LB.CREATE", "run", "FIELDS", "3", "points:int:desc:sum", "deaths:int:asc:sum",
       "best:decimal3:asc:min"},
      {"LB.CREATE", "cap", "POLICY", "best", "CAP", "3"},
      {"ZADD", "z", "1", "m0", "2", "m1", "3", "m2", "3", "m3"},
      {"ZADD", "y", "0", "m0", "0", "m1", "0", "m2", "0", "m4"},
      {"ZADD", "lb", "1", "m0", "1", "m1", "5", "m2", "5", "m3", "-3", "m4"},
      {"LB.MSUBMIT", "run", "3", "m0", "1", "2", "3.5", "m1", "1", "2", "3", "m2", "5", "0", "1"},
      {"LB.HIDE", "lb", "m1", "m6"},
      {"LB.CREATE", "s", "PERIODS", "3", "hour", "day", "all", "GRACE", "15m", "KEEP", "2", "DEDUP",
       "3"},
      {"LB.CREATE", "u", "POLICY", "best", "CAP", "3", "PERIODS", "3", "day", "week", "month", "TZ",
       "Asia/Shanghai", "TURN", "04:00"},
      {"LB.MSUBMIT", "s", "2", "m0", "1", "m1", "2", "ID", "i1"},
      {"LB.SUBMIT", "u", "m0", "3"},
  };
  return requests;
}

}  // namespace laurel::fuzz
