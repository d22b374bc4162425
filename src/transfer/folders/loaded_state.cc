#include "transfer/folders/loaded_state.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/disk/restorer.h"

namespace laurel::transfer {
namespace {

Error RefusalOf(const base::Folder& folder, const Error& error) {
  return {ErrorCode::kErr, folder.path() + ": " + error.message};
}

}  // namespace

Result<LoadedState> LoadBoards(base::Folder* folder, const storage::RecoverOptions& options) {
  LoadedState state;
  state.keys = std::make_unique<engine::Keyspace>(base::SystemMemory(), base::SystemEntropy());
  engine::Restorer restorer(state.keys.get());
  Result<storage::Recovery> recovery = storage::Recover(folder, &restorer, options);
  if (!recovery.ok()) return recovery.error();
  if (options.holes == storage::Holes::kSkip && !recovery->lost.empty()) restorer.Reconcile();
  const Status finished = restorer.Finish();
  if (!finished.ok()) return RefusalOf(*folder, finished.error());
  state.recovery = std::move(*recovery);
  state.last_stamp = restorer.last_stamp();
  return state;
}

Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options) {
  Result<LoadedState> state = LoadBoards(folder, options);
  if (!state.ok()) return state;
  const Status whole = CheckInstances(state->keys.get());
  if (!whole.ok()) return RefusalOf(*folder, whole.error());
  state->digest = engine::DigestOf(state->keys.get());
  return state;
}

// Spans are not compared, because they may overlap for a while after a time zone's rules changed.
Status CheckInstances(engine::Keyspace* keys) {
  for (const engine::NamedBoard* named = keys->catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    if (!named->is_leaderboard()) continue;
    const auto damaged = [&](const std::string& what) {
      return Error{ErrorCode::kErr, "board " + base::Quote(named->name) + ": " + what};
    };
    std::set<std::pair<Period, std::string_view>> labels;
    for (const auto& stored : named->board.instances()) {
      if (labels.emplace(stored->span.period, stored->span.label).second) continue;
      return damaged(base::Quote(leaderboard::InstanceName(named->name, stored->span)) +
                     " is there twice");
    }
    if (const std::string broken = named->board.Validate(); !broken.empty()) {
      return damaged(broken);
    }
  }
  return Ok{};
}

}  // namespace laurel::transfer
