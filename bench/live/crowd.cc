#include "bench/live/crowd.h"

#include <chrono>
#include <optional>

#include "bench/failure.h"
#include "bench/member_name.h"
#include "laurel/score.h"

namespace laurel::bench {
namespace {

constexpr std::uint32_t kTop = 10;

void Write(const Entry& entry, const Spec& spec, std::string* text) {
  *text += R"({"rank":)" + (entry.rank ? std::to_string(*entry.rank) : "null");
  *text += R"(,"member":")" + entry.member + R"(","score":)" + FormatScore(spec, entry.score)[0];
  *text += R"(,"stamp":)" + std::to_string(entry.stamp) + "}";
}

std::string TextOf(const engine::LiveUpdate& update) {
  std::string text = R"({"version":)" + std::to_string(update.version) + R"(,"size":)" +
                     std::to_string(update.size) + R"(,"top":[)";
  for (const auto& entry : update.top) Write(*entry, *update.spec, &text);
  text += R"(],"places":[)";
  for (const engine::LivePlace& place : update.places) {
    if (place.entry) Write(*place.entry, *update.spec, &text);
  }
  return text + "]}\n\n";
}

}  // namespace

Crowd::Crowd(engine::Engine* engine, const std::string& board, std::size_t count,
             std::uint64_t members)
    : engine_(engine), thread_([this] { Serve(); }) {
  for (std::size_t i = 0; i < count; ++i) {
    engine::LiveQuery query{board, kTop, {}};
    if (i % 2 == 1) query = {board, 0, {MemberName(i * members / count)}};
    readers_.push_back(std::make_unique<Reader>(this));
    const Result<engine::LiveHandle> handle = engine->Subscribe(query, readers_.back().get());
    if (!handle.ok()) throw Failure(handle.error().ToString());
    readers_.back()->handle = *handle;
  }
  {
    const std::lock_guard lock(mutex_);
    subscribed_ = true;
  }
  changed_.notify_one();
  while (updates_ < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Crowd::~Crowd() {
  for (const auto& reader : readers_) engine_->Unsubscribe(reader->handle);
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Crowd::Enqueue(Reader* reader) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    wake = queue_.empty();
    queue_.push_back(reader);
  }
  if (wake) changed_.notify_one();
}

void Crowd::Serve() {
  std::vector<Reader*> ready;
  for (;;) {
    ready.clear();
    {
      std::unique_lock lock(mutex_);
      // All handles are set once `subscribed_` is true.
      changed_.wait(lock, [&] { return stops_ || (subscribed_ && !queue_.empty()); });
      if (stops_) return;
      ready.swap(queue_);
    }
    for (const Reader* reader : ready) {
      const std::optional<engine::LiveUpdate> update = engine_->Take(reader->handle);
      if (!update) continue;
      bytes_ += TextOf(*update).size();
      ++updates_;
    }
  }
}

}  // namespace laurel::bench
