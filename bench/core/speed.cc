#include "bench/core/speed.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "bench/core/pb_ds_board.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"
#include "core/standings.h"
#include "core/store/environment.h"

namespace laurel::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBatch = 32;

double Nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

double TimePerOperation(std::uint64_t operations, const std::function<void()>& run) {
  const auto start = Clock::now();
  run();
  return Nanoseconds(start, Clock::now()) / static_cast<double>(operations);
}

// Keeps the compiler from removing a result, at no cost.
void Use(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

class OurBoard {
 public:
  OurBoard()
      : environment_(base::SystemMemory(), 0x6c61757265), standings_(Spec(), &environment_) {}

  // Does the work of a server for a ZADD: decide and apply, without ranks.
  void Write(const std::vector<laurel::Write>& writes) {
    for (const laurel::Write& write : writes) WriteOne(write);
  }
  void WriteOne(const laurel::Write& write) {
    effects_.Clear();
    const auto verdict = core::DecideWrite(standings_, write, {stamp_, stamp_}, &effects_);
    Use(verdict.ok() ? 1 : 0);
    standings_.Apply(effects_);
    ++stamp_;
  }
  void WriteInBatches(const std::vector<laurel::Write>& writes) {
    for (std::size_t i = 0; i < writes.size(); i += kBatch) {
      const std::size_t count = std::min<std::size_t>(kBatch, writes.size() - i);
      core::ApplyBatch(&standings_, {writes.data() + i, count}, {stamp_, stamp_},
                       [](std::size_t, const Result<Verdict>& verdict, const core::EffectBatch&) {
                         Use(verdict.ok() ? 1 : 0);
                       });
      stamp_ += static_cast<Stamp>(count);
    }
  }
  void Rank(const std::vector<laurel::Write>& members) {
    const core::EntryStore& entries = standings_.entries();
    for (const laurel::Write& read : members) {
      Use(entries.IndexOf(entries.Find(core::MemberKey(read.member))));
    }
  }
  void RankInBatches(const std::vector<std::string_view>& members) {
    for (std::size_t i = 0; i < members.size(); i += kBatch) {
      const std::size_t count = std::min<std::size_t>(kBatch, members.size() - i);
      core::Ranks(standings_, {members.data() + i, count}, &ranks_);
      Use(*ranks_[0]);
    }
  }
  void DenseRank(const std::vector<laurel::Write>& members) {
    const core::EntryStore& entries = standings_.entries();
    for (const laurel::Write& read : members) {
      Use(entries.DistinctScores(entries.IndexOf(entries.Find(core::MemberKey(read.member))) + 1));
    }
  }
  void Top(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) Read(0, 10);
  }
  void Around(const std::vector<laurel::Write>& members) {
    const core::EntryStore& entries = standings_.entries();
    for (const laurel::Write& read : members) {
      const std::uint64_t index = entries.IndexOf(entries.Find(core::MemberKey(read.member)));
      Read(index - std::min<std::uint64_t>(index, 5), 11);
    }
  }
  [[nodiscard]] const core::Standings& board() const { return standings_; }

 private:
  void Read(std::uint64_t first, std::uint64_t count) {
    standings_.entries().ForRange(first, count, false, [](const core::EntryView& view) {
      Use(view.words[0] + view.member.size());
      return true;
    });
  }

  core::Environment environment_;
  core::Standings standings_;
  core::EffectBatch effects_;
  std::vector<std::optional<std::uint64_t>> ranks_;
  Stamp stamp_ = kFirstStamp;
};

class Rival {
 public:
  Rival() : board_(base::SystemMemory()) {}

  void Write(const std::vector<laurel::Write>& writes) {
    for (const laurel::Write& write : writes) {
      if (write.mode == WriteMode::kIncrement) {
        board_.Increment(write.member, write.score[0], stamp_++);
      } else {
        board_.Put(write.member, write.score[0], stamp_++);
      }
    }
  }
  void Rank(const std::vector<laurel::Write>& members) {
    for (const laurel::Write& read : members) Use(board_.IndexOf(read.member));
  }
  void Top(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) Read(0, 10);
  }
  void Around(const std::vector<laurel::Write>& members) {
    for (const laurel::Write& read : members) {
      const std::uint64_t index = board_.IndexOf(read.member);
      Read(index - std::min<std::uint64_t>(index, 5), 11);
    }
  }

 private:
  void Read(std::uint64_t first, std::uint64_t count) {
    board_.ForRange(first, count, [this](core::Handle handle) {
      core::MemberBuffer buffer;
      Use(board_.cells().WordAt(handle, 0) + board_.cells().MemberOf(handle, buffer).size());
    });
  }

  PbDsBoard board_;
  Stamp stamp_ = kFirstStamp;
};

std::vector<std::string_view> MembersOf(const Workload::Writes& writes) {
  std::vector<std::string_view> members;
  for (const Write& write : writes.list) members.push_back(write.member);
  return members;
}

}  // namespace

void PrintGrowthHeader() {
  std::printf("\n%-14s %10s | %-11s %-11s %-11s %-11s %-11s %-11s %-6s | %s\n", "scores", "entries",
              "insert", "update", "+1", "rank", "top 10", "around 10", "dense", "fill, bytes");
}

