#include "core/commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "core/decide.h"
#include "core/reads.h"
#include "core/store/spec_checks.h"

namespace laurel::core {
namespace {

// ApplyBatch for up to EntryStore::kBatch writes; `first` is the index of the first one.
void ApplyChunk(Standings* standings, std::span<const Write> writes, Moment moment,
                std::size_t first, EffectBatch* effects, const WriteVisitor& visit) {
  const EntryStore& entries = standings->entries();
  const std::uint32_t generation = entries.generation();
  std::array<EntryStore::WriteHint, EntryStore::kBatch> hint;
  FindHints(*standings, writes, moment.stamp, hint.data());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    effects->Clear();
    const Moment own{moment.now, moment.stamp + static_cast<Stamp>(i)};
    const Location found =
        ValidLocation(*standings, writes[i].member, hint[i].location, generation);
    const Result<Verdict> verdict = DecideWrite(*standings, writes[i], own, found, effects);
    standings->Apply(*effects, &hint[i]);
    visit(first + i, verdict, *effects);
  }
}

}  // namespace

void FindHints(const Standings& standings, std::span<const Write> writes, Stamp stamp,
               EntryStore::WriteHint* hint) {
  LAUREL_ASSERT(writes.size() <= EntryStore::kBatch);
  const EntryStore& entries = standings.entries();
  std::vector<MemberKey> keys;
  keys.reserve(writes.size());
  for (const Write& write : writes) keys.emplace_back(write.member);
  std::array<Location, EntryStore::kBatch> found;
  entries.FindMany(keys, found.data());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    hint[i].location = found[i];
    const Stamp own = stamp + static_cast<Stamp>(i);
    Probe to{{}, Probe::Among::kAtMember, writes[i].member};
    if (found[i] == kNowhere) {
      to.words = PredictWords(standings, writes[i], nullptr, own);
    } else {
      hint[i].from.probe = {entries.WordsAt(found[i]), Probe::Among::kAtMember, writes[i].member};
      to.words = PredictWords(standings, writes[i], &hint[i].from.probe.words, own);
    }
    hint[i].to.probe = to;
  }
  entries.FindRoutes({hint, writes.size()});
}

Location ValidLocation(const Standings& standings, std::string_view member, Location found,
                       std::uint32_t generation) {
  const EntryStore& entries = standings.entries();
  const bool current = found != kNowhere && entries.generation() == generation;
  return current ? found : entries.Find(MemberKey(member));
}

void ApplyBatch(Standings* standings, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit) {
  EffectBatch effects;
  for (std::size_t start = 0; start < writes.size(); start += EntryStore::kBatch) {
    const std::size_t count = std::min<std::size_t>(EntryStore::kBatch, writes.size() - start);
    ApplyChunk(standings, writes.subspan(start, count),
               {moment.now, moment.stamp + static_cast<Stamp>(start)}, start, &effects, visit);
  }
}

Status Load(Standings* standings, std::span<const Entry> sorted) {
  const auto refuse = [](const char* message) { return Error{ErrorCode::kErr, message}; };
  const KeyLayout& layout = standings->layout();
  if (standings->entries().size() + standings->hidden_entries() > 0)
    return refuse("the board is not empty");
  MemberSet members(sorted.size(), standings->hasher());
  std::uint64_t visible = 0;
  Words before{};
  std::string_view member_before;
  const std::size_t most_bytes = layout.is_double() ? kMaxSortedSetMemberBytes : kMaxMemberBytes;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Entry& entry = sorted[i];
    if (entry.score.size() != layout.fields()) {
      return WrongValueCount(standings->spec(), entry.score.size());
    }
    if (layout.is_double() && std::isnan(entry.score.AsDouble())) return refuse("a score is NaN");
    if (entry.member.size() > most_bytes || entry.meta.size() > kMaxMetaBytes) {
      return Error{ErrorCode::kLimit, "a member or its meta is too long"};
    }
    if (layout.is_double() && !entry.meta.empty()) return refuse("a sorted set has no meta");
    const Words words = layout.Encode(entry.score, entry.stamp);
    const int order = layout.CompareOrder(before, words);
    if (i > 0 && (order > 0 || (order == 0 && member_before >= entry.member))) {
      return refuse("the entries are not in order");
    }
    if (!members.insert(entry.member).second) return refuse("a member occurs twice");
    if (!standings->IsHidden(entry.member)) ++visible;
    before = words;
    member_before = entry.member;
  }
  if (standings->spec().cap > 0 && visible > standings->spec().cap) {
    return refuse("more entries than the cap");
  }
  EntryStore::Loader loader = standings->Load();
  std::vector<const Entry*> hidden;
  for (const Entry& entry : sorted) {
    if (standings->IsHidden(entry.member)) {
      hidden.push_back(&entry);
      continue;
    }
    if (!loader.Add(MemberKey(entry.member), layout.Encode(entry.score, entry.stamp), entry.meta)) {
      Effect clear;
      clear.kind = Effect::Kind::kClear;
      standings->Apply(clear);
      return Error{ErrorCode::kLimit, "more than a board can hold"};
    }
  }
  loader.Finish();
  for (const Entry* entry : hidden) {
    Effect effect;
    effect.member = entry->member;
    effect.words = layout.Encode(entry->score, entry->stamp);
    effect.meta = entry->meta;
    standings->Apply(effect);
  }
  LAUREL_ASSERT(standings->entries().size() == visible);
  return Ok{};
}

}  // namespace laurel::core
