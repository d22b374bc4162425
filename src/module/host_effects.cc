#include "module/host_effects.h"

#include "base/assert.h"
#include "module/limits.h"

namespace laurel::module {

ReadHostEffect ReadOwnEffect(base::ByteCursor* cursor) {
  ReadHostEffect effect;
  const std::uint8_t op = cursor->Byte();
  effect.kind = static_cast<HostEffect>(op);
  switch (op) {
    case kExpiryEffect:
    case kKnownExpiryEffect:
      effect.at_ms = base::UnZigZag(cursor->Number());
      if (effect.at_ms < 0) cursor->Fail();
      break;
    case kFeedEffect:
      effect.number = cursor->Choose(kMaxFeed);
      break;
    case kTermEffect:
      effect.number = cursor->Fixed();
      break;
    case kFeedHistoryEffect: {
      effect.number = cursor->Choose(kMaxFeedSequence);
      const std::uint64_t count = cursor->Choose(std::uint64_t{kMaxFeedTerms});
      for (std::uint64_t i = 0; i < count && !cursor->failed(); ++i) {
        const std::uint64_t term = cursor->Fixed();
        effect.terms.push_back({term, cursor->Choose(kMaxFeedSequence)});
        if (i > 0 && effect.terms[i].first < effect.terms[i - 1].first) cursor->Fail();
      }
      break;
    }
    case kEventEffect:
      effect.event = cursor->Bytes(kMaxFeedBytes);
      break;
    case kLoadEffect:
      effect.board = cursor->Bytes(kMaxKeyBytes);
      effect.progress.next = cursor->Number();
      effect.progress.figures.entries = cursor->Number();
      effect.progress.figures.instances = cursor->Number();
      effect.progress.figures.digest = cursor->Fixed();
      break;
    case kLoadedEffect:
      break;
    default:
      cursor->Fail();
  }
  return effect;
}

void WriteExpiry(bool known_only, std::int64_t at_ms, leaderboard::EffectWriter* to) {
  to->WriteOp(known_only ? kKnownExpiryEffect : kExpiryEffect);
  to->WriteNumber(base::ZigZag(at_ms));
}

void WriteFeed(std::uint64_t events, leaderboard::EffectWriter* to) {
  LAUREL_ASSERT(events <= kMaxFeed);
  to->WriteOp(kFeedEffect);
  to->WriteNumber(events);
}

void WriteTerm(std::uint64_t term, leaderboard::EffectWriter* to) {
  to->WriteOp(kTermEffect);
  to->WriteFixed(term);
}

void WriteHistory(std::uint64_t first, const std::vector<FeedTerm>& terms,
                  leaderboard::EffectWriter* to) {
  to->WriteOp(kFeedHistoryEffect);
  to->WriteNumber(first);
  to->WriteNumber(terms.size());
  for (const FeedTerm& term : terms) {
    to->WriteFixed(term.term);
    to->WriteNumber(term.first);
  }
}

void WriteEvent(std::string_view event, leaderboard::EffectWriter* to) {
  LAUREL_ASSERT(event.size() <= kMaxFeedBytes);
  to->WriteOp(kEventEffect);
  to->WriteBytes(event);
}

void WriteLoad(std::string_view board, const leaderboard::LoadProgress& progress,
               leaderboard::EffectWriter* to) {
  to->WriteOp(kLoadEffect);
  to->WriteBytes(board);
  to->WriteNumber(progress.next);
  to->WriteNumber(progress.figures.entries);
  to->WriteNumber(progress.figures.instances);
  to->WriteFixed(progress.figures.digest);
}

void WriteLoaded(leaderboard::EffectWriter* to) { to->WriteOp(kLoadedEffect); }

}  // namespace laurel::module
