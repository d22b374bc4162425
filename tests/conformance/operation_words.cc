#include "tests/conformance/operation_words.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace laurel::conformance {
namespace {

using leaderboard::InstanceSelector;

std::string TimeText(const std::optional<Stamp>& time) {
  return time ? std::to_string(*time) + "us" : "none";
}

std::string DurationText(std::int64_t micros) { return std::to_string(micros / 1'000'000) + "s"; }

class Rendering {
 public:
  Rendering(std::string_view board, const Spec& spec, InstanceWords instances)
      : board_(board), spec_(spec), instances_(instances) {}

  // Each returns false if no LB command expresses the operation.
  bool operator()(const leaderboard::Submit& submit);
  bool operator()(const leaderboard::SubmitMany& many);
  bool operator()(const leaderboard::Restore& restore) {
    return Begin("LB.RESTORE", {}) && Add({std::string(restore.chunk)}) &&
           (!restore.with_meta || Add({"META"}));
  }
  bool operator()(const leaderboard::SetMeta& meta) {
    return Begin("LB.META", meta.instance, false) &&
           Add({std::string(meta.member), std::string(meta.meta)});
  }
  bool operator()(const leaderboard::Remove& remove) {
    return Begin("LB.REMOVE", remove.instance, false) && AddMembers(remove.members);
  }
  bool operator()(const leaderboard::RemoveRange&) { return false; }
  bool operator()(const leaderboard::Hide& hide) {
    return Begin("LB.HIDE", {}) && AddMembers(hide.members);
  }
  bool operator()(const leaderboard::Show& show) {
    return Begin("LB.SHOW", {}) && AddMembers(show.members);
  }
  bool operator()(const leaderboard::Pop& pop) {
    Begin("LB.POP", pop.instance);
    Add({std::to_string(pop.count)});
    if (pop.worst) Add({"BOTTOM"});
    if (pop.with_meta) Add({"WITHMETA"});
    return true;
  }
  bool operator()(const leaderboard::Trim& trim) {
    return Begin("LB.TRIM", trim.instance) && Add({std::to_string(trim.kept)});
  }
  bool operator()(const leaderboard::Clear& clear) { return Begin("LB.CLEAR", clear.instance); }
  bool operator()(const leaderboard::Alter& alter);

  bool operator()(const leaderboard::Get& get) {
    return Begin("LB.GET", get.options.instance) && Add({std::string(get.member)}) &&
           AddOptions(get.options);
  }
  bool operator()(const leaderboard::Top& top) {
    return Begin("LB.TOP", top.options.instance) && Add({std::to_string(top.count)}) &&
           AddOptions(top.options);
  }
  bool operator()(const leaderboard::Range& range) {
    return Begin("LB.RANGE", range.options.instance) &&
           Add({std::to_string(range.first), std::to_string(range.last)}) &&
           AddOptions(range.options);
  }
  bool operator()(const leaderboard::Around& around) {
    return Begin("LB.AROUND", around.options.instance) &&
           Add({std::string(around.member), std::to_string(around.radius)}) &&
           AddOptions(around.options);
  }
  bool operator()(const leaderboard::Among& among) {
    return Begin("LB.AMONG", among.options.instance) &&
           Add({std::to_string(among.members.size())}) && AddMembers(among.members) &&
           AddOptions(among.options);
  }
  bool operator()(const leaderboard::RankOf& rank_of) {
    return Begin("LB.RANKOF", rank_of.options.instance) && AddValues(rank_of.values) &&
           AddKind(rank_of.options);
  }
  bool operator()(const leaderboard::Count& count) {
    return Begin("LB.COUNT", count.options.instance) &&
           Add({std::string(count.bounds.min), std::string(count.bounds.max)});
  }
  bool operator()(const leaderboard::Between& between) {
    Begin("LB.BETWEEN", between.options.instance);
    Add({std::string(between.bounds.min), std::string(between.bounds.max)});
    if (between.limit != UINT64_MAX) {
      Add({"LIMIT", std::to_string(between.offset), std::to_string(between.limit)});
    }
    return AddOptions(between.options);
  }
  bool operator()(const leaderboard::Size& size) { return Begin("LB.SIZE", size.options.instance); }
  bool operator()(const leaderboard::PercentileOf& percentile) {
    return Begin("LB.PERCENTILE", percentile.options.instance) &&
           Add({std::string(percentile.member)});
  }
  bool operator()(const leaderboard::Quantile& quantile) {
    return Begin("LB.QUANTILE", quantile.options.instance) &&
           Add({FormatNumber(quantile.percent, 9)});
  }
  bool operator()(const leaderboard::Histogram& histogram) {
    return Begin("LB.HISTOGRAM", histogram.options.instance) &&
           Add({std::to_string(histogram.buckets)});
  }
  bool operator()(const leaderboard::Describe& describe) {
    return Begin("LB.DESCRIBE", describe.instance);
  }
  bool operator()(const leaderboard::ListPeriods&) { return Begin("LB.PERIODS", {}); }

  Words Take() {
    Words words = std::move(words_);
    words.insert(words.end(), last_.begin(), last_.end());
    return words;
  }

