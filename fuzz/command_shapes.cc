#include "fuzz/command_shapes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "fuzz/command_samples.h"
#include "wire/command_table.h"

namespace laurel::fuzz {
namespace {

using Id = wire::CommandId;

struct Row {
  Id id;
  std::string_view shape;
};

constexpr std::string_view kSpecShape =
    "[FIELDS {field}] [POLICY policy] [TIE tie] [CAP count] [window] [periods] [DEDUP count] "
    "[FEED count] [PARTITIONS count] [ADOPT] [word] / window [EXPIRE duration] / periods [CAP "
    "count]";
constexpr std::string_view kWindowShape = "[START time] END time [GRACE duration]";
constexpr std::string_view kPeriodsShape =
    "PERIODS {period} [TZ zone] [TURN turn] [KEEP keep] [GRACE duration]";
constexpr std::string_view kAlterShape =
    "[POLICY policy] [CAP count] [START time|NONE] [END time|NONE] [GRACE duration] "
    "[EXPIRE duration] [KEEP keep] [DEDUP count] [FEED count] [word]";
constexpr std::string_view kWriteShape =
    "single member score [NX|XX] [AT time] [META meta] / single member score [AT time] [ID id] / "
    "season member score [AT time] [ID id] / "
    "triple member score score score [NX|XX] [AT time] [META meta]";

constexpr Row kSortedSets[] = {
    {Id::kZAdd, "key score member / key [NX|XX] [GT|LT] [CH] [INCR] (score member)+"},
    {Id::kZIncrBy, "key score member"},
    {Id::kZScore, "key member"},
    {Id::kZMScore, "key (member)+"},
    {Id::kZCard, "key"},
    {Id::kZCount, "key bound bound"},
    {Id::kZLexCount, "key lex lex"},
    {Id::kZRank, "key member [WITHSCORE]"},
    {Id::kZRevRank, "key member [WITHSCORE]"},
    {Id::kZRange,
     "key index index [REV] [WITHSCORES] / "
     "key bound bound BYSCORE [REV] [LIMIT index count] [WITHSCORES] / "
     "key lex lex BYLEX [REV] [LIMIT index count] [word]"},
    {Id::kZRangeStore,
     "key key index index [REV] / key key bound bound BYSCORE [REV] [LIMIT index count] / "
     "key key lex lex BYLEX [REV] [LIMIT index count]"},
    {Id::kZRevRange, "key index index [WITHSCORES]"},
    {Id::kZRangeByScore, "key bound bound [WITHSCORES] [LIMIT index count]"},
    {Id::kZRevRangeByScore, "key bound bound [WITHSCORES] [LIMIT index count]"},
    {Id::kZRangeByLex, "key lex lex [LIMIT index count]"},
    {Id::kZRevRangeByLex, "key lex lex [LIMIT index count]"},
    {Id::kZRem, "key (member)+"},
    {Id::kZRemRangeByRank, "key index index"},
    {Id::kZRemRangeByScore, "key bound bound"},
    {Id::kZRemRangeByLex, "key lex lex"},
    {Id::kZPopMin, "key [count]"},
    {Id::kZPopMax, "key [count]"},
    {Id::kZMPop, "{key} MIN|MAX [COUNT count]"},
    {Id::kBZPopMin, "(key)+ timeout"},
    {Id::kBZPopMax, "(key)+ timeout"},
    {Id::kBZMPop, "timeout {key} MIN|MAX [COUNT count]"},
    {Id::kZUnion, "{key} [WEIGHTS (score)+] [AGGREGATE SUM|MIN|MAX] [WITHSCORES]"},
    {Id::kZInter, "{key} [WEIGHTS (score)+] [AGGREGATE SUM|MIN|MAX] [WITHSCORES]"},
    {Id::kZDiff, "{key} [WITHSCORES]"},
    {Id::kZUnionStore, "key {key} [WEIGHTS (score)+] [AGGREGATE SUM|MIN|MAX]"},
    {Id::kZInterStore, "key {key} [WEIGHTS (score)+] [AGGREGATE SUM|MIN|MAX]"},
    {Id::kZDiffStore, "key {key}"},
    {Id::kZInterCard, "{key} [LIMIT count]"},
    {Id::kZRandMember, "key [count] / key count WITHSCORES"},
    {Id::kZScan, "key cursor [MATCH glob] [COUNT count]"},
};

constexpr Row kKeys[] = {
    {Id::kDel, "(key)+"},
    {Id::kUnlink, "(key)+"},
    {Id::kExists, "(key)+"},
    {Id::kType, "key"},
    {Id::kExpire, "key seconds [NX|XX|GT|LT]"},
    {Id::kPExpire, "key ms [NX|XX|GT|LT]"},
    {Id::kExpireAt, "key unix [NX|XX] [GT|LT]"},
    {Id::kPExpireAt, "key unix [NX|XX] [GT|LT]"},
    {Id::kExpireTime, "key"},
    {Id::kPExpireTime, "key"},
    {Id::kTtl, "key"},
    {Id::kPTtl, "key"},
    {Id::kPersist, "key"},
    {Id::kKeys, "glob"},
    {Id::kScan, "cursor [MATCH glob] [COUNT count] [TYPE text|ZSET]"},
    {Id::kRename, "key key"},
    {Id::kRenameNx, "key key"},
    {Id::kCopy, "key key [DB index] [REPLACE]"},
    {Id::kTouch, "(key)+"},
    {Id::kRandomKey, ""},
    {Id::kDbSize, ""},
    {Id::kFlushDb, "[ASYNC|SYNC]"},
    {Id::kFlushAll, "[ASYNC|SYNC|word]"},
    {Id::kObject, "text|key"},
    {Id::kObjectEncoding, "key"},
    {Id::kObjectFreq, "key"},
    {Id::kObjectIdleTime, "key"},
    {Id::kObjectRefCount, "key"},
    {Id::kObjectHelp, ""},
    {Id::kMemory, "text|key"},
    {Id::kMemoryUsage, "key [SAMPLES count]"},
    {Id::kMemoryStats, ""},
    {Id::kMemoryDoctor, ""},
    {Id::kMemoryPurge, ""},
    {Id::kMemoryHelp, ""},
    {Id::kGet, "key"},
    {Id::kMulti, ""},
    {Id::kExec, ""},
    {Id::kDiscard, ""},
    {Id::kWatch, "(key)+"},
    {Id::kUnwatch, ""},
};

constexpr Row kConnection[] = {
    {Id::kPing, "[text] [text]"},
    {Id::kEcho, "text"},
    {Id::kAuth, "text [text]"},
    {Id::kHello, "[count] / 2|3 [AUTH text text] [SETNAME text]"},
    {Id::kSelect, "index"},
    {Id::kQuit, ""},
    {Id::kReset, ""},
    {Id::kClient, "text"},
    {Id::kClientId, ""},
    {Id::kClientGetName, ""},
    {Id::kClientSetName, "text"},
    {Id::kClientSetInfo, "LIB-NAME|LIB-VER|text text"},
    {Id::kClientList, "[TYPE NORMAL|REPLICA|text] / ID (count)+"},
    {Id::kClientInfo, ""},
    {Id::kClientKill, "text / (ID|ADDR|LADDR|USER|TYPE|SKIPME count|text|NORMAL|YES|NO)+"},
    {Id::kClientReply, "ON|OFF|SKIP|text"},
    {Id::kClientUnblock, "count [TIMEOUT|ERROR|text]"},
    {Id::kClientPause, "count [WRITE|ALL|text]"},
    {Id::kClientUnpause, ""},
    {Id::kClientNoEvict, "ON|OFF|text"},
    {Id::kClientNoTouch, "ON|OFF|text"},
    {Id::kClientTracking, "ON|OFF|text [text]"},
    {Id::kClientTrackingInfo, ""},
    {Id::kClientCaching, "YES|NO|text"},
    {Id::kClientGetRedir, ""},
    {Id::kClientHelp, ""},
};

constexpr Row kServer[] = {
    {Id::kCommand, "[text]"},
    {Id::kCommandCount, ""},
    {Id::kCommandInfo, "[name] [name]"},
    {Id::kCommandDocs, "[name] [name]"},
    {Id::kCommandList, "[FILTERBY MODULE|ACLCAT|PATTERN glob|name]"},
    {Id::kCommandGetKeys, "name text [key] / ZUNIONSTORE key {key} [word] / ZADD key score member"},
    {Id::kCommandHelp, ""},
    {Id::kInfo, "[text] [text]"},
    {Id::kConfig, "text"},
    {Id::kConfigGet, "(setting|glob)+"},
    {Id::kConfigSet, "(setting count|text)+"},
    {Id::kConfigResetStat, ""},
    {Id::kConfigRewrite, ""},
    {Id::kConfigHelp, ""},
    {Id::kTime, ""},
    {Id::kSlowLog, "text"},
    {Id::kSlowLogGet, "[count]"},
    {Id::kSlowLogLen, ""},
    {Id::kSlowLogReset, ""},
    {Id::kSlowLogHelp, ""},
    {Id::kLatency, "text"},
    {Id::kLatencyLatest, ""},
    {Id::kLatencyHistory, "text"},
    {Id::kLatencyReset, "[text]"},
    {Id::kLatencyDoctor, ""},
    {Id::kLatencyHistogram, "[name]"},
    {Id::kLatencyHelp, ""},
    {Id::kLastSave, ""},
    {Id::kSave, ""},
    {Id::kBgSave, "[SCHEDULE|text]"},
    {Id::kBgRewriteAof, ""},
    {Id::kWait, "count ms"},
    {Id::kShutdown, "[NOSAVE|SAVE] [NOW] [FORCE] [ABORT|text]"},
    {Id::kMonitor, ""},
    {Id::kModule, "text"},
    {Id::kModuleList, ""},
    {Id::kModuleHelp, ""},
    {Id::kCluster, "text"},
    {Id::kClusterInfo, ""},
    {Id::kClusterOther, "[text]"},
    {Id::kFunction, "text"},
    {Id::kFunctionFlush, "[ASYNC|SYNC]"},
    {Id::kFunctionList, "[LIBRARYNAME glob] [WITHCODE]"},
    {Id::kFunctionStats, ""},
    {Id::kFunctionHelp, ""},
    {Id::kScript, "text"},
    {Id::kScriptFlush, "[ASYNC|SYNC]"},
    {Id::kScriptExists, "(text)+"},
    {Id::kScriptLoad, "text"},
    {Id::kScriptHelp, ""},
    {Id::kEval, "text {key} [text]"},
    {Id::kEvalSha, "text {key} [text]"},
    {Id::kEvalRo, "text {key} [text]"},
    {Id::kEvalShaRo, "text {key} [text]"},
    {Id::kFCall, "text {key} [text]"},
    {Id::kFCallRo, "text {key} [text]"},
    {Id::kReadOnly, ""},
    {Id::kReadWrite, ""},
    {Id::kRole, ""},
    {Id::kAcl, "text"},
    {Id::kAclWhoAmI, ""},
    {Id::kAclHelp, ""},
    {Id::kLolwut, "[VERSION count]"},
    {Id::kDebug, "text [text]"},
    {Id::kLbBackup, "text"},
    {Id::kLbBackupStart, ""},
    {Id::kLbBackupRead, "count text index count"},
    {Id::kLbBackupEnd, "count"},
};

constexpr Row kLeaderboards[] = {
    {Id::kLbCreate,
     "board / board POLICY policy [CAP count] / board FIELDS {field} / board spec / season spec"},
    {Id::kLbAlter, "board alter / season alter"},
    {Id::kLbDescribe, "board [PERIOD which]"},
    {Id::kLbList, "[MATCH glob] [CURSOR cursor] [COUNT count]"},
    {Id::kLbDrop, "board"},
    {Id::kLbLoad,
     "board BEGIN count spec / board CHUNK count count meta / board COMMIT count [REPLACE] / "
     "board ABORT count"},
    {Id::kLbWalk, "board cursor"},
    {Id::kLbRestore, "board meta / board meta META"},
    {Id::kLbTemplate, "text"},
    {Id::kLbTemplateSet, "glob spec"},
    {Id::kLbTemplateDel, "glob"},
    {Id::kLbTemplateList, ""},
    {Id::kLbSubmit, "write"},
    {Id::kLbSet, "write"},
    {Id::kLbIncr, "write"},
    {Id::kLbMSubmit,
     "single {member score} [AT time] [ID id] / season {member score} [ID id] / "
     "triple {member score score score}"},
    {Id::kLbMeta, "board member meta"},
    {Id::kLbGet, "board member [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbTop, "board count [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbRange, "board index index [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbAround, "board member count [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbAmong, "board {member} [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbRankOf,
     "single score [KIND kind] / triple score score score [KIND kind] / board (score)+"},
    {Id::kLbCount, "board bound bound [PERIOD which]"},
    {Id::kLbBetween, "board bound bound [LIMIT index count] [KIND kind] [WITHMETA] [PERIOD which]"},
    {Id::kLbSize, "board [PERIOD which]"},
    {Id::kLbPercentile, "board member [PERIOD which]"},
    {Id::kLbQuantile, "board percent [PERIOD which]"},
    {Id::kLbHistogram, "board count [PERIOD which]"},
    {Id::kLbRemove, "board (member)+"},
    {Id::kLbPop, "board count [BOTTOM] [WITHMETA] [PERIOD which]"},
    {Id::kLbTrim, "board count [PERIOD which]"},
    {Id::kLbClear, "board [PERIOD which]"},
    {Id::kLbHide, "board (member)+"},
    {Id::kLbShow, "board (member)+"},
    {Id::kLbPeriods, "season|board"},
    {Id::kLbChanges, "board|season place [MEMBER member] [COUNT count] [BLOCK ms] [PERIOD which]"},
};

using Shapes = std::array<std::optional<std::string_view>, wire::kCommandIds>;

Shapes MakeShapes() {
  Shapes shapes;
  for (const std::span<const Row> rows :
       {std::span<const Row>(kSortedSets), std::span<const Row>(kKeys),
        std::span<const Row>(kConnection), std::span<const Row>(kServer),
        std::span<const Row>(kLeaderboards)}) {
    for (const Row& row : rows) {
      auto& shape = shapes[static_cast<std::size_t>(row.id)];
      LAUREL_ASSERT(!shape);
      shape = row.shape;
    }
  }
  return shapes;
}

// Shapes that several commands share, by the word that stands for them.
std::optional<std::string_view> SharedShape(std::string_view word) {
  if (word == "spec") return kSpecShape;
  if (word == "write") return kWriteShape;
  if (word == "alter") return kAlterShape;
  if (word == "window") return kWindowShape;
  if (word == "periods") return kPeriodsShape;
  return std::nullopt;
}

bool IsLiteral(std::string_view word) {
  return !word.empty() &&
         ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= '0' && word[0] <= '9'));
}

// Removes and returns the text before the first `separator`.
std::string_view SplitOff(std::string_view* text, std::string_view separator) {
  const std::size_t end = text->find(separator);
  const std::string_view part = text->substr(0, end);
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + separator.size());
  return part;
}

std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(SplitOff(&text, separator));
  return parts;
}

