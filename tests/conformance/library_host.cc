#include "tests/conformance/library_host.h"

#include <memory_resource>
#include <optional>
#include <span>
#include <stdexcept>

#include "api/collection.h"
#include "leaderboard/entries.h"
#include "tests/conformance/conformance_answer.h"
#include "tests/leaderboard/mirror.h"

namespace laurel::conformance {
namespace {

using leaderboard::InstanceSelector;
using leaderboard::Missing;

constexpr std::string_view kBoard = "lb";
constexpr std::size_t kBudget = 3;         // of one Advance: small, so that there is often more
constexpr std::uint64_t kAnnounced = 100;  // entries that the announcement of a close holds

std::string SelectorOf(const Instance& instance) {
  return std::string(PeriodName(instance.period)) + ":" + std::string(instance.label);
}

// Board::Remove and Board::Clear have no parameter for the time. They count entries of instances
// that are no longer kept until Advance has dropped these instances.
bool CountsWithoutTime(const leaderboard::Operation& operation) {
  const auto* write = std::get_if<leaderboard::WriteOperation>(&operation);
  if (write == nullptr) return false;
  const auto* remove = std::get_if<leaderboard::Remove>(write);
  const auto* clear = std::get_if<leaderboard::Clear>(write);
  return (remove != nullptr && !remove->instance) || (clear != nullptr && !clear->instance);
}

// Calls the library for one operation and passes its result to the answer.
class Calling {
 public:
  Calling(const Board& board, Stamp now, StampClock* stamps, leaderboard::Answer* answer)
      : board_(board), now_(now), stamps_(*stamps), answer_(*answer) {}

  void operator()(const leaderboard::Submit& submit);
  void operator()(const leaderboard::SubmitMany& many);
  void operator()(const leaderboard::Restore&) { throw std::logic_error("see Takes"); }
  void operator()(const leaderboard::SetMeta& meta);
  void operator()(const leaderboard::Remove& remove) {
    OnPlace(remove.instance, [&](auto& place) { TellNumber(place.Remove(remove.members)); });
  }
  void operator()(const leaderboard::RemoveRange&) { throw std::logic_error("see Takes"); }
  void operator()(const leaderboard::Hide& hide) { TellNumber(board_.Hide(hide.members)); }
  void operator()(const leaderboard::Show& show) { TellNumber(board_.Show(show.members)); }
  void operator()(const leaderboard::Pop& pop) {
    const Ranking::End end = pop.worst ? Ranking::End::kWorst : Ranking::End::kBest;
    OnPlace(pop.instance,
            [&](auto& place) { TellEntries(place.Pop(pop.count, end), pop.with_meta); });
  }
  void operator()(const leaderboard::Trim& trim) {
    OnPlace(trim.instance, [&](auto& place) { TellNumber(place.Trim(trim.kept)); });
  }
  void operator()(const leaderboard::Clear& clear) {
    OnPlace(clear.instance, [&](auto& place) { TellNumber(place.Clear()); });
  }
  void operator()(const leaderboard::Alter& alter) {
    const Status altered = board_.Alter(*alter.spec, now_);
    altered.ok() ? answer_.Done() : answer_.Refused(altered.error());
  }

  void operator()(const leaderboard::Get& get);
  void operator()(const leaderboard::Top& top) {
    Read(top.options.instance, [&](const Ranking& ranking) {
      TellEntries(ranking.Top(top.count, top.options.kind), top.options.with_meta);
    });
  }
  void operator()(const leaderboard::Range& range) {
    Read(range.options.instance, [&](const Ranking& ranking) {
      TellEntries(ranking.Range(range.first, range.last, range.options.kind),
                  range.options.with_meta);
    });
  }
  void operator()(const leaderboard::Around& around) {
    Read(around.options.instance, [&](const Ranking& ranking) {
      const auto found = ranking.Around(around.member, around.radius, around.options.kind);
      found ? TellEntries(*found, around.options.with_meta) : answer_.Absent(Missing::kEntries);
    });
  }
  void operator()(const leaderboard::Among& among);
  void operator()(const leaderboard::RankOf& rank_of);
  void operator()(const leaderboard::Count& count) {
    Read(count.options.instance, [&](const Ranking& ranking) {
      Within(ranking, count.bounds, [&](const ScoreBound& min, const ScoreBound& max) {
        answer_.Number(ranking.Count(min, max));
      });
    });
  }
  void operator()(const leaderboard::Between& between) {
    Read(between.options.instance, [&](const Ranking& ranking) {
      Within(ranking, between.bounds, [&](const ScoreBound& min, const ScoreBound& max) {
        TellEntries(ranking.Between(min, max, between.offset, between.limit, between.options.kind),
                    between.options.with_meta);
      });
    });
  }
  void operator()(const leaderboard::Size& size) {
    Read(size.options.instance, [&](const Ranking& ranking) { answer_.Number(ranking.size()); });
  }
  void operator()(const leaderboard::PercentileOf& percentile) {
    Read(percentile.options.instance, [&](const Ranking& ranking) {
      const std::optional<Percentile> found = ranking.PercentileOf(percentile.member);
      found ? answer_.ShowPercentile(*found) : answer_.Absent(Missing::kPercentile);
    });
  }
  void operator()(const leaderboard::Quantile& quantile) {
    Read(quantile.options.instance, [&](const Ranking& ranking) {
      const auto score = ranking.Quantile(quantile.percent);
      if (!score.ok()) return answer_.Refused(score.error());
      *score ? answer_.ShowScore(ranking.spec(), **score) : answer_.Absent(Missing::kScore);
    });
  }
  void operator()(const leaderboard::Histogram& histogram) {
    Read(histogram.options.instance, [&](const Ranking& ranking) {
      const auto buckets = ranking.Histogram(histogram.buckets);
      buckets.ok() ? answer_.ShowHistogram(ranking.spec(), *buckets)
                   : answer_.Refused(buckets.error());
    });
  }
  void operator()(const leaderboard::Describe& describe);
  void operator()(const leaderboard::ListPeriods&);

