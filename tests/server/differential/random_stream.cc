#include "server/differential/random_stream.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace laurel::differential {
namespace {

Size SizeFor(base::Random* random) {
  if (random->OneIn(12)) return Size::kLarge;
  return random->OneIn(3) ? Size::kMiddle : Size::kTiny;
}

void Append(Arguments* command, const Arguments& more) {
  command->insert(command->end(), more.begin(), more.end());
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed)
    : random_(seed),
      values_(&random_, SizeFor(&random_)),
      longest_run_(values_.size() == Size::kLarge ? 25 : 150) {}

Stream RandomStream::Generate(std::size_t commands) {
  Stream stream;
  std::size_t made = 0;
  while (made < commands) {
    const std::size_t connection = values_.Below(kStreamConnections);
    const std::size_t run = 1 + values_.Below(values_.OneIn(3) ? 3 : longest_run_);
    for (std::size_t i = 0; i < run && made < commands; ++i) {
      stream.push_back(NextStep(connection));
      made += stream.back().commands.size() + stream.back().blocking.size();
    }
  }
  return stream;
}

Step RandomStream::NextStep(std::size_t connection) {
  Step step;
  if (values_.OneIn(500)) {
    step = Waiting();
  } else if (values_.OneIn(200)) {
    step = Iteration();
  } else if (values_.OneIn(25)) {
    step = SeveralCommands();
  } else {
    step.commands.push_back(queueing_[connection] && values_.OneIn(6) ? Arguments{"EXEC"}
                                                                      : OneCommand());
    step.inline_form = values_.OneIn(40);
  }
  step.connection = connection;
  if (step.commands[0] == Arguments{"MULTI"}) queueing_[connection] = true;
  if (step.commands[0] == Arguments{"EXEC"}) queueing_[connection] = false;
  for (Arguments& command : step.commands) {
    if (values_.OneIn(6)) command[0] = LowerCase(command[0]);
  }
  return step;
}

Step RandomStream::SeveralCommands() {
  switch (values_.Below(3)) {
    case 0:
      return LexicographicRanges();
    case 1:
      return PopWithData();
    default:
      return RandomChoice();
  }
}

// --- single commands -----------------------------------------------------------------------------

Arguments RandomStream::OneCommand() {
  const std::uint64_t kind = values_.Below(100);
  if (kind < 8) return Transaction();
  if (kind < 24) return KeyCommand();
  if (kind < 27) return Expire();
  if (kind < 29) return Other();
  Arguments command = kind < 62 ? Write() : Read();
  return values_.OneIn(7) ? Mistaken(std::move(command)) : command;
}

// Returns the command with a random mistake.
Arguments RandomStream::Mistaken(Arguments command) {
  const std::size_t place = 1 + values_.Below(command.size());
  // Redis 7.2 takes WITHSCORE as the last argument of ZRANK; Redis 7.0 does not.
  const bool takes_more = command[0] != "ZRANK" && command[0] != "ZREVRANK";
  switch (values_.Below(5)) {
    case 0:
      if (command.size() > 1) command.pop_back();
      break;
    case 1:
      if (takes_more) command.push_back(values_.Word());
      break;
    case 2:
      if (!takes_more) break;
      command.insert(command.begin() + static_cast<std::ptrdiff_t>(place), values_.Word());
      break;
    case 3:
      if (place < command.size()) command[place] = values_.Word();
      break;
    default:
      if (place < command.size()) command[place] = values_.BadNumber();
      break;
  }
  return command;
}

Arguments RandomStream::Transaction() {
  const std::uint64_t kind = values_.Below(20);
  if (kind < 6) return {"MULTI"};
  if (kind < 12) return {"EXEC"};
  if (kind < 13) return {"DISCARD"};
  if (kind < 14) return {"UNWATCH"};
  if (kind < 19) {
    Arguments command = {"WATCH"};
    AddKeys(&command, 1 + values_.Below(2));
    return command;
  }
  return values_.OneIn(2) ? Arguments{"WATCH"} : Arguments{values_.Pick({"EXEC", "MULTI"}), "foo"};
}

Arguments RandomStream::Write() {
  const std::string key = values_.Key();
  const std::uint64_t kind = values_.Below(100);
  if (kind < 40) return Zadd();
  if (kind < 46) return BulkZadd();
  if (kind < 60) return {"ZINCRBY", key, values_.Score(), values_.Member()};
  if (kind < 70) {
    Arguments command = {"ZREM", key};
    for (std::uint64_t i = 0; i <= values_.Below(3); ++i) command.push_back(values_.Member());
    return command;
  }
  if (kind < 74) return {"ZREMRANGEBYRANK", key, values_.Index(), values_.Index()};
  if (kind < 77) return {"ZREMRANGEBYSCORE", key, values_.ScoreBound(), values_.ScoreBound()};
  if (kind < 83) {
    Arguments command = {values_.Pick({"ZPOPMIN", "ZPOPMAX"}), key};
    if (values_.OneIn(2)) command.push_back(values_.Count());
    return command;
  }
  if (kind < 87) return Mpop();
  if (kind < 94) return SetOperation(true);
  return Zrangestore();
}

Arguments RandomStream::Read() {
  const std::string key = values_.Key();
  const std::uint64_t kind = values_.Below(100);
  if (kind < 10) return {"ZSCORE", key, values_.Member()};
  if (kind < 16) {
    Arguments command = {"ZMSCORE", key};
    for (std::uint64_t i = 0; i <= values_.Below(4); ++i) command.push_back(values_.Member());
    return command;
  }
  if (kind < 22) return {"ZCARD", key};
  if (kind < 30) return {"ZCOUNT", key, values_.ScoreBound(), values_.ScoreBound()};
  if (kind < 42) return {values_.Pick({"ZRANK", "ZREVRANK"}), key, values_.Member()};
  if (kind < 60) return Zrange();
  if (kind < 70) return ZrangeLegacy();
  if (kind < 84) return ZrangeByScore();
  if (kind < 95) return SetOperation(false);
  return Zintercard();
}

Arguments RandomStream::Zadd() {
  Arguments command = {"ZADD", values_.Key()};
  if (values_.OneIn(3)) {
    const std::size_t options = 1 + values_.Below(values_.OneIn(4) ? 4 : 2);
    for (std::size_t i = 0; i < options; ++i) {
      command.push_back(values_.Pick({"NX", "XX", "GT", "LT", "CH", "INCR", "ch", "Gt"}));
    }
  }
  const std::size_t entries = values_.OneIn(3) ? 1 + values_.Below(5) : 1;
  for (std::size_t i = 0; i < entries; ++i) Append(&command, {values_.Score(), values_.Member()});
  return command;
}

Arguments RandomStream::BulkZadd() {
  Arguments command = {"ZADD", values_.Key()};
  const std::size_t entries = values_.BulkSize();
  const bool equal_scores = values_.OneIn(5);
  const std::string score = values_.Number(-3, 3);
  for (std::size_t i = 0; i < entries; ++i) {
    Append(&command, {equal_scores ? score : values_.Number(-100, 300), values_.Member()});
  }
  return command;
}

// BYSCORE, REV, LIMIT and WITHSCORES as ZRANGE takes them.
Arguments RandomStream::Zrange() {
  Arguments command = {"ZRANGE", values_.Key()};
  Append(&command, RangeOptions());
  if (values_.OneIn(2)) command.push_back("WITHSCORES");
  return command;
}

Arguments RandomStream::RangeOptions() {
  Arguments options;
  if (values_.OneIn(2)) {
    options = {values_.Index(), values_.Index()};
    if (values_.OneIn(3)) options.push_back("REV");
    if (values_.OneIn(20)) Append(&options, {"LIMIT", values_.Index(), values_.Count()});
    return options;
  }
  options = {values_.ScoreBound(), values_.ScoreBound(), "BYSCORE"};
  if (values_.OneIn(2)) options.push_back("REV");
  if (values_.OneIn(2)) Append(&options, {"LIMIT", values_.Index(), values_.Count()});
  return options;
}

Arguments RandomStream::Zrangestore() {
  Arguments command = {"ZRANGESTORE", values_.Key(), values_.Key()};
  Append(&command, RangeOptions());
  return command;
}

Arguments RandomStream::ZrangeLegacy() {
  Arguments command = {"ZREVRANGE", values_.Key(), values_.Index(), values_.Index()};
  if (values_.OneIn(2)) command.push_back(values_.Pick({"WITHSCORES", "withscores"}));
  return command;
}

Arguments RandomStream::ZrangeByScore() {
  Arguments command = {values_.Pick({"ZRANGEBYSCORE", "ZREVRANGEBYSCORE"}), values_.Key(),
                       values_.ScoreBound(), values_.ScoreBound()};
  if (values_.OneIn(2)) command.push_back("WITHSCORES");
  if (values_.OneIn(2)) Append(&command, {"LIMIT", values_.Index(), values_.Count()});
  return command;
}

void RandomStream::AddKeys(Arguments* command, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) command->push_back(values_.Key());
}

