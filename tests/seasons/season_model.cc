#include "tests/seasons/season_model.h"

#include <algorithm>
#include <utility>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

constexpr std::string_view kPolicies[] = {"set", "best", "sum"};
constexpr std::string_view kVerbs[] = {"LB.SUBMIT",  "LB.SET", "LB.INCR",
                                       "LB.MSUBMIT", "ZADD",   "ZINCRBY"};

calendar::ZoneCalendar CalendarOf(const ModelSpec& spec) {
  return *calendar::ZoneCalendar::Of(spec.zone, spec.turn_minutes);
}

std::string ScoreText(const std::optional<ModelEntry>& entry) {
  return entry.has_value() ? std::to_string(entry->score) : "nil";
}

}  // namespace

std::string ModelSpec::Options() const {
  std::string options = "POLICY " + std::string(kPolicies[static_cast<std::size_t>(policy)]);
  if (cap > 0) options += " CAP " + std::to_string(cap);
  if (end.has_value()) options += " END " + Micros(*end);
  if (grace > 0) options += " GRACE " + std::to_string(grace) + "us";
  options += " DEDUP " + std::to_string(dedup);
  if (periods.empty()) return options;
  options += " PERIODS " + std::to_string(periods.size());
  for (const Period period : periods) options += " " + std::string(PeriodName(period));
  return options + " TZ " + zone + " TURN " + FormatTurn(turn_minutes) + " KEEP " +
         std::to_string(keep);
}

std::string ModelWrite::Line() const {
  std::string line(kVerbs[static_cast<std::size_t>(verb)]);
  line += " lb";
  if (verb == Verb::kMsubmit) line += " " + std::to_string(values.size());
  for (const auto& [member, value] : values) {
    const bool redis = verb == Verb::kZadd || verb == Verb::kZincrby;
    line += redis ? " " + std::to_string(value) + " " + member
                  : " " + member + " " + std::to_string(value);
  }
  if (!condition.empty()) line += " " + condition;
  if (at.has_value()) line += " AT " + Micros(*at);
  if (!id.empty()) line += " ID " + id;
  return line;
}

SeasonModel::SeasonModel(const ModelSpec& spec) : spec_(spec), calendar_(CalendarOf(spec)) {
  if (spec.periods.empty()) instances_[{0, 0}] = {};
}

std::string SeasonModel::Refusal(const ModelWrite& write, Stamp now) const {
  if (!write.id.empty() && spec_.dedup == 0) return "ERR";
  const Stamp moment = write.at.value_or(now);
  if (spec_.end.has_value() && (moment >= *spec_.end || now >= *spec_.end + spec_.grace)) {
    return "CLOSED";
  }
  if (!write.at.has_value()) return "";
  for (const Period period : spec_.periods) {
    const Instance instance = calendar_.At(period, *write.at);
    if (instance == calendar_.At(period, Effective(now))) continue;
    if (now >= instance.end + spec_.grace) return "CLOSED";
  }
  return "";
}

SeasonModel::Ranked SeasonModel::Visible(const ModelEntries& entries) const {
  Ranked ranked;
  for (const auto& [member, entry] : entries) {
    if (!hidden_.contains(member)) ranked.emplace_back(member, entry);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    if (a.second.score != b.second.score) return a.second.score > b.second.score;
    if (a.second.stamp != b.second.stamp) return a.second.stamp < b.second.stamp;
    return a.first < b.first;
  });
  return ranked;
}

std::string SeasonModel::RankText(const ModelEntries& entries, const std::string& member) const {
  const Ranked ranked = Visible(entries);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (ranked[i].first == member) return std::to_string(i + 1);
  }
  return "nil";
}

SeasonModel::Change SeasonModel::Decide(const ModelWrite& write, const ModelEntries& entries,
                                        std::size_t i, Stamp stamp) const {
  using Verb = ModelWrite::Verb;
  const auto& [member, value] = write.values[i];
  Change change;
  if (const auto found = entries.find(member); found != entries.end()) {
    change.before = found->second;
  }
  change.after = change.before;
  change.status = "skipped";
  if (write.condition == "NX" && change.before.has_value()) return change;
  if (write.condition == "XX" && !change.before.has_value()) return change;

  ModelPolicy policy = spec_.policy;
  if (write.verb == Verb::kSet || write.verb == Verb::kZadd) policy = ModelPolicy::kSet;
  if (write.verb == Verb::kIncr || write.verb == Verb::kZincrby) policy = ModelPolicy::kSum;
  change.status = "accepted";
  if (!change.before.has_value()) {
    change.after = {value, stamp};
    return change;
  }
  const std::int64_t old = change.before->score;
  const std::int64_t score = policy == ModelPolicy::kSum ? old + value : value;
  if (score == old) {
    change.status = "unchanged";
  } else if (policy == ModelPolicy::kBest && score < old) {
    change.status = "not-best";
  } else {
    const bool builds = policy == ModelPolicy::kSum;
    change.after = {score, builds ? std::max(stamp, change.before->stamp) : stamp};
  }
  return change;
}

void SeasonModel::Evict(ModelEntries* entries) const {
  if (spec_.cap == 0) return;
  const Ranked ranked = Visible(*entries);
  for (std::size_t i = spec_.cap; i < ranked.size(); ++i) entries->erase(ranked[i].first);
}

