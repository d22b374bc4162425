#include "module/board_commands.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "leaderboard/entries.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/walk.h"
#include "module/host.h"
#include "module/limits.h"
#include "module/server_reply.h"
#include "module/writing.h"
#include "wire/command_table.h"
#include "wire/error_texts.h"
#include "wire/leaderboard_words.h"
#include "wire/spec_arguments.h"

namespace laurel::module {
namespace {

using wire::CommandId;
using wire::CommandInfo;

// Memory that every command reuses. Another module may run commands from inside of a command: when
// a key is opened, which may expire it, and when a change is notified. A command may use the
// scratch only between these two points.
struct Scratch {
  std::vector<std::string_view> words;
  wire::ParsedOperation parsed;
};

constinit Scratch* the_scratch = nullptr;

Scratch& TheScratch() {
  if (the_scratch == nullptr) the_scratch = new Scratch;
  return *the_scratch;
}

// Frees the scratch after a large command: it uses about 900 bytes per word, which count towards
// maxmemory.
void EndScratch(int words) {
  if (words <= kKeptWords) return;
  delete the_scratch;
  the_scratch = nullptr;
  ForgetWriteScratch();
}

std::span<const std::string_view> WordsOf(String** arguments, int count) {
  std::vector<std::string_view>& words = TheScratch().words;
  words.clear();
  for (int i = 0; i < count; ++i) words.push_back(TextOf(arguments[i]));
  return words;
}

// Returns the instance selector in a name of laurel serve's form: "day:-1" of "arena@day:-1".
std::optional<std::string_view> SelectorIn(std::string_view name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = name.substr(at + 1);
  using Which = leaderboard::InstanceSelector::Which;
  if (leaderboard::ParseSelector(text).which == Which::kNone) return std::nullopt;
  return text;
}

const Template* TemplateFor(const CommandInfo& command, std::string_view name) {
  return wire::TakesTemplates(command) ? TheHost().settings.TemplateFor(name) : nullptr;
}

// LIMIT if the operation touches more entries than one command may.
Status CheckWork(const CommandInfo& command, const leaderboard::WriteOperation& operation,
                 const Value& value) {
  const auto most = static_cast<std::uint64_t>(TheHost().settings.max_work);
  const std::uint64_t work = leaderboard::WorkOf(operation, value.board.instances().size());
  if (most == 0 || work <= most) return Ok{};
  return wire::TooMuchWork(wire::LowerName(command), work, most);
}

// Whether the board's own EXPIRE has passed; a reader may see the key before it is deleted. False
// if a user has changed the key's expiry.
bool HasEnded(Key* key, const Value& value, Stamp now) {
  return value.expiry_ms != 0 && value.board.HasExpired(now) &&
         Api().GetAbsExpire(key) == value.expiry_ms;
}

void AnswerRead(Context* context, const Value& value, Stamp now) {
  const Scratch& scratch = TheScratch();
  const std::string_view name = scratch.words[1];
  ServerAnswer answer(context, name, value);
  value.board.Read(*scratch.parsed.read(), {name, now, 0}, &answer);
}

int Read(Context* context, const CommandInfo& command, String** arguments, int count) {
  Host& host = TheHost();
  const Stamp now = host.Now();
  Key* key = Api().OpenKey(context, arguments[1], kOpenRead);
  const auto words = WordsOf(arguments, count);
  const Value* value = host.ValueOf(key);
  const bool other = value == nullptr && key != nullptr && Api().KeyType(key) != kEmptyKey;
  if (value != nullptr && HasEnded(key, *value, now)) value = nullptr;
  std::unique_ptr<Value> empty;
  if (value == nullptr && !other) {
    const Template* found = TemplateFor(command, words[1]);
    if (found != nullptr && CheckBoardName(words[1], found->spec).ok()) {
      empty = host.Make(found->spec);
      value = empty.get();
    }
  }
  if (other) {
    ReplyWrongType(context);
  } else if (value == nullptr) {
    ReplyError(context, NoBoard(words[1]));
  } else if (command.id == CommandId::kLbWalk) {
    ServerReply reply(context);
    leaderboard::WriteWalked(value->board, value->changed_at, words[2], &reply);
  } else {
    const Status parsed =
        wire::ParseOperation(command, words, value->spec(), std::nullopt, &TheScratch().parsed);
    parsed.ok() ? AnswerRead(context, *value, now)
                : static_cast<void>(ReplyError(context, parsed.error()));
  }
  if (key != nullptr) Api().CloseKey(key);
  return kOk;
}

// Returns the keyspace event of a command, which is its name.
template <CommandId kId>
const char* EventOf() {
  static const std::string& name = *new std::string(wire::LowerName(wire::CommandOf(kId)));
  return name.c_str();
}

int Write(Context* context, const CommandInfo& command, String** arguments, int count,
          const char* event) {
  Host& host = TheHost();
  KeyWrite write(context, Api().OpenKey(context, arguments[1], kOpenRead | kOpenWrite),
                 arguments[1], host.Now());
  const auto words = WordsOf(arguments, count);
  if (write.IsOther()) return ReplyWrongType(context);
  if (write.value() == nullptr) {
    const Template* found = TemplateFor(command, words[1]);
    if (found == nullptr || SelectorIn(words[1])) return ReplyError(context, NoBoard(words[1]));
    Status fits = CheckBoardName(words[1], found->spec);
    if (fits.ok()) fits = host.CheckSupported(found->spec, found->feed);
    if (!fits.ok()) return ReplyError(context, fits.error());
    write.Use(host.Make(found->spec), found->feed, /*always=*/false);
  }
  wire::ParsedOperation& parsed = TheScratch().parsed;
  const Status status =
      wire::ParseOperation(command, words, write.value()->spec(), std::nullopt, &parsed);
  if (!status.ok()) return ReplyError(context, status.error());
  std::optional<std::uint64_t> feed;
  if (command.id == CommandId::kLbAlter) {
    feed = parsed.altered.feed;
    if (const Status fits = host.CheckSupported(parsed.altered.spec, feed.value_or(0));
        !fits.ok()) {
      return ReplyError(context, fits.error());
    }
  }
  if (const Status bounded = CheckWork(command, *parsed.write(), *write.value()); !bounded.ok()) {
    return ReplyError(context, bounded.error());
  }
  ServerAnswer answer(context, words[1], *write.value());
  write.Execute(*parsed.write(), &answer, event, feed);
  if (!command.Has(wire::kDenyOom)) host.ReclaimIfShort();
  return kOk;
}

int Create(Context* context, String** arguments, int count, const char* event) {
  Host& host = TheHost();
  wire::SpecArguments wanted;
  Status status = wire::ParseSpecArguments(WordsOf(arguments, count).subspan(2), &wanted,
                                           CommandHere(CommandId::kLbCreate));
  const std::uint64_t feed = wanted.feed.value_or(0);
  if (status.ok()) status = host.CheckSupported(wanted.spec, feed);
  if (!status.ok()) return ReplyError(context, status.error());
  if (wanted.adopt) {
    return ReplyError(context, {ErrorCode::kErr,
                                "ADOPT is for laurel serve: a sorted set of this "
                                "server stays one"});
  }
  const Stamp now = host.Now();
  KeyWrite write(context, Api().OpenKey(context, arguments[1], kOpenRead | kOpenWrite),
                 arguments[1], now);
  if (write.IsOther()) return ReplyWrongType(context);
  const std::string_view name = TextOf(arguments[1]);
  ServerReply reply(context);
  if (const Value* present = write.value()) {
    if (present->spec() == wanted.spec && present->feed_events() == feed) {
      reply.Ok();
      return kOk;
    }
    std::string described = DescribeSpec(present->spec());
    if (present->feed) described += " FEED " + std::to_string(present->feed_events());
    return ReplyError(context, {ErrorCode::kExists,
                                base::Quote(name) + " exists with another spec: " + described});
  }
  // RENAME, COPY, RESTORE or an older version can give a key any name.
  status = CheckBoardName(name, wanted.spec);
  if (status.ok()) status = leaderboard::CheckLasts(wanted.spec, 0, now);
  if (!status.ok()) return ReplyError(context, status.error());
  write.Use(host.Make(wanted.spec), feed, /*always=*/true);
  write.FinishCreation(event);
  reply.Ok();
  return kOk;
}

int Drop(Context* context, String** arguments) {
  KeyWrite write(context, Api().OpenKey(context, arguments[1], kOpenRead | kOpenWrite),
                 arguments[1], TheHost().Now());
  if (write.IsOther()) return ReplyWrongType(context);
  if (write.value() == nullptr) {
    const std::string_view name = TextOf(arguments[1]);
    if (SelectorIn(name)) return ReplyError(context, NoBoard(name));
    return ReplyError(context, {ErrorCode::kNoBoard, "no board " + base::Quote(name)});
  }
  write.Delete(kNotifyGeneric, "del");
  ServerReply(context).Ok();
  return kOk;
}

// The function that the server calls for a command. It checks the number of arguments, because a
// server without SetCommandInfo does not.
template <CommandId kId>
int Run(Context* context, String** arguments, int count) noexcept {
  const CommandInfo& command = CommandHere(kId);
  if (!command.AcceptsCount(static_cast<std::size_t>(count))) {
    ServerReply(context).Error(wire::WrongArity(command, WordsOf(arguments, count)));
    return kOk;
  }
  if (command.Has(wire::kNoMulti) && (Api().GetContextFlags(context) & kFlagMulti) != 0) {
    ServerReply(context).Error("ERR Command not allowed inside a transaction");
    return kOk;
  }
  if constexpr (kId == CommandId::kLbCreate) {
    return Create(context, arguments, count, EventOf<kId>());
  } else if constexpr (kId == CommandId::kLbDrop) {
    return Drop(context, arguments);
  } else if constexpr (kId == CommandId::kLbChanges) {
    return Changes(context, arguments, count);
  } else if constexpr (kId == CommandId::kLbLoad) {
    return Load(context, arguments, count);
  } else {
    const int result = command.Has(wire::kWrite)
                           ? Write(context, command, arguments, count, EventOf<kId>())
                           : Read(context, command, arguments, count);
    EndScratch(count);
    return result;
  }
}

template <CommandId... kIds>
constexpr auto FunctionsOf() {
  return std::array{BoardCommand{kIds, Run<kIds>}...};
}

std::string Without(std::string_view part, std::string_view text) {
  std::string rest(text);
  if (const std::size_t at = rest.find(part); at != std::string::npos) rest.erase(at, part.size());
  return rest;
}

// The row of a command that in the module takes FEED and not ADOPT, with its texts.
struct RowWithFeed {
  explicit RowWithFeed(const CommandInfo& command)
      : syntax(Without(" [ADOPT]", command.syntax) + " [FEED n]"),
        summary(Without(" ADOPT turns the sorted set of that name into a leaderboard.",
                        command.summary)),
        complexity(Without(", with ADOPT O(n log n)", command.complexity)),
        row(command) {
    row.syntax = syntax;
    row.summary = summary;
    row.complexity = complexity;
  }