Arguments RandomStream::Mpop() {
  const std::size_t keys = 1 + values_.Below(3);
  Arguments command = {"ZMPOP", values_.OneIn(25) ? values_.Count() : std::to_string(keys)};
  AddKeys(&command, keys);
  command.push_back(values_.OneIn(25) ? values_.Word() : values_.Pick({"MIN", "MAX", "min"}));
  if (values_.OneIn(2)) Append(&command, {"COUNT", values_.Count()});
  return command;
}

Arguments RandomStream::SetOperation(bool store) {
  const std::string operation = values_.Pick({"ZUNION", "ZINTER", "ZDIFF"});
  const std::size_t keys = 1 + values_.Below(3);
  Arguments command = {operation + (store ? "STORE" : "")};
  if (store) command.push_back(values_.Key());
  command.push_back(values_.OneIn(25) ? values_.Count() : std::to_string(keys));
  AddKeys(&command, keys);
  if (operation != "ZDIFF" || values_.OneIn(20)) {
    if (values_.OneIn(3)) {
      command.push_back("WEIGHTS");
      for (std::size_t i = 0; i < keys; ++i) command.push_back(values_.Score());
    }
    if (values_.OneIn(3)) {
      Append(&command,
             {"AGGREGATE",
              values_.OneIn(20) ? values_.Word() : values_.Pick({"SUM", "MIN", "MAX", "max"})});
    }
  }
  if (values_.OneIn(store ? 30 : 2)) command.push_back("WITHSCORES");
  return command;
}