// Reads a shape from left to right and appends the arguments that the input selects. Without an
// input, only checks the shape.
class ShapeReader {
 public:
  ShapeReader(FuzzInput* input, bool small_letters, std::vector<std::string>* arguments)
      : input_(input), small_letters_(small_letters), arguments_(arguments) {}

  void Whole(std::string_view shape) {
    const std::vector<std::string_view> choices = Split(shape, " / ");
    if (input_ == nullptr) {
      for (const std::string_view choice : choices) Sequence(choice);
    } else if (!choices.empty()) {
      Sequence(choices[choices.size() == 1 ? 0 : input_->Below(choices.size())]);
    }
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t kMostRepeats = 4;
  // Bytes from here on select a strange sample, or raw bytes of the input.
  static constexpr std::uint8_t kStrangeFrom = 0xc8;
  static constexpr std::uint8_t kRawFrom = 0xf8;

  void Sequence(std::string_view rest) {
    while (!rest.empty()) {
      const char first = rest[0];
      if (first == ' ') {
        rest.remove_prefix(1);
      } else if (first == '[' || first == '(' || first == '{') {
        Group(&rest);
      } else {
        Word(SplitOff(&rest, " "));
      }
    }
  }

  // Groups of one kind do not nest, so the first closing bracket matches.
  void Group(std::string_view* rest) {
    const char opening = (*rest)[0];
    rest->remove_prefix(1);
    const std::string_view closing = opening == '[' ? "]" : opening == '(' ? ")+" : "}";
    if (rest->find(closing) == std::string_view::npos) problem_ = "a group without its end";
    std::string_view inside = SplitOff(rest, closing);
    if (input_ == nullptr) return Sequence(inside);
    if (opening == '[') {
      if (input_->OneIn(2)) Sequence(inside);
      return;
    }
    const std::size_t times = 1 + input_->Below(kMostRepeats);
    if (opening == '{') {
      const std::uint8_t byte = input_->Next();
      byte < 0xf0 ? arguments_->push_back(std::to_string(times)) : Sample("count");
    }
    for (std::size_t i = 0; i < times; ++i) Sequence(inside);
  }

  void Word(std::string_view word) {
    if (const auto shared = SharedShape(word)) return Whole(*shared);
    const std::vector<std::string_view> choices = Split(word, "|");
    if (input_ == nullptr) {
      for (const std::string_view choice : choices) {
        if (!IsLiteral(choice) && SamplesOf(choice) == nullptr) {
          problem_ = "no samples of '" + std::string(choice) + "'";
        }
      }
      return;
    }
    const std::string_view choice =
        choices[choices.size() == 1 ? 0 : input_->Below(choices.size())];
    IsLiteral(choice) ? Literal(choice) : Sample(choice);
  }

  void Literal(std::string_view word) {
    std::string& argument = arguments_->emplace_back(word);
    if (!small_letters_) return;
    for (char& c : argument) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
  }

  void Sample(std::string_view kind) {
    const std::uint8_t byte = input_->Next();
    if (byte >= kRawFrom) {
      arguments_->emplace_back(input_->Take(input_->Below(24)));
      return;
    }
    const Samples& samples = *SamplesOf(kind);
    const std::vector<std::string>& texts = byte < kStrangeFrom ? samples.plain : samples.strange;
    arguments_->push_back(texts[byte % texts.size()]);
  }

  FuzzInput* input_;
  bool small_letters_;
  std::vector<std::string>* arguments_;
  std::string problem_;
};

}  // namespace

