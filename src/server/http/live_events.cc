#include "server/http/live_events.h"

#include <utility>

#include "leaderboard/answer_shape.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

constexpr std::size_t kRecentEvents = 256;

void WriteEntry(const Spec& spec, std::string_view member, const Entry* entry,
                wire::JsonWriter& json) {
  leaderboard::ShapedAnswer<wire::JsonWriter> answer(&json, {});
  leaderboard::EntryShape shape;
  shape.spec = &spec;
  leaderboard::EntryLine line;
  line.member = member;
  if (entry != nullptr) {
    line.rank = entry->rank;
    line.score = &entry->score;
    line.stamp = entry->stamp;
  }
  answer.OneEntry(shape, line);
}

// Formats an event whose data is one line of JSON.
std::string EventText(std::string_view name, std::string_view json) {
  return "event: " + std::string(name) + "\ndata: " + std::string(json) + "\n\n";
}

std::string EncodeTop(const engine::LiveUpdate& update) {
  std::string text;
  wire::JsonWriter json(&text);
  json.Map(5);
  json.Pair("board", update.board);
  json.Pair("version", update.version);
  json.Pair("count", update.size);
  json.Pair("size", update.top_size);
  json.Key("entries");
  json.Array(update.top.size());
  for (const auto& entry : update.top) WriteEntry(*update.spec, entry->member, entry.get(), json);
  return EventText(update.whole ? "state" : "update", text);
}

}  // namespace

std::shared_ptr<const std::string> LiveEvents::Top(const engine::LiveUpdate& update,
                                                   std::uint32_t top, std::uint64_t from) {
  const std::uint64_t since = update.whole ? 0 : from;
  const base::MutexLock lock(mutex_);
  for (const Event& event : recent_) {
    if (event.to == update.version && event.from == since && event.top == top &&
        event.board == update.board) {
      return event.text;
    }
  }
  ++encoded_;
  auto text = std::make_shared<const std::string>(EncodeTop(update));
  recent_.push_front({since, update.version, top, update.board, text});
  if (recent_.size() > kRecentEvents) recent_.pop_back();
  return text;
}

std::string LiveEvents::Members(const engine::LiveUpdate& update) {
  if (update.places.empty()) return {};
  std::string text;
  wire::JsonWriter json(&text);
  json.Map(3);
  json.Pair("board", update.board);
  json.Pair("version", update.version);
  json.Key("members");
  json.Array(update.places.size());
  for (const engine::LivePlace& place : update.places) {
    WriteEntry(*update.spec, place.member, place.entry.get(), json);
  }
  return EventText("members", text);
}

std::uint64_t LiveEvents::encoded() const {
  const base::MutexLock lock(mutex_);
  return encoded_;
}

}  // namespace laurel::server