  std::string syntax;
  std::string summary;
  std::string complexity;
  CommandInfo row;  // refers to the texts above
};

using enum CommandId;
constexpr auto kCommands =
    FunctionsOf<kLbCreate, kLbAlter, kLbDescribe, kLbDrop, kLbSubmit, kLbSet, kLbIncr, kLbMSubmit,
                kLbMeta, kLbGet, kLbTop, kLbRange, kLbAround, kLbAmong, kLbRankOf, kLbCount,
                kLbBetween, kLbSize, kLbPercentile, kLbQuantile, kLbHistogram, kLbRemove, kLbPop,
                kLbTrim, kLbClear, kLbHide, kLbShow, kLbPeriods, kLbChanges, kLbLoad, kLbWalk,
                kLbRestore>();

}  // namespace

std::span<const BoardCommand> BoardCommands() { return kCommands; }

Error NoBoard(std::string_view name) {
  const auto error = [&](std::string_view why) {
    return Error{ErrorCode::kNoBoard, "no board " + base::Quote(name) + std::string(why)};
  };
  if (const std::optional<std::string_view> selector = SelectorIn(name)) {
    const std::string_view board = name.substr(0, name.size() - selector->size() - 1);
    return error(": use PERIOD " + std::string(*selector) + " on " + base::Quote(board));
  }
  if (name.find('@') != std::string_view::npos) {
    return error(": an instance is chosen by PERIOD, as in PERIOD day:-1");
  }
  if (const Status named = CheckBoardName(name, Spec()); !named.ok()) {
    return error(": " + named.error().message);
  }
  if (TheHost().settings.TemplateFor(name) != nullptr) {
    return error(" yet: the first write makes it from a template");
  }
  return error(": LB.CREATE or a template makes one");
}

const CommandInfo& CommandHere(CommandId id) {
  static const auto& create = *new RowWithFeed(wire::CommandOf(kLbCreate));
  static const auto& alter = *new RowWithFeed(wire::CommandOf(kLbAlter));
  if (id == kLbCreate) return create.row;
  return id == kLbAlter ? alter.row : wire::CommandOf(id);
}

}  // namespace laurel::module