std::vector<std::string> SeasonModel::ApplyTo(const ModelWrite& write, ModelEntries* entries,
                                              Stamp stamp) {
  const ModelEntries before = *entries;
  std::vector<Change> changes;
  for (std::size_t i = 0; i < write.values.size(); ++i) {
    const Stamp own = write.at.value_or(stamp + static_cast<Stamp>(i));
    changes.push_back(Decide(write, *entries, i, own));
    if (changes.back().after.has_value()) (*entries)[write.values[i].first] = *changes.back().after;
  }
  Evict(entries);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string& member = write.values[i].first;
    Change& change = changes[i];
    if (!entries->contains(member) && change.after.has_value()) {
      change.status = "not-ranked";
      change.after.reset();
    }
    texts.push_back(change.status + " " + RankText(before, member) + "->" +
                    RankText(*entries, member) + " " + ScoreText(change.before) + "->" +
                    ScoreText(change.after) + (hidden_.contains(member) ? " hidden" : ""));
  }
  return texts;
}

std::vector<std::string> SeasonModel::Apply(const ModelWrite& write, Stamp now, Stamp stamp) {
  const std::size_t count = std::max<std::size_t>(spec_.periods.size(), 1);
  std::vector<std::string> texts(write.values.size());
  for (std::size_t period = 0; period < count; ++period) {
    ModelInstance* instance = At(period, write.at.value_or(Effective(now)));
    if (!write.at.has_value() && instance->when.period != Period::kAll) {
      last_turn_ = std::max(last_turn_, instance->when.begin);
    }
    const std::vector<std::string> verdicts = ApplyTo(write, &instance->entries, stamp);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] += period == 0 ? verdicts[i]
                              : " " + std::string(PeriodName(spec_.periods[period])) + "(" +
                                    verdicts[i] + ")";
    }
  }
  return texts;
}

void SeasonModel::Restamp(const std::string& member, Stamp guess, Stamp stamp) {
  for (auto& [key, instance] : instances_) {
    const auto found = instance.entries.find(member);
    if (found != instance.entries.end() && found->second.stamp == guess) {
      found->second.stamp = stamp;
    }
  }
}

void SeasonModel::Remember(Request request) {
  requests_.push_back(std::move(request));
  SetDedup(spec_.dedup);
}

const SeasonModel::Request* SeasonModel::Find(const std::string& id) const {
  const auto found = std::find_if(requests_.rbegin(), requests_.rend(),
                                  [&](const Request& request) { return request.write.id == id; });
  return found == requests_.rend() ? nullptr : &*found;
}

void SeasonModel::SetDedup(std::size_t dedup) {
  spec_.dedup = dedup;
  while (requests_.size() > dedup) requests_.pop_front();
}

void SeasonModel::Remove(const std::string& member, ModelInstance* only) {
  for (ModelInstance* instance : instances()) {
    if (only == nullptr || only == instance) instance->entries.erase(member);
  }
}

void SeasonModel::Clear(ModelInstance* only) {
  for (ModelInstance* instance : instances()) {
    if (only == nullptr || only == instance) instance->entries.clear();
  }
}

void SeasonModel::Show(const std::string& member) {
  hidden_.erase(member);
  SetCap(spec_.cap);
}

void SeasonModel::SetCap(std::size_t cap) {
  spec_.cap = cap;
  for (ModelInstance* instance : instances()) Evict(&instance->entries);
}

void SeasonModel::Pass(Stamp now) {
  std::erase_if(instances_, [&](const auto& item) {
    Instance later = item.second.when;
    if (later.period == Period::kAll) return false;
    for (int i = 0; i <= spec_.keep; ++i) later = calendar_.At(later.period, later.end);
    return Effective(now) >= later.begin + spec_.grace;
  });
}

ModelInstance* SeasonModel::At(std::size_t period, Stamp moment) {
  if (spec_.periods.empty()) return &instances_[{0, 0}];
  const Instance when = calendar_.At(spec_.periods[period], moment);
  ModelInstance& instance = instances_[{period, when.begin}];
  instance.when = when;
  return &instance;
}

ModelInstance* SeasonModel::Present(std::size_t period, Stamp now) {
  return At(period, Effective(now));
}

std::vector<ModelInstance*> SeasonModel::instances() {
  std::vector<ModelInstance*> all;
  for (auto& [key, instance] : instances_) all.push_back(&instance);
  return all;
}

std::string SeasonModel::Text(const ModelEntries& entries) const {
  std::string text;
  int rank = 0;
  for (const auto& [member, entry] : Visible(entries)) {
    text += (text.empty() ? "" : " ") + std::to_string(++rank) + ":" + member + "=" +
            std::to_string(entry.score) + "@" + std::to_string(entry.stamp);
  }
  return text;
}

std::string SeasonModel::NameOf(const ModelInstance& instance) const {
  if (spec_.periods.empty()) return "lb";
  return "lb@" + std::string(PeriodName(instance.when.period)) +
         (instance.when.label.empty() ? "" : ":" + instance.when.label);
}

}  // namespace laurel::testing
