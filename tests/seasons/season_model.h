// A leaderboard of one field with a window, periods and request ids, as plainly as the rules say
// it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calendar/zone_calendar.h"
#include "laurel/period.h"
#include "laurel/stamp.h"

namespace laurel::testing {

enum class ModelPolicy : std::uint8_t { kSet, kBest, kSum };

struct ModelSpec {
  ModelPolicy policy = ModelPolicy::kSet;
  std::size_t cap = 0;  // 0: none
  std::optional<Stamp> end = std::nullopt;
  std::int64_t grace = 0;
  std::vector<Period> periods;  // none: a board without
  std::string zone = "UTC";
  int turn_minutes = 0;
  int keep = 1;
  std::size_t dedup = 100'000;

  // Of LB.CREATE.
  [[nodiscard]] std::string Options() const;
};

// A command that writes scores.
struct ModelWrite {
  enum class Verb : std::uint8_t { kSubmit, kSet, kIncr, kMsubmit, kZadd, kZincrby };

  Verb verb = Verb::kSubmit;
  std::vector<std::pair<std::string, std::int64_t>> values;  // members differ
  std::string condition{};                                   // "", "NX", "XX"
  std::optional<Stamp> at = std::nullopt;
  std::string id{};

  [[nodiscard]] std::string Line() const;  // on board "lb"
  bool operator==(const ModelWrite&) const = default;
};

struct ModelEntry {
  std::int64_t score = 0;
  Stamp stamp = 0;
};

using ModelEntries = std::map<std::string, ModelEntry>;

struct ModelInstance {
  Instance when;
  ModelEntries entries;
};

class SeasonModel {
 public:
  explicit SeasonModel(const ModelSpec& spec);

  // An id that is remembered.
  struct Request {
    ModelWrite write;
    std::string reply;  // the first, as text
    Stamp when = 0;
  };

  // The code of the refusal for a write that is no retry; empty: it is taken.
  [[nodiscard]] std::string Refusal(const ModelWrite& write, Stamp now) const;
  // Does it, and gives what its verdict must be: for each member, one text for all periods. New
  // stamps are `stamp` and those that follow it, but for AT. REQUIRES: no refusal, no retry.
  std::vector<std::string> Apply(const ModelWrite& write, Stamp now, Stamp stamp);
  // An entry's stamp was not `guess` but `stamp`.
  void Restamp(const std::string& member, Stamp guess, Stamp stamp);

  void Remember(Request request);
  [[nodiscard]] const Request* Find(const std::string& id) const;
  [[nodiscard]] const std::deque<Request>& requests() const { return requests_; }

  // From every instance, or from one.
  void Remove(const std::string& member, ModelInstance* only);
  void Clear(ModelInstance* only);
  void Hide(const std::string& member) { hidden_.insert(member); }
  void Show(const std::string& member);
  void SetPolicy(ModelPolicy policy) { spec_.policy = policy; }
  void SetCap(std::size_t cap);
  void SetKeep(int keep) { spec_.keep = keep; }
  void SetEnd(std::optional<Stamp> end) { spec_.end = end; }
  void SetDedup(std::size_t dedup);

  // Forgets the instances whose time is over.
  void Pass(Stamp now);
  // The clock, never before the last turn.
  [[nodiscard]] Stamp Effective(Stamp now) const { return now > last_turn_ ? now : last_turn_; }
  // The present instance of a period, by its place in the declaration; made if there is none yet.
  ModelInstance* Present(std::size_t period, Stamp now);

  [[nodiscard]] const ModelSpec& spec() const { return spec_; }
  [[nodiscard]] const std::set<std::string>& hidden() const { return hidden_; }
  [[nodiscard]] std::vector<ModelInstance*> instances();
  // "1:ann=5@12 2:bob=3@10", visible ones.
  [[nodiscard]] std::string Text(const ModelEntries& entries) const;
  // "lb@day:2026-11-15", or "lb" without periods.
  [[nodiscard]] std::string NameOf(const ModelInstance& instance) const;
  [[nodiscard]] const calendar::ZoneCalendar& calendar() const { return calendar_; }

 private:
  struct Change {
    std::string status;
    std::optional<ModelEntry> before;
    std::optional<ModelEntry> after;
  };

  using Ranked = std::vector<std::pair<std::string, ModelEntry>>;

  [[nodiscard]] Ranked Visible(const ModelEntries& entries) const;  // best first
  [[nodiscard]] std::string RankText(const ModelEntries& entries, const std::string& member) const;
  [[nodiscard]] Change Decide(const ModelWrite& write, const ModelEntries& entries, std::size_t i,
                              Stamp stamp) const;
  void Evict(ModelEntries* entries) const;
  std::vector<std::string> ApplyTo(const ModelWrite& write, ModelEntries* entries, Stamp stamp);
  ModelInstance* At(std::size_t period, Stamp moment);

  ModelSpec spec_;
  calendar::ZoneCalendar calendar_;
  std::map<std::pair<std::size_t, Stamp>, ModelInstance> instances_;  // by period and begin
  std::set<std::string> hidden_;
  std::deque<Request> requests_;  // oldest first
  Stamp last_turn_ = 0;
};

}  // namespace laurel::testing
