#include "http/json_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/percent.h"

namespace laurel::http {
namespace {

std::string PutBoard(std::string_view board) {
  std::string request = "PUT /v1/boards/";
  base::AppendPercentEncoded(board, &request);
  return request;
}

constexpr auto kKeys = [] {
  std::array<std::string_view, static_cast<std::size_t>(Shape::kAsset) + 1> keys;
  const auto set = [&keys](Shape shape, std::string_view key) {
    keys[static_cast<std::size_t>(shape)] = key;
  };
  set(Shape::kTemplates, "templates");
  set(Shape::kVerdicts, "verdicts");
  set(Shape::kRank, "rank");
  set(Shape::kCount, "count");
  set(Shape::kScore, "score");
  set(Shape::kBuckets, "buckets");
  set(Shape::kPeriods, "periods");
  set(Shape::kRemoved, "removed");
  set(Shape::kRemovedOne, "removed");
  set(Shape::kChanged, "changed");
  set(Shape::kChangedOne, "changed");
  return keys;
}();

// Returns the key that wraps an answer of the shape: "count" in {"count":5}. Empty if the value is
// not wrapped.
std::string_view KeyOf(Shape shape) { return kKeys[static_cast<std::size_t>(shape)]; }

// Whether the answer can be that the member has no entry. A version does not cover that case.
bool IsOfOneMember(Shape shape) {
  return shape == Shape::kEntry || shape == Shape::kAround || shape == Shape::kPercentile;
}

// Writes one element of a list of boards: {"board":…}.
void WriteLine(const wire::BoardLine& line, wire::JsonWriter* json) {
  const bool is_leaderboard = line.spec->kind != BoardKind::kSortedSet;
  const auto time = [json](std::string_view key, const std::optional<Stamp>& stamp) {
    json->Key(key);
    stamp ? json->Moment(*stamp) : json->Null();
  };
  json->Map(is_leaderboard ? 8 : 3);
  json->Pair("board", line.board);
  if (is_leaderboard) {
    json->Pair("policy", PolicyName(line.spec->policy));
    json->Key("periods");
    json->Array(line.spec->periods.size());
    for (const Period period : line.spec->periods) json->Bulk(PeriodName(period));
    time("start", line.spec->start);
    time("end", line.spec->end);
    json->Pair("window", line.window);
  }
  json->Pair("size", line.size);
  json->Pair("bytes", line.bytes);
}

// Events separated by commas, or each as a server-sent event.
class JsonEvents final : public wire::Events {
 public:
  explicit JsonEvents(bool is_stream) : is_stream_(is_stream) { json_.Begin(&text_); }

  void Begin(std::string_view cursor, std::string_view cause) override {
    if (!is_stream_) return;
    EndEvent();
    const std::size_t before = text_.size();
    text_.append("id: ").append(cursor).append("\nevent: ").append(cause).append("\ndata: ");
    frame_bytes_ += text_.size() - before;
    json_.Begin(&text_);
  }
  wire::Values& values() override { return json_; }
  [[nodiscard]] std::size_t size() const override { return text_.size() - frame_bytes_; }

  std::string TakeText() {
    if (is_stream_) EndEvent();
    return std::move(text_);
  }

 private:
  void EndEvent() {
    if (text_.empty()) return;
    text_.append("\n\n");
    frame_bytes_ += 2;
  }

