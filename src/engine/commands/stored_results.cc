#include "engine/commands/stored_results.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <tuple>

#include "core/store/member.h"

namespace laurel::engine {

double NumberAsDouble(const core::Standings& standings, std::uint64_t word) {
  const std::int64_t value = standings.layout().FieldValue(0, word);
  if (standings.layout().is_double()) return std::bit_cast<double>(value);
  const int decimals = standings.spec().fields[0].decimals;
  if (decimals == 0) return static_cast<double>(value);
  // Converts the text: a division by the scale would round twice.
  const std::string text = FormatNumber(value, decimals);
  double nearest = 0;
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  return nearest;
}

void SortEntries(std::vector<StoredEntry>* entries) {
  std::sort(entries->begin(), entries->end(), [](const StoredEntry& a, const StoredEntry& b) {
    return std::tie(a.score, a.member) < std::tie(b.score, b.member);
  });
}

void StoreResult(Context& context, std::string_view name, std::vector<StoredEntry> entries) {
  if (RefusesInstance(context, name)) return;
  const NamedBoard* present = context.keys.Find(name);
  if (present != nullptr && present->is_leaderboard()) {
    return context.reply.Error(kWrongTypeError);
  }
  if (entries.empty()) {
    context.keys.Delete(name);
    return context.reply.Integer(0);
  }
  const Spec spec = Spec::SortedSet();
  if (const Status named = CheckName(name, spec); !named.ok()) {
    return context.reply.Error(named.error());
  }
  SortEntries(&entries);
  core::Standings standings(spec, context.keys.catalog().environment());
  core::EntryStore::Loader loader = standings.Load();
  for (const StoredEntry& entry : entries) {
    const core::Words words = standings.layout().Encode(Score::Double(entry.score), 0);
    if (loader.Add(core::MemberKey(entry.member), words, {})) continue;
    return context.reply.Error("LIMIT the result is more than a board can hold");
  }
  loader.Finish();
  context.keys.ReplaceByEntries(name, spec, &standings);
  context.reply.Integer(static_cast<std::int64_t>(entries.size()));
}

}  // namespace laurel::engine
