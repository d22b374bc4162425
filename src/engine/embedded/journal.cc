#include "engine/embedded/journal.h"

#include "base/bytes.h"
#include "engine/embedded/board_events.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
constexpr std::size_t kClockAt = 1;  // behind its op

}  // namespace

bool Journal::Begin() {
  if (!enabled_) return false;
  if (bytes_.empty()) writer_.Clock(0);  // Finish sets it
  return true;
}

bool Journal::Begin(const core::NamedBoard& board) {
  if (!Begin()) return false;
  if (selected_ == board.id) return true;
  board.part ? writer_.SelectInstance(RefOf(board)) : writer_.Select(board.id);
  Selected(board);
  return true;
}

void Journal::Selected(const core::NamedBoard& board) {
  selected_ = board.id;
  boards_.push_back(board.part ? board.part->of->id : board.id);
}

void Journal::Create(const core::NamedBoard& board) {
  if (!Begin()) return;
  WriteBoard(board, &writer_);
  Selected(board);
}

void Journal::Drop(const core::NamedBoard& board, bool expired) {
  if (!Begin()) return;
  boards_.push_back(board.id);
  const Spec& spec = board.board.spec();
  expired ? writer_.DropExpired(board.id, board.name, spec)
          : writer_.Drop(board.id, board.name, spec);
}

void Journal::CreateInstance(const core::NamedBoard& instance) {
  if (!Begin()) return;
  WriteBoard(instance, &writer_);
  Selected(instance);
}

void Journal::DropInstance(const core::NamedBoard& instance) {
  if (Begin()) writer_.DropInstance(instance.id);
}

void Journal::Turned(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Turned(board.parent->turned_at);
}

void Journal::ClosedThrough(const core::NamedBoard& board, Period period) {
  if (Begin(board)) writer_.ClosedThrough(period, board.parent->ClosedThrough(period));
}

void Journal::Closed(const core::NamedBoard& instance, const ClosedInstance& closed) {
  if (Begin(instance)) writer_.Closed(closed);
}

void Journal::DropBelow(std::uint64_t id) {
  if (!Begin()) return;
  boards_.push_back(kEveryBoard);
  writer_.DropBelow(id);
}

void Journal::Rename(const core::NamedBoard& board, std::string_view from) {
  if (Begin(board)) writer_.Name(board.name, from, board.board.spec());
}

void Journal::Clear(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Clear();
}

void Journal::Expiry(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Expiry(board.expires_at_ms);
}

void Journal::Written(const core::NamedBoard& board, Stamp at) {
  if (Begin(board)) writer_.Written(at);
}

void Journal::Effects(const core::NamedBoard& board, const core::EffectBatch& effects) {
  if (effects.empty() || !Begin(board)) return;
  const unsigned words = board.board.layout().words();
  for (const core::Effect& effect : effects) {
    switch (effect.kind) {
      case core::Effect::Kind::kPut:
        writer_.Put(effect.member, effect.words, words, effect.meta);
        break;
      case core::Effect::Kind::kDelete:
        effect.evicted ? writer_.Evict(effect.member) : writer_.Delete(effect.member);
        break;
      case core::Effect::Kind::kClear:
        writer_.Clear();
        break;
      case core::Effect::Kind::kDeleteRange:
        writer_.DeleteRange(*effect.range, words, effect.evicted);
        break;
      case core::Effect::Kind::kHide:
        writer_.Hide(effect.member, words, effect.has_entry ? &effect.words : nullptr, effect.meta);
        break;
      case core::Effect::Kind::kShow:
        writer_.Show(effect.member);
        break;
      case core::Effect::Kind::kAlter:
        writer_.Alter(*effect.spec);
        break;
    }
  }
}

void Journal::Contents(const core::NamedBoard& board) {
  if (!Begin(board)) return;
  const core::EntryStore& entries = board.board.entries();
  const unsigned words = board.board.layout().words();
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    writer_.Put(view.member, view.words, words, view.meta);
    return true;
  });
  board.board.ForEachHidden([&](std::string_view member, const core::Board::HiddenEntry* entry) {
    // The feed tells of a hidden member's entry by the put before.
    if (entry != nullptr) writer_.Put(member, entry->words, words, entry->meta);
    WriteHidden(board.board, member, entry, &writer_);
  });
}

void Journal::Remember(const core::NamedBoard& board, const core::RememberedRequest& request) {
  if (Begin(board)) writer_.Remember(request);
}

void Journal::ForgetBefore(const core::NamedBoard& board, std::uint64_t sequence) {
  if (Begin(board)) writer_.ForgetBefore(sequence);
}

void Journal::Template(std::string_view pattern, const Spec& spec) {
  if (Begin()) writer_.Template(pattern, spec);
}

void Journal::NoTemplate(std::string_view pattern) {
  if (Begin()) writer_.NoTemplate(pattern);
}

std::string_view Journal::Finish(Stamp last_stamp) {
  base::Store(&bytes_[kClockAt], last_stamp);
  return bytes_;
}

void Journal::Reset() {
  bytes_.clear();
  if (bytes_.capacity() > kKeptBytes) bytes_.shrink_to_fit();
  selected_ = 0;
  boards_.clear();
}

void WriteBoard(const core::NamedBoard& board, EffectWriter* writer) {
  if (board.part) {
    const core::NamedBoard::Part& part = *board.part;
    const Spec& spec = board.board.spec();
    writer->CreateInstance(board.id, part.of->id, part.span, spec.policy, spec.cap);
    if (part.closed) writer->Closed({part.closed_epoch, part.closed_after, 0, 0, {}});
    return;
  }
  writer->Create(board.id, board.name, board.board.spec());
  if (board.parent) {
    writer->Turned(board.parent->turned_at);
    for (const Period period : board.board.spec().periods) {
      const Stamp end = board.parent->ClosedThrough(period);
      if (end != INT64_MIN) writer->ClosedThrough(period, end);
    }
  }
  if (board.requests) {  // their numbers go on from there even if there are none left
    const core::RequestIds& requests = *board.requests;
    writer->ForgetBefore(requests.size() > 0 ? requests.Oldest().sequence
                                             : requests.next_sequence());
  }
  if (board.expires_at_ms != 0) writer->Expiry(board.expires_at_ms);
  if (board.ending && board.ending->written_at != 0) writer->Written(board.ending->written_at);
}

void WriteHidden(const core::Board& board, std::string_view member,
                 const core::Board::HiddenEntry* entry, EffectWriter* writer) {
  const bool has_entry = entry != nullptr;
  writer->Hide(member, board.layout().words(), has_entry ? &entry->words : nullptr,
               has_entry ? std::string_view(entry->meta) : std::string_view());
}

}  // namespace laurel::engine