  const bool is_stream_;
  std::string text_;
  std::size_t frame_bytes_ = 0;  // bytes of text_ that are not JSON
  wire::JsonWriter json_;
};

}  // namespace

const wire::WaysOut kWaysOut = {
    .create = PutBoard,
    .adopt = [](std::string_view board) { return PutBoard(board) + R"( with "adopt":true)"; },
    .remove_set = "DEL removes it, over RESP",
    .request = "this request",
};

void JsonAnswer::Begin(const Asked& asked) {
  asked_ = asked;
  has_begun_ = false;
  version_.clear();
  knows_version_ = false;
  absence_.reset();
  has_created_ = false;
  error_.reset();
  failed_word_ = wire::kNoWord;
}

void JsonAnswer::BeginValue() {
  if (has_begun_) return;
  has_begun_ = true;
  std::string& out = *asked_.out;
  begin_ = out.size();
  if (!asked_.is_first) out.push_back(',');
  json_.Begin(&out);
  json_.MarkElements(asked_.verdict_ends);
  const std::string_view key = KeyOf(asked_.shape);
  if (key.empty()) return;
  json_.Map(1);
  json_.Key(key);
}

void JsonAnswer::TakeBack() {
  if (has_begun_) asked_.out->resize(begin_);
  has_begun_ = false;
  absence_.reset();
  error_.reset();
  failed_word_ = wire::kNoWord;
}

void JsonAnswer::Refused(const Error& error, std::size_t word) {
  TakeBack();
  error_ = error;
  failed_word_ = word;
  if (!asked_.is_element) return;
  const Shape shape = std::exchange(asked_.shape, Shape::kOk);  // an error is not wrapped
  BeginValue();
  json_.Error(error);
  asked_.shape = shape;
}

void JsonAnswer::Absent(Error absence, std::size_t word) {
  Refused(absence, word);
  error_.reset();
  absence_ = std::move(absence);
}

void JsonAnswer::AbsentMember() {
  constexpr std::size_t kMember = 2;  // in all commands that have one member
  Absent({ErrorCode::kNoMember, "the member has no entry here"}, kMember);
}

void JsonAnswer::Done() {
  if (asked_.shape == Shape::kBoard) return;  // Declared writes the answer
  BeginValue();
  json_.Ok();
}

void JsonAnswer::Number(std::int64_t number) {
  const bool is_of_one = asked_.shape == Shape::kRemovedOne || asked_.shape == Shape::kChangedOne;
  if (is_of_one && number == 0) return AbsentMember();
  BeginValue();
  json_.Integer(number);
}

leaderboard::Answer& JsonAnswer::About(const wire::Subject& subject) {
  subject_ = subject;
  page_board_.clear();
  page_count_ = 0;
  BeginValue();
  return of_board_.emplace(this);
}

void JsonAnswer::Declared(bool created) { has_created_ = created; }

void JsonAnswer::TemplateSet(bool created) {
  has_created_ = created;
  Done();
}

void JsonAnswer::Templates(std::span<const TemplateLine> templates) {
  const auto write = [this](const TemplateLine& line) {
    json_.Map(2);
    json_.Pair("pattern", line.pattern);
    json_.Key("spec");
    leaderboard::ShapedAnswer<wire::JsonWriter>(&json_, line.pattern).ShowSpec(*line.spec);
  };
  if (asked_.shape != Shape::kTemplate) {
    BeginValue();
    json_.Array(templates.size());
    std::for_each(templates.begin(), templates.end(), write);
    return;
  }
  const auto found =
      std::find_if(templates.begin(), templates.end(),
                   [&](const TemplateLine& line) { return line.pattern == asked_.only_template; });
  if (found == templates.end()) {
    return Absent({ErrorCode::kNoBoard, "there is no such template"}, wire::kNoWord);
  }
  BeginValue();
  write(*found);
}

void JsonAnswer::Boards(std::span<const wire::BoardLine> boards, std::uint64_t next) {
  BeginValue();
  json_.Map(2);
  json_.Key("boards");
  json_.Array(boards.size());
  for (const wire::BoardLine& line : boards) WriteLine(line, &json_);
  json_.Key("cursor");
  next == 0 ? json_.Null() : json_.Bulk(std::to_string(next));
}

std::unique_ptr<wire::Events> JsonAnswer::NewEvents() {
  return std::make_unique<JsonEvents>(asked_.stream != nullptr);
}

void JsonAnswer::ShowEvents(std::unique_ptr<wire::Events> events, wire::EventsEnd end) {
  std::string text = static_cast<JsonEvents&>(*events).TakeText();
  if (asked_.stream != nullptr) {
    *asked_.stream = {std::move(text), std::move(end)};
    return;
  }
  BeginValue();
  asked_.out->append(R"({"events":[)").append(text).append(R"(],"next":)");
  wire::AppendJsonString(end.next, asked_.out);
  asked_.out->append(end.gap ? R"(,"gap":true})" : "}");
}

// Leaderboards ------------------------------------------------------------------------------------

bool JsonAnswer::Wants(const leaderboard::Scope& scope) {
  const bool has_page = asked_.shape == Shape::kPage || asked_.shape == Shape::kAround;
  if (has_page) {
    page_board_ = scope.span != nullptr ? leaderboard::InstanceName(subject_.board, *scope.span)
                                        : std::string(subject_.board);
    page_count_ = scope.size;
  }
  if (!subject_.has_version) return true;
  // Another board may get the name later, so the version includes the board's id. Each instance
  // counts its own changes, so the version includes its number too: 0 if it is not written yet.
  version_.assign(subject_.run);
  const auto append = [this](auto number) { version_.append("-").append(std::to_string(number)); };
  append(subject_.id);
  append(scope.instance);
  append(scope.changes.value_or(subject_.changes));
  if (scope.span != nullptr) append(scope.span->begin / 1'000'000);
  const std::string_view known = asked_.known_versions;
  if (known.empty()) return true;
  knows_version_ = known == "*" || known.find('"' + version_ + '"') != std::string_view::npos;
  return !knows_version_ || IsOfOneMember(asked_.shape);
}

void JsonAnswer::OfBoard::Absent(leaderboard::Missing what) {
  IsOfOneMember(whole_.asked_.shape) ? whole_.AbsentMember() : ShapedAnswer::Absent(what);
}

std::size_t JsonAnswer::OfBoard::EntryBytes(const leaderboard::EntryShape& shape) const {
  constexpr std::size_t kFixed = 128;  // keys, punctuation, rank, place, count and time
  constexpr std::size_t kNumber = 24;  // a value in quotes, with its comma
  return kFixed + shape.spec->fields.size() * kNumber;
}

// Writes a page of entries as an object: board, version, count (of visible entries), entries.
void JsonAnswer::OfBoard::BeginEntries(const leaderboard::EntryShape& shape, std::uint64_t count) {
  wire::JsonWriter& json = whole_.json_;
  json.Map(whole_.version_.empty() ? 3 : 4);
  json.Pair("board", whole_.page_board_);
  if (!whole_.version_.empty()) json.Pair("version", whole_.version_);
  json.Pair("count", whole_.page_count_);
  json.Key("entries");
  ShapedAnswer::BeginEntries(shape, count);
}

}  // namespace laurel::http