Arguments RandomStream::Zintercard() {
  const std::size_t keys = 1 + values_.Below(3);
  Arguments command = {"ZINTERCARD", std::to_string(keys)};
  AddKeys(&command, keys);
  if (values_.OneIn(2)) Append(&command, {"LIMIT", values_.Count()});
  return command;
}

// Times are far away or in the past: nothing expires while a stream runs.
Arguments RandomStream::Expire() {
  const std::string name = values_.Pick({"EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"});
  const bool milliseconds = name[0] == 'P';
  const bool absolute = name.back() == 'T';
  std::string when;
  if (values_.OneIn(6)) {
    when = values_.OneIn(2) ? values_.BadNumber()
                            : values_.Pick({"9223372036854775807", "-9223372036854775808", "1.5",
                                            "9223372036854775", "99999999999999999"});
  } else if (values_.OneIn(6)) {
    when = values_.Pick({"0", "-1", "-1000"});
  } else {
    constexpr std::int64_t kYear2100 = 4'102'444'800;
    const std::int64_t first = absolute ? kYear2100 : 1'000'000;
    const std::int64_t unit = milliseconds ? 1000 : 1;
    when = values_.Number(first * unit, (first + 1'000'000'000) * unit);
  }
  Arguments command = {name, values_.Key(), when};
  if (values_.OneIn(3)) command.push_back(values_.Pick({"NX", "XX", "GT", "LT", "gt"}));
  if (values_.OneIn(15)) command.push_back(values_.Pick({"NX", "XX", "GT", "LT", "foo"}));
  if (values_.OneIn(40)) command.pop_back();
  return command;
}

Arguments RandomStream::Copy() {
  Arguments command = {"COPY", values_.Key(), values_.Key()};
  if (values_.OneIn(2)) command.push_back("REPLACE");
  if (values_.OneIn(6)) Append(&command, {"DB", values_.Pick({"0", "1", "-1", "abc", "16"})});
  return command;
}

Arguments RandomStream::KeyCommand() {
  Arguments command;
  const std::string key = values_.Key();
  switch (values_.Below(15)) {
    case 0:
      command = {values_.Pick({"DEL", "UNLINK"})};
      AddKeys(&command, 1 + values_.Below(2));
      break;
    case 1:
    case 2:
      command = {values_.Pick({"EXISTS", "TOUCH"})};
      AddKeys(&command, 1 + values_.Below(4));
      break;
    case 3:
      command = {"TYPE", key};
      break;
    case 4:
    case 5:
    case 6:
      command = {values_.Pick({"TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"}), key};
      break;
    case 7:
      command = {"PERSIST", key};
      break;
    case 8:
      command = {"KEYS", values_.Glob()};
      break;
    case 9:
    case 10:
      command = {values_.Pick({"RENAME", "RENAMENX"}), key, values_.Key()};
      break;
    case 11:
      command = Copy();
      break;
    case 12:
      command = {"DBSIZE"};
      break;
    case 13:
      command = {"OBJECT", values_.OneIn(6) ? "WHAT" : "REFCOUNT", key};
      break;
    default:
      command = {"GET", key};
      break;
  }
  return values_.OneIn(10) ? Mistaken(std::move(command)) : command;
}

Arguments RandomStream::Other() {
  switch (values_.Below(10)) {
    case 0:
      return {"PING"};
    case 1:
      return {"PING", values_.Member()};
    case 2:
      return {"ECHO", values_.Member()};
    case 3:
      return {"SELECT", values_.Pick({"0", "1", "-1", "abc", "", "99999999999"})};
    case 4:
      return {values_.Pick({"ZFOO", "zaddd", "", "LB", "foo\r\nbar"}), values_.Member(),
              values_.Key(), values_.Score()};
    case 5: {
      Arguments command = {values_.Pick({"FLUSHDB", "FLUSHALL"})};
      if (values_.OneIn(2)) command.push_back(values_.Pick({"ASYNC", "SYNC", "foo"}));
      return command;
    }
    case 6:
      return {values_.Pick({"SCAN", "ZSCAN"})};
    case 7:
      return {"SCAN", values_.Pick({"abc", "1.5", " 1", "99999999999999999999"}), "COUNT", "10"};
    case 8:
      return {"SCAN", "0", values_.Pick({"COUNT", "FOO", "MATCH"}),
              values_.Pick({"0", "-5", "abc", ""}), values_.Pick({"COUNT", "foo"})};
    default:
      return {"ZSCAN", values_.Key(), values_.Pick({"abc", "", "0"}), "COUNT",
              values_.Pick({"0", "-1", "abc"})};
  }
}

// --- steps of several commands -------------------------------------------------------------------

// Redis does not define lexicographic ranges on a board with several scores, so the step creates
// the board anew with a single score.
Step RandomStream::LexicographicRanges() {
  Step step;
  const std::string key = values_.Key();
  const std::string score = values_.Pick({"0", "1", "-2.5", "inf"});
  Arguments add = {"ZADD", key};
  const std::size_t entries = values_.BulkSize();
  for (std::size_t i = 0; i < entries; ++i) Append(&add, {score, values_.Member()});
  step.commands = {{"DEL", key}, add};
  for (std::uint64_t i = 0; i <= values_.Below(6); ++i) step.commands.push_back(LexCommand(key));
  return step;
}

Arguments RandomStream::LexCommand(const std::string& key) {
  Arguments command;
  const std::string low = values_.LexBound();
  const std::string high = values_.LexBound();
  switch (values_.Below(6)) {
    case 0:
      return {"ZLEXCOUNT", key, low, high};
    case 1:
      return {"ZREMRANGEBYLEX", key, low, high};
    case 2:
      command = {"ZRANGEBYLEX", key, low, high};
      break;
    case 3:
      command = {"ZREVRANGEBYLEX", key, low, high};
      break;
    case 4:
      command = {"ZRANGE", key, low, high, "BYLEX"};
      if (values_.OneIn(2)) command.push_back("REV");
      if (values_.OneIn(12)) command.push_back("WITHSCORES");
      break;
    default:
      command = {"ZRANGESTORE", values_.Key(), key, low, high, "BYLEX"};
      if (values_.OneIn(2)) command.push_back("REV");
      break;
  }
  if (values_.OneIn(2)) Append(&command, {"LIMIT", values_.Index(), values_.Count()});
  if (values_.OneIn(20)) command.push_back("foo");
  return command;
}

std::string RandomStream::Timeout() {
  if (values_.OneIn(3)) {
    return values_.Pick({"abc", "", "-1", "-0.001", "nan", "inf", "-inf", "1e300", "1e400",
                         "9223372036854775807", "9223372036854775", "9999999999999999", " 1",
                         "1 "});
  }
  return values_.Pick({"0", "1", "0.5", "1000.25", "1e3", "0x10", ".5"});
}

Arguments RandomStream::BlockingPop(const std::string& key, const std::string& timeout) {
  Arguments keys = {key};
  while (values_.OneIn(2)) {
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(values_.Below(keys.size() + 1)),
                values_.Key());
  }
  Arguments command;
  if (values_.OneIn(3)) {
    command = {"BZMPOP", timeout, std::to_string(keys.size())};
    Append(&command, keys);
    command.push_back(values_.Pick({"MIN", "MAX"}));
    if (values_.OneIn(2)) Append(&command, {"COUNT", values_.Number(1, 5)});
  } else {
    command = {values_.Pick({"BZPOPMIN", "BZPOPMAX"})};
    Append(&command, keys);
    command.push_back(timeout);
  }
  return command;
}

// Blocking pops that do not wait long: either an entry is added right before, or the key stays
// empty and the timeout is short.
Step RandomStream::PopWithData() {
  Step step;
  if (values_.OneIn(30)) {
    const std::string key = "nobody adds to this";
    step.commands = {values_.Pick({"BZPOPMIN", "BZPOPMAX"}) == "BZPOPMIN"
                         ? Arguments{"BZPOPMIN", key, "0.01"}
                         : Arguments{"BZMPOP", "0.01", "1", key, "MAX"}};
    return step;
  }
  const std::string key = values_.Key();
  Arguments pop = BlockingPop(key, Timeout());
  if (values_.OneIn(12)) pop.pop_back();
  if (values_.OneIn(12) && pop[0] == "BZMPOP") pop.push_back(values_.Word());
  step.commands = {{"ZADD", key, "1", "here"}, pop};
  return step;
}

// Lists the board, or the keys, right before the random choice, which must be among them.
Step RandomStream::RandomChoice() {
  Step step;
  if (values_.OneIn(4)) {
    step.commands = {{"KEYS", "*"}, {"RANDOMKEY"}};
    return step;
  }
  const std::string key = values_.Key();
  Arguments choose = {"ZRANDMEMBER", key};
  switch (values_.Below(5)) {
    case 0:
      break;
    case 1:
      // Redis refuses these counts WITHSCORES. Without scores it would start to send that many
      // members.
      Append(&choose,
             {values_.Pick({"-9223372036854775807", "-4611686018427387905"}), "WITHSCORES"});
      break;
    case 2:
      choose.push_back(
          values_.Pick({"abc", "1.5", "", "-9223372036854775808", "0", "9223372036854775807",
                        "4611686018427387904", "9223372036854775808"}));
      break;
    default:
      choose.push_back(values_.Number(-12, 12));
      break;
  }
  if (choose.size() == 3 && values_.OneIn(2)) {
    choose.push_back(values_.OneIn(10) ? "foo" : "WITHSCORES");
  }
  if (values_.OneIn(30)) choose.push_back("WITHSCORES");
  step.commands = {{"ZRANGE", key, "0", "-1", "WITHSCORES"}, choose};
  return step;
}

Step RandomStream::Iteration() {
  Step step;
  step.kind = Step::Kind::kIteration;
  Arguments command =
      values_.OneIn(3) ? Arguments{"SCAN", "0"} : Arguments{"ZSCAN", values_.Key(), "0"};
  if (values_.OneIn(2)) Append(&command, {"COUNT", values_.Number(1, 50)});
  if (values_.OneIn(2)) Append(&command, {"MATCH", values_.Glob()});
  if (command[0] == "SCAN" && values_.OneIn(2)) {
    Append(&command, {"TYPE", values_.Pick({"zset", "ZSET", "string", "hash", "nothing"})});
  }
  step.commands = {command};
  return step;
}

Step RandomStream::Waiting() {
  Step step;
  step.kind = Step::Kind::kWaiting;
  Arguments keys;
  AddKeys(&keys, 1 + values_.Below(3));
  if (!values_.OneIn(4)) {
    Arguments clear = {"DEL"};
    Append(&clear, keys);
    step.commands.push_back(clear);
  }
  const std::size_t waiters = 1 + values_.Below(kWaiters);
  for (std::size_t i = 0; i < waiters; ++i) {
    step.blocking.push_back(BlockingPop(values_.Pick(keys), values_.Pick({"0", "1000", "1000.5"})));
  }
  const bool transaction = values_.OneIn(3);
  if (transaction) step.commands.push_back({"MULTI"});
  for (std::uint64_t i = 0; i <= 2 + values_.Below(5); ++i) {
    step.commands.push_back(ServingCommand(keys));
  }
  if (transaction) step.commands.push_back({"EXEC"});
  return step;
}

Arguments RandomStream::ServingCommand(const Arguments& keys) {
  const std::string key = values_.Pick(keys);
  switch (values_.Below(9)) {
    case 0:
      return {"RENAME", values_.Key(), key};
    case 1:
      return {"COPY", values_.Key(), key};
    case 2:
      return {"ZUNIONSTORE", key, "2", values_.Key(), values_.Key()};
    case 3:
      return {"ZRANGESTORE", key, values_.Key(), "0", "1"};
    case 4:
      return {values_.Pick({"ZPOPMIN", "DEL"}), key};
    case 5:
      return {"ZINCRBY", key, values_.Number(-3, 3), values_.Member()};
    default: {
      Arguments command = {"ZADD", key};
      for (std::uint64_t i = 0; i <= values_.Below(3); ++i) {
        Append(&command, {values_.Number(-3, 3), values_.Member()});
      }
      return command;
    }
  }
}

}  // namespace laurel::differential
