#include "fuzz/module_fuzz_body.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "calendar/zone_calendar.h"
#include "fuzz/fuzz_input.h"
#include "leaderboard/no_answer.h"
#include "module/host_effects.h"
#include "module/limits.h"
#include "module/value.h"
#include "wire/spec_arguments.h"

namespace laurel::fuzz {
namespace {

using leaderboard::EffectWriter;
using leaderboard::NoAnswer;
using module::Value;

constexpr std::uint8_t kLoads = 0;
constexpr std::uint8_t kApplies = 1;
constexpr Stamp kNow = 1'800'000'000'000'000;
constexpr std::size_t kMaxKeep = 1000;  // counting back through more instances takes long

// What all values share, as the module's Host does.
struct Shared {
  core::Environment environment{std::pmr::new_delete_resource(),
                                7,
                                core::Shape(),
                                {.direct_pages = true, .may_leave = nullptr}};
  calendar::ZoneCalendars calendars;
  core::Total boards;

  std::unique_ptr<Value> Make(const Spec& spec) {
    std::shared_ptr<const Calendar> zone;
    if (!spec.periods.empty()) {
      const auto found = calendars.Of(spec.zone, spec.turn_minutes);
      if (found.ok()) zone = *found;
    }
    return std::make_unique<Value>(spec, &environment, std::move(zone), &boards);
  }
};

Shared& TheShared() {
  static Shared& shared = *new Shared;
  return shared;
}

using Chunks = std::vector<std::string>;

Chunks ChunksOf(FuzzInput* input) {
  Chunks chunks;
  while (!input->empty()) {
    const std::size_t low = input->Next();
    chunks.emplace_back(input->Take(low | std::size_t{input->Next()} << 8));
  }
  return chunks;
}

std::string InputOf(std::uint8_t kind, const Chunks& chunks) {
  std::string input(1, static_cast<char>(kind));
  for (const std::string& chunk : chunks) {
    // A chunk above 64 KiB has no place in an input.
    if (chunk.size() > UINT16_MAX) continue;
    input += static_cast<char>(chunk.size() & 0xff);
    input += static_cast<char>(chunk.size() >> 8);
    input += chunk;
  }
  return input;
}

// The value of these chunks; null if they are refused.
std::unique_ptr<Value> Load(const Chunks& chunks) {
  if (chunks.empty()) return nullptr;
  std::string_view first = chunks[0];
  const Result<Spec> spec = module::ReadCreation(&first);
  if (!spec.ok() || spec->keep > kMaxKeep) return nullptr;
  std::unique_ptr<Value> value = TheShared().Make(*spec);
  module::ValueLoader loader(value.get());
  if (!loader.Read(first).ok()) return nullptr;
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    if (!loader.Read(chunks[i]).ok()) return nullptr;
  }
  return loader.Finish().ok() ? std::move(value) : nullptr;
}

Chunks Save(const Value& value) {
  Chunks chunks;
  module::ValueWalk walk(&value);
  std::string chunk;
  while (walk.Next(&chunk)) chunks.push_back(std::exchange(chunk, ""));
  return chunks;
}

// Reads in every way that a client can.
void ReadAll(const Value& value) {
  NoAnswer answer;
  const leaderboard::Call call{"lb", kNow, 0};
  const auto read = [&](const leaderboard::ReadOperation& operation) {
    value.board.Read(operation, call, &answer);
  };
  std::vector<std::optional<leaderboard::InstanceSelector>> instances = {std::nullopt};
  for (const auto& stored : value.board.instances()) {
    instances.push_back(leaderboard::InstanceSelector{stored->span.period,
                                                      leaderboard::InstanceSelector::Which::kLabel,
                                                      0, stored->span.label, stored->span.label});
  }
  for (const auto& instance : instances) {
    leaderboard::ReadOptions options{.with_meta = true, .instance = instance};
    for (const RankKind kind : {RankKind::kOrdinal, RankKind::kCompetition, RankKind::kDense}) {
      options.kind = kind;
      read(leaderboard::Top{5, options});
      read(leaderboard::Range{-3, -1, options});
      read(leaderboard::Get{"ann", options});
    }
    read(leaderboard::Around{"ann", 2, options});
    read(leaderboard::PercentileOf{"ann", options});
    read(leaderboard::Quantile{50'000'000'000, options});
    read(leaderboard::Histogram{3, options});
    read(leaderboard::Count{{}, options});
  }
  read(leaderboard::Describe{});
  read(leaderboard::ListPeriods{});
  if (!value.feed) return;
  value.feed->Visit(value.feed->Oldest().sequence,
                    [](const module::FeedPlace&, const leaderboard::Event&) { return true; });
}

// Submits as the module does. Returns the effects.
std::string SubmitTo(Value* value, std::string_view member, std::string_view number,
                     std::optional<std::string_view> id, Stamp now) {
  const std::vector<std::string_view> numbers(value->spec().fields.size(), number);
  leaderboard::Submit submit;
  submit.member = member;
  submit.values.texts = numbers;
  submit.id = id;
  const Stamp stamp = std::max(now, std::min(value->board.last_stamp(), module::kMaxStamp) + 1);
  leaderboard::Decision decision;
  value->board.Decide(submit, {"lb", now, stamp}, &decision);
  std::string effects;
  EffectWriter writer(&effects);
  NoAnswer answer;
  leaderboard::Summary summary;
  value->board.Commit(&decision, &answer, &writer, &summary);
  if (value->feed) {
    value->feed->EndOwnTerm();
    value->feed->Note(effects);
  }
  return effects;
}

std::string ProblemOfLoading(const Chunks& chunks) {
  const std::unique_ptr<Value> value = Load(chunks);
  if (value == nullptr) return "";
  if (const std::string broken = value->board.Validate(); !broken.empty()) {
    return "a board that was loaded keeps its invariants: " + broken;
  }
  ReadAll(*value);
  const std::unique_ptr<Value> again = Load(Save(*value));
  if (again == nullptr) return "a board that was saved can be loaded";
  if (again->Digest() != value->Digest()) return "a board is equal after saving and loading it";
  const std::string effects = SubmitTo(value.get(), "ann", "7", "id", kNow);
  module::Applied applied;
  if (!module::CheckEffects(effects).ok() ||
      !module::ApplyEffects(effects, again.get(), &applied).ok()) {
    return "effects of a submit can be applied to a copy";
  }
  if (again->board.Digest() != value->board.Digest()) {
    return "a copy that applied the effects of a submit is equal";
  }
  const std::string broken = value->board.Validate();
  return broken.empty() ? "" : "a board keeps its invariants after a submit: " + broken;
}

// A board with some of everything.
constexpr std::string_view kSpecs[] = {
    "POLICY best CAP 3", "PERIODS 2 hour all KEEP 2", "TIE last EXPIRE 500s DEDUP 10",
    "FIELDS 2 points:decimal2:desc:sum time:int:asc:min TZ Asia/Tokyo PERIODS 1 day"};

std::unique_ptr<Value> Sample(std::string_view spec_line) {
  const Result<wire::SpecArguments> spec = wire::ParseSpecLine(spec_line);
  if (!spec.ok()) return nullptr;
  std::unique_ptr<Value> value = TheShared().Make(spec->spec);
  value->feed = std::make_unique<module::Feed>(8);
  value->feed->BeginTerm(5, /*own=*/false);
  const std::string_view members[] = {"ann", "bob", "cid", "dan", "eve"};
  Stamp now = kNow - 2'000'000'000;
  for (const std::string_view member : members) {
    SubmitTo(value.get(), member, member == "cid" ? "20" : "10", member, now += 1'000'000'000);
  }
  return value;
}

std::string ProblemOfApplying(const Chunks& chunks) {
  if (chunks.empty()) return "";
  const std::size_t which = chunks[0].empty() ? 0 : static_cast<unsigned char>(chunks[0][0]);
  const std::string_view spec = kSpecs[which % std::size(kSpecs)];
  const std::unique_ptr<Value> value = Sample(spec);
  const std::unique_ptr<Value> twin = Load(Save(*value));
  if (twin == nullptr) return "a sample can be loaded";
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    if (!module::CheckEffects(chunks[i]).ok()) continue;
    module::Applied applied;
    module::Applied also_applied;
    const bool taken = module::ApplyEffects(chunks[i], value.get(), &applied).ok();
    if (module::ApplyEffects(chunks[i], twin.get(), &also_applied).ok() != taken) {
      return "a board and its twin accept the same effects";
    }
    if (!taken) break;
    if (value->Digest() != twin->Digest()) return "a board and its twin stay equal";
  }
  ReadAll(*value);
  return "";
}

}  // namespace

std::string RunModulePayload(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  const bool applies = input.Next() % 2 == kApplies;
  const Chunks chunks = ChunksOf(&input);
  return applies ? ProblemOfApplying(chunks) : ProblemOfLoading(chunks);
}

std::vector<std::string> ModulePayloadSamples() {
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < std::size(kSpecs); ++i) {
    const std::unique_ptr<Value> value = Sample(kSpecs[i]);
    samples.push_back(InputOf(kLoads, Save(*value)));
    Chunks applied = {std::string(1, static_cast<char>(i))};
    for (const std::string_view member : {"ann", "fay", "bob"}) {
      applied.push_back(SubmitTo(value.get(), member, "30", std::nullopt, kNow + 10'000'000'000));
    }
    std::string effects;
    EffectWriter writer(&effects);
    value->board.Advance(kNow + 100'000'000'000, 10, "note", &writer);
    module::WriteExpiry(/*known_only=*/false, 7000, &writer);
    module::WriteFeed(20, &writer);
    module::WriteTerm(9, &writer);
    applied.push_back(effects);
    samples.push_back(InputOf(kApplies, applied));
  }
  return samples;
}

}  // namespace laurel::fuzz
