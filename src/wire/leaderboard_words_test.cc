#include "wire/leaderboard_words.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "leaderboard/limits.h"

namespace laurel::wire {
namespace {

using leaderboard::InstanceSelector;

// Splits a line at blanks; '' is the empty word.
std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    words.push_back(word == "''" ? std::string_view() : word);
    at = end + 1;
  }
  return words;
}

std::string Text(std::span<const std::string_view> words) {
  std::string text = "[";
  for (const std::string_view word : words) {
    text += (text.size() > 1 ? " " : "") + std::string(word);
  }
  return text + "]";
}

std::string Text(const std::optional<InstanceSelector>& instance) {
  return instance ? " in " + std::string(instance->text) : "";
}

std::string Text(const leaderboard::ReadOptions& options) {
  std::string text;
  if (options.kind == RankKind::kCompetition) text += " competition";
  if (options.kind == RankKind::kDense) text += " dense";
  if (options.with_meta) text += " meta";
  return text + Text(options.instance);
}

std::string Text(const std::optional<Stamp>& at, const std::optional<std::string_view>& id) {
  return (at ? " at " + std::to_string(*at) : "") + (id ? " id " + std::string(*id) : "");
}

// Formats an operation, field by field.
struct Describer {
  std::string operator()(const leaderboard::Submit& submit) const {
    const char* const modes[] = {"submit", "set", "incr"};
    std::string text = modes[static_cast<int>(submit.mode)];
    text += " " + std::string(submit.member) + " " + Text(submit.values.texts);
    if (submit.condition == Write::If::kAbsent) text += " absent";
    if (submit.condition == Write::If::kPresent) text += " present";
    text += Text(submit.at, submit.id);
    return text + (submit.meta ? " meta '" + std::string(*submit.meta) + "'" : "");
  }
  std::string operator()(const leaderboard::SubmitMany& many) const {
    return "many " + Text(many.texts) + Text(many.at, many.id);
  }
  std::string operator()(const leaderboard::Restore& restore) const {
    return "restore '" + std::string(restore.chunk) + "'" + (restore.with_meta ? " with meta" : "");
  }
  std::string operator()(const leaderboard::SetMeta& meta) const {
    return "meta " + std::string(meta.member) + " '" + std::string(meta.meta) + "'" +
           Text(meta.instance);
  }
  std::string operator()(const leaderboard::Remove& remove) const {
    return "remove " + Text(remove.members) + Text(remove.instance);
  }
  std::string operator()(const leaderboard::RemoveRange& /*range*/) const { return "no word"; }
  std::string operator()(const leaderboard::Hide& hide) const {
    return "hide " + Text(hide.members);
  }
  std::string operator()(const leaderboard::Show& show) const {
    return "show " + Text(show.members);
  }
  std::string operator()(const leaderboard::Pop& pop) const {
    return "pop " + std::to_string(pop.count) + (pop.worst ? " worst" : "") +
           (pop.with_meta ? " meta" : "") + Text(pop.instance);
  }
  std::string operator()(const leaderboard::Trim& trim) const {
    return "trim " + std::to_string(trim.kept) + Text(trim.instance);
  }
  std::string operator()(const leaderboard::Clear& clear) const {
    return "clear" + Text(clear.instance);
  }
  std::string operator()(const leaderboard::Alter& alter) const {
    return "alter " + DescribeSpec(*alter.spec);
  }
  std::string operator()(const leaderboard::Get& get) const {
    return "get " + std::string(get.member) + Text(get.options);
  }
  std::string operator()(const leaderboard::Top& top) const {
    return "top " + std::to_string(top.count) + Text(top.options);
  }
  std::string operator()(const leaderboard::Range& range) const {
    return "range " + std::to_string(range.first) + " " + std::to_string(range.last) +
           Text(range.options);
  }
  std::string operator()(const leaderboard::Around& around) const {
    return "around " + std::string(around.member) + " " + std::to_string(around.radius) +
           Text(around.options);
  }
  std::string operator()(const leaderboard::Among& among) const {
    return "among " + Text(among.members) + Text(among.options);
  }
  std::string operator()(const leaderboard::RankOf& rank_of) const {
    return "rank of " + Text(rank_of.values.texts) + Text(rank_of.options);
  }
  static std::string TextOfBounds(const leaderboard::Bounds& bounds) {
    return std::string(bounds.min) + " " + std::string(bounds.max);
  }
  std::string operator()(const leaderboard::Count& count) const {
    return "count " + TextOfBounds(count.bounds) + Text(count.options);
  }
  std::string operator()(const leaderboard::Between& between) const {
    std::string text = "between " + TextOfBounds(between.bounds);
    if (between.limit != UINT64_MAX) {
      text += " limit " + std::to_string(between.offset) + " " + std::to_string(between.limit);
    }
    return text + Text(between.options);
  }
  std::string operator()(const leaderboard::Size& size) const {
    return "size" + Text(size.options);
  }
  std::string operator()(const leaderboard::PercentileOf& percentile) const {
    return "percentile " + std::string(percentile.member) + Text(percentile.options);
  }
  std::string operator()(const leaderboard::Quantile& quantile) const {
    return "quantile " + std::to_string(quantile.percent) + Text(quantile.options);
  }
  std::string operator()(const leaderboard::Histogram& histogram) const {
    return "histogram " + std::to_string(histogram.buckets) + Text(histogram.options);
  }
  std::string operator()(const leaderboard::Describe& describe) const {
    return "describe" + Text(describe.instance);
  }
  std::string operator()(const leaderboard::ListPeriods& /*list*/) const { return "periods"; }
};

