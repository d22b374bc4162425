#include "tests/leaderboard/mirror.h"

#include <utility>

#include "leaderboard/loader.h"

namespace laurel::leaderboard {

core::Shape Mirror::SmallShape() {
  core::Shape shape;
  shape.packed_entries = 6;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 8;
  shape.listed_removals = 2;
  return shape;
}

Mirror::Mirror(std::string name, const Spec& spec)
    : name_(std::move(name)),
      environment_(std::pmr::get_default_resource(), 1, SmallShape()),
      mirrored_environment_(std::pmr::get_default_resource(), 2),
      board_(Make(spec, &environment_)),
      mirrored_(Make(spec, &mirrored_environment_)) {}

std::unique_ptr<Leaderboard> Mirror::Make(const Spec& spec, core::Environment* environment) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) calendar = *calendars_.Of(spec.zone, spec.turn_minutes);
  return std::make_unique<Leaderboard>(spec, environment, calendar);
}

void Mirror::Read(const ReadOperation& operation, Answer* answer) const {
  board_->Read(operation, {name_, now_, 0}, answer);
}

Summary Mirror::Write(const WriteOperation& operation, Answer* answer) {
  const std::uint64_t stamps = StampsFor(operation, board_->spec());
  const Call call{name_, now_, stamps > 0 ? stamps_.Take(now_, stamps) : 0};
  board_->Decide(operation, call, &decision_);
  std::string effects;
  EffectWriter writer(&effects);
  Summary summary;
  board_->Commit(&decision_, answer, &writer, &summary);
  if (!summary.accepted && !effects.empty()) trouble_ = "a refused operation has effects";
  if (summary.anything() && effects.empty()) trouble_ = "a change has no effects";
  Follow(effects);
  return summary;
}

Summary Mirror::Advance(std::size_t budget) {
  std::string effects;
  EffectWriter writer(&effects);
  Summary summary = board_->Advance(now_, budget, "note", &writer);
  Follow(effects);
  return summary;
}

void Mirror::Follow(const std::string& effects) {
  if (rebuilding_ != nullptr) {
    // The effects of each operation start with instance 0 selected, so they must be applied one
    // operation at a time: a 16-bit size separates them.
    if (!effects.empty())
      *rebuilding_ += std::string(1, static_cast<char>(effects.size() & 0xff)) +
                      static_cast<char>(effects.size() >> 8) + effects;
    return;
  }
  base::ByteCursor cursor(effects);
  Summary summary;
  const Status applied = mirrored_->Apply(&cursor, /*again=*/false, &summary);
  if (!applied.ok()) trouble_ = applied.error().message;
}

void Mirror::Restore(const Spec& spec, const std::vector<std::string>& slices,
                     const std::string& behind) {
  mirrored_ = Make(spec, of_mirror_);
  Loader loader(mirrored_.get());
  for (const std::string& slice : slices) {
    base::ByteCursor cursor(slice);
    const Status read = loader.Read(&cursor);
    if (!read.ok()) trouble_ = "load: " + read.error().message;
  }
  loader.Finish();
  for (std::string_view rest = behind; !rest.empty();) {
    const std::size_t size = static_cast<unsigned char>(rest[0]) |
                             static_cast<std::size_t>(static_cast<unsigned char>(rest[1])) << 8;
    base::ByteCursor cursor(rest.substr(2, size));
    Summary summary;
    const Status applied = mirrored_->Apply(&cursor, /*again=*/true, &summary);
    if (!applied.ok()) trouble_ = "again: " + applied.error().message;
    rest.remove_prefix(2 + size);
  }
}

void Mirror::Swap() {
  std::swap(board_, mirrored_);
  of_mirror_ = of_mirror_ == &environment_ ? &mirrored_environment_ : &environment_;
  stamps_ = StampClock(board_->last_stamp());
}

std::string Mirror::Compare() const {
  if (!trouble_.empty()) return trouble_;
  if (std::string broken = board_->Validate(); !broken.empty()) return broken;
  if (std::string broken = mirrored_->Validate(); !broken.empty()) return "mirror: " + broken;
  if (board_->ExceedsCap()) return "more entries than the cap";
  if (board_->Digest() != mirrored_->Digest()) return "the digests differ";
  return "";
}

}  // namespace laurel::leaderboard