void PrintGrowthRow(Distribution distribution, std::uint64_t entries, const SpeedOptions& options) {
  const std::uint64_t count = std::clamp<std::uint64_t>(entries, 100'000, options.operations);
  Workload workload(distribution, MemberStyle::kText18, entries, entries);
  const Workload::Writes inserts = workload.Inserts();
  const Workload::Writes updates = workload.Updates(count);
  const Workload::Writes increments = workload.Increments(count);
  const Workload::Writes reads = workload.Members(count);

  auto ours = std::make_unique<OurBoard>();
  const double insert = TimePerOperation(entries, [&] { ours->Write(inserts.list); });
  const double update = TimePerOperation(count, [&] { ours->Write(updates.list); });
  const double rank = TimePerOperation(count, [&] { ours->Rank(reads.list); });
  const double top = TimePerOperation(count, [&] { ours->Top(count); });
  const double around = TimePerOperation(count, [&] { ours->Around(reads.list); });
  const double dense = TimePerOperation(count, [&] { ours->DenseRank(reads.list); });
  const double bytes =
      static_cast<double>(ours->board().MemoryUsage()) / static_cast<double>(entries);
  const double fill = ours->board().entries().LeafFill();
  // Increments come last, because they change the distribution of scores.
  const double plus_one = TimePerOperation(count, [&] { ours->Write(increments.list); });
  ours.reset();

  auto rival = std::make_unique<Rival>();
  const double rival_insert = TimePerOperation(entries, [&] { rival->Write(inserts.list); });
  const double rival_update = TimePerOperation(count, [&] { rival->Write(updates.list); });
  const double rival_rank = TimePerOperation(count, [&] { rival->Rank(reads.list); });
  const double rival_top = TimePerOperation(count, [&] { rival->Top(count); });
  const double rival_around = TimePerOperation(count, [&] { rival->Around(reads.list); });
  const double rival_plus = TimePerOperation(count, [&] { rival->Write(increments.list); });

  const auto pair = [](double our, double other) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.0f/%.0f", our, other);
    return std::string(text);
  };
  std::printf("%-14s %10llu | %-11s %-11s %-11s %-11s %-11s %-11s %-6.0f | %.2f, %.1f\n",
              NameOf(distribution), static_cast<unsigned long long>(entries),
              pair(insert, rival_insert).c_str(), pair(update, rival_update).c_str(),
              pair(plus_one, rival_plus).c_str(), pair(rank, rival_rank).c_str(),
              pair(top, rival_top).c_str(), pair(around, rival_around).c_str(), dense, fill, bytes);
  std::fflush(stdout);
}

double MeasureAgainstPbDs(const char* name, std::uint64_t entries, const SpeedOptions& options,
                          Report* report) {
  Workload workload(Distribution::kUniform, MemberStyle::kText18, entries, entries + 1);
  auto ours = std::make_unique<OurBoard>();
  auto rival = std::make_unique<Rival>();
  {
    const Workload::Writes inserts = workload.Inserts();
    ours->WriteInBatches(inserts.list);
    rival->Write(inserts.list);
  }
  std::vector<double> update, update_single, update_rival, rank, rank_single, rank_rival;
  for (int i = 0; i < options.repeats; ++i) {  // alternate: disturbances affect all alike
    const std::uint64_t count = options.operations;
    const Workload::Writes batched = workload.Updates(count);
    update.push_back(TimePerOperation(count, [&] { ours->WriteInBatches(batched.list); }));
    const Workload::Writes single = workload.Updates(count);
    update_single.push_back(TimePerOperation(count, [&] { ours->Write(single.list); }));
    update_rival.push_back(TimePerOperation(count, [&] { rival->Write(single.list); }));
    const Workload::Writes reads = workload.Members(count);
    const std::vector<std::string_view> members = MembersOf(reads);
    rank.push_back(TimePerOperation(count, [&] { ours->RankInBatches(members); }));
    rank_single.push_back(TimePerOperation(count, [&] { ours->Rank(reads.list); }));
    rank_rival.push_back(TimePerOperation(count, [&] { rival->Rank(reads.list); }));
  }
  const auto add = [&](const char* what, const char* suffix, std::vector<double> our,
                       std::vector<double> other) {
    report->Add({std::string(what) + name + suffix, 1e3 / Median(std::move(our)),
                 1e3 / Median(std::move(other)), "M/s"});
  };
  add("update_", "", update, update_rival);
  add("rank_", "", rank, rank_rival);
  add("update_", "_single", update_single, update_rival);
  add("rank_", "_single", rank_single, rank_rival);
  return Median(update);
}

double SlowestInsert(std::uint64_t entries) {
  Workload workload(Distribution::kUniform, MemberStyle::kText18, entries, 3);
  const Workload::Writes inserts = workload.Inserts();
  OurBoard ours;
  double slowest = 0;
  auto before = Clock::now();
  for (const Write& write : inserts.list) {
    ours.WriteOne(write);
    const auto after = Clock::now();
    slowest = std::max(slowest, Nanoseconds(before, after));
    before = after;
  }
  return slowest / 1e6;
}

}  // namespace laurel::bench
