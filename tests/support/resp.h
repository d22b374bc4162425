// RESP as a client reads it: values of both protocols and their parser, written apart from the
// server's own codec so that both cannot be wrong in the same way. Used by the tests over sockets,
// by the rig for an engine in this process and by the fuzz targets.
//
// The parser takes what RESP2 and RESP3 have in common with any server, redis-server included.
// ProblemOf() is stricter: it says what one protocol, or Laurel, never sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::resp {

// A command, or any other list of words.
using Words = std::vector<std::string>;

// One reply, as it was typed on the wire.
struct Value {
  // The type byte: + - : $ * _ , # ! = ( % ~ >
  char type = '_';
  // RESP2 knows two absent values, `$-1` and `*-1`; RESP3 has `_`. All three are null.
  bool null = false;
  // The line of a simple type, the bytes of a string (`=` with its three letters and colon).
  std::string text;
  // Of * ~ > in order; of % key, value, key, value, …
  std::vector<Value> elements;

  bool operator==(const Value& other) const = default;

  [[nodiscard]] bool IsNull() const { return null; }
  [[nodiscard]] bool IsError() const { return type == '-' || type == '!'; }
  [[nodiscard]] bool IsAggregate() const {
    return type == '*' || type == '~' || type == '>' || type == '%';
  }
  // Throws std::runtime_error unless the type is ':'.
  [[nodiscard]] std::int64_t Integer() const;

  // The value beside `name` in a map, or in a flat array of names and values, which is what RESP2
  // makes of a map. Null if it is not there.
  [[nodiscard]] const Value* Find(std::string_view name) const;

  // One line that keeps the types: +OK, -ERR …, 5, "text\n", nil, nil-array, ,1.5, #t, [a, b],
  // {k: v}, ~[a, b], >[a, b], (123, ="txt:…", !"…".
  [[nodiscard]] std::string ToString() const;
  // One line without types and quotes, where those do not matter: "nil", "12", "-ERR …", "[a b]",
  // "{name=a count=2}".
  [[nodiscard]] std::string Plain() const;
};

// Printable, in double quotes, every other byte as \xHH.
std::string Quoted(std::string_view bytes);
// The words quoted where they have to be, as one types them.
std::string Quoted(const Words& words);
// The words of a line, which are separated by blanks.
Words Split(std::string_view line);
// The bytes of a command: an array of bulk strings.
std::string Encoded(const Words& command);

// Reads the reply at the front of growing bytes and looks at each of them once: a reply of many
// megabytes comes in thousands of pieces. Attributes (`|`) in front of a value are skipped.
class Parser {
 public:
  enum class State : std::uint8_t { kIncomplete, kWhole, kMalformed };

  // Call it again with the same bytes and more behind them while it is incomplete.
  State Parse(std::string_view bytes);
  // The same: true if the reply is whole. Throws std::runtime_error if the bytes are malformed.
  bool ParseOrThrow(std::string_view bytes);
  // How long the reply is, or how far the parser came.
  [[nodiscard]] std::size_t position() const { return position_; }
  // What is wrong with malformed bytes, and where.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Gives the whole reply away; the parser is ready for the next one, which begins at 0 again.
  Value Take();

 private:
  // An aggregate whose elements are not all there yet.
  struct Level {
    Value value;
    std::uint64_t left = 0;
    bool attribute = false;
  };

  State Step(std::string_view bytes);
  State Text(std::string_view line, Value value);
  State String(std::string_view bytes, std::string_view line, std::size_t begin, Value value);
  State Elements(std::string_view line, Value value);
  // Puts a whole value where it belongs, and so all aggregates that it completes.
  void Finish(Value value);
  State Fail(std::string_view problem);

  std::vector<Level> levels_;
  std::optional<Value> whole_;
  std::size_t position_ = 0;
  std::string problem_;
};

// The reply at the front of `bytes`, and its length in `consumed`; none if it is not whole yet.
// Throws std::runtime_error if it is malformed.
std::optional<Value> ParseReply(std::string_view bytes, std::size_t* consumed);
// All replies in `bytes`. Throws std::runtime_error if there is anything else.
std::vector<Value> ParseReplies(std::string_view bytes);

// What keeps a parsed value from being a reply of Laurel in RESP2 or RESP3; empty if nothing does.
// RESP2 has + - : $ * alone; RESP3 has no $-1 and no *-1; there are no pushes, big numbers, blob
// errors and nan. An error begins with a code in capitals and a blank.
std::string ProblemOf(const Value& value, int protocol);

}  // namespace laurel::resp