const std::string_view* ShapeOf(wire::CommandId id) {
  static const Shapes shapes = MakeShapes();
  const auto& shape = shapes[static_cast<std::size_t>(id)];
  return shape ? &*shape : nullptr;
}

const std::vector<wire::CommandId>& BuildingCommands() {
  static const std::vector<wire::CommandId> commands = {
      Id::kZAdd,     Id::kZAdd,     Id::kZAdd,        Id::kZAdd,     Id::kZIncrBy,  Id::kZRank,
      Id::kLbCreate, Id::kLbCreate, Id::kLbSubmit,    Id::kLbSubmit, Id::kLbSubmit, Id::kLbSet,
      Id::kLbIncr,   Id::kLbHide,   Id::kBZPopMin,    Id::kBZMPop,   Id::kWatch,    Id::kLbMSubmit,
      Id::kPExpire,  Id::kZRevRank, Id::kZUnionStore, Id::kLbAlter,  Id::kLbSubmit, Id::kLbMSubmit,
  };
  return commands;
}

std::vector<std::string> MakeArguments(wire::CommandId id, FuzzInput* input) {
  const std::string_view* shape = ShapeOf(id);
  LAUREL_ASSERT(shape != nullptr);
  std::vector<std::string> arguments;
  for (const std::string_view part : Split(wire::CommandOf(id).name, "|")) {
    arguments.emplace_back(part);
  }
  const std::uint8_t how = input->Next();
  ShapeReader(input, (how & 1) != 0, &arguments).Whole(*shape);
  const std::size_t twist = how >> 1;
  if (twist == 1 && arguments.size() > 1) arguments.pop_back();
  if (twist == 2) {
    const std::vector<std::string>& words = SamplesOf("word")->plain;
    arguments.push_back(words[input->Below(words.size())]);
  }
  if (twist == 3 && arguments.size() > 2) std::swap(arguments[1], arguments.back());
  return arguments;
}

std::string ShapeProblem(std::string_view shape) {
  ShapeReader reader(nullptr, false, nullptr);
  reader.Whole(shape);
  return reader.problem();
}

}  // namespace laurel::fuzz
