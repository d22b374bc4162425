// RESP as a client reads it: values of both protocols and their parser. It shares no code with the
// server's own codec, so that both cannot have the same bug. Used by the tests over sockets, by
// EngineRig and by the fuzz targets.
//
// The parser accepts RESP2 and RESP3 of any server, redis-server included. ProblemOf() is stricter:
// it reports values that one protocol, or Laurel, never sends.
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

// One reply, with its types on the wire.
struct Value {
  // The type byte: + - : $ * _ , # ! = ( % ~ >
  char type = '_';
  // RESP2 has two absent values, `$-1` and `*-1`; RESP3 has `_`. All three are null.
  bool null = false;
  // The line of a simple type, or the bytes of a string (`=`: with its three letters and colon).
  std::string text;
  // The elements of * ~ > in order; of % key, value, key, value, …
  std::vector<Value> elements;

  bool operator==(const Value& other) const = default;

  [[nodiscard]] bool IsNull() const { return null; }
  [[nodiscard]] bool IsError() const { return type == '-' || type == '!'; }
  [[nodiscard]] bool IsAggregate() const {
    return type == '*' || type == '~' || type == '>' || type == '%';
  }
  // Throws std::runtime_error unless the type is ':'.
  [[nodiscard]] std::int64_t Integer() const;

  // The value of `name` in a map, or in a flat array of names and values, the form of a map in
  // RESP2. Null if there is none.
  [[nodiscard]] const Value* Find(std::string_view name) const;

  // One line with the types: +OK, -ERR …, 5, "text\n", nil, nil-array, ,1.5, #t, [a, b],
  // {k: v}, ~[a, b], >[a, b], (123, ="txt:…", !"…".
  [[nodiscard]] std::string ToString() const;
  // One line without types and quotes: "nil", "12", "-ERR …", "[a b]", "{name=a count=2}".
  [[nodiscard]] std::string Plain() const;
};

// The bytes in double quotes; unprintable bytes as \xHH.
std::string Quoted(std::string_view bytes);
// The words as typed in redis-cli: quoted only where necessary.
std::string Quoted(const Words& words);
// The words of a line, separated by blanks.
Words Split(std::string_view line);
// The bytes of a command: an array of bulk strings.
std::string Encoded(const Words& command);

// Parses the reply at the front of a growing buffer. Continues where it stopped, because a reply of
// many megabytes comes in thousands of pieces. Skips attributes (`|`) before a value.
class Parser {
 public:
  enum class State : std::uint8_t { kIncomplete, kWhole, kMalformed };

  // While the result is kIncomplete, call it again with the same bytes and more appended.
  State Parse(std::string_view bytes);
  // The same; returns true if the reply is whole. Throws std::runtime_error if it is malformed.
  bool ParseOrThrow(std::string_view bytes);
  // The length of a whole reply; else the offset that the parser has reached.
  [[nodiscard]] std::size_t position() const { return position_; }
  // The problem with malformed bytes, and its offset.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Returns the whole reply and resets the parser. The next reply starts at offset 0.
  Value Take();

 private:
  // An aggregate with elements still to come.
  struct Level {
    Value value;
    std::uint64_t left = 0;
    bool attribute = false;
  };

  State Step(std::string_view bytes);
  State Text(std::string_view line, Value value);
  State String(std::string_view bytes, std::string_view line, std::size_t begin, Value value);
  State Elements(std::string_view line, Value value);
  // Adds a complete value to its aggregate, and so each aggregate that it completes.
  void Finish(Value value);
  State Fail(std::string_view problem);

  std::vector<Level> levels_;
  std::optional<Value> whole_;
  std::size_t position_ = 0;
  std::string problem_;
};

// The reply at the front of `bytes`, and its length in `consumed`; none if it is incomplete.
// Throws std::runtime_error if it is malformed.
std::optional<Value> ParseReply(std::string_view bytes, std::size_t* consumed);
// All replies in `bytes`. Throws std::runtime_error if the bytes are not whole replies.
std::vector<Value> ParseReplies(std::string_view bytes);

// The reason why a value cannot be a reply of Laurel in RESP2 or RESP3; empty if it can. RESP2 has
// only + - : $ *; RESP3 has no $-1 and no *-1; Laurel sends no pushes, big numbers, blob errors and
// nan. An error begins with a code in capitals and a blank.
std::string ProblemOf(const Value& value, int protocol);

}  // namespace laurel::resp
