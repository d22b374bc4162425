#include "engine/embedded/submission.h"

#include <optional>
#include <string_view>
#include <vector>

#include "core/decide.h"
#include "core/member.h"
#include "core/reads.h"

namespace laurel::engine {
namespace {

std::optional<std::uint64_t> RankOf(const core::Board& board, std::string_view member) {
  const core::Location location = board.entries().Find(core::MemberKey(member));
  if (location == core::kNowhere) return std::nullopt;
  return board.entries().IndexOf(location) + 1;
}

}  // namespace

Status Submission::Decide(std::span<const Write> writes) {
  writes_ = writes;
  if (Status opened = target_->Open(writes[0].at); !opened.ok()) return opened;
  const Moment moment = context_->TakeMoment(writes.size());
  const std::size_t boards = target_->boards().size();
  verdicts_.resize(writes.size() * boards);
  for (std::size_t board = 0; board < boards; ++board) {
    if (Status decided = DecideOn(board, moment); !decided.ok()) return decided;
  }
  return Ok{};
}

Status Submission::DecideOn(std::size_t board, Moment moment) {
  const core::Board& on = target_->boards()[board]->board;
  if (writes_.size() == 1) {
    Result<Verdict> verdict = core::DecideWrite(on, writes_[0], moment, &effects_[board]);
    if (!verdict.ok()) return verdict.error();
    verdicts_[board] = std::move(*verdict);
    return Ok{};
  }
  Result<std::vector<Verdict>> verdicts = core::DecideWrites(on, writes_, moment, &effects_[board]);
  if (!verdicts.ok()) return verdicts.error();
  const std::size_t boards = target_->boards().size();
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    verdicts_[i * boards + board] = std::move((*verdicts)[i]);
  }
  return Ok{};
}

void Submission::Apply(bool ranks) {
  const std::size_t boards = target_->boards().size();
  for (std::size_t board = 0; board < boards; ++board) {
    Key* key = target_->boards()[board];
    const bool changes = !effects_[board].empty();
    if (ranks) NoteRanks(board, &Verdict::previous_rank);
    target_->Apply(key, effects_[board]);
    if (ranks && changes) NoteRanks(board, &Verdict::rank);
    for (std::size_t i = 0; ranks && !changes && i < writes_.size(); ++i) {
      Verdict& verdict = verdicts_[i * boards + board];
      verdict.rank = verdict.previous_rank;
    }
  }
  context_->keys.NoteAccepted(target_->key());
}

void Submission::NoteRanks(std::size_t board, std::optional<std::uint64_t> Verdict::*rank) {
  const core::Board& on = target_->boards()[board]->board;
  if (writes_.size() == 1) {
    verdicts_[board].*rank = RankOf(on, writes_[0].member);
    return;
  }
  std::vector<std::string_view> members;
  members.reserve(writes_.size());
  for (const Write& write : writes_) members.push_back(write.member);
  std::vector<std::optional<std::uint64_t>> found;
  core::Ranks(on, members, &found);  // which fetches memory ahead
  const std::size_t boards = target_->boards().size();
  for (std::size_t i = 0; i < writes_.size(); ++i) verdicts_[i * boards + board].*rank = found[i];
}

}  // namespace laurel::engine
