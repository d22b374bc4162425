#include "engine/journal/journal.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "leaderboard/load.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
constexpr std::size_t kClockAt = 1;  // offset of the stamp in a batch: after the op of Clock

}  // namespace

bool Journal::Begin() {
  if (!enabled_) return false;
  if (bytes_.empty()) writer_.Clock(0);  // Finish fills in the stamp
  return true;
}

bool Journal::Begin(std::uint64_t board) {
  if (!Begin()) return false;
  if (selected_ == board) return true;
  writer_.Select(board);
  Selected(board);
  return true;
}

void Journal::Selected(std::uint64_t board) {
  selected_ = board;
  boards_.push_back(board);
}

leaderboard::EffectWriter* Journal::On(std::uint64_t board) {
  opening_ = {bytes_.size(), boards_.size(), selected_, 0};
  if (!Begin(board)) return nullptr;
  opening_.own_end = bytes_.size();
  return &writer_.effects();
}

void Journal::DiscardIfEmpty() {
  if (!enabled_ || bytes_.size() != opening_.own_end) return;
  bytes_.resize(opening_.bytes);
  boards_.resize(opening_.boards);
  selected_ = opening_.selected;
  opening_.own_end = SIZE_MAX;
}

void Journal::Create(std::uint64_t board, std::string_view name, const Spec& spec) {
  if (!Begin()) return;
  writer_.Create(board, name, spec);
  if (!created_) created_ = Created{board, board};
  LAUREL_ASSERT(board >= created_->highest);
  created_->highest = board;
  Selected(board);
}

void Journal::Load(std::uint64_t board, std::string_view name, const Spec& spec) {
  if (!Begin()) return;
  writer_.Load(board, name, spec);
  selected_ = 0;
}

void Journal::LoadChunk(std::uint64_t board, std::string_view effects) {
  if (!Begin()) return;
  LAUREL_ASSERT(effects.size() <= leaderboard::kMaxChunkBytes);
  writer_.SelectLoad(board);
  bytes_ += effects;
  selected_ = 0;
}

void Journal::Publish(std::uint64_t board, const Spec& spec, std::uint64_t entries) {
  if (!Begin()) return;
  writer_.Publish(board, spec, entries);
  published_.push_back(board);
  Selected(board);
}

void Journal::Drop(std::uint64_t board, std::string_view name, const Spec& spec, bool expired) {
  if (!Begin()) return;
  boards_.push_back(board);
  writer_.Drop(board, name, spec, expired);
  selected_ = 0;
}

void Journal::DropBelow(std::uint64_t id) {
  if (!Begin()) return;
  boards_.push_back(kEveryBoard);
  writer_.DropBelow(id);
  selected_ = 0;
}

void Journal::Rename(std::uint64_t board, std::string_view name, std::string_view from,
                     const Spec& spec) {
  if (!Begin(board)) return;
  writer_.Name(name, from, spec);
  renamed_.push_back(board);
}

void Journal::Expiry(std::uint64_t board, std::int64_t at_ms) {
  if (Begin(board)) writer_.Expiry(at_ms);
}

void Journal::Template(std::string_view pattern, const Spec& spec) {
  if (Begin()) writer_.Template(pattern, spec);
}

void Journal::NoTemplate(std::string_view pattern) {
  if (Begin()) writer_.NoTemplate(pattern);
}

std::string_view Journal::Finish(Stamp last_stamp) {
  LAUREL_ASSERT(!empty());
  LAUREL_ASSERT(bytes_.size() >= kClockAt + sizeof(last_stamp));
  base::Store(&bytes_[kClockAt], last_stamp);
  return bytes_;
}

void Journal::Reset() {
  bytes_.clear();
  if (bytes_.capacity() > kKeptBytes) bytes_.shrink_to_fit();
  selected_ = 0;
  boards_.clear();
  renamed_.clear();
  published_.clear();
  created_.reset();
}

}  // namespace laurel::engine
