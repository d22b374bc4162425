// The answer to a command in another format than RESP. The server makes one for each command of
// such a request, and the engine calls it while it executes the command.
//
// The engine passes values, never text in the format. An answer must outlive the words of its
// request, because a waiting command is answered after Execute, on another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/answer.h"

namespace laurel::wire {

struct WaysOut;

inline constexpr std::size_t kNoWord = SIZE_MAX;

// The indexes of the arguments that a leaderboard's refusals are about. It does not know them,
// because it parses no words.
struct ErrorWords {
  std::size_t score = kNoWord;
  std::size_t time = kNoWord;  // AT
  std::size_t id = kNoWord;
  std::size_t number = kNoWord;  // of LB.QUANTILE: an ERR is about it
  std::size_t spec = kNoWord;    // of LB.ALTER: the option that makes the spec invalid
  // Returns the argument that an error of this code is about.
  [[nodiscard]] std::size_t Of(ErrorCode code) const {
    switch (code) {
      case ErrorCode::kBadScore:
      case ErrorCode::kOverflow:
        return score;
      case ErrorCode::kBadTime:
        return time;
      case ErrorCode::kReused:
        return id;
      case ErrorCode::kErr:
        return number != kNoWord ? number : spec;
      case ErrorCode::kLimit:
        return spec;
      case ErrorCode::kNoBoard:
        return 1;  // the board's name, or that of an instance
      default:
        return kNoWord;
    }
  }
};

// Writes one value with the subset of Reply's calls that leaderboard::EventShape needs. The size of
// an aggregate is given at its start; Bulk also writes the key of a pair.
class Values {
 public:
  virtual ~Values() = default;
  virtual void Map(std::size_t pairs) = 0;
  virtual void Array(std::size_t elements) = 0;
  virtual void Bulk(std::string_view bytes) = 0;
  virtual void Integer(std::int64_t value) = 0;
  virtual void Null() = 0;
  virtual void StampPair(Stamp stamp) = 0;
};

// Encodes the events of one LB.CHANGES. The engine owns it until the events are shown, so the
// engine may write events after the client has gone.
class Events {
 public:
  virtual ~Events() = default;
  // Begins an event. The caller then writes it to values(), as one map.
  virtual void Begin(std::string_view cursor, std::string_view cause) = 0;
  virtual Values& values() = 0;
  // Bytes of the events so far.
  [[nodiscard]] virtual std::size_t size() const = 0;
};

// The result of LB.CHANGES besides the events.
struct EventsEnd {
  std::string next;       // the cursor after the events
  std::size_t count = 0;  // number of events
  bool gap = false;       // events are missing before these
  bool full = false;      // COUNT or the size ended the page, so more events may follow at once
};

// One element of a list of boards.
struct BoardLine {
  std::string_view board{};
  const Spec* spec = nullptr;
  std::string_view window{};  // of a leaderboard: upcoming, open, grace or ended
  std::uint64_t size = 0;     // visible entries
  std::size_t bytes = 0;
};

// The board of an operation.
struct Subject {
  std::string_view board{};   // its own name, valid during the operation
  std::uint64_t id = 0;       // unlike the name, never reused for another board
  std::uint64_t changes = 0;  // increases with every change of the board's entries
  std::string_view run{};     // unique to this run of the engine; counts restart with it
  bool has_version = false;   // the answer depends only on the entries
  std::size_t max_bytes = SIZE_MAX;
  leaderboard::AnswerHost* host = nullptr;
  ErrorWords words{};
};

class Answer {
 public:
  virtual ~Answer() = default;

  // `word`: the index of the argument at fault, or kNoWord. Takes back what was answered before.
  virtual void Refused(const Error& error, std::size_t word) = 0;
  // Returns the error of the refusal; null if the command was not refused.
  [[nodiscard]] virtual const Error* error() const = 0;
  // How errors tell the client what to do, in the words of its protocol.
  [[nodiscard]] virtual const WaysOut& ways_out() const = 0;
  // Returns the bytes of the answer so far, including earlier answers of the same EXEC.
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Discards the answer so far; another answer or a refusal follows.
  virtual void TakeBack() = 0;

  virtual void Done() = 0;
  virtual void Number(std::int64_t number) = 0;
  // A leaderboard answers the operation through the result, which is valid until the next call of
  // this object. Before reading, a leaderboard calls Answer::Wants.
  virtual leaderboard::Answer& About(const Subject& subject) = 0;
  // A board was declared or altered; `created`: it is new. Its description follows through About.
  virtual void Declared(bool created) = 0;
  // The template was stored.
  virtual void TemplateSet(bool created) = 0;
  struct TemplateLine {
    std::string_view pattern;
    const Spec* spec;
  };
  virtual void Templates(std::span<const TemplateLine> templates) = 0;
  // `next`: the cursor of the next page; 0 if there is none.
  virtual void Boards(std::span<const BoardLine> boards, std::uint64_t next) = 0;

  // For LB.CHANGES: NewEvents is called once; then ShowEvents, possibly on another thread, unless
  // the command is refused.
  virtual std::unique_ptr<Events> NewEvents() = 0;
  // The event that reaches this size ends the page.
  [[nodiscard]] virtual std::size_t MaxEventBytes() const = 0;
  virtual void ShowEvents(std::unique_ptr<Events> events, EventsEnd end) = 0;
};

}  // namespace laurel::wire
