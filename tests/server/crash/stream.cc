#include "server/crash/stream.h"

#include <utility>

namespace laurel::black_box {
namespace {

constexpr std::uint64_t kMarkerInterval = 6;
// The year 2200: too late to expire during a test.
constexpr std::uint64_t kFarMs = 7'258'118'400'000;
// Longer than all rounds together set the clock ahead.
constexpr std::uint64_t kLongSeconds = 10'000'000;

}  // namespace

Stream::Stream(int writer, std::uint64_t seed)
    : random_(seed), prefix_("w" + std::to_string(writer) + ":") {
  for (const char* name : {"a", "b", "c"}) sets_.push_back(prefix_ + name);
  for (const char* name : {"best", "sum", "pair", "made", "moved", "t1", "t2"}) {
    leaderboards_.push_back(prefix_ + name);
  }
  boards_ = sets_;
  boards_.insert(boards_.end(), leaderboards_.begin(), leaderboards_.end());
  boards_.push_back(stamped());
  declarations_ = {
      {"LB.CREATE", prefix_ + "best", "POLICY", "best", "TIE", "first"},
      {"LB.CREATE", prefix_ + "sum", "POLICY", "sum", "TIE", "last"},
      {"LB.CREATE", prefix_ + "pair", "FIELDS", "2", "points:int:desc", "time:int:asc", "POLICY",
       "best", "CAP", "18"},
      {"LB.TEMPLATE", "SET", prefix_ + "t*", "POLICY", "set", "TIE", "last"},
      {"LB.CREATE", stamped(), "POLICY", "best"},
  };
}

Step Stream::Next() {
  Step step;
  step.number = ++steps_;
  if (steps_ <= declarations_.size()) {
    step.commands = {declarations_[steps_ - 1]};
    return step;
  }
  if (steps_ % kMarkerInterval == 0) {
    step.kind = Step::Kind::kMarker;
    step.commands = {{"ZADD", marker(), std::to_string(steps_), "at"}};
    return step;
  }
  const std::uint64_t choice = random_.Below(100);
  if (choice < 6) {
    const std::string own = prefix_.substr(0, prefix_.size() - 1);
    step.kind = Step::Kind::kShared;
    step.commands = {{"MULTI"},
                     {"ZINCRBY", kSharedSet, "1", own},
                     {"LB.SUBMIT", kSharedBoard, kTotal, "1"},
                     {"ZINCRBY", kSharedSet, "1", kTotal},
                     {"LB.INCR", kSharedBoard, own, "1"},
                     {"EXEC"}};
  } else if (choice < 9) {
    step.kind = Step::Kind::kBrief;
    step.commands = {{"MULTI"},
                     {"ZADD", brief(), Number(1000), Member()},
                     {"PEXPIRE", brief(), std::to_string(1 + random_.Below(30))},
                     {"EXEC"}};
  } else if (choice < 24) {
    step.kind = Step::Kind::kStamped;
    step.commands = {StampedCommand()};
  } else if (choice < 32) {
    step.commands.push_back({"MULTI"});
    for (std::uint64_t i = 2 + random_.Below(4); i > 0; --i) step.commands.push_back(OwnCommand());
    step.commands.push_back({"EXEC"});
  } else {
    step.commands = {OwnCommand()};
  }
  return step;
}

Arguments Stream::StampedCommand() {
  const std::string member = "m" + Number(8);
  switch (random_.Below(3)) {
    case 0:
      return {"LB.SUBMIT", stamped(), member, Number(1'000'000)};
    case 1:
      return {"LB.SET", stamped(), member, Number(1000)};
    default:
      return {"LB.INCR", stamped(), member, Number(3), "META", Number(1000)};
  }
}

Arguments Stream::OwnCommand() {
  const std::uint64_t choice = random_.Below(100);
  if (choice < 30) return SortedSetCommand(random_.OneIn(4) ? Any(leaderboards_) : Any(sets_));
  if (choice < 80) return LeaderboardCommand(random_.OneIn(20) ? Any(sets_) : Any(leaderboards_));
  if (choice < 92) return ManyBoardsCommand();
  return DeclarationCommand();
}

Arguments Stream::SortedSetCommand(const std::string& board) {
  const std::uint64_t choice = random_.Below(20);
  if (choice < 9) {
    Arguments add = {"ZADD", board};
    for (std::uint64_t i = 1 + random_.Below(4); i > 0; --i) {
      add.push_back(Number(50));
      add.push_back(Member());
    }
    return add;
  }
  if (choice < 14) return {"ZINCRBY", board, random_.OneIn(2) ? "2" : "-1.5", Member()};
  if (choice < 17) return {"ZREM", board, Member(), Member()};
  if (choice < 18) return {random_.OneIn(2) ? "ZPOPMIN" : "ZPOPMAX", board, "2"};
  if (choice < 19) return {"ZREMRANGEBYRANK", board, "0", "1"};
  return {"ZADD", board, "GT", "CH", Number(60), Member()};
}

Arguments Stream::LeaderboardCommand(const std::string& board) {
  static const std::vector<std::string> kWrites = {"LB.SUBMIT", "LB.SUBMIT", "LB.SUBMIT", "LB.SET",
                                                   "LB.INCR"};
  const bool is_pair = board.ends_with("pair");
  const std::uint64_t choice = random_.Below(40);
  if (choice < 24) {
    Arguments write = {Any(kWrites), board, Member(), Number(40)};
    if (is_pair) write.push_back(Number(5));
    if (random_.OneIn(12)) write.push_back(random_.OneIn(2) ? "NX" : "XX");
    if (random_.OneIn(6)) {
      write.insert(write.end(), {"AT", std::to_string(1'000'000'000 + random_.Below(20))});
    }
    if (random_.OneIn(4)) {
      write.insert(write.end(), {"META", std::string(random_.Below(40), 'x')});
    }
    return write;
  }
  if (choice < 27) return {"LB.HIDE", board, Member(), Member()};
  if (choice < 31) return {"LB.SHOW", board, Member(), Member(), Member()};
  if (choice < 33) return {"LB.REMOVE", board, Member()};
  if (choice < 35) return {"LB.META", board, Member(), random_.OneIn(4) ? "" : Number(1000)};
  if (choice < 38) {
    Arguments many = {"LB.MSUBMIT", board, "3"};
    for (int i = 0; i < 3; ++i) {
      many.push_back("m" + std::to_string(8 * i + static_cast<int>(random_.Below(8))));
      many.push_back(Number(60));
      if (is_pair) many.push_back(Number(5));
    }
    return many;
  }
  if (choice < 39) return {"LB.POP", board, "2"};
  return {"LB.TRIM", board, "8"};
}

Arguments Stream::ManyBoardsCommand() {
  switch (random_.Below(13)) {
    case 0:
      return {"DEL", Any(sets_), Any(leaderboards_)};
    case 1:
    case 2:
      return {"RENAME", Any(sets_), Any(sets_)};
    case 3:
      return {"RENAME", prefix_ + (random_.OneIn(2) ? "made" : "moved"),
              prefix_ + (random_.OneIn(2) ? "moved" : "made")};
    case 4:
      return {"ZUNIONSTORE", Any(sets_), "2", Any(sets_), Any(leaderboards_)};
    case 5:
      return {"ZRANGESTORE", Any(sets_), Any(sets_), "0", "9"};
    case 6:
      return {"COPY", Any(boards_), Any(sets_), "REPLACE"};
    case 7:
      return {"COPY", Any(leaderboards_), prefix_ + "moved", "REPLACE"};
    case 8:
      return {"EXPIRE", Any(boards_), std::to_string(kLongSeconds + random_.Below(1000))};
    case 9:
      return {"PEXPIREAT", Any(boards_), std::to_string(kFarMs + random_.Below(1'000'000))};
    case 10:
      return {"PERSIST", Any(boards_)};
    case 11:
      return {"PEXPIRE", Any(sets_), "-1"};
    default:
      return {"LB.CLEAR", Any(leaderboards_)};
  }
}

void Stream::AddSpec(Arguments* command) {
  static const std::vector<std::string> kPolicies = {"set", "best", "sum"};
  static const std::vector<std::string> kTies = {"first", "last", "member"};
  const std::string& policy = Any(kPolicies);
  command->insert(command->end(), {"POLICY", policy, "TIE", Any(kTies)});
  if (policy != "sum" && random_.OneIn(2)) {  // policy sum takes no cap
    command->insert(command->end(), {"CAP", std::to_string(6 + random_.Below(14))});
  }
}

Arguments Stream::DeclarationCommand() {
  static const std::vector<std::string> kDropped = {"best", "sum", "made", "moved", "t1", "t2"};
  const std::uint64_t choice = random_.Below(12);
  if (choice < 3) {
    Arguments create = {"LB.CREATE", Any(leaderboards_)};
    AddSpec(&create);
    return create;
  }
  if (choice < 4) return {"LB.CREATE", Any(sets_), "TIE", "first", "ADOPT"};
  if (choice < 5) return {"LB.DROP", Any(sets_)};
  if (choice < 7) return {"LB.DROP", prefix_ + Any(kDropped)};
  if (choice < 8) return {"LB.TEMPLATE", "DEL", prefix_ + "t*"};
  if (choice < 9) {
    Arguments set = {"LB.TEMPLATE", "SET", prefix_ + (random_.OneIn(3) ? "t1*" : "t*")};
    AddSpec(&set);
    return set;
  }
  if (choice < 11)
    return {"LB.ALTER", Any(leaderboards_), "CAP", std::to_string(4 + random_.Below(16))};
  return {"LB.ALTER", Any(leaderboards_), "POLICY", random_.OneIn(2) ? "best" : "sum"};
}

}  // namespace laurel::black_box