Spec TwoFields() {
  Spec spec;
  spec.fields = {Field{"points", 0}, Field{"time", 2, Direction::kAsc}};
  return spec;
}

// The operation of a request, or the error. A name with an '@' is an instance name.
std::string Parsed(std::string_view line, const Spec& spec = Spec()) {
  const std::vector<std::string_view> words = Words(line);
  const CommandInfo* command = FindCommand(words[0]);
  if (command == nullptr || !IsOperation(command->id)) return "no operation";
  std::optional<InstanceSelector> named;
  const std::size_t at = words[1].find('@');
  if (at != std::string_view::npos) named = leaderboard::ParseSelector(words[1].substr(at + 1));
  static ParsedOperation parsed;  // reused, as a host does
  const Status status = ParseOperation(*command, words, spec, named, &parsed);
  if (!status.ok()) return status.error().ToString();
  EXPECT_NE(parsed.read() != nullptr, parsed.write() != nullptr);
  std::string text = parsed.read() != nullptr ? std::visit(Describer(), *parsed.read())
                                              : std::visit(Describer(), *parsed.write());
  if (parsed.sets_time) text += " (sets time)";
  return text;
}

struct Case {
  std::string_view line;
  std::string_view expected;
};

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

void ExpectEach(std::initializer_list<Case> cases, const Spec& spec = Spec()) {
  for (const Case& one : cases) EXPECT_EQ(Parsed(one.line, spec), one.expected) << one.line;
}

TEST(LeaderboardWords, CommandsOnOneBoardAreOperations) {
  std::size_t operations = 0;
  for (const CommandInfo& command : CommandTable()) operations += IsOperation(command.id) ? 1 : 0;
  EXPECT_EQ(operations, 27U);
  for (const char* other :
       {"LB.CREATE", "LB.DROP", "LB.LIST", "LB.TEMPLATE", "LB.CHANGES", "ZADD"}) {
    EXPECT_FALSE(IsOperation(FindCommand(other)->id)) << other;
  }
}

