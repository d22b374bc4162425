#include "tests/transfer/draft_rows.h"

#include <stdexcept>
#include <string_view>

#include "laurel/score.h"
#include "transfer/text/row.h"

namespace laurel::testing {

std::vector<OwnedRow> RandomRows(const Spec& spec, std::size_t count, std::uint64_t members,
                                 Stamp now, base::Random* random) {
  constexpr std::uint64_t kTwoDays = std::uint64_t{2} * 86'400 * 1'000'000;
  std::vector<OwnedRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    OwnedRow& row = rows.emplace_back();
    const std::uint64_t member = random->Below(members);
    row.member =
        (member % 2 == 0 ? "" : std::string(1 + member % 5 * 7, 'u')) + std::to_string(member);
    for (const Field& field : spec.fields) {
      const auto value = static_cast<std::int64_t>(random->Below(12)) - 4;
      row.values.push_back(FormatNumber(value, field.decimals));
    }
    if (!random->OneIn(5)) {
      const std::uint64_t ago = random->OneIn(2) ? random->Below(4) : random->Below(kTwoDays);
      row.at = now - static_cast<Stamp>(ago);
    }
    if (random->OneIn(3)) row.meta = std::string(random->Below(200), 'x');
    row.hidden = random->OneIn(15);
  }
  return rows;
}

std::unique_ptr<transfer::Draft> DraftOf(const Spec& spec, const std::vector<OwnedRow>& rows,
                                         Stamp now, const std::optional<std::string>& period) {
  auto draft = std::make_unique<transfer::Draft>(spec, transfer::EqualRows::kAsAdded,
                                                 /*tick_us=*/1, period, now);
  for (const OwnedRow& row : rows) {
    const std::vector<std::string_view> values(row.values.begin(), row.values.end());
    transfer::Row view;
    view.member = row.member;
    view.values = values;
    view.at = row.at;
    view.meta = row.meta;
    view.hidden = row.hidden;
    view.instance = row.instance;
    const Status added = draft->Add(view);
    if (!added.ok()) throw std::runtime_error(added.error().ToString());
  }
  draft->Finish(now);
  return draft;
}

}  // namespace laurel::testing
