// Any interleaving of submits, retries, turns of periods, clock steps, removals, changes of the
// declaration, snapshots and restarts gives each accepted id one effect, and every instance what
// the model has.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    how many steps there are (default 50,000)
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/seasons/season_model.h"
#include "tests/seasons/season_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kDefaultSteps = 50'000;
constexpr std::uint64_t kStepsOfALife = 150;
constexpr std::size_t kMembers = 7;
constexpr std::size_t kHistory = 40;  // lines shown with a failure
// Ids are remembered for a day. How far the clock that counts it may be from the one of the test,
// which steps back, is left open.
constexpr Stamp kAgeMargin = 4 * kHour;
constexpr Stamp kMostBack = 2 * kHour;

using Verb = ModelWrite::Verb;

// What `needs` says is judged elsewhere.
std::string WithoutNeeds(std::string text) {
  for (std::size_t at = text.find(" needs="); at != std::string::npos; at = text.find(" needs=")) {
    text.erase(at, text.find_first_of(" );", at + 1) - at);
  }
  return text;
}

struct Counts {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t reused = 0;
  std::uint64_t closed = 0;
  std::uint64_t turns = 0;
  std::uint64_t restarts = 0;
};

class Life {
 public:
  Life(std::uint64_t seed, Counts* counts)
      : random_(seed), counts_(counts), season_("2026-01-01T00:00:00Z", seed) {
    season_.Move(static_cast<Stamp>(random_.Below(365 * 86'400)) * kSecond);
    latest_ = season_.now();
    season_.Ask("LB.CREATE pulse");
    Create();
  }

  void Run(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      Step();
      if (random_.OneIn(6)) FinishSave();
      if (random_.OneIn(8)) Check();
    }
    FinishSave();
    if (!::testing::Test::HasFailure()) Check();
    if (::testing::Test::HasFailure()) ShowHistory();
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_.Below(bound); }
  Stamp now() const { return season_.now(); }
  // Whether the clock was set back and has not caught up. What a given time or a new KEEP means
  // then, where an instance may be closed already, is left open.
  bool IsBehind() const { return now() < latest_; }

  void Note(std::string line) {
    history_.push_back(std::to_string(now()) + "  " + std::move(line));
  }

  void ShowHistory() const {
    const std::size_t first = history_.size() > kHistory ? history_.size() - kHistory : 0;
    std::printf("LB.CREATE lb %s\n", created_.c_str());
    for (std::size_t i = first; i < history_.size(); ++i) std::printf("%s\n", history_[i].c_str());
  }

  Value Get(const std::string& line) {
    Value reply = season_.Get(line);
    Note(line + "  ->  " + reply.Plain().substr(0, 300));
    return reply;
  }

  std::string RandomMember() { return "m" + std::to_string(Below(kMembers)); }

  ModelSpec RandomSpec() {
    ModelSpec spec;
    spec.policy = static_cast<ModelPolicy>(Below(3));
    if (spec.policy != ModelPolicy::kSum && random_.OneIn(2)) spec.cap = 1 + Below(5);
    const Stamp graces[] = {0, kSecond, 10 * kMinute, 50 * kMinute};
    spec.grace = graces[Below(4)];
    const std::size_t dedups[] = {1, 3, 10, 100'000};
    spec.dedup = dedups[Below(4)];
    if (random_.OneIn(5)) {
      spec.end = now() + static_cast<Stamp>(Below(2 * 86'400)) * kSecond;
      return spec;
    }
    std::vector<Period> left = {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth,
                                Period::kAll};
    for (std::size_t i = Below(5) + 1; i > 0; --i) {
      const auto chosen = left.begin() + static_cast<std::ptrdiff_t>(Below(left.size()));
      spec.periods.push_back(*chosen);
      left.erase(chosen);
    }
    const char* zones[] = {"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York",
                           "Pacific/Apia"};
    spec.zone = zones[Below(5)];
    spec.turn_minutes = random_.OneIn(2) ? 0 : static_cast<int>(Below(1440));
    spec.keep = static_cast<int>(Below(4));
    return spec;
  }

  void Create() {
    model_ = std::make_unique<SeasonModel>(RandomSpec());
    sent_.clear();
    closes_.clear();
    names_.clear();
    created_ = model_->spec().Options();
    ASSERT_EQ(Get("LB.CREATE lb " + created_).Plain(), "OK");
  }

  void Step() {
    model_->Pass(now());
    const std::uint64_t dice = Below(100);
    if (dice < 42) return Write(RandomWrite());
    if (dice < 57) return Retry(false);
    if (dice < 61) return Retry(true);
    if (dice < 66) return Remove();
    if (dice < 70) return HideOrShow();
    if (dice < 84) return Forth();
    if (dice < 88) return Back();
    if (dice < 92) return Alter();
    if (dice < 93) return Save();
    if (dice < 94) return Settle();
    if (dice < 98) return Restart();
    if (!random_.OneIn(4)) return;
    Get("LB.DROP lb");
    Create();
  }

  ModelWrite RandomWrite() {
    const bool capped = model_->spec().cap > 0;
    ModelWrite write;
    const Verb verbs[] = {Verb::kSubmit, Verb::kSubmit, Verb::kSubmit,  Verb::kSubmit,
                          Verb::kSet,    Verb::kZadd,   Verb::kMsubmit, Verb::kIncr,
                          Verb::kIncr,   Verb::kZincrby};
    write.verb = verbs[Below(capped ? 7 : 10)];
    const std::size_t members = write.verb == Verb::kMsubmit ? 1 + Below(3) : 1;
    const std::size_t first = Below(kMembers);
    for (std::size_t i = 0; i < members; ++i) {
      write.values.emplace_back("m" + std::to_string((first + 3 * i) % kMembers),
                                static_cast<std::int64_t>(Below(8)));
    }
    if (write.verb == Verb::kZadd || write.verb == Verb::kZincrby) return write;
    if (!random_.OneIn(3)) write.id = "r" + std::to_string(++last_id_);
    if (write.verb != Verb::kMsubmit && random_.OneIn(8)) {
      write.condition = random_.OneIn(2) ? "NX" : "XX";
    }
    // LB.SET … AT corrects stamps.
    if (write.verb != Verb::kSet && random_.OneIn(4)) write.at = RandomAt();
    return write;
  }

  std::optional<Stamp> RandomAt() {
    // Never the present moment: whether a stamp that is drawn equals it is the engine's to choose.
    if (IsBehind()) return std::nullopt;
    const Stamp spans[] = {kMinute, kHour, kDay};
    Stamp at = now() - 1 - static_cast<Stamp>(Below(static_cast<std::uint64_t>(spans[Below(3)])));
    if (random_.OneIn(5)) at = now() + kSecond / 2 + static_cast<Stamp>(Below(kSecond / 2));
    for (const Period period : model_->spec().periods) {
      if (at >= model_->calendar().At(period, now()).end) return std::nullopt;
    }
    return at;
  }

  // How the model sees an id: nothing, a retry, or another write under a used id.
  void Write(const ModelWrite& write) {
    if (write.at.has_value() && IsBehind()) return;
    if (!write.id.empty()) sent_.push_back(write);
    const SeasonModel::Request* known = model_->Find(write.id);
    if (!write.id.empty() && known != nullptr) {
      const Stamp age = now() - known->when;
      if (age > kDay - kAgeMargin && age < kDay + kAgeMargin) return;
      if (age <= kDay - kAgeMargin) return WriteAgain(write, *known);
    }
    WriteNew(write);
  }

  void WriteAgain(const ModelWrite& write, const SeasonModel::Request& known) {
    const Value reply = Get(write.Line());
    if (write != known.write) {
      ++counts_->reused;
      EXPECT_TRUE(reply.text.starts_with("REUSED ")) << reply.Plain();
      return;
    }
    ++counts_->duplicates;
    int marks = 0;
    EXPECT_EQ(WithoutDuplicateMark(reply, &marks).Plain(), known.reply);
    EXPECT_EQ(marks, static_cast<int>(write.values.size())) << reply.Plain();
  }

  void WriteNew(const ModelWrite& write) {
    const std::string refusal = model_->Refusal(write, now());
    const Stamp guess = DrawStamp() + 1;
    const Value reply = Get(write.Line());
    if (!refusal.empty()) {
      ++counts_->closed;
      EXPECT_TRUE(reply.type == '-' && reply.text.starts_with(refusal + " "))
          << refusal << " is due: " << reply.Plain();
      return;
    }
    ASSERT_NE(reply.type, '-') << reply.Plain();
    ++counts_->accepted;
    std::string due;
    for (const std::string& text : model_->Apply(write, now(), guess)) {
      due += (due.empty() ? "" : "; ") + text;
    }
    if (!write.at.has_value()) LearnStamps(write, guess);
    const bool redis = write.verb == Verb::kZadd || write.verb == Verb::kZincrby;
    // Who of several falls out is in the entries.
    const bool open = write.verb == Verb::kMsubmit && model_->spec().cap > 0;
    if (!redis && !open) {
      EXPECT_EQ(WithoutNeeds(Season::VerdictText(reply)), due) << write.Line();
    }
    if (!write.id.empty()) model_->Remember({write, reply.Plain(), now()});
  }

  // The stamp of a write elsewhere; it is on disk then.
  Stamp DrawStamp() {
    const Stamp stamp = std::stoll(season_.Get("LB.INCR pulse x 1").Find("stamp")->text);
    EXPECT_GT(stamp, last_stamp_);
    EXPECT_GE(stamp, now());
    return last_stamp_ = stamp;
  }

  // Stamps are the engine's to choose, but they rise, and are the same in all periods.
  void LearnStamps(const ModelWrite& write, Stamp guess) {
    for (std::size_t i = 0; i < write.values.size(); ++i) {
      const std::string& member = write.values[i].first;
      const Stamp guessed = guess + static_cast<Stamp>(i);
      for (const ModelInstance* instance : model_->instances()) {
        const auto found = instance->entries.find(member);
        if (found == instance->entries.end() || found->second.stamp != guessed) continue;
        const Stamp stamp = season_.StampOf(model_->NameOf(*instance), member);
        EXPECT_GE(stamp, guessed) << member;
        model_->Restamp(member, guessed, stamp);
        break;
      }
    }
  }

  void Retry(bool changed) {
    if (sent_.empty()) return;
    ModelWrite write = sent_[sent_.size() - 1 - Below(std::min<std::size_t>(sent_.size(), 12))];
    if (changed) write.values[0].second += 1;
    if (model_->spec().cap > 0 && write.verb == Verb::kIncr) return;
    Write(write);
  }

  ModelInstance* RandomInstance() {
    const std::vector<ModelInstance*> all = model_->instances();
    return all.empty() ? nullptr : all[Below(all.size())];
  }

  void Remove() {
    ModelInstance* one = random_.OneIn(2) ? RandomInstance() : nullptr;
    const std::string name = one == nullptr ? "lb" : model_->NameOf(*one);
    if (random_.OneIn(8)) {
      ASSERT_NE(Get((one == nullptr && random_.OneIn(2) ? "DEL " : "LB.CLEAR ") + name).type, '-');
      model_->Clear(one);
      return;
    }
    const std::string member = RandomMember();
    ASSERT_NE(Get((random_.OneIn(2) ? "LB.REMOVE " : "ZREM ") + name + " " + member).type, '-');
    model_->Remove(member, one);
  }

  void HideOrShow() {
    const std::string member = RandomMember();
    if (random_.OneIn(2)) {
      ASSERT_NE(Get("LB.HIDE lb " + member).type, '-');
      model_->Hide(member);
    } else {
      ASSERT_NE(Get("LB.SHOW lb " + member).type, '-');
      model_->Show(member);
    }
  }

  void Forth() {
    const Stamp spans[] = {100, kSecond, kMinute, kHour, 3 * kHour, 2 * kDay, 12 * kDay};
    Stamp to = now() + static_cast<Stamp>(Below(static_cast<std::uint64_t>(spans[Below(7)])));
    if (const ModelInstance* instance = RandomInstance();
        instance != nullptr && instance->when.period != Period::kAll && random_.OneIn(2)) {
      to = instance->when.end + static_cast<Stamp>(Below(3)) - 1;
      if (random_.OneIn(2)) to += model_->spec().grace;
      if (to <= now()) return;
      ++counts_->turns;
    }
    season_.SetTime(to);
    latest_ = std::max(latest_, to);
  }

  // After a write of its own, so that the board knows how far it had come.
  void Back() {
    const Stamp back = 1 + static_cast<Stamp>(Below(30 * kMinute));
    if (latest_ - (now() - back) > kMostBack) return;
    if (model_->spec().end.has_value()) return;
    WriteNew({.verb = Verb::kSubmit, .values = {{RandomMember(), 1}}});
    Settle();
    season_.Move(-back);
  }

  void Alter() {
    const ModelSpec& spec = model_->spec();
    switch (Below(5)) {
      case 0:
        if (spec.cap == 0) return;
        model_->SetCap(1 + Below(6));
        return Expect("CAP " + std::to_string(spec.cap));
      case 1:
        if (spec.policy == ModelPolicy::kSum) return;
        model_->SetPolicy(random_.OneIn(2) ? ModelPolicy::kSet : ModelPolicy::kBest);
        return Expect(spec.policy == ModelPolicy::kSet ? "POLICY set" : "POLICY best");
      case 2:
        if (spec.periods.empty() || IsBehind()) return;
        model_->SetKeep(static_cast<int>(Below(5)));
        return Expect("KEEP " + std::to_string(spec.keep));
      case 3: {
        const std::size_t dedups[] = {1, 3, 10, 1000};
        model_->SetDedup(dedups[Below(4)]);
        Expect("DEDUP " + std::to_string(spec.dedup));
        // Whether a larger DEDUP brings back what a smaller one let go, with no id in between, is
        // left open.
        return Write({.verb = Verb::kSubmit,
                      .values = {{RandomMember(), 1}},
                      .id = "r" + std::to_string(++last_id_)});
      }
      default:
        if (!spec.periods.empty()) return;
        model_->SetEnd(now() - kHour + static_cast<Stamp>(Below(6)) * kHour);
        return Expect("END " + Micros(*spec.end));
    }
  }

  void Expect(const std::string& change) { EXPECT_EQ(Get("LB.ALTER lb " + change).Plain(), "OK"); }

  // What is due by time is done and on disk.
  void Settle() {
    season_.Tick();
    DrawStamp();
    Note("tick");
  }

  // Life goes on while it is written.
  void Save() {
    FinishSave();
    Note("SAVE begins");
    saving_ = season_.Begin(&saver_, {"SAVE"});
  }

  void FinishSave() {
    if (saving_ == nullptr) return;
    EXPECT_EQ(saving_->Answer().Plain(), "OK");
    saving_.reset();
    Note("SAVE is done");
  }

  void Restart() {
    ++counts_->restarts;
    const Ending ending = kEndings[Below(4)];
    if (ending == Ending::kSaved) FinishSave();
    Note("restart " + std::string(EndingName(ending)));
    season_.Restart(ending, saving_.get());
    saving_.reset();
    Check();
  }

  std::string Contents(const std::string& name) {
    const Value listed = season_.Get("LB.RANGE " + name + " 1 -1");
    if (listed.type != '*') return listed.Plain();
    std::string text;
    for (const Value& entry : listed.elements) {
      text += (text.empty() ? "" : " ") + entry.Find("rank")->text + ":" +
              entry.Find("member")->text + "=" + entry.Find("score")->elements.at(0).text + "@" +
              entry.Find("stamp")->text;
    }
    return text;
  }

  void Check() {
    Settle();
    model_->Pass(now());
    for (std::size_t i = 0; i < model_->spec().periods.size(); ++i) {
      const ModelInstance* present = model_->Present(i, now());
      const std::string due = model_->Text(present->entries);
      EXPECT_EQ(Contents("lb@" + std::string(PeriodName(present->when.period))), due);
      if (i == 0) {
        EXPECT_EQ(Contents("lb"), due);
      }
    }
    std::set<std::string> present_names;
    for (const ModelInstance* instance : model_->instances()) {
      const std::string name = model_->NameOf(*instance);
      present_names.insert(name);
      EXPECT_EQ(Contents(name), model_->Text(instance->entries)) << name;
      for (const std::string& member : model_->hidden()) {
        const auto found = instance->entries.find(member);
        EXPECT_EQ(season_.Ask("ZSCORE " + name + " " + member),
                  found == instance->entries.end() ? "nil" : std::to_string(found->second.score))
            << name << " " << member;
      }
    }
    if (!model_->spec().periods.empty()) CheckList(present_names);
    for (const std::string& name : names_) {
      if (present_names.contains(name)) continue;
      const std::string size = season_.Code("LB.SIZE " + name);
      EXPECT_TRUE(size == "NOBOARD" || size == "0") << name << " is back: " << size;
    }
    names_.insert(present_names.begin(), present_names.end());
  }

  void CheckList(const std::set<std::string>& present_names) {
    std::set<std::string> listed;
    for (const Value& instance : season_.Get("LB.PERIODS lb").elements) {
      const std::string name = instance.Find("board")->text;
      listed.insert(name);
      EXPECT_TRUE(present_names.contains(name) || instance.Find("size")->text == "0") << name;
      const std::string close = instance.Find("closed")->Plain();
      if (instance.Find("period")->text == "all") {
        EXPECT_EQ(close, "nil");
        continue;
      }
      const Stamp end = std::stoll(instance.Find("end")->text);
      const Stamp due = end + model_->spec().grace;
      if (closes_.contains(name)) {
        EXPECT_EQ(close, closes_[name]) << name << " closed again";
      } else if (model_->Effective(now()) >= due) {
        EXPECT_NE(close, "nil") << name;
      } else if (latest_ < due) {
        EXPECT_EQ(close, "nil") << name;
      }
      if (close != "nil") closes_[name] = close;
    }
    for (const ModelInstance* instance : model_->instances()) {
      if (instance->entries.empty()) continue;
      EXPECT_TRUE(listed.contains(model_->NameOf(*instance))) << model_->NameOf(*instance);
    }
  }

  base::Random random_;
  Counts* counts_;
  Season season_;
  TestClient saver_;
  std::unique_ptr<Question> saving_;
  std::unique_ptr<SeasonModel> model_;
  std::string created_;
  std::vector<ModelWrite> sent_;
  std::vector<std::string> history_;
  std::set<std::string> names_;                // of instances there ever were
  std::map<std::string, std::string> closes_;  // cursors, by name
  std::uint64_t last_id_ = 0;
  Stamp last_stamp_ = 0;
  Stamp latest_ = 0;
};

TEST(SeasonProperty, AnyInterleavingGivesEachIdOneEffect) {
  const std::uint64_t seed = TestSeed();
  const std::uint64_t steps = NumberFromEnvironment("LAUREL_TEST_OPS").value_or(kDefaultSteps);
  Counts counts;
  base::Random seeds(seed);
  for (std::uint64_t done = 0; done < steps && !HasFailure(); done += kStepsOfALife) {
    Life life(seeds.Next(), &counts);
    life.Run(kStepsOfALife);
  }
  std::printf(
      "%llu accepted, %llu duplicates, %llu reused, %llu refused, %llu turns, %llu restarts\n",
      static_cast<unsigned long long>(counts.accepted),
      static_cast<unsigned long long>(counts.duplicates),
      static_cast<unsigned long long>(counts.reused),
      static_cast<unsigned long long>(counts.closed), static_cast<unsigned long long>(counts.turns),
      static_cast<unsigned long long>(counts.restarts));
}

}  // namespace
}  // namespace laurel::testing
