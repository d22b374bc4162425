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
constexpr std::uint8_t kLoadsInChunks = 2;
constexpr std::uint8_t kKinds = 3;
constexpr Stamp kNow = 1'800'000'000'000'000;
constexpr std::uint64_t kTerm = 5;
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
  if (!spec.ok()) return nullptr;
  std::unique_ptr<Value> value = TheShared().Make(*spec);
  module::ValueLoader loader(value.get());
  if (!loader.Read(first).ok()) return nullptr;
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    if (!loader.Read(chunks[i]).ok()) return nullptr;
  }
  loader.Finish();
  return value;
}

Chunks Save(const Value& value) {
  Chunks chunks;
  module::ValueWalk walk(&value);
  std::string chunk;
  while (walk.Next(&chunk)) chunks.push_back(std::exchange(chunk, ""));
  return chunks;
}

// The value that a server makes of these chunks when it reads a rewritten AOF, in which each of
// them is an LB.APPLY; null if one is refused.
std::unique_ptr<Value> Replay(const Chunks& chunks) {
  std::string_view first = chunks[0];
  const Result<Spec> spec = module::ReadCreation(&first);
  if (!spec.ok()) return nullptr;
  std::unique_ptr<Value> value = TheShared().Make(*spec);
  module::Applied applied;
  if (!module::ApplyEffects(first, value.get(), &applied).ok()) return nullptr;
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    if (!module::ApplyEffects(chunks[i], value.get(), &applied).ok()) return nullptr;
  }
  return value;
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
                    [](const module::FeedCursor&, const leaderboard::Event&) { return true; });
}

// Executes a write as the module does on a primary. Returns the effects.
std::string Execute(const leaderboard::WriteOperation& operation, Value* value, Stamp now) {
  std::string effects;
  EffectWriter writer(&effects);
  if (value->feed) {
    module::WriteTerm(kTerm, &writer);
    value->feed->BeginTerm(kTerm, /*own=*/true);
  }
  const std::size_t head = effects.size();
  value->board.Turn(now, &writer);
  value->board.EvictExcess(&writer);
  const Stamp stamp = std::max(now, std::min(value->board.last_stamp(), module::kMaxStamp) + 1);
  leaderboard::Decision decision;
  value->board.Decide(operation, {"lb", now, stamp}, &decision);
  NoAnswer answer;
  leaderboard::Summary summary;
  value->board.Commit(&decision, &answer, &writer, &summary);
  if (value->feed) value->feed->Note(std::string_view(effects).substr(head));
  return effects;
}

std::string SubmitTo(Value* value, std::string_view member, std::string_view number,
                     std::optional<std::string_view> id, Stamp now) {
  const std::vector<std::string_view> numbers(value->spec().fields.size(), number);
  leaderboard::Submit submit;
  submit.member = member;
  submit.values.texts = numbers;
  submit.id = id;
  return Execute(submit, value, now);
}

// What a saved board must keep.
std::string ProblemOfSaving(const Value& value) {
  const std::unique_ptr<Value> again = Load(Save(value));
  if (again == nullptr) return "a board that was saved can be loaded";
  if (again->Digest() != value.Digest()) return "a board is equal after saving and loading it";
  const std::unique_ptr<Value> replayed = Replay(Save(value));
  if (replayed == nullptr) return "a rewritten AOF can be replayed";
  if (replayed->Digest() != value.Digest()) return "a board is equal after a rewritten AOF";
  const std::string broken = value.board.Validate();
  return broken.empty() ? "" : "a board keeps its invariants: " + broken;
}

// Applies the effects of one command to a board and to its twin.
std::string ProblemOfEffects(const std::string& effects, Value* value, Value* twin) {
  if (!module::CheckEffects(effects).ok()) return "";
  module::Applied applied;
  module::Applied also_applied;
  const bool taken = module::ApplyEffects(effects, value, &applied).ok();
  if (module::ApplyEffects(effects, twin, &also_applied).ok() != taken) {
    return "a board and its twin accept the same effects";
  }
  if (value->Digest() != twin->Digest()) return "a board and its twin stay equal";
  return ProblemOfSaving(*value);
}

// Writes to a board in every way, and applies the effects to its twin.
std::string ProblemOfWrites(Value* value, Value* twin) {
  const std::string_view member[] = {"ann"};
  Spec altered = value->spec();
  altered.dedup = 5;
  const auto follow = [&](const std::string& effects) {
    module::Applied applied;
    return module::CheckEffects(effects).ok() &&
           module::ApplyEffects(effects, twin, &applied).ok() && value->Digest() == twin->Digest();
  };
  std::string effects;
  EffectWriter writer(&effects);
  value->board.Advance(kNow, 10, "note", &writer);
  if (value->feed) value->feed->Note(effects);
  const bool equal = follow(effects) && follow(SubmitTo(value, "ann", "7", "id", kNow)) &&
                     follow(SubmitTo(value, "ann", "7", std::nullopt, kNow + 1)) &&
                     follow(Execute(leaderboard::Hide{member}, value, kNow)) &&
                     follow(Execute(leaderboard::Show{member}, value, kNow)) &&
                     follow(Execute(leaderboard::Alter{&altered}, value, kNow)) &&
                     follow(Execute(leaderboard::Remove{member, std::nullopt}, value, kNow));
  if (!equal) return "a copy that applied the effects of a write is equal";
  if (value->board.ExceedsCap()) return "a write leaves no more entries than the cap";
  return ProblemOfSaving(*value);
}

