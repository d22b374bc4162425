// Writes answers as JSON while the engine produces them: the body of a response, or one element of
// it.
//
// The route's Shape decides how values are wrapped, what absence means, and whether a description
// follows a declaration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/routes.h"
#include "leaderboard/answer_shape.h"
#include "wire/command_answer.h"
#include "wire/error_texts.h"
#include "wire/json_writer.h"

namespace laurel::http {

// How errors tell a client of HTTP what to do.
extern const wire::WaysOut kWaysOut;

// The events of a page, in the format of a stream.
struct EventText {
  std::string text;
  wire::EventsEnd end;
};

// Reusable. Answers one command at a time.
class JsonAnswer final : public wire::Answer {
 public:
  struct Asked {
    Shape shape = Shape::kOk;
    std::string* out = nullptr;  // the answer is appended here
    // Whether the answer is an element of a list. An error or an absence is then an object in its
    // place.
    bool is_element = false;
    bool is_first = true;
    // Versions that the client has, each in double quotes, as If-None-Match lists them. "*" means
    // any.
    std::string_view known_versions{};
    std::string_view only_template{};  // kTemplate: its pattern
    // If set, receives the end offset of each verdict of a list.
    std::vector<std::size_t>* verdict_ends = nullptr;
    EventText* stream = nullptr;  // if set, receives the events; `out` then receives nothing
    std::size_t max_event_bytes = SIZE_MAX;
  };

  JsonAnswer() = default;
  JsonAnswer(const JsonAnswer&) = delete;
  JsonAnswer& operator=(const JsonAnswer&) = delete;
  // Must be called before each command. What *asked refers to must outlive the answer.
  void Begin(const Asked& asked);

  // The result of the command.

  [[nodiscard]] const Error* error() const override { return error_ ? &*error_ : nullptr; }
  // The index of the argument that the error is about, or the absence; kNoWord: none.
  [[nodiscard]] std::size_t failed_word() const { return failed_word_; }
  // The error if the route's object does not exist; null otherwise. The command itself succeeded.
  [[nodiscard]] const Error* absence() const { return absence_ ? &*absence_ : nullptr; }
  // The version of the entries that were read; empty if the answer has none.
  [[nodiscard]] const std::string& version() const { return version_; }
  // Whether the client already has this version.
  [[nodiscard]] bool is_not_modified() const { return knows_version_ && !absence_; }
  [[nodiscard]] bool has_created() const { return has_created_; }

  // Overrides of wire::Answer.

  void Refused(const Error& error, std::size_t word) override;
  [[nodiscard]] const wire::WaysOut& ways_out() const override { return kWaysOut; }
  [[nodiscard]] std::size_t size() const override { return asked_.out->size(); }
  void TakeBack() override;
  void Done() override;
  void Number(std::int64_t number) override;
  leaderboard::Answer& About(const wire::Subject& subject) override;
  void Declared(bool created) override;
  void TemplateSet(bool created) override;
  void Templates(std::span<const TemplateLine> templates) override;
  void Boards(std::span<const wire::BoardLine> boards, std::uint64_t next) override;
  std::unique_ptr<wire::Events> NewEvents() override;
  [[nodiscard]] std::size_t MaxEventBytes() const override { return asked_.max_event_bytes; }
  void ShowEvents(std::unique_ptr<wire::Events> events, wire::EventsEnd end) override;

 private:
  // Begins the value, inside the key that the shape wraps it in.
  void BeginValue();
  void Absent(Error absence, std::size_t word);
  void AbsentMember();
  bool Wants(const leaderboard::Scope& scope);

  Asked asked_;
  wire::JsonWriter json_;
  bool has_begun_ = false;
  std::size_t begin_ = 0;  // where the answer begins in *out
  wire::Subject subject_;
  std::string page_board_;  // the board or instance that a page shows
  std::uint64_t page_count_ = 0;
  std::string version_;
  bool knows_version_ = false;
  std::optional<Error> absence_;
  bool has_created_ = false;
  std::optional<Error> error_;
  std::size_t failed_word_ = wire::kNoWord;

  // Writes the entries and scores of a leaderboard.
  class OfBoard final : public leaderboard::ShapedAnswer<wire::JsonWriter> {
   public:
    explicit OfBoard(JsonAnswer* whole)
        : ShapedAnswer(&whole->json_, whole->subject_.board, whole->subject_.host),
          whole_(*whole) {}

    [[nodiscard]] bool Wants(const leaderboard::Scope& scope) override {
      return whole_.Wants(scope);
    }
    void Refused(const Error& error) override {
      // What an element's leaderboard refuses is the result of that element alone.
      const bool is_element = whole_.asked_.is_element;
      whole_.Refused(error, is_element ? wire::kNoWord : whole_.subject_.words.Of(error.code));
    }
    void Done() override { whole_.Done(); }
    void Number(std::uint64_t number) override { whole_.Number(static_cast<std::int64_t>(number)); }
    void Absent(leaderboard::Missing what) override;
    [[nodiscard]] std::size_t MaxBytes() const override { return whole_.subject_.max_bytes; }
    [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override;
    void BeginEntries(const leaderboard::EntryShape& shape, std::uint64_t count) override;

   private:
    JsonAnswer& whole_;
  };
  std::optional<OfBoard> of_board_;
};

}  // namespace laurel::http
