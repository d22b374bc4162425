#include "tests/storage/boards_world.h"

#include "base/assert.h"
#include "base/memory.h"
#include "core/decide.h"
#include "leaderboard/no_answer.h"

namespace laurel::testing {
namespace {

constexpr Stamp kHour = 3'600'000'000;

std::string DescribeEntry(std::string_view member, const core::Words& words, unsigned count,
                          std::string_view meta) {
  std::string text(member);
  for (unsigned i = 0; i < count; ++i) text += " " + std::to_string(words[i]);
  return text + " [" + std::to_string(meta.size()) + " " + std::string(meta.substr(0, 20)) + "]\n";
}

std::string DescribeEntries(const core::Standings& standings) {
  const unsigned words = standings.layout().words();
  std::string text;
  standings.entries().ForRange(0, standings.entries().size(), false,
                               [&](const core::EntryView& view) {
                                 text += DescribeEntry(view.member, view.words, words, view.meta);
                                 return true;
                               });
  standings.ForEachHidden([&](std::string_view member, const core::Standings::HiddenEntry& entry) {
    text += "hidden " + DescribeEntry(member, entry.words, words, entry.meta);
  });
  return text;
}

std::string DescribeRequests(const engine::Leaderboard& board) {
  std::string text;
  if (board.requests() == nullptr) return text;
  board.requests()->ForSome(0, SIZE_MAX, [&](const leaderboard::RememberedRequest& request) {
    text += "request " + std::to_string(request.sequence) + " " + std::string(request.id) + " at " +
            std::to_string(request.at) + "\n";
  });
  return text;
}

std::string DescribeLeaderboard(const engine::Leaderboard& board) {
  const std::string broken = board.Validate();
  LAUREL_ASSERT(broken.empty());
  std::string text = "digest " + std::to_string(board.Digest()) + " last stamp " +
                     std::to_string(board.last_stamp()) + " written at " +
                     std::to_string(board.written_at()) + "\n";
  if (board.marks() != nullptr) {
    board.marks()->ForSome(nullptr, SIZE_MAX, [&](std::string_view member) {
      text += "mark " + std::string(member) + "\n";
    });
  }
  if (!board.has_periods()) text += DescribeEntries(*board.ViewOf(std::nullopt, 0)->standings);
  for (const auto& stored : board.instances()) {
    text += "instance " + std::to_string(stored->number) + " " +
            leaderboard::InstanceName("", stored->span) + " from " +
            std::to_string(stored->span.begin) + (stored->closed ? " closed" : "") + "\n" +
            DescribeEntries(stored->standings);
  }
  return text + DescribeRequests(board);
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

std::string Describe(engine::Keyspace& keys) {
  std::string text;
  for (const engine::NamedBoard* named = keys.catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    text += std::to_string(named->id) + " " + std::string(named->name) + " " +
            DescribeSpec(named->spec()) + " expires " + std::to_string(named->expires_at_ms) + "\n";
    text += DescribeLeaderboard(named->board);
  }
  for (const engine::Template& declared : keys.templates().all()) {
    text += "template " + declared.pattern + " " + DescribeSpec(declared.spec) + "\n";
  }
  return text;
}

RandomBoards::RandomBoards(std::uint64_t seed)
    : random_(seed), operations_(&random_, 40), keys_(base::SystemMemory(), 7, TinyShape()) {
  for (int i = 0; i < 40; ++i) {
    members_.push_back((i % 2 == 0 ? "" : std::string(1 + i % 5 * 7, 'u')) + std::to_string(i));
  }
  keys_.journal().Enable();
}

void RandomBoards::Step() {
  keys_.SetNow(stamp_);
  const std::string name = AnyName();
  engine::NamedBoard* named = keys_.Find(name);
  if (named == nullptr) return Create(name);
  const std::uint64_t which = random_.Below(100);
  if (which < 12) return OnBoards(named);
  if (which < 17) return OnTime(named);
  if (which < 18) return OnTemplates();
  named->is_leaderboard() ? OnLeaderboard(named) : OnSet(named);
}

void RandomBoards::Create(const std::string& name) {
  const Spec spec =
      random_.OneIn(3) ? Spec::SortedSet() : leaderboard::RandomSpec(&random_, stamp_);
  engine::NamedBoard* named = *keys_.Replace(name, spec);
  if (named->is_leaderboard()) {
    for (std::uint64_t i = random_.Below(25); i > 0; --i) OnLeaderboard(named);
    return;
  }
  AddToSet(named, 1 + random_.Below(25));
}

void RandomBoards::OnBoards(engine::NamedBoard* named) {
  const std::string name(named->name);
  const std::string other = AnyName();
  // Boards with periods are not copied or renamed, nor replaced by a copy or a rename.
  const engine::NamedBoard* replaced = keys_.Find(other);
  const bool moves = name != other && named->exists() && !named->has_periods() &&
                     (replaced == nullptr || !replaced->has_periods());
  switch (random_.Below(8)) {
    case 0:
    case 1:
      keys_.Drop(named);
      return;
    case 2:
      keys_.Delete(name);
      return;
    case 3:
      if (random_.OneIn(8)) keys_.Flush();
      return;
    case 4:
      if (moves) keys_.Copy(*named, other);
      return;
    default:
      if (moves) keys_.Rename(named, other);
  }
}

void RandomBoards::OnTime(engine::NamedBoard* named) {
  if (random_.OneIn(3)) {
    stamp_ += 1000 * static_cast<Stamp>(random_.Below(3000));
    if (random_.OneIn(4)) stamp_ += kHour / 4 * static_cast<Stamp>(random_.Below(20));
    keys_.SetNow(stamp_);
    keys_.RunDueWork(100);
  } else if (named->exists()) {
    keys_.SetExpiry(
        named,
        random_.OneIn(4) ? 0 : stamp_ / 1000 + 1 + static_cast<std::int64_t>(random_.Below(9000)));
  }
}

void RandomBoards::OnTemplates() {
  const std::string pattern = AnyName() + "*";
  if (random_.OneIn(2)) {
    Spec spec;
    spec.cap = random_.Below(9);
    keys_.SetTemplate({pattern, spec});
  } else {
    keys_.DeleteTemplate(pattern);
  }
}

void RandomBoards::OnLeaderboard(engine::NamedBoard* named) {
  stamp_ += 100;
  Execute(named, operations_.Draw(named->spec(), stamp_));
}

void RandomBoards::OnSet(engine::NamedBoard* named) {
  const std::vector<std::string_view> some = {Member(), Member(), Member()};
  const std::uint64_t which = random_.Below(100);
  if (which < 8) {
    Execute(named, leaderboard::RemoveRange{random_.Below(4), 5 + random_.Below(30), {}});
  } else if (which < 20) {
    Execute(named, leaderboard::Remove{some, {}});
  } else {
    AddToSet(named, which < 92 ? 1 : 1 + random_.Below(30));
  }
}

void RandomBoards::AddToSet(engine::NamedBoard* named, std::uint64_t count) {
  std::vector<Write> writes;
  for (; count > 0; --count) {
    Write& write = writes.emplace_back();
    write.member = Member();
    write.score = Score::Double(static_cast<double>(random_.Below(40)) / 2);
  }
  leaderboard::SubmitMany many;
  many.writes = writes;
  Execute(named, many);
}

void RandomBoards::Execute(engine::NamedBoard* named,
                           const leaderboard::WriteOperation& operation) {
  leaderboard::NoAnswer answer;
  keys_.Execute(named, operation, named->name, stamp_, &answer);
}

std::string_view RandomBoards::Member() { return members_[random_.Below(members_.size())]; }

}  // namespace laurel::testing