// Chunks up to an empty one are a saved board; those behind it are effects that it applies.
std::string ProblemOfLoading(const Chunks& chunks) {
  const auto end = std::find(chunks.begin(), chunks.end(), "");
  const Chunks saved(chunks.begin(), end);
  const std::unique_ptr<Value> value = Load(saved);
  const std::unique_ptr<Value> twin = Load(saved);
  if (value == nullptr || value->spec().keep > kMaxKeep) return "";
  if (std::string problem = ProblemOfSaving(*value); !problem.empty()) return problem;
  ReadAll(*value);
  for (auto effects = end; effects != chunks.end(); ++effects) {
    if (std::string problem = ProblemOfEffects(*effects, value.get(), twin.get());
        !problem.empty()) {
      return problem;
    }
  }
  if (value->spec().keep > kMaxKeep) return "";
  return ProblemOfWrites(value.get(), twin.get());
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
  Chunks saved = Save(*Sample(kSpecs[which % std::size(kSpecs)]));
  saved.emplace_back();
  saved.insert(saved.end(), chunks.begin() + 1, chunks.end());
  return ProblemOfLoading(saved);
}

// The chunks of LB.LOAD, and what replicas get of them.
std::string ProblemOfChunks(const Chunks& chunks) {
  if (chunks.empty()) return "";
  const std::size_t which = chunks[0].empty() ? 0 : static_cast<unsigned char>(chunks[0][0]);
  const Spec spec = wire::ParseSpecLine(kSpecs[which % std::size(kSpecs)])->spec;
  const std::unique_ptr<Value> value = TheShared().Make(spec);
  const std::unique_ptr<Value> twin = TheShared().Make(spec);
  value->loading = std::make_unique<module::Loading>(module::Loading{"lb"});
  twin->loading = std::make_unique<module::Loading>(module::Loading{"lb"});
  leaderboard::LoadProgress& progress = value->loading->progress;
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    bool ruined = false;
    const Result<bool> added =
        leaderboard::ApplyChunk(progress.next, chunks[i], kNow, &value->board, &progress, &ruined);
    if (ruined) return "";  // the host drops the load
    if (added.ok()) {
      std::string effects = chunks[i];
      EffectWriter writer(&effects);
      module::WriteLoad("lb", progress, &writer);
      module::Applied applied;
      const bool taken = module::CheckEffects(effects).ok() &&
                         module::ApplyEffects(effects, twin.get(), &applied).ok();
      if (!taken) return "a replica takes the chunks that its primary has taken";
    }
    if (value->Digest() != twin->Digest()) return "a refused chunk changes nothing";
    if (std::string problem = ProblemOfSaving(*value); !problem.empty()) return problem;
  }
  value->loading.reset();
  twin->loading.reset();
  ReadAll(*value);
  return ProblemOfWrites(value.get(), twin.get());
}

}  // namespace

std::string RunModulePayload(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  const auto kind = static_cast<std::uint8_t>(input.Next() % kKinds);
  const Chunks chunks = ChunksOf(&input);
  if (kind == kLoadsInChunks) return ProblemOfChunks(chunks);
  return kind == kApplies ? ProblemOfApplying(chunks) : ProblemOfLoading(chunks);
}

std::string ModuleEffectsInput(std::size_t spec, const std::vector<std::string>& effects) {
  Chunks chunks = {std::string(1, static_cast<char>(spec))};
  chunks.insert(chunks.end(), effects.begin(), effects.end());
  return InputOf(kApplies, chunks);
}

std::string ModuleSavedInput(std::string_view spec_line, std::string_view effects) {
  std::string saved;
  EffectWriter(&saved).Create(wire::ParseSpecLine(spec_line)->spec);
  return InputOf(kLoads, {saved + std::string(effects)});
}

std::vector<std::string> ModulePayloadSamples() {
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < std::size(kSpecs); ++i) {
    const std::unique_ptr<Value> value = Sample(kSpecs[i]);
    Chunks walked = {std::string(1, static_cast<char>(i)), ""};
    leaderboard::Leaderboard::WalkCursor cursor;
    cursor.order = leaderboard::Leaderboard::WalkCursor::Order::kBest;
    cursor.portable = true;
    EffectWriter walk(&walked.back());
    while (value->board.Walk(&cursor, SIZE_MAX, &walk)) {
    }
    samples.push_back(InputOf(kLoadsInChunks, walked));
    Chunks saved = Save(*value);
    Chunks effects;
    for (const std::string_view member : {"ann", "fay", "bob"}) {
      effects.push_back(SubmitTo(value.get(), member, "30", std::nullopt, kNow + 10'000'000'000));
    }
    std::string other;
    EffectWriter writer(&other);
    value->board.Advance(kNow + 100'000'000'000, 10, "note", &writer);
    module::WriteExpiry(/*known_only=*/false, 7000, &writer);
    module::WriteFeed(20, &writer);
    module::WriteTerm(9, &writer);
    effects.push_back(other);
    samples.push_back(ModuleEffectsInput(i, effects));
    saved.emplace_back();
    saved.insert(saved.end(), effects.begin(), effects.end());
    samples.push_back(InputOf(kLoads, saved));
  }
  return samples;
}

}  // namespace laurel::fuzz
