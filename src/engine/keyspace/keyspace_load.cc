// Loading boards in chunks: LB.LOAD.
#include <algorithm>

#include "base/assert.h"
#include "base/byte_cursor.h"
#include "base/text.h"
#include "engine/keyspace/keyspace.h"
#include "engine/limits.h"
#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// Instances that a board may have besides those that KEEP covers: the present one, the one before
// it while GRACE lasts, and one that begins meanwhile.
constexpr std::uint64_t kSpareInstances = 3;

Error NoLoad(std::string_view name, std::uint64_t id) {
  return {ErrorCode::kErr, "there is no load " + std::to_string(id) + " of " + base::Quote(name) +
                               ": it was committed, aborted, refused, dropped after 10 minutes " +
                               "without a chunk, or the server was started since"};
}

}  // namespace

Result<std::uint64_t> Keyspace::BeginLoad(std::string_view name, const Spec& spec) {
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  if (loads_.size() >= kMaxLoads) {
    return Error{ErrorCode::kLimit,
                 "there are " + std::to_string(kMaxLoads) + " loads already: commit or abort one"};
  }
  const Result<NamedBoard*> made = catalog_.CreateLoad(name, spec);
  if (!made.ok()) return made.error();
  journal_.Load((*made)->id, name, spec);
  loads_.push_back({*made, 1, {}, now_us_});
  return (*made)->id;
}

Keyspace::Load* Keyspace::FindLoad(std::string_view name, std::uint64_t id) {
  const auto found = std::find_if(loads_.begin(), loads_.end(), [&](const Load& load) {
    return load.board->id == id && std::string_view(load.board->name) == name;
  });
  return found == loads_.end() ? nullptr : &*found;
}

Status Keyspace::LoadChunk(std::string_view name, std::uint64_t id, std::uint64_t number,
                           std::string_view chunk) {
  Load* load = FindLoad(name, id);
  if (load == nullptr) return NoLoad(name, id);
  if (number == 0 || number > load->next) {
    return Error{ErrorCode::kErr, "chunk " + std::to_string(number) + " does not follow chunk " +
                                      std::to_string(load->next - 1)};
  }
  if (number < load->next) return Ok{};  // its reply was lost
  Leaderboard& board = *load->board->leaderboard();
  const Stamp latest = now_us_ + kMaxStampLeadMicros;
  leaderboard::LoadFigures figures = load->figures;
  if (Status added = leaderboard::AddChunk(chunk, latest, &figures); !added.ok()) return added;
  const std::uint64_t most = board.spec().periods.size() * (board.spec().keep + kSpareInstances);
  if (figures.instances > most) {
    return Error{ErrorCode::kLimit, "the load has more instances than KEEP covers"};
  }
  load->figures = figures;
  base::ByteCursor effects(chunk);
  leaderboard::Summary summary;
  Status applied = board.Apply(&effects, /*lenient=*/false, &summary, latest);
  if (applied.ok() && board.ExceedsCap()) {
    applied = Error{ErrorCode::kLimit, "the load has more entries than the cap"};
  }
  if (!applied.ok()) {
    DropLoad(load);
    return applied;
  }
  journal_.LoadChunk(id, chunk);
  ++load->next;
  load->used_at = now_us_;
  return Ok{};
}

Result<leaderboard::LoadFigures> Keyspace::CommitLoad(std::string_view name, std::uint64_t id,
                                                      bool replace) {
  for (const CommittedLoad& done : committed_loads_) {
    if (done.id == id && done.name == name) return done.figures;
  }
  Load* load = FindLoad(name, id);
  if (load == nullptr) return NoLoad(name, id);
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  if (NamedBoard* present = Find(name)) {
    if (!replace) {
      return Error{ErrorCode::kExists,
                   base::Quote(name) + " exists: commit with REPLACE, or abort"};
    }
    Drop(present);
  }
  NamedBoard* named = load->board;
  const leaderboard::LoadFigures figures = load->figures;
  loads_.erase(loads_.begin() + (load - loads_.data()));
  committed_loads_.push_back({id, std::string(name), figures});
  if (committed_loads_.size() > kMaxLoads) committed_loads_.pop_front();
  catalog_.Publish(named);
  journal_.Publish(id, named->spec(), figures.entries);
  leaderboard::Summary summary;
  summary.declared = summary.due_earlier = true;
  if (!named->has_periods()) summary.changed.push_back(0);
  for (const auto& stored : named->leaderboard()->instances()) {
    summary.changed.push_back(stored->number);
  }
  AfterLeaderboardChange(named, false, summary);
  return figures;
}

Status Keyspace::AbortLoad(std::string_view name, std::uint64_t id) {
  Load* load = FindLoad(name, id);
  if (load == nullptr) return NoLoad(name, id);
  DropLoad(load);
  return Ok{};
}

void Keyspace::DropLoad(Load* load) {
  NamedBoard* named = load->board;
  journal_.Drop(named->id, named->name, named->spec(), /*expired=*/false);
  catalog_.Drop(named);
  loads_.erase(loads_.begin() + (load - loads_.data()));
}

void Keyspace::DropOldLoads() {
  for (std::size_t i = loads_.size(); i-- > 0;) {
    if (now_us_ - loads_[i].used_at > kLoadLifeMicros) DropLoad(&loads_[i]);
  }
}

}  // namespace laurel::engine
