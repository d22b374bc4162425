#include "module/commands.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "leaderboard/entries.h"
#include "leaderboard/leaderboard.h"
#include "module/host.h"
#include "module/limits.h"
#include "module/reply.h"
#include "module/writing.h"
#include "wire/command_table.h"
#include "wire/command_traits.h"
#include "wire/error_texts.h"
#include "wire/leaderboard_words.h"
#include "wire/spec_arguments.h"

namespace laurel::module {
namespace {

using wire::CommandId;
using wire::CommandInfo;

// Memory that every command uses again. Another module may run commands from inside of a command:
// when a key is opened, which may expire it, and when a change is notified. A command uses the
// scratch only between the two.
struct Scratch {
  std::vector<std::string_view> words;
  wire::ParsedOperation parsed;
};

constinit Scratch* the_scratch = nullptr;

Scratch& TheScratch() {
  if (the_scratch == nullptr) the_scratch = new Scratch;
  return *the_scratch;
}

// A command of many words would leave about 900 bytes a word, which count against maxmemory.
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

int ReplyError(Context* context, const Error& error) {
  ServerReply(context).Error(error.ToString());
  return kOk;
}

int ReplyWrongType(Context* context) {
  ServerReply(context).Error(wire::kWrongTypeError);
  return kOk;
}

Error NoBoard(std::string_view name) {
  if (TheHost().settings.TemplateFor(name) != nullptr) {
    return {ErrorCode::kNoBoard,
            "no board " + base::Quote(name) + " yet: the first write makes it from a template"};
  }
  return {ErrorCode::kNoBoard,
          "no board " + base::Quote(name) + ": LB.CREATE or a template makes one"};
}

const Template* TemplateFor(const CommandInfo& command, std::string_view name) {
  return wire::TakesTemplates(command) ? TheHost().settings.TemplateFor(name) : nullptr;
}

// Whether the board's own EXPIRE has passed, which a reader sees before the key is deleted. Not if
// a user has changed the key's expiry.
bool HasEnded(Key* key, const Value& value, Stamp now) {
  return value.expiry_ms != 0 && value.board.HasExpired(now) &&
         Api().GetAbsExpire(key) == value.expiry_ms;
}

void AnswerRead(Context* context, const Value& value, Stamp now) {
  const Scratch& scratch = TheScratch();
  const std::string_view name = scratch.words[1];
  ServerAnswer answer(context, name, value, TheHost().settings.max_reply_bytes);
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
    if (const Template* found = TemplateFor(command, words[1])) {
      empty = host.Make(found->spec);
      value = empty.get();
    }
  }
  if (other) {
    ReplyWrongType(context);
  } else if (value == nullptr) {
    ReplyError(context, NoBoard(words[1]));
  } else {
    const Status parsed =
        wire::ParseOperation(command, words, value->spec(), std::nullopt, &TheScratch().parsed);
    parsed.ok() ? AnswerRead(context, *value, now)
                : static_cast<void>(ReplyError(context, parsed.error()));
  }
  if (key != nullptr) Api().CloseKey(key);
  return kOk;
}

// The keyspace event of a command: its name.
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
    if (found == nullptr) return ReplyError(context, NoBoard(words[1]));
    if (const Status fits = host.CheckSupported(found->spec, found->feed); !fits.ok()) {
      return ReplyError(context, fits.error());
    }
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
  ServerAnswer answer(context, words[1], *write.value(), host.settings.max_reply_bytes);
  write.Execute(*parsed.write(), &answer, event, feed);
  if (!command.Has(wire::kDenyOom)) host.ReclaimIfShort();
  return kOk;
}

int Create(Context* context, String** arguments, int count, const char* event) {
  Host& host = TheHost();
  wire::SpecArguments wanted;
  Status status = wire::ParseSpecArguments(WordsOf(arguments, count).subspan(2), &wanted);
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
  if (name.empty()) return ReplyError(context, {ErrorCode::kErr, "a board needs a name"});
  if (const Status lasts = leaderboard::CheckLasts(wanted.spec, 0, now); !lasts.ok()) {
    return ReplyError(context, lasts.error());
  }
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
    return ReplyError(context,
                      {ErrorCode::kNoBoard, "no board " + base::Quote(TextOf(arguments[1]))});
  }
  write.Delete(kNotifyGeneric, "del");
  ServerReply(context).Ok();
  return kOk;
}

// The function that the server calls for a command. What a server without SetCommandInfo does not
// check, the number of arguments, is checked here.
template <CommandId kId>
int Run(Context* context, String** arguments, int count) noexcept {
  const CommandInfo& command = wire::CommandOf(kId);
  if (!command.AcceptsCount(static_cast<std::size_t>(count))) return Api().WrongArity(context);
  if constexpr (kId == CommandId::kLbCreate) {
    return Create(context, arguments, count, EventOf<kId>());
  } else if constexpr (kId == CommandId::kLbDrop) {
    return Drop(context, arguments);
  } else if constexpr (kId == CommandId::kLbChanges) {
    return Changes(context, arguments, count);
  } else {
    const int result = command.Has(wire::kWrite)
                           ? Write(context, command, arguments, count, EventOf<kId>())
                           : Read(context, command, arguments, count);
    EndScratch(count);
    return result;
  }
}