 private:
  template <typename Call>
  void OnInstance(const InstanceSelector& instance, const Call& call) {
    Result<BoardInstance> found = board_.InPeriod(instance.text, now_);
    found.ok() ? call(*found) : answer_.Refused(found.error());
  }
  // Calls `write` with the object that the operation changes: the board, or one instance.
  template <typename Call>
  void OnPlace(const std::optional<InstanceSelector>& instance, const Call& write) {
    instance ? OnInstance(*instance, write) : write(board_);
  }
  // Calls `read` with the ranking that the operation reads: the current one, or one instance's.
  template <typename Call>
  void Read(const std::optional<InstanceSelector>& instance, const Call& read) {
    if (instance) return OnInstance(*instance, read);
    const Result<Ranking> present = board_.Present(now_);
    present.ok() ? read(*present) : answer_.Refused(present.error());
  }
  // Calls `read` with the bounds, if they are valid.
  template <typename Call>
  void Within(const Ranking& ranking, const leaderboard::Bounds& bounds, const Call& read) {
    const auto found = leaderboard::ReadBounds(ranking.spec(), bounds);
    found.ok() ? read(found->min, found->max) : answer_.Refused(found.error());
  }

  static Result<Score> ScoreOf(const Spec& spec, const leaderboard::Values& values) {
    if (values.score != nullptr) return *values.score;
    return ParseScore(spec, values.texts);
  }
  // The shortest call that the library has for the write.
  Result<WriteVerdict> Apply(const Write& write, const WriteOptions& options);

  void TellNumber(const Result<std::uint64_t>& number) {
    number.ok() ? answer_.Number(*number) : answer_.Refused(number.error());
  }
  void TellEntries(const Result<std::vector<Entry>>& entries, bool with_meta);
  void TellVerdicts(std::span<const WriteVerdict> verdicts, bool single);
  static leaderboard::EntryLine LineOf(const Entry& entry) {
    return {entry.rank, entry.member, &entry.score, entry.stamp, entry.meta};
  }

