#include "tests/conformance/leaderboard_hosts.h"

#include "tests/conformance/conformance_answer.h"

namespace laurel::conformance {
namespace {

constexpr std::size_t kBudget = 1000;
constexpr std::size_t kSlice = 3;  // entries of one slice of a walk
constexpr const char* kGone = "!NOBOARD";

}  // namespace

BareHost::BareHost()
    : environment_(std::pmr::get_default_resource(), 1, leaderboard::Mirror::SmallShape()) {}

void BareHost::Create(const Spec& spec) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) calendar = *calendars_.Of(spec.zone, spec.turn_minutes);
  board_ = std::make_unique<leaderboard::Leaderboard>(spec, &environment_, calendar);
}

std::string BareHost::Ask(const leaderboard::Operation& operation) {
  if (board_->HasExpired(now_)) return kGone;
  ConformanceAnswer answer;
  if (const auto* read = std::get_if<leaderboard::ReadOperation>(&operation)) {
    board_->Read(*read, {"lb", now_, 0}, &answer);
    return answer.text();
  }
  const auto& write = std::get<leaderboard::WriteOperation>(operation);
  const std::uint64_t stamps = StampsFor(write, board_->spec());
  board_->Decide(write, {"lb", now_, stamps > 0 ? stamps_.Take(now_, stamps) : 0}, &decision_);
  leaderboard::Summary summary;
  board_->Commit(&decision_, &answer, nullptr, &summary);
  return answer.text();
}

void BareHost::Advance() {
  while (board_->Advance(now_, kBudget, "", nullptr).more) {
  }
}

void MirrorHost::SetTime(Stamp now) {
  now_ = now;
  if (mirror_) mirror_->SetTime(now);
}

void MirrorHost::Create(const Spec& spec) {
  mirror_ = std::make_unique<leaderboard::Mirror>("lb", spec);
  mirror_->SetTime(now_);
}

std::string MirrorHost::Ask(const leaderboard::Operation& operation) {
  if (mirror_->board().HasExpired(now_)) return kGone;
  ConformanceAnswer answer;
  if (const auto* read = std::get_if<leaderboard::ReadOperation>(&operation)) {
    mirror_->Read(*read, &answer);
  } else {
    mirror_->Write(std::get<leaderboard::WriteOperation>(operation), &answer);
  }
  return answer.text();
}

void MirrorHost::Advance() {
  while (mirror_->Advance(kBudget).more) {
  }
}

void MirrorHost::Restart() {
  mirror_->Rebuild(kSlice, [] {});
  mirror_->Swap();
  mirror_->Rebuild(kSlice, [] {});
}

}  // namespace laurel::conformance