 private:
  bool Begin(std::string command, const std::optional<InstanceSelector>& instance,
             bool takes_period = true) {
    words_ = {std::move(command), board_};
    if (!instance) return true;
    if (instances_ == InstanceWords::kInTheName || !takes_period) {
      words_[1] += "@" + std::string(instance->text);
    } else {
      last_ = {"PERIOD", std::string(instance->text)};
    }
    return true;
  }
  bool Add(const Words& words) {
    words_.insert(words_.end(), words.begin(), words.end());
    return true;
  }
  bool AddMembers(std::span<const std::string_view> members) {
    return Add(Words(members.begin(), members.end()));
  }
  bool AddValues(const leaderboard::Values& values) {
    if (values.score != nullptr) return AddScore(*values.score);
    return Add(Words(values.texts.begin(), values.texts.end()));
  }
  // Returns false if the number of fields is wrong: such a score has no text.
  bool AddScore(const Score& score) {
    return score.size() == spec_.fields.size() && Add(FormatScore(spec_, score));
  }
  bool AddKind(const leaderboard::ReadOptions& options) {
    if (options.kind == RankKind::kCompetition) Add({"KIND", "competition"});
    if (options.kind == RankKind::kDense) Add({"KIND", "dense"});
    return true;
  }
  bool AddOptions(const leaderboard::ReadOptions& options) {
    if (options.with_meta) Add({"WITHMETA"});
    return AddKind(options);
  }

  std::string board_;
  const Spec& spec_;
  InstanceWords instances_;
  Words words_;
  Words last_;
};

bool Rendering::operator()(const leaderboard::Submit& submit) {
  if (submit.only != Write::Only::kAnyValue || !submit.ranks) return false;
  constexpr const char* kCommands[] = {"LB.SUBMIT", "LB.SET", "LB.INCR"};
  Begin(kCommands[static_cast<std::size_t>(submit.mode)], {});
  Add({std::string(submit.member)});
  if (!AddValues(submit.values)) return false;
  if (submit.condition == Write::If::kAbsent) Add({"NX"});
  if (submit.condition == Write::If::kPresent) Add({"XX"});
  if (submit.at) Add({"AT", TimeText(submit.at)});
  if (submit.id) Add({"ID", std::string(*submit.id)});
  if (submit.meta) Add({"META", std::string(*submit.meta)});
  return true;
}

bool Rendering::operator()(const leaderboard::SubmitMany& many) {
  if (!many.ranks || many.other_boards_hash != 0) return false;
  // A retry after the board was dropped and created again, with another number of fields.
  if (many.texts.size() % (spec_.fields.size() + 1) != 0) return false;
  for (const Write& write : many.writes) {
    const bool plain = write.mode == WriteMode::kSubmit && !write.meta &&
                       write.condition == Write::If::kAlways &&
                       write.only == Write::Only::kAnyValue;
    if (!plain) return false;
  }
  Begin("LB.MSUBMIT", {});
  Add({std::to_string(StampsFor(many, spec_))});
  AddMembers(many.texts);
  for (const Write& write : many.writes) {
    Add({std::string(write.member)});
    if (!AddScore(write.score)) return false;
  }
  const std::optional<Stamp> at = many.writes.empty() ? many.at : many.writes[0].at;
  if (at) Add({"AT", TimeText(at)});
  if (many.id) Add({"ID", std::string(*many.id)});
  return true;
}

bool Rendering::operator()(const leaderboard::Alter& alter) {
  const Spec& to = *alter.spec;
  // A retry after the board was dropped and created again: its spec is that of another board.
  if (to.fields != spec_.fields || to.periods != spec_.periods || to.zone != spec_.zone ||
      to.turn_minutes != spec_.turn_minutes) {
    return false;
  }
  Begin("LB.ALTER", {});
  Add({"POLICY", std::string(PolicyName(to.policy))});
  if (to.tie != spec_.tie) Add({"TIE", std::string(TieName(to.tie))});
  if (to.cap != spec_.cap) Add({"CAP", std::to_string(to.cap)});
  if (to.start != spec_.start) Add({"START", TimeText(to.start)});
  if (to.end != spec_.end) Add({"END", TimeText(to.end)});
  // `END none` alone would clear GRACE too.
  const bool clears_end = spec_.end && !to.end;
  if (to.grace_us != spec_.grace_us || clears_end) Add({"GRACE", DurationText(to.grace_us)});
  if (to.expire_us != spec_.expire_us) Add({"EXPIRE", DurationText(to.expire_us)});
  if (to.keep != spec_.keep) Add({"KEEP", std::to_string(to.keep)});
  if (to.dedup != spec_.dedup) Add({"DEDUP", std::to_string(to.dedup)});
  return true;
}

}  // namespace

std::optional<Words> WordsOf(const leaderboard::Operation& operation, std::string_view board,
                             const Spec& spec, InstanceWords instances) {
  Rendering rendering(board, spec, instances);
  const bool rendered =
      std::visit([&](const auto& of_kind) { return std::visit(rendering, of_kind); }, operation);
  if (!rendered) return std::nullopt;
  return rendering.Take();
}

Words CreateWords(std::string_view board, const Spec& spec) {
  Words words = {"LB.CREATE", std::string(board)};
  std::istringstream options(DescribeSpec(spec));
  for (std::string word; options >> word;) words.push_back(word);
  return words;
}

}  // namespace laurel::conformance