TEST(LeaderboardWords, Submits) {
  ExpectEach({
      {"LB.SUBMIT lb ann 10", "submit ann [10]"},
      {"lb.set lb ann 10", "set ann [10]"},
      {"LB.INCR lb ann -1.5", "incr ann [-1.5]"},
      {"LB.SUBMIT lb ann 1 2 3", "submit ann [1 2 3]"},
      {"LB.SUBMIT lb NX 1", "submit NX [1]"},
      {"LB.SUBMIT lb ann NX", "submit ann [] absent"},
      {"LB.SUBMIT lb ann 1 nx", "submit ann [1] absent"},
      {"LB.SUBMIT lb ann 1 XX", "submit ann [1] present"},
      {"LB.SUBMIT lb ann 1 AT 5", "submit ann [1] at 5000000 (sets time)"},
      {"LB.SUBMIT lb ann 1 ID a", "submit ann [1] id a"},
      {"LB.SUBMIT lb ann 1 META x", "submit ann [1] meta 'x'"},
      {"LB.SUBMIT lb ann 1 META ''", "submit ann [1] meta ''"},
      {"LB.SUBMIT lb ann 1 META ID ID META XX AT 5ms",
       "submit ann [1] present at 5000 id META meta 'ID' (sets time)"},
      {"LB.SUBMIT lb ann 1 NX XX", "ERR NX and XX exclude each other"},
      {"LB.SUBMIT lb ann 1 NX NX", "ERR option 'NX' is given twice"},
      {"LB.SUBMIT lb ann 1 AT 5 AT 5", "ERR option 'AT' is given twice"},
      {"LB.SUBMIT lb ann 1 ID a ID a", "ERR option 'ID' is given twice"},
      {"LB.SUBMIT lb ann 1 META a META a", "ERR option 'META' is given twice"},
      {"LB.SUBMIT lb ann 1 AT", "ERR AT needs a value"},
      {"LB.SUBMIT lb ann 1 ID", "ERR ID needs a value"},
      {"LB.SUBMIT lb ann 1 META", "ERR META needs a value"},
      {"LB.SUBMIT lb ann 1 NX 2", "ERR unknown option '2': expected NX, XX, AT, ID, META"},
      {"LB.SUBMIT lb ann 1 NX PERIOD day",
       "ERR unknown option 'PERIOD': expected NX, XX, AT, ID, META"},
      {"LB.SUBMIT lb@day ann 1", "ERR 'lb@day' is a period of 'lb': name the board itself"},
      {"LB.INCR lb@day:-1 ann 1", "ERR 'lb@day:-1' is a period of 'lb': name the board itself"},
  });
  EXPECT_TRUE(Parsed("LB.SUBMIT lb ann 1 AT noon").starts_with("BADTIME "));
}

