// Answers in another format than RESP: a server makes one for each command of such a request, and
// the engine calls it while it executes the command.
//
// The engine passes values, never text of the format. An answer outlives the words of its request,
// because a command that waits is answered after Execute, on another thread.
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

inline constexpr std::size_t kNoWord = SIZE_MAX;

// Writes one value with the calls of Reply that leaderboard::EventShape needs. An aggregate is
// announced with its size; Bulk is also the key of a pair.
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

// Encodes the events of one LB.CHANGES. The engine owns it until the events are shown, so it may
// write them after the client has gone.
class Events {
 public:
  virtual ~Events() = default;
  // Begins an event. The caller then writes it to values(), as one map.
  virtual void Begin(std::string_view cursor, std::string_view cause) = 0;
  virtual Values& values() = 0;
  // Bytes of the events so far.
  [[nodiscard]] virtual std::size_t size() const = 0;
};

// What LB.CHANGES tells besides the events.
struct EventsEnd {
  std::string next;       // the cursor after the events
  std::size_t count = 0;  // of the events
  bool gap = false;       // events are missing before these
  bool full = false;      // COUNT or the size ended the page: more events may follow at once
};

// A line of a list of boards.
struct BoardLine {
  std::string_view board{};
  const Spec* spec = nullptr;
  std::string_view window{};  // of a leaderboard: upcoming, open, grace or ended
  std::uint64_t size = 0;     // visible entries
  std::size_t bytes = 0;
};

// The board that an operation is about.
struct Subject {
  std::string_view board{};   // its own name, which lives as long as the operation
  std::uint64_t id = 0;       // unlike the name, it is never given to another board
  std::uint64_t changes = 0;  // a count that grows with every change of the board's entries
  std::string_view run{};     // a text that no other run of the engine has; counts begin anew
  bool has_version = false;   // the answer depends on the entries alone
  std::size_t max_bytes = SIZE_MAX;
  leaderboard::AnswerHost* host = nullptr;
};

class Answer {
 public:
  virtual ~Answer() = default;

  // `line`: code and message, as an error of RESP. `word`: the index of the argument at fault;
  // kNoWord: none. Takes back what was answered before.
  virtual void Refused(std::string_view line, std::size_t word) = 0;
  // The line of the refusal; empty: the command was not refused.
  [[nodiscard]] virtual std::string_view error() const = 0;
  // Bytes of the answer so far, and of the answers before it in the same EXEC.
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Forgets what was answered: another answer, or a refusal, follows.
  virtual void TakeBack() = 0;

  virtual void Done() = 0;
  virtual void Number(std::int64_t number) = 0;
  // A leaderboard answers the operation with the calls of the result, which is valid until the next
  // call of this object. Leaderboards tell it what they are about to read (Answer::Wants).
  virtual leaderboard::Answer& About(const Subject& subject) = 0;
  // A board is declared or altered; `created`: it is new. Its description follows: see About.
  virtual void Declared(bool created) = 0;
  // The template is stored.
  virtual void TemplateSet(bool created) = 0;
  struct TemplateLine {
    std::string_view pattern;
    const Spec* spec;
  };
  virtual void Templates(std::span<const TemplateLine> templates) = 0;
  // `next`: the cursor of the next page; 0: there is none.
  virtual void Boards(std::span<const BoardLine> boards, std::uint64_t next) = 0;

  // LB.CHANGES: NewEvents once, and ShowEvents, possibly on another thread, if it is not refused.
  virtual std::unique_ptr<Events> NewEvents() = 0;
  // The page of events ends with the event that reaches this size.
  [[nodiscard]] virtual std::size_t MaxEventBytes() const = 0;
  virtual void ShowEvents(std::unique_ptr<Events> events, EventsEnd end) = 0;
};

}  // namespace laurel::wire
