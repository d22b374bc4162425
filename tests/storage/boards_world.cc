#include "tests/storage/boards_world.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/memory.h"

namespace laurel::testing {
namespace {

std::string DescribeEntry(std::string_view member, const core::Words& words, unsigned count,
                          std::string_view meta) {
  std::string text(member);
  for (unsigned i = 0; i < count; ++i) text += " " + std::to_string(words[i]);
  return text + " [" + std::to_string(meta.size()) + " " + std::string(meta.substr(0, 20)) + "]\n";
}

constexpr Stamp kHour = 3'600'000'000;

std::string DescribePeriods(const engine::Key& key) {
  if (key.parent) return "turned at " + std::to_string(key.parent->turned_at) + "\n";
  if (!key.part) return "";
  const engine::Key::Part& part = *key.part;
  return "of " + std::string(part.of->name) + " from " + std::to_string(part.span.begin) + " to " +
         std::to_string(part.span.end) +
         (part.closed ? " closed at " + std::to_string(part.closed_after) : "") + "\n";
}

std::string DescribeRequests(const engine::Key& key) {
  std::string text;
  if (!key.requests) return text;
  key.requests->ForSome(0, SIZE_MAX, [&](const core::RememberedRequest& request) {
    text += "request " + std::to_string(request.sequence) + " " + std::string(request.id) + " at " +
            std::to_string(request.at) + " " + std::to_string(request.arguments) + " " +
            std::string(request.outcome) + "\n";
  });
  return text;
}

std::string DescribeBoard(const engine::Key& key) {
  const core::Board& board = key.board;
  LAUREL_ASSERT(board.Validate().empty());
  const unsigned words = board.layout().words();
  std::string text = std::string(key.name) + " " + DescribeSpec(board.spec()) + " expires " +
                     std::to_string(key.expires_at_ms) + "\n" + DescribePeriods(key);
  const Stamp written_at = key.ending ? key.ending->written_at : 0;
  if (written_at != 0) text += "written at " + std::to_string(written_at) + "\n";
  board.entries().ForRange(0, board.entries().size(), false, [&](const core::EntryView& view) {
    text += DescribeEntry(view.member, view.words, words, view.meta);
    return true;
  });
  board.ForEachHidden([&](std::string_view member, const core::Board::HiddenEntry* entry) {
    text += "hidden ";
    text += entry == nullptr ? std::string(member) + "\n"
                             : DescribeEntry(member, entry->words, words, entry->meta);
  });
  return text + DescribeRequests(key);
}

}  // namespace

core::Shape TinyShape() {
  core::Shape shape;
  shape.packed_entries = 8;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 2;
  shape.listed_removals = 3;
  return shape;
}

std::string Describe(engine::Keyspace& keys, bool with_ids) {
  std::vector<std::string> boards;
  for (const engine::Key* key = keys.catalog().FirstById(); key != nullptr;
       key = core::Catalog::NextById(key)) {
    boards.push_back((with_ids ? std::to_string(key->id) + " " : "") + DescribeBoard(*key));
  }
  if (!with_ids) std::sort(boards.begin(), boards.end());
  std::string text;
  for (const std::string& board : boards) text += board;
  for (const engine::Template& declared : keys.templates()) {
    text += "template " + declared.pattern + " " + DescribeSpec(declared.spec) + "\n";
  }
  return text;
}

// The world ---------------------------------------------------------------------------------------

BoardsWorld::BoardsWorld(std::uint64_t seed)
    : random_(seed), keys_(base::SystemMemory(), 7, TinyShape()) {
  for (int i = 0; i < 40; ++i) {
    members_.push_back((i % 2 == 0 ? "" : std::string(1 + i % 5 * 7, 'u')) + std::to_string(i));
  }
  keys_.journal().Enable();
}

BoardNames BoardsWorld::Names() {
  BoardNames names;
  for (const engine::Key* key = keys_.catalog().FirstById(); key != nullptr;
       key = core::Catalog::NextById(key)) {
    names.emplace(key->id, key->name);
  }
  return names;
}

void BoardsWorld::Step() {
  keys_.SetNow(stamp_);
  const std::string name = AnyName();
  engine::Key* key = keys_.Find(name);
  if (key == nullptr) return Create(name);
  const std::uint64_t which = random_.Below(100);
  if (which < 12) return OnBoards(key);
  if (which < 17) return OnTime(key);
  if (which < 18) return OnTemplates();
  key->parent ? OnSeason(key) : OnEntries(key);
}

void BoardsWorld::Create(const std::string& name) {
  Spec spec;
  if (random_.OneIn(3)) spec = Spec::SortedSet();
  if (spec.kind == BoardKind::kLeaderboard) {
    if (random_.OneIn(2)) spec.cap = 6 + random_.Below(12);
    if (random_.OneIn(2)) spec.dedup = 5;
    if (random_.OneIn(3)) {
      spec.periods = {Period::kHour, Period::kDay, Period::kAll};
      spec.zone = "Europe/Berlin";
      spec.keep = random_.Below(3);
      spec.grace_us = kHour;
    } else if (random_.OneIn(3)) {
      if (random_.OneIn(2)) spec.end = stamp_ + kHour * static_cast<Stamp>(1 + random_.Below(9));
      spec.expire_us = kHour;
    }
  }
  engine::Key* key = *keys_.Replace(name, spec);
  if (key->parent) return Submit(key);
  core::EffectBatch effects;
  Write(key->board, 1 + random_.Below(25), &effects);
  keys_.Apply(key, effects);
}

void BoardsWorld::OnBoards(engine::Key* key) {
  const std::string name(key->name);
  const std::string other = AnyName();
  // What has periods is neither copied nor renamed, nor replaced so.
  const engine::Key* replaced = keys_.Find(other);
  const bool moves = name != other && engine::Keyspace::Exists(*key) && !key->parent &&
                     (replaced == nullptr || !replaced->parent);
  switch (random_.Below(8)) {
    case 0:
    case 1:
      keys_.Drop(name);
      return;
    case 2:
      keys_.Delete(name);
      return;
    case 3:
      if (random_.OneIn(8)) keys_.Flush();
      return;
    case 4:
      if (moves) keys_.Copy(*key, other);
      return;
    default:
      if (moves) keys_.Rename(key, other);
  }
}

void BoardsWorld::OnTime(engine::Key* key) {
  if (random_.OneIn(3)) {
    stamp_ += 1000 * static_cast<Stamp>(random_.Below(3000));
    if (random_.OneIn(4)) stamp_ += kHour / 4 * static_cast<Stamp>(random_.Below(20));
    keys_.SetNow(stamp_);
    keys_.ExpireDue(100);
  } else if (engine::Keyspace::Exists(*key)) {
    keys_.SetExpiry(key, random_.OneIn(4)
                             ? 0
                             : stamp_ / 1000 + 1 + static_cast<std::int64_t>(random_.Below(9000)));
  }
}

void BoardsWorld::OnTemplates() {
  const std::string pattern = AnyName() + "*";
  if (random_.OneIn(2)) {
    Spec spec;
    spec.cap = random_.Below(9);
    keys_.SetTemplate({pattern, spec});
  } else {
    keys_.DeleteTemplate(pattern);
  }
}

void BoardsWorld::OnEntries(engine::Key* key) {
  const core::Board& board = key->board;
  const std::vector<std::string_view> some = {Member(), Member(), Member()};
  core::EffectBatch effects;
  const std::uint64_t which = random_.Below(100);
  if (which < 3) {
    core::DecideClear(board, &effects);
  } else if (which < 8) {
    core::DecideRemoveRange(board, random_.Below(4), 5 + random_.Below(30), &effects);
  } else if (which < 20) {
    core::DecideRemove(board, some, &effects);
  } else if (which < 32 && engine::Keyspace::IsLeaderboard(*key)) {
    (void)core::DecideHide(board, some, &effects).ok();
  } else if (which < 44 && engine::Keyspace::IsLeaderboard(*key)) {
    (void)core::DecideShow(board, some, &effects).ok();
  } else if (which < 48 && engine::Keyspace::IsLeaderboard(*key)) {
    Spec changed = board.spec();
    changed.cap = random_.OneIn(2) ? 0 : 5 + random_.Below(12);
    (void)core::DecideAlter(board, changed, &effects).ok();
  } else if (which < 55 && engine::Keyspace::IsLeaderboard(*key)) {
    (void)core::DecideSetMeta(board, Member(), Meta(), &effects).ok();
  } else {
    Write(board, which < 92 ? 1 : random_.Below(30), &effects);
    if (engine::Keyspace::IsLeaderboard(*key) && random_.OneIn(3)) Remember(key);
  }
  keys_.Apply(key, effects);
}

// As the commands do it: on the instances, and what is the board's own on it too.
void BoardsWorld::OnSeason(engine::Key* key) {
  const std::vector<std::string_view> some = {Member(), Member()};
  const std::vector<engine::Key*> parts = engine::Keyspace::PartsOf(key);
  const std::uint64_t which = random_.Below(100);
  if (which < 40 || parts.empty()) return Submit(key);
  if (which < 70) {
    const auto decide = which < 57 ? core::DecideHide : core::DecideShow;
    std::vector<engine::Key*> boards = parts;
    boards.insert(boards.begin(), key);
    for (engine::Key* board : boards) {
      core::EffectBatch effects;
      LAUREL_ASSERT(decide(board->board, some, &effects).ok());
      keys_.Apply(board, effects);
    }
  } else if (which < 80) {
    Alter(key);
  } else if (which < 84) {
    keys_.ClearInstance(parts[random_.Below(parts.size())]);
  } else {
    for (engine::Key* part : parts) {
      core::EffectBatch effects;
      if (which < 94) {
        core::DecideRemove(part->board, some, &effects);
      } else {
        LAUREL_ASSERT(core::DecideSetMeta(part->board, some[0], Meta(), &effects).ok());
      }
      keys_.Apply(part, effects);
    }
  }
}

void BoardsWorld::Submit(engine::Key* key) {
  engine::Target target(&keys_, key, false);
  std::optional<Stamp> at;
  if (random_.OneIn(4)) at = stamp_ - kHour / 4 * static_cast<Stamp>(random_.Below(6));
  if (!target.Open(at).ok()) return;
  const std::uint64_t count = 1 + random_.Below(random_.OneIn(8) ? 20 : 2);
  for (engine::Key* instance : target.boards()) {
    core::EffectBatch effects;
    Write(instance->board, count, &effects);
    target.Apply(instance, effects);
  }
  if (random_.OneIn(2)) Remember(key);
}

void BoardsWorld::Alter(engine::Key* key) {
  Spec changed = key->board.spec();
  changed.cap = random_.OneIn(2) ? 0 : 5 + random_.Below(12);
  changed.policy = random_.OneIn(2) ? Policy::kBest : Policy::kSet;
  changed.keep = random_.Below(4);
  changed.grace_us = kHour / 2 * static_cast<Stamp>(random_.Below(4));
  for (engine::Key* part : engine::Keyspace::PartsOf(key)) {
    core::EffectBatch effects;
    LAUREL_ASSERT(core::DecideAlter(part->board, InstanceSpec(changed), &effects).ok());
    keys_.Apply(part, effects);
  }
  core::EffectBatch effects;
  LAUREL_ASSERT(core::DecideAlter(key->board, changed, &effects).ok());
  keys_.Apply(key, effects);
}

void BoardsWorld::Remember(engine::Key* key) {
  const std::string id = "id" + std::to_string(random_.Below(30));
  keys_.ForgetOldRequests(key);
  core::RememberedRequest known;
  if (key->requests && key->requests->Find(id, &known)) return;
  std::vector<Verdict> verdicts(1 + random_.Below(3));
  for (Verdict& verdict : verdicts) verdict.rank = random_.Next();
  keys_.Remember(key, id, random_.Next(), verdicts);
}

void BoardsWorld::Write(const core::Board& board, std::uint64_t count, core::EffectBatch* effects) {
  std::vector<laurel::Write> writes;
  for (; count > 0; --count) {
    laurel::Write write;
    write.member = Member();
    write.score = {static_cast<std::int64_t>(random_.Below(20))};
    if (board.layout().is_double()) {
      write.score = Score::Double(static_cast<double>(random_.Below(40)) / 2);
    } else if (random_.OneIn(3)) {
      write.meta = Meta();
    }
    writes.push_back(write);
  }
  stamp_ += 100;
  const auto decided = core::DecideWrites(board, writes, {stamp_, stamp_}, effects);
  if (decided.ok()) return;
  LAUREL_ASSERT(decided.error().code == ErrorCode::kClosed);
  effects->Clear();
}

std::string_view BoardsWorld::Member() { return members_[random_.Below(members_.size())]; }

std::string_view BoardsWorld::Meta() {
  static const std::vector<std::string> metas = {"", "de", "a longer one", std::string(900, 'm')};
  return metas[random_.OneIn(8) ? 3 : random_.Below(3)];
}

// By names ----------------------------------------------------------------------------------------

NameReplayer::NameReplayer(engine::Keyspace* keys, BoardNames names)
    : keys_(keys), names_at_start_(std::move(names)) {}

void NameReplayer::Reset() {
  core::Catalog& catalog = keys_->catalog();
  while (catalog.FirstById() != nullptr) DropNamed(std::string(catalog.FirstById()->name));
  names_ = names_at_start_;
}

Status NameReplayer::OnSnapshot(std::string_view effects) {
  in_snapshot_ = true;
  return Read(effects);
}

Status NameReplayer::OnSnapshotEnd(const storage::Footer& /*footer*/) {
  in_snapshot_ = false;
  names_ = names_at_start_;
  return Ok{};
}

Status NameReplayer::OnBatch(std::uint64_t /*number*/, std::string_view effects,
                             bool /*unsettled*/) {
  return Read(effects);
}

core::NamedBoard* NameReplayer::Named(const std::string& name) {
  const std::size_t at = name.find('@');
  core::NamedBoard* board = keys_->catalog().Find(name.substr(0, at));
  if (at == std::string::npos || board == nullptr || !board->parent) {
    return at == std::string::npos ? board : nullptr;
  }
  for (core::NamedBoard* instance : board->parent->instances) {
    if (std::string_view(instance->name) == name) return instance;
  }
  return nullptr;
}

void NameReplayer::DropNamed(const std::string& name) {
  core::NamedBoard* board = Named(name);
  if (board == nullptr) return;
  board->part ? keys_->catalog().DropInstance(board) : (void)keys_->catalog().Drop(name);
}

core::NamedBoard* NameReplayer::selected() {
  const auto found = names_.find(id_);
  return found == names_.end() ? nullptr : Named(found->second);
}

Status NameReplayer::OnClock(Stamp /*last*/) { return Ok{}; }

Status NameReplayer::OnSelect(std::uint64_t id) {
  id_ = id;
  return Ok{};
}

Status NameReplayer::OnCreate(std::uint64_t id, std::string_view name, const Spec& spec) {
  id_ = id;
  names_[id] = name;
  core::NamedBoard* present = keys_->catalog().Find(name);
  if (present != nullptr && !(in_snapshot_ && present->board.spec() == spec)) {
    keys_->catalog().Drop(name);
  }
  return keys_->catalog().Create(name, spec).ok() ? Status(Ok{})
                                                  : Error{ErrorCode::kErr, "no such board"};
}

Status NameReplayer::OnDrop(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/,
                            bool /*expired*/) {
  return OnDropInstance(id);
}

Status NameReplayer::OnDropBelow(std::uint64_t id) {
  for (auto at = names_.begin(); at != names_.end() && at->first < id; at = names_.erase(at)) {
    DropNamed(at->second);
  }
  return Ok{};
}

Status NameReplayer::OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span,
                                      Policy /*policy*/, std::uint64_t /*cap*/) {
  id_ = of;
  core::NamedBoard* parent = selected();
  id_ = id;
  if (parent == nullptr || !parent->parent) return Ok{};
  names_[id] = core::InstanceName(parent->name, span);
  if (selected() == nullptr) keys_->catalog().CreateInstance(parent, span);
  return Ok{};
}