TEST(LeaderboardWords, SubmitsOfSeveralMembers) {
  ExpectEach({
      {"LB.MSUBMIT lb 1 ann 10", "many [ann 10]"},
      {"LB.MSUBMIT lb 2 ann 10 AT 3", "many [ann 10 AT 3]"},
      {"LB.MSUBMIT lb 1 ann 10 AT 3 ID x", "many [ann 10] at 3000000 id x (sets time)"},
      {"LB.MSUBMIT lb 1 ann 10 NX", "ERR unknown option 'NX': expected AT, ID"},
      {"LB.MSUBMIT lb 1 ann 10 META x", "ERR unknown option 'META': expected AT, ID"},
      {"LB.MSUBMIT lb 1 ann 10 bob", "ERR unknown option 'bob': expected AT, ID"},
      {"LB.MSUBMIT lb 0 ann 10", "ERR n must be at least 1, got '0'"},
      {"LB.MSUBMIT lb -1 ann 10", "ERR n must be at least 1, got '-1'"},
      {"LB.MSUBMIT lb ann 10 bob 5 at 3", "ERR say how many follow: LB.MSUBMIT lb 2 ann 10 bob 5"},
      {"LB.MSUBMIT lb x ann 10", "ERR say how many follow: LB.MSUBMIT lb n x ann 10"},
      {"LB.MSUBMIT lb 1.5 ann 10", "ERR n must be a whole number, got '1.5'"},
      {"LB.MSUBMIT lb 100000 ann 10",
       "ERR 'lb' takes a member and 1 value for each of 100000, got 2 words: the number before "
       "them says how many follow"},
      {"LB.MSUBMIT lb 100001" + Repeated(" ann 10", 100'001),
       "LIMIT one call takes at most 100000 members"},
      {"LB.MSUBMIT lb@day 1 ann 10", "ERR 'lb@day' is a period of 'lb': name the board itself"},
  });
  ExpectEach({{"LB.MSUBMIT lb 2 a 1 2 b 3 4", "many [a 1 2 b 3 4]"},
              {"LB.MSUBMIT lb 2 a 1 2 b 3",
               "ERR 'lb' takes a member and 2 values for each of 2, got 5 words: the number before "
               "them says how many follow"}},
             TwoFields());
}

TEST(LeaderboardWords, OtherWrites) {
  ExpectEach({
      {"LB.META lb ann hi", "meta ann 'hi'"},
      {"LB.META lb ann ''", "meta ann ''"},
      {"LB.META lb@day ann hi", "meta ann 'hi' in day"},
      {"LB.REMOVE lb a PERIOD day", "remove [a PERIOD day]"},
      {"LB.REMOVE lb@day:-1 a b", "remove [a b] in day:-1"},
      {"LB.HIDE lb a b", "hide [a b]"},
      {"LB.SHOW lb a PERIOD", "show [a PERIOD]"},
      {"LB.HIDE lb@day a", "ERR 'lb@day' is a period of 'lb': name the board itself"},
      {"LB.SHOW lb@day a", "ERR 'lb@day' is a period of 'lb': name the board itself"},
      {"LB.POP lb 0", "pop 0"},
      {"LB.POP lb 3 BOTTOM withmeta", "pop 3 worst meta"},
      {"LB.POP lb 3 PERIOD day BOTTOM", "pop 3 worst in day"},
      {"LB.POP lb@day 3", "pop 3 in day"},
      {"LB.POP lb -1", "ERR n must be at least 0, got '-1'"},
      {"LB.POP lb 3 TOP", "ERR unknown option 'TOP': expected BOTTOM, PERIOD, WITHMETA"},
      {"LB.POP lb 3 PERIOD", "ERR PERIOD needs a value"},
      {"LB.TRIM lb 3", "trim 3"},
      {"LB.TRIM lb 3 PERIOD week:2026-W46", "trim 3 in week:2026-W46"},
      {"LB.TRIM lb x", "ERR n must be a whole number, got 'x'"},
      {"LB.TRIM lb 3 BOTTOM", "ERR unknown option 'BOTTOM': expected PERIOD"},
      {"LB.CLEAR lb", "clear"},
      {"LB.CLEAR lb PERIOD all", "clear in all"},
      {"LB.CLEAR lb@all", "clear in all"},
      {"LB.CLEAR lb NOW", "ERR unknown option 'NOW': expected PERIOD"},
  });
}

TEST(LeaderboardWords, AlterStartsFromTheBoardsSpec) {
  ExpectEach({{"LB.ALTER lb CAP 5",
               "alter FIELDS 2 points:int:desc time:decimal2:asc POLICY set TIE first CAP 5"},
              {"LB.ALTER lb", "ERR LB.ALTER needs an option to change, such as CAP 100"},
              {"LB.ALTER lb TIE last",
               "ERR TIE cannot be altered: LB.ALTER takes POLICY, CAP, START, END, GRACE, EXPIRE, "
               "KEEP, DEDUP; to change TIE, declare another board and move the entries by "
               "laurel export and import"},
              {"LB.ALTER lb CAP", "ERR CAP needs a value"},
              {"LB.ALTER lb@day CAP 5", "ERR 'lb@day' is a period of 'lb': name the board itself"}},
             TwoFields());
  ParsedOperation parsed;
  const std::vector<std::string_view> words = Words("LB.ALTER lb FEED 7");
  const CommandInfo& command = CommandOf(CommandId::kLbAlter);
  ASSERT_TRUE(ParseOperation(command, words, Spec(), std::nullopt, &parsed).ok());
  EXPECT_EQ(parsed.altered.feed, 7U);
}

TEST(LeaderboardWords, ReadsOfEntries) {
  ExpectEach({
      {"LB.GET lb ann", "get ann"},
      {"LB.GET lb KIND KIND dense WITHMETA", "get KIND dense meta"},
      {"LB.GET lb ann withmeta kind Competition period day", "get ann competition meta in day"},
      {"LB.GET lb ann KIND ordinal", "get ann"},
      {"LB.GET lb ann KIND other", "ERR unknown KIND 'other': ordinal, competition, dense"},
      {"LB.GET lb ann KIND", "ERR KIND needs a value"},
      {"LB.GET lb ann bob", "ERR unknown option 'bob': expected KIND, PERIOD, WITHMETA"},
      {"LB.TOP lb 0", "top 0"},
      {"LB.TOP lb 10 KIND dense", "top 10 dense"},
      {"LB.TOP lb -1", "ERR n must be at least 0, got '-1'"},
      {"LB.TOP lb 1.0", "ERR n must be a whole number, got '1.0'"},
      {"LB.TOP lb 0 9", "ERR LB.TOP takes how many: LB.RANGE lb 1 10 lists ranks 1 to 10"},
      {"LB.TOP lb 0 -1", "ERR LB.TOP takes how many: LB.RANGE lb 1 -1 lists ranks 1 to -1"},
      {"LB.TOP lb 11 20", "ERR LB.TOP takes how many: LB.RANGE lb 11 20 lists ranks 11 to 20"},
      {"LB.TOP lb 10 WITHMETAS", "ERR unknown option 'WITHMETAS'; did you mean WITHMETA?"},
      {"LB.TOP lb 10 withscores",
       "ERR WITHSCORES belongs to Redis' commands: entries always come with their scores"},
      {"LB.RANGE lb 1 -1", "range 1 -1"},
      {"LB.RANGE lb 0 0 WITHMETA", "range 0 0 meta"},
      {"LB.RANGE lb x 1", "ERR first must be a whole number, got 'x'"},
      {"LB.RANGE lb 1 x", "ERR last must be a whole number, got 'x'"},
      {"LB.RANGE lb 1 2 3", "ERR unknown option '3': expected KIND, PERIOD, WITHMETA"},
      {"LB.AROUND lb ann 5 KIND dense", "around ann 5 dense"},
      {"LB.AROUND lb ann -5", "ERR m must be at least 0, got '-5'"},
      {"LB.AROUND lb ann 5 5", "ERR unknown option '5': expected KIND, PERIOD, WITHMETA"},
      {"LB.AMONG lb 0", "among []"},
      {"LB.AMONG lb 2 a KIND KIND dense", "among [a KIND] dense"},
      {"LB.AMONG lb 2 a b PERIOD day WITHMETA", "among [a b] meta in day"},
      {"LB.AMONG lb 3 a b",
       "ERR LB.AMONG is to look up 3 members, got 2: the number before them says how many follow"},
      {"LB.AMONG lb 10001" + Repeated(" a", 10'001), "LIMIT one call takes at most 10000 members"},
      {"LB.AMONG lb 10000 a",
       "ERR LB.AMONG is to look up 10000 members, got 1: the number before them says how many "
       "follow"},
      {"LB.AMONG lb ann bob KIND dense", "ERR say how many follow: LB.AMONG lb 2 ann bob"},
      {"LB.AMONG lb 1 a b", "ERR unknown option 'b': expected KIND, PERIOD, WITHMETA"},
      {"LB.BETWEEN lb (1 +inf", "between (1 +inf"},
      {"LB.BETWEEN lb 1 2 KIND dense LIMIT 3 4", "between 1 2 limit 3 4 dense"},
      {"LB.BETWEEN lb 1 2 LIMIT 3 4 PERIOD day", "between 1 2 limit 3 4 in day"},
      {"LB.BETWEEN lb 1 2 LIMIT -3 4", "ERR LIMIT offset must be at least 0, got '-3'"},
      {"LB.BETWEEN lb 1 2 LIMIT 3 x", "ERR LIMIT count must be a whole number, got 'x'"},
      {"LB.BETWEEN lb 1 2 LIMIT 3", "ERR LIMIT needs an offset and a count"},
      {"LB.BETWEEN lb 1 2 OFFSET 3",
       "ERR unknown option 'OFFSET': expected LIMIT, KIND, PERIOD, WITHMETA"},
  });
}

TEST(LeaderboardWords, OtherReads) {
  ExpectEach({
      {"LB.RANKOF lb 10", "rank of [10]"},
      {"LB.RANKOF lb 10 20 KIND dense", "rank of [10 20] dense"},
      {"LB.RANKOF lb 10 PERIOD day", "rank of [10] in day"},
      {"LB.RANKOF lb 10 WITHMETA", "ERR unknown option 'WITHMETA': expected KIND, PERIOD"},
      {"LB.RANKOF lb KIND dense", "rank of [] dense"},
      {"LB.RANKOF lb 10 KIND", "ERR KIND needs a value"},
      {"LB.COUNT lb 1 2", "count 1 2"},
      {"LB.COUNT lb 1 (2 PERIOD day", "count 1 (2 in day"},
      {"LB.COUNT lb 1 2 KIND dense", "ERR unknown option 'KIND': expected PERIOD"},
      {"LB.SIZE lb", "size"},
      {"LB.SIZE lb PERIOD day", "size in day"},
      {"LB.SIZE lb WITHMETA", "ERR unknown option 'WITHMETA': expected PERIOD"},
      {"LB.PERCENTILE lb ann", "percentile ann"},
      {"LB.PERCENTILE lb ann PERIOD day", "percentile ann in day"},
      {"LB.PERCENTILE lb ann KIND dense", "ERR unknown option 'KIND': expected PERIOD"},
      {"LB.QUANTILE lb 99.5", "quantile 99500000000"},
      {"LB.QUANTILE lb -1 PERIOD day", "quantile -1000000000 in day"},
      {"LB.QUANTILE lb half",
       "ERR p must be a number from 0 to 100 with at most 9 decimals, got 'half'"},
      {"LB.QUANTILE lb 0.0000000001",
       "ERR p must be a number from 0 to 100 with at most 9 decimals, got '0.0000000001'"},
      {"LB.QUANTILE lb 50 50", "ERR unknown option '50': expected PERIOD"},
      {"LB.HISTOGRAM lb 1", "histogram 1"},
      {"LB.HISTOGRAM lb 1000 PERIOD day", "histogram 1000 in day"},
      {"LB.HISTOGRAM lb -1", "ERR buckets must be at least 1, got '-1'"},
      {"LB.HISTOGRAM lb x", "ERR buckets must be a whole number, got 'x'"},
      {"LB.DESCRIBE lb", "describe"},
      {"LB.DESCRIBE lb PERIOD day", "describe in day"},
      {"LB.DESCRIBE lb@day", "describe in day"},
      {"LB.DESCRIBE lb ALL", "ERR unknown option 'ALL': expected PERIOD"},
      {"LB.PERIODS lb", "periods"},
      {"LB.PERIODS lb@day", "ERR 'lb@day' is a period of 'lb': name the board itself"},
  });
}

TEST(LeaderboardWords, PeriodIsRefusedTwiceOrWithAnInstanceName) {
  for (const std::string_view request :
       {"LB.GET % ann", "LB.TOP % 1", "LB.RANGE % 1 2", "LB.AROUND % ann 1", "LB.AMONG % 1 ann",
        "LB.RANKOF % 1", "LB.COUNT % 1 2", "LB.BETWEEN % 1 2", "LB.SIZE %", "LB.PERCENTILE % ann",
        "LB.QUANTILE % 50", "LB.HISTOGRAM % 5", "LB.DESCRIBE %", "LB.POP % 1", "LB.TRIM % 1",
        "LB.CLEAR %"}) {
    const auto on = [&](const std::string& board) {
      return std::string(request).replace(request.find('%'), 1, board);
    };
    EXPECT_EQ(Parsed(on("lb") + " PERIOD day:-1"), Parsed(on("lb@day:-1"))) << request;
    EXPECT_TRUE(Parsed(on("lb@day")).ends_with(" in day")) << request;
    EXPECT_EQ(Parsed(on("lb@day") + " PERIOD day"),
              "ERR 'lb@day' names an instance already: PERIOD goes with the board's own name");
    EXPECT_EQ(Parsed(on("lb") + " PERIOD day PERIOD day"), "ERR option 'PERIOD' is given twice")
        << request;
    EXPECT_EQ(Parsed(on("lb") + " PERIOD"), "ERR PERIOD needs a value") << request;
    EXPECT_TRUE(Parsed(on("lb") + " PERIOD year").ends_with(" in year")) << request;
  }
}

std::string Changes(std::string_view line) {
  const std::vector<std::string_view> words = Words(line);
  std::optional<InstanceSelector> named;
  const std::size_t at = words[1].find('@');
  if (at != std::string_view::npos) named = leaderboard::ParseSelector(words[1].substr(at + 1));
  ChangesArguments wanted;
  const Status status = ParseChanges(words, named, &wanted);
  if (!status.ok()) return status.error().ToString();
  const char* const froms[] = {"oldest", "end", "last", "cursor"};
  std::string text = froms[static_cast<int>(wanted.from)];
  if (wanted.last > 0) text += " " + std::to_string(wanted.last);
  text += std::string(wanted.cursor.empty() ? "" : " ") + std::string(wanted.cursor);
  if (wanted.member) text += " member " + std::string(*wanted.member);
  text += " count " + std::to_string(wanted.count);
  if (wanted.block_ms) text += " block " + std::to_string(*wanted.block_ms);
  return text + Text(wanted.instance);
}

TEST(ChangesWords, EveryOptionAndError) {
  const Case cases[] = {
      {"LB.CHANGES lb 0", "oldest count 100"},
      {"LB.CHANGES lb $", "end count 100"},
      {"LB.CHANGES lb -5", "last 5 count 5"},
      {"LB.CHANGES lb -5 COUNT 3", "last 5 count 3"},
      {"LB.CHANGES lb -5 COUNT 300", "last 5 count 5"},
      {"LB.CHANGES lb -1 MEMBER m BLOCK 5", "last 1 member m count 1 block 5"},
      {"LB.CHANGES lb -10000", "last 10000 count 10000"},
      {"LB.CHANGES lb@day -2", "last 2 count 2 in day"},
      {"LB.CHANGES lb -10001", "ERR -n is -1 to -10000, got '-10001'"},
      {"LB.CHANGES lb -0", "ERR -n is -1 to -10000, got '-0'"},
      {"LB.CHANGES lb -99999999999999999999",
       "ERR -n is -1 to -10000, got '-99999999999999999999'"},
      {"LB.CHANGES lb -5-2", "cursor -5-2 count 100"},
      {"LB.CHANGES lb 1-2-3-4", "cursor 1-2-3-4 count 100"},
      {"LB.CHANGES lb -", "cursor - count 100"},
      {"LB.CHANGES lb 7", "cursor 7 count 100"},
      {"LB.CHANGES lb 0 COUNT 1 BLOCK 0", "oldest count 1 block 0"},
      {"LB.CHANGES lb 0 member COUNT count 10000", "oldest member COUNT count 10000"},
      {"LB.CHANGES lb 0 PERIOD day:-1", "oldest count 100 in day:-1"},
      {"LB.CHANGES lb@day 0", "oldest count 100 in day"},
      {"LB.CHANGES lb@day 0 PERIOD day",
       "ERR 'lb@day' names an instance already: PERIOD goes with the board's own name"},
      {"LB.CHANGES lb 0 PERIOD day PERIOD day", "ERR option 'PERIOD' is given twice"},
      {"LB.CHANGES lb 0 COUNT", "ERR COUNT needs a value"},
      {"LB.CHANGES lb 0 WITH 1",
       "ERR unknown option 'WITH': expected MEMBER, COUNT, BLOCK, PERIOD"},
      {"LB.CHANGES lb 0 COUNT x", "ERR COUNT must be a whole number, got 'x'"},
      {"LB.CHANGES lb 0 BLOCK x", "ERR BLOCK must be a whole number, got 'x'"},
      {"LB.CHANGES lb 0 COUNT 0", "ERR COUNT must be at least 1, got '0'"},
      {"LB.CHANGES lb 0 COUNT 10001", "ERR COUNT is 1 to 10000, got '10001'"},
      {"LB.CHANGES lb 0 BLOCK -1", "ERR BLOCK must be at least 0, got '-1'"},
  };
  for (const Case& one : cases) EXPECT_EQ(Changes(one.line), one.expected) << one.line;
}

}  // namespace
}  // namespace laurel::wire
