#include "engine/embedded/journal.h"

#include "base/bytes.h"

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
  if (selected_ != board.id) writer_.Select(board.id);
  selected_ = board.id;
  return true;
}

void Journal::Create(const core::NamedBoard& board) {
  if (!Begin()) return;
  writer_.Create(board.id, board.name, board.board.spec());
  selected_ = board.id;
}

void Journal::Drop(const core::NamedBoard& board) {
  if (Begin()) writer_.Drop(board.id);
}

void Journal::DropBelow(std::uint64_t id) {
  if (Begin()) writer_.DropBelow(id);
}

void Journal::Rename(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Name(board.name);
}

void Journal::Clear(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Clear();
}

void Journal::Expiry(const core::NamedBoard& board) {
  if (Begin(board)) writer_.Expiry(board.expires_at_ms);
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
        writer_.Delete(effect.member);
        break;
      case core::Effect::Kind::kClear:
        writer_.Clear();
        break;
      case core::Effect::Kind::kHide:
        writer_.Hide(effect.member);
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
}

void WriteBoard(const core::NamedBoard& board, EffectWriter* writer) {
  writer->Create(board.id, board.name, board.board.spec());
  if (board.expires_at_ms != 0) writer->Expiry(board.expires_at_ms);
  if (board.ending && board.ending->written_at != 0) writer->Written(board.ending->written_at);
}

void WriteHidden(const core::Board& board, std::string_view member,
                 const core::Board::HiddenEntry* entry, EffectWriter* writer) {
  writer->Hide(member);
  if (entry != nullptr) writer->Put(member, entry->words, board.layout().words(), entry->meta);
}

}  // namespace laurel::engine
