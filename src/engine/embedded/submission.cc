#include "engine/embedded/submission.h"

#include <optional>

#include "core/decide.h"
#include "core/member.h"

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
    const core::EffectBatch& effects = effects_[board];
    for (std::size_t i = 0; ranks && i < writes_.size(); ++i) {
      verdicts_[i * boards + board].previous_rank = RankOf(key->board, writes_[i].member);
    }
    target_->Apply(key, effects);
    for (std::size_t i = 0; ranks && i < writes_.size(); ++i) {
      Verdict& verdict = verdicts_[i * boards + board];
      verdict.rank =
          effects.empty() ? verdict.previous_rank : RankOf(key->board, writes_[i].member);
    }
  }
  context_->keys.NoteAccepted(target_->key());
}

}  // namespace laurel::engine
