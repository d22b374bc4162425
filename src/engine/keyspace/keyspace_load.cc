// Loading boards in chunks: LB.LOAD.
#include <algorithm>

#include "base/assert.h"
#include "engine/keyspace/keyspace.h"
#include "engine/limits.h"
#include "laurel/limits.h"

namespace laurel::engine {
Status Keyspace::BeginLoad(std::string_view name, std::string_view id, const Spec& spec) {
  if (Status free = CheckNoInstance(name); !free.ok()) return free;
  if (id.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit,
                 "the id of a load has at most " + std::to_string(kMaxBoardNameBytes) + " bytes"};
  }
  if (const Load* begun = FindLoad(name, id)) {
    if (begun->progress.next == 1 && begun->board->spec() == spec)
      return Ok{};  // its reply was lost
    return leaderboard::LoadHasBegun(id);
  }
  if (loads_.size() >= kMaxLoads) {
    return Error{ErrorCode::kLimit,
                 "there are " + std::to_string(kMaxLoads) + " loads already: commit or abort one"};
  }
  const Result<NamedBoard*> made = catalog_.CreateLoad(name, spec);
  if (!made.ok()) return made.error();
  journal_.Load((*made)->id, name, spec);
  std::erase_if(committed_loads_,
                [&](const CommittedLoad& done) { return done.id == id && done.name == name; });
  loads_.push_back({std::string(id), *made, {}, now_us_});
  return Ok{};
}

Keyspace::Load* Keyspace::FindLoad(std::string_view name, std::string_view id) {
  const auto found = std::find_if(loads_.begin(), loads_.end(), [&](const Load& load) {
    return load.id == id && std::string_view(load.board->name) == name;
  });
  return found == loads_.end() ? nullptr : &*found;
}

Status Keyspace::LoadChunk(std::string_view name, std::string_view id, std::uint64_t number,
                           std::string_view chunk) {
  Load* load = FindLoad(name, id);
  if (load == nullptr) return leaderboard::NoLoad(name, id);
  LAUREL_ASSERT(load->board->loading && load->board->is_leaderboard());
  bool ruined = false;
  const Result<bool> added = leaderboard::ApplyChunk(number, chunk, now_us_, &load->board->board,
                                                     &load->progress, &ruined);
  if (ruined) DropLoad(load);
  if (!added.ok()) return added.error();
  if (!*added) return Ok{};
  journal_.LoadChunk(load->board->id, chunk);
  load->used_at = now_us_;
  return Ok{};
}

Result<leaderboard::LoadFigures> Keyspace::CommitLoad(std::string_view name, std::string_view id,
                                                      bool replace) {
  for (const CommittedLoad& done : committed_loads_) {
    if (done.id == id && done.name == name) return done.figures;
  }
  Load* load = FindLoad(name, id);
  if (load == nullptr) return leaderboard::NoLoad(name, id);
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  if (NamedBoard* present = Find(name)) {
    if (!replace) return leaderboard::NameIsTaken(name);
    Drop(present);
  }
  NamedBoard* named = load->board;
  const leaderboard::LoadFigures figures = load->progress.figures;
  loads_.erase(loads_.begin() + (load - loads_.data()));
  committed_loads_.push_back({std::string(id), std::string(name), figures});
  if (committed_loads_.size() > kMaxLoads) committed_loads_.pop_front();
  catalog_.Publish(named);
  journal_.Publish(named->id, named->spec(), figures.entries);
  leaderboard::Summary summary;
  summary.declared = summary.due_earlier = true;
  if (!named->has_periods()) summary.changed.push_back(0);
  for (const auto& stored : named->board.instances()) {
    summary.changed.push_back(stored->number);
  }
  AfterChange(named, false, summary);
  return figures;
}

Status Keyspace::AbortLoad(std::string_view name, std::string_view id) {
  Load* load = FindLoad(name, id);
  if (load == nullptr) return leaderboard::NoLoad(name, id);
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
    if (now_us_ - loads_[i].used_at > leaderboard::kLoadLifeMicros) DropLoad(&loads_[i]);
  }
}

}  // namespace laurel::engine
