// LB.CHANGES: reads the events that a board keeps (FEED). BLOCK uses the server's own blocking.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "leaderboard/event_shape.h"
#include "module/board_commands.h"
#include "module/feed.h"
#include "module/host.h"
#include "module/limits.h"
#include "module/server_reply.h"
#include "wire/leaderboard_words.h"

namespace laurel::module {
namespace {

using leaderboard::Event;

constexpr std::uint64_t kFewestSearched = 64;  // events; as many as have a mark (feed.h)

// The parameters of a request that may wait, independent of the client's words.
struct Follower {
  std::string name;
  FeedCursor from;
  std::size_t count = 100;
  leaderboard::EventFilter filter{};
  bool gap = false;  // the reply says that a gap precedes its events
};

// The places of the events in a reply.
struct Page {
  std::vector<FeedCursor> places;
  FeedCursor next;
};

// Estimates the size of an event in a reply.
std::size_t SizeOf(const Event& event) {
  return 256 + event.member.size() + event.closed.top.size() * 256;
}

Page FindPage(const Feed& feed, const Follower& asked) {
  Page page;
  page.next = asked.from;
  std::size_t bytes = 0;
  feed.Visit(asked.from.sequence, [&](const FeedCursor& after, const Event& event) {
    if (!asked.filter.Passes(event)) {
      page.next = after;
      return true;
    }
    bytes += SizeOf(event);
    if (page.places.size() == asked.count) return false;
    if (bytes > kMaxChangesReplyBytes && !page.places.empty()) return false;
    page.places.push_back(after);
    page.next = after;
    return true;
  });
  return page;
}

void ReplyPage(Context* context, const Value* value, const Follower& asked, const Page& page) {
  ServerReply reply(context);
  reply.Map(asked.gap ? 3 : 2);
  reply.Bulk("events");
  reply.Array(page.places.size());
  LAUREL_ASSERT(page.places.empty() || value != nullptr);
  if (!page.places.empty()) {
    leaderboard::EventShape<ServerReply> shape(asked.name, value->spec(), TheHost().calendars(),
                                               &reply);
    std::size_t shown = 0;
    value->feed->Visit(asked.from.sequence, [&](const FeedCursor& after, const Event& event) {
      if (after.sequence != page.places[shown].sequence) return true;
      shape.Write(event, FormatCursor(after));
      return ++shown < page.places.size();
    });
    LAUREL_ASSERT(shown == page.places.size());  // the length of the array is sent already
  }
  reply.Bulk("next");
  reply.Bulk(FormatCursor(page.next));
  if (!asked.gap) return;
  reply.Bulk("gap");
  reply.Bool(true);
}

// Finds the place before the last n events. Searches backwards, a block at a time.
void BeginAtLast(const Feed& feed, std::size_t wanted, Follower* asked) {
  const std::uint64_t oldest = feed.Oldest().sequence;
  std::uint64_t block = std::max<std::uint64_t>(wanted, kFewestSearched);
  std::size_t found = 0;
  asked->from = feed.End();
  for (std::uint64_t end = feed.End().sequence; end > oldest && found < wanted;) {
    const std::uint64_t begin = end - std::min(block, end - oldest);
    std::vector<FeedCursor> before;  // the place before each event of the block that passes
    FeedCursor at = feed.PlaceAt(begin);
    feed.Visit(begin, [&](const FeedCursor& after, const Event& event) {
      if (asked->filter.Passes(event)) before.push_back(at);
      at = after;
      return after.sequence < end;
    });
    const std::size_t missing = wanted - found;
    if (!before.empty()) asked->from = before[before.size() - std::min(before.size(), missing)];
    found += before.size();
    end = begin;
    block *= 2;
  }
  asked->gap = found < wanted && feed.HasDropped();
}

// Sets where the reading begins. Returns false, with asked->gap set, if the cursor's place is not
// available.
Result<bool> Begin(const Feed& feed, const wire::ChangesArguments& words, Follower* asked) {
  using From = wire::ChangesArguments::From;
  switch (words.from) {
    case From::kOldest:
      asked->from = feed.Oldest();
      return true;
    case From::kEnd:
      asked->from = feed.End();
      return true;
    case From::kLast:
      BeginAtLast(feed, words.last, asked);
      return true;
    case From::kCursor:
      break;
  }
  const Result<FeedCursor> place = ParseCursor(words.cursor);
  if (!place.ok()) return place.error();
  asked->from = *place;
  if (feed.Knows(*place)) return true;
  asked->gap = true;
  asked->from = feed.Oldest();
  return false;
}

// Sets the period and the begin of the instance that PERIOD selects.
Status SelectInstance(const Value& value, const leaderboard::InstanceSelector& selector, Stamp now,
                      Follower* asked) {
  const auto view = value.board.ViewOf(selector, now);
  if (!view) return value.board.NoInstance(asked->name, selector, now);
  asked->filter.period = view->span.period;
  if (selector.which != leaderboard::InstanceSelector::Which::kPresent) {
    asked->filter.begin_s = leaderboard::BeginSeconds(view->span);
  }
  return Ok{};
}

// Returns the board under the name, for a client that has waited. Null if it is gone or keeps no
// events.
const Value* Look(Context* context, String* name, Key** key) {
  *key = Api().OpenKey(context, name, kOpenRead | kOpenNoTouch);
  const Value* value = TheHost().ValueOf(*key);
  return value != nullptr && value->feed ? value : nullptr;
}

Follower& FollowerOf(Context* context) {
  return *static_cast<Follower*>(Api().GetBlockedClientPrivateData(context));
}

// Called after a write has signalled the key. Returns kFailed if the client must keep waiting.
int OnReady(Context* context, String** arguments, int /*count*/) noexcept {
  Follower& asked = FollowerOf(context);
  Key* key = nullptr;
  const Value* value = Look(context, arguments[1], &key);
  int served = kFailed;
  if (value != nullptr && !value->feed->Knows(asked.from)) {  // another board has this name now
    asked.gap = true;
    asked.from = value->feed->Oldest();
    ReplyPage(context, value, asked, {{}, asked.from});
    served = kOk;
  } else if (value != nullptr) {
    const Page page = FindPage(*value->feed, asked);
    asked.from = page.places.empty() ? page.next : asked.from;
    if (!page.places.empty()) {
      ReplyPage(context, value, asked, page);
      served = kOk;
    }
  }
  if (key != nullptr) Api().CloseKey(key);
  return served;
}

int OnTimeout(Context* context, String** /*arguments*/, int /*count*/) noexcept {
  const Follower& asked = FollowerOf(context);
  ReplyPage(context, nullptr, asked, {{}, asked.from});
  return kOk;
}

void FreeFollower(Context* /*context*/, void* data) noexcept {
  delete static_cast<Follower*>(data);
}

// Answers, or blocks the client.
int Serve(Context* context, String** arguments, const Value* value,
          const wire::ChangesArguments& words, Stamp now) {
  Follower asked;
  asked.name = TextOf(arguments[1]);
  asked.count = words.count;
  asked.filter.member = words.member;
  if (!value->feed) {
    return ReplyError(context,
                      {ErrorCode::kErr, base::Quote(asked.name) +
                                            " keeps no events: LB.ALTER … FEED n lets it keep "
                                            "its last n"});
  }
  // The calendar is needed, because events name their instances.
  if (const Status known = TheHost().CheckSupported(value->spec(), 0); !known.ok()) {
    return ReplyError(context, known.error());
  }
  if (words.instance) {
    const Status selected = SelectInstance(*value, *words.instance, now, &asked);
    if (!selected.ok()) return ReplyError(context, selected.error());
  }
  const Result<bool> begun = Begin(*value->feed, words, &asked);
  if (!begun.ok()) return ReplyError(context, begun.error());
  if (!*begun) {
    ReplyPage(context, value, asked, {{}, asked.from});
    return kOk;
  }
  const Page page = FindPage(*value->feed, asked);
  if (!page.places.empty() || !words.block_ms) {
    ReplyPage(context, value, asked, page);
    return kOk;
  }
  asked.from = page.next;
  Api().BlockClientOnKeys(context, OnReady, OnTimeout, FreeFollower, *words.block_ms, arguments + 1,
                          1, new Follower(asked));
  return kOk;
}

}  // namespace

int Changes(Context* context, String** arguments, int count) noexcept {
  Host& host = TheHost();
  if ((Api().GetContextFlags(context) & (kFlagScript | kFlagDenyBlocking)) != 0) {
    ServerReply(context).Error("ERR Command not allowed inside a transaction");
    return kOk;
  }
  std::vector<std::string_view> words;
  for (int i = 0; i < count; ++i) words.push_back(TextOf(arguments[i]));
  wire::ChangesArguments asked;
  if (const Status parsed = wire::ParseChanges(words, std::nullopt, &asked); !parsed.ok()) {
    return ReplyError(context, parsed.error());
  }
  Key* key = Api().OpenKey(context, arguments[1], kOpenRead);
  const Value* value = host.ValueOf(key);
  int result = kOk;
  if (value != nullptr) {
    result = Serve(context, arguments, value, asked, host.Now());
  } else if (key != nullptr && Api().KeyType(key) != kEmptyKey) {
    ReplyWrongType(context);
  } else {
    ReplyError(context, NoBoard(words[1]));
  }
  if (key != nullptr) Api().CloseKey(key);
  return result;
}

}  // namespace laurel::module