// Registration ------------------------------------------------------------------------------------

struct Registered {
  CommandId id;
  CommandFunction run;
};

template <CommandId... kIds>
constexpr auto FunctionsOf() {
  return std::array{Registered{kIds, Run<kIds>}...};
}

using enum CommandId;
constexpr auto kCommands =
    FunctionsOf<kLbCreate, kLbAlter, kLbDescribe, kLbDrop, kLbSubmit, kLbSet, kLbIncr, kLbMSubmit,
                kLbMeta, kLbGet, kLbTop, kLbRange, kLbAround, kLbAmong, kLbRankOf, kLbCount,
                kLbBetween, kLbSize, kLbPercentile, kLbQuantile, kLbHistogram, kLbRemove, kLbPop,
                kLbTrim, kLbClear, kLbHide, kLbShow, kLbPeriods, kLbChanges>();

// The flags in the server's words.
std::string FlagText(const CommandInfo& command) {
  std::string text = command.Has(wire::kWrite) ? "write" : "readonly";
  if (command.Has(wire::kDenyOom)) text += " deny-oom";
  if (command.Has(wire::kFast)) text += " fast";
  if (command.Has(wire::kNoScript)) text += " deny-script";
  if (command.Has(wire::kBlocking) && Api().SetCommandInfo != nullptr) text += " blocking";
  return text;
}

std::uint64_t KeyFlags(const CommandInfo& command) {
  switch (command.id) {
    case kLbCreate:
      return kKeyReadWrite | kKeyInsert;
    case kLbDrop:
      return kKeyRemove | kKeyDelete;
    case kLbPop:
      return kKeyReadWrite | kKeyAccess | kKeyDelete;
    case kLbRemove:
    case kLbTrim:
    case kLbClear:
      return kKeyReadWrite | kKeyDelete;
    case kLbHide:
    case kLbShow:
    case kLbAlter:
    case kLbMeta:
      return kKeyReadWrite | kKeyUpdate;
    default:
      return command.Has(wire::kWrite) ? kKeyReadWrite | kKeyAccess | kKeyUpdate
                                       : kKeyReadOnly | kKeyAccess;
  }
}

// The ACL categories: servers derive none from the flags of a module's command. `command`: null for
// LB.APPLY.
std::string Categories(const CommandInfo* command) {
  std::string text = "write slow dangerous";
  if (command != nullptr) {
    text = command->Has(wire::kWrite) ? "write" : "read";
    text += command->Has(wire::kFast) ? " fast" : " slow";
    if (command->Has(wire::kBlocking)) text += " blocking";
  }
  if (Api().AddACLCategory != nullptr) text += " leaderboard";
  return text;
}

bool Describe(Context* context, const char* name, const CommandInfo* command, int arity,
              const char* summary, const char* complexity, std::uint64_t key_flags) {
  if (Api().SetCommandInfo == nullptr) return true;
  Command* registered = Api().GetCommand(context, name);
  static constexpr CommandInfoVersion kVersion{1, sizeof(CommandHistory), sizeof(CommandKeySpec),
                                               72};
  CommandKeySpec keys[2];
  keys[0].flags = key_flags;
  keys[0].begin_search = CommandKeySpec::kBeginIndex;
  keys[0].begin.index.position = 1;
  keys[0].find_keys = CommandKeySpec::kFindRange;
  keys[0].find.range = {0, 1, 0};
  CommandDocs docs;
  docs.version = &kVersion;
  docs.summary = summary;
  docs.complexity = complexity;
  docs.since = LAUREL_VERSION;
  docs.arity = arity;
  docs.key_specs = keys;
  if (Api().SetCommandInfo(registered, &docs) != kOk) return false;
  if (Api().SetCommandACLCategories == nullptr) return true;
  return Api().SetCommandACLCategories(registered, Categories(command).c_str()) == kOk;
}

bool Register(Context* context, const CommandInfo& command, CommandFunction run) {
  const std::string name = wire::LowerName(command);
  const std::string summary(command.summary);
  const std::string complexity(command.complexity);
  return Api().CreateCommand(context, name.c_str(), run, FlagText(command).c_str(), 1, 1, 1) ==
             kOk &&
         Describe(context, name.c_str(), &command, command.arity, summary.c_str(),
                  complexity.c_str(), KeyFlags(command));
}

}  // namespace

bool RegisterCommands(Context* context) {
  if (Api().AddACLCategory != nullptr) Api().AddACLCategory(context, "leaderboard");
  for (const Registered& one : kCommands) {
    if (!Register(context, wire::CommandOf(one.id), one.run)) return false;
  }
  return Api().CreateCommand(context, "lb.apply", Apply, "write", 1, 1, 1) == kOk &&
         Describe(context, "lb.apply", nullptr, 3,
                  "Applies effects of a leaderboard: internal, for replication and the AOF.",
                  "O(m log n), m effects", kKeyReadWrite | kKeyUpdate);
}

}  // namespace laurel::module