  Board board_;
  Stamp now_;
  StampClock& stamps_;
  leaderboard::Answer& answer_;
};

// Writes ------------------------------------------------------------------------------------------

void Calling::operator()(const leaderboard::Submit& submit) {
  const Result<Score> score = ScoreOf(board_.spec(), submit.values);
  if (!score.ok()) return answer_.Refused(score.error());
  const Write write{.member = submit.member,
                    .score = *score,
                    .mode = submit.mode,
                    .condition = submit.condition,
                    .only = submit.only,
                    .at = submit.at,
                    .meta = submit.meta};
  const Result<WriteVerdict> verdict = Apply(write, {.id = submit.id, .ranks = submit.ranks});
  verdict.ok() ? TellVerdicts({&*verdict, 1}, true) : answer_.Refused(verdict.error());
}

Result<WriteVerdict> Calling::Apply(const Write& write, const WriteOptions& options) {
  const Moment moment{now_, stamps_.Take(now_)};
  // ApplyBatch gives no ranks, takes no id, and gives the verdict of one period only.
  if (!options.ranks && !options.id && board_.spec().periods.empty()) {
    std::vector<Result<Verdict>> verdicts;
    board_.ApplyBatch({&write, 1}, moment, &verdicts);
    if (!verdicts.at(0).ok()) return verdicts[0].error();
    return WriteVerdict{*verdicts[0], {}, false};
  }
  const bool plain = write.condition == Write::If::kAlways &&
                     write.only == Write::Only::kAnyValue && !write.at && !write.meta;
  if (!plain) return board_.Apply(write, moment, options);
  switch (write.mode) {
    case WriteMode::kSubmit:
      return board_.Submit(write.member, write.score, moment, options);
    case WriteMode::kSet:
      return board_.Set(write.member, write.score, moment, options);
    case WriteMode::kIncrement:
      return board_.Increment(write.member, write.score, moment, options);
    case WriteMode::kRestore:
    case WriteMode::kFold:
      break;
  }
  throw std::logic_error("no such mode");
}

void Calling::operator()(const leaderboard::SubmitMany& many) {
  std::vector<Write> writes(many.writes.begin(), many.writes.end());
  const std::size_t fields = board_.spec().fields.size();
  for (std::size_t i = 0; i + fields < many.texts.size(); i += fields + 1) {
    const Result<Score> score = ParseScore(board_.spec(), many.texts.subspan(i + 1, fields));
    if (!score.ok()) return answer_.Refused(score.error());
    writes.push_back({.member = many.texts[i], .score = *score, .at = many.at});
  }
  const Moment moment{now_, writes.empty() ? 0 : stamps_.Take(now_, writes.size())};
  const auto verdicts = board_.ApplyAll(writes, moment, {.id = many.id, .ranks = many.ranks});
  verdicts.ok() ? TellVerdicts(*verdicts, false) : answer_.Refused(verdicts.error());
}

void Calling::operator()(const leaderboard::SetMeta& meta) {
  const auto tell = [&](const Result<bool>& found) {
    found.ok() ? answer_.Number(*found ? 1 : 0) : answer_.Refused(found.error());
  };
  if (!meta.instance) return tell(board_.SetMeta(meta.member, meta.meta, now_));
  OnInstance(*meta.instance,
             [&](BoardInstance& instance) { tell(instance.SetMeta(meta.member, meta.meta)); });
}

// Reads -------------------------------------------------------------------------------------------

void Calling::operator()(const leaderboard::Get& get) {
  Read(get.options.instance, [&](const Ranking& ranking) {
    const std::optional<Entry> entry = ranking.Get(get.member, get.options.kind);
    if (!entry) return answer_.Absent(Missing::kEntry);
    answer_.OneEntry({&ranking.spec(), get.options.with_meta, false, ranking.size()},
                     LineOf(*entry));
  });
}

void Calling::operator()(const leaderboard::Among& among) {
  Read(among.options.instance, [&](const Ranking& ranking) {
    const std::vector<AmongEntry> found = ranking.Among(among.members, among.options.kind);
    const leaderboard::EntryShape shape{&ranking.spec(), among.options.with_meta, true,
                                        std::nullopt};
    answer_.BeginEntries(shape, found.size());
    for (const AmongEntry& one : found) {
      leaderboard::EntryLine line;
      if (one.entry) line = LineOf(*one.entry);
      line.member = one.member;
      answer_.NextEntry(shape, line, one.place);
    }
  });
}

void Calling::operator()(const leaderboard::RankOf& rank_of) {
  Read(rank_of.options.instance, [&](const Ranking& ranking) {
    const Result<Score> score = ScoreOf(ranking.spec(), rank_of.values);
    if (!score.ok()) return answer_.Refused(score.error());
    const auto rank = ranking.RankOf(*score, rank_of.options.kind);
    if (!rank.ok()) return answer_.Refused(rank.error());
    *rank ? answer_.Number(**rank) : answer_.Absent(Missing::kRank);
  });
}

void Calling::operator()(const leaderboard::Describe& describe) {
  const BoardInfo info = board_.Describe(now_);
  leaderboard::Description description;
  description.spec = description.declared = &info.spec;
  description.size = info.size;
  description.hidden = info.hidden;
  if (!describe.instance) return answer_.ShowDescription(description);
  // The library gives spec and size of an instance; the number of hidden members is the board's.
  Read(describe.instance, [&](const Ranking& ranking) {
    description.spec = &ranking.spec();
    description.size = ranking.size();
    answer_.ShowDescription(description);
  });
}

void Calling::operator()(const leaderboard::ListPeriods&) {
  std::vector<leaderboard::PeriodLine> lines;
  for (const PeriodInfo& info : board_.Periods(now_)) {
    lines.push_back({info.instance, info.present, info.size, info.closed, {}});
  }
  answer_.ShowPeriods(lines);
}

// Answers -----------------------------------------------------------------------------------------

void Calling::TellEntries(const Result<std::vector<Entry>>& entries, bool with_meta) {
  if (!entries.ok()) return answer_.Refused(entries.error());
  const leaderboard::EntryShape shape{&board_.spec(), with_meta, false, std::nullopt};
  answer_.BeginEntries(shape, entries->size());
  for (const Entry& entry : *entries) answer_.NextEntry(shape, LineOf(entry), std::nullopt);
}

void Calling::TellVerdicts(std::span<const WriteVerdict> verdicts, bool single) {
  std::vector<Verdict> all;
  for (const WriteVerdict& verdict : verdicts) {
    all.push_back(static_cast<const Verdict&>(verdict));  // the first period's
    for (std::size_t i = 1; i < verdict.periods.size(); ++i) {
      all.push_back(verdict.periods[i].verdict);
    }
  }
  const bool duplicate = !verdicts.empty() && verdicts[0].duplicate;
  answer_.Verdicts({&board_.spec(), all, single, duplicate});
}

}  // namespace

LibraryHost::LibraryHost() : calendars_(ZoneCalendars()), boards_(NoBoards()) {}

Boards LibraryHost::NoBoards() const {
  return Boards(std::make_unique<api::Collection>(std::pmr::get_default_resource(), 1, calendars_,
                                                  leaderboard::Mirror::SmallShape()));
}

void LibraryHost::Create(const Spec& spec) {
  boards_.Drop(kBoard);
  const Result<Board> created = boards_.Create(kBoard, spec, now_);
  if (!created.ok()) throw std::runtime_error(created.error().ToString());
  closed_.clear();
}

bool LibraryHost::Takes(const leaderboard::Operation& operation) const {
  const auto* write = std::get_if<leaderboard::WriteOperation>(&operation);
  if (write == nullptr) return true;
  // The library has no call that removes a range of ranks, and none that takes a chunk.
  if (std::holds_alternative<leaderboard::RemoveRange>(*write)) return false;
  if (std::holds_alternative<leaderboard::Restore>(*write)) return false;
  const auto* many = std::get_if<leaderboard::SubmitMany>(write);
  if (many == nullptr) return true;
  // A call of the library writes to one board only, so there is no hash of writes to others.
  if (many->other_boards_hash != 0) return false;
  // ApplyAll of an empty list gives no verdicts; other hosts refuse it.
  const std::optional<Board> board = boards_.Find(kBoard);
  return board && StampsFor(*many, board->spec()) > 0;
}

std::string LibraryHost::Ask(const leaderboard::Operation& operation) {
  if (CountsWithoutTime(operation)) Advance();
  const std::optional<Board> board = boards_.Find(kBoard, now_);
  ConformanceAnswer answer;
  if (board) {
    Calling calling(*board, now_, &stamps_, &answer);
    std::visit([&](const auto& of_kind) { std::visit(calling, of_kind); }, operation);
  } else {
    answer.Refused({ErrorCode::kNoBoard, "it has ended"});
  }
  return answer.text();
}

void LibraryHost::Advance() {
  for (bool more = true; more;) {
    const Advanced advanced = boards_.Advance(now_, kBudget);
    for (const ClosedPeriod& closed : advanced.closed) NoteClosed(closed);
    more = advanced.more;
  }
  const std::optional<Board> board = boards_.Find(kBoard, now_);
  if (!board) return;
  for (const PeriodInfo& period : board->Periods(now_)) {
    const std::string selector = SelectorOf(period.instance);
    if (period.closed && !closed_.contains(selector)) trouble_ = selector + " was not announced";
  }
}

void LibraryHost::NoteClosed(const ClosedPeriod& closed) {
  const std::string selector = SelectorOf(closed.instance);
  if (!closed_.insert(selector).second) trouble_ = selector + " was announced again";
  const std::optional<Board> board = boards_.Find(closed.board, now_);
  if (!board) return;
  const Result<BoardInstance> kept = board->InPeriod(selector, now_);
  if (!kept.ok()) return;
  std::vector<Entry> top = kept->Top(kAnnounced);
  for (Entry& entry : top) entry.meta.clear();
  if (closed.size != kept->size() || closed.top != top) {
    trouble_ = selector + " was announced with other entries";
  }
}

void LibraryHost::Restart() {
  Boards restarted = NoBoards();
  if (const std::optional<Board> board = boards_.Find(kBoard)) {
    const Result<Board> restored = restarted.Restore(kBoard, board->Save(), now_);
    if (!restored.ok()) throw std::runtime_error(restored.error().ToString());
    stamps_ = StampClock(restored->last_stamp());
  }
  boards_ = std::move(restarted);
}

std::string LibraryHost::Check() const {
  if (!trouble_.empty()) return trouble_;
  const std::optional<Board> board = boards_.Find(kBoard);
  return board ? board->Validate() : "";
}

}  // namespace laurel::conformance