Status NameReplayer::OnDropInstance(std::uint64_t id) {
  DropNamed(names_[id]);
  names_.erase(id);
  return Ok{};
}

Status NameReplayer::OnTurned(Stamp at) {
  core::NamedBoard* board = selected();
  if (board != nullptr && board->parent) board->parent->turned_at = at;
  return Ok{};
}

Status NameReplayer::OnClosed(const engine::ClosedInstance& closed) {
  core::NamedBoard* board = selected();
  if (board == nullptr || !board->part) return Ok{};
  board->part->closed = true;
  board->part->closed_after = closed.after;
  return Ok{};
}

Status NameReplayer::OnRemember(const core::RememberedRequest& request) {
  if (core::NamedBoard* board = selected()) board->Requests().Remember(request);
  return Ok{};
}

Status NameReplayer::OnForgetBefore(std::uint64_t sequence) {
  if (core::NamedBoard* board = selected()) board->Requests().ForgetBefore(sequence);
  return Ok{};
}

Status NameReplayer::OnName(std::string_view name, std::string_view /*from*/,
                            const Spec& /*spec*/) {
  if (core::NamedBoard* board = selected()) {
    (void)keys_->catalog().Rename(std::string(board->name), name).ok();
  }
  names_[id_] = name;
  return Ok{};
}

Status NameReplayer::OnWritten(Stamp at) {
  if (core::NamedBoard* board = selected()) engine::Keyspace::NoteWritten(board, at);
  return Ok{};
}

Status NameReplayer::OnExpiry(std::int64_t at_ms) {
  if (core::NamedBoard* board = selected()) board->expires_at_ms = at_ms;
  return Ok{};
}

Status NameReplayer::OnEffect(const core::Effect& effect, unsigned words) {
  core::NamedBoard* board = selected();
  if (board == nullptr) return Ok{};
  if (effect.kind == core::Effect::Kind::kClear) {
    keys_->catalog().Clear(board);
  } else if (effect.kind != core::Effect::Kind::kPut || words == board->board.layout().words()) {
    board->board.Apply(effect);
  }
  return Ok{};
}

Status NameReplayer::OnTemplate(std::string_view pattern, const Spec& spec) {
  keys_->SetTemplate({std::string(pattern), spec});
  return Ok{};
}

Status NameReplayer::OnNoTemplate(std::string_view pattern) {
  keys_->DeleteTemplate(pattern);
  return Ok{};
}

}  // namespace laurel::testing
