// Errors as values. Nothing in Laurel throws across a layer: what can fail returns Result<T>, and
// [[nodiscard]] makes forgetting to look a compile error.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace laurel {

// The stable first word of every refusal. A refusal changes nothing.
enum class ErrorCode : std::uint8_t {
  kErr,        // malformed or not applicable here
  kNoBoard,    // no such board
  kNoMember,   // no such entry; where absence is no answer
  kExists,     // the name is taken by a board with another spec
  kWrongType,  // the board is of the other kind
  kBadScore,   // not a finite decimal number, or not a value of the field's type
  kBadTime,    // a stamp that lies ahead of the clock
  kOverflow,   // the number does not fit 64 bits
  kLimit,      // a documented limit is exceeded
  kClosed,     // outside the board's window
  kReused,     // the request id came with other arguments before
  kLoading,    // the boards are still being read from disk
  kNoAuth,     // a token is needed
  kNoPerm,     // the token is not for this
  kOom,        // the memory that boards may take is used up
  kMisconf,    // nothing can be written to the disk
  kNoSpace,    // the disk, or a quota on it, is full; MISCONF to clients
  kUnknown,    // whether the write happened is not known: retry only with the same id
};

// "BADSCORE", "OVERFLOW", … as it stands in front of every message. Codes are stable.
std::string_view ErrorName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kErr;
  std::string message;  // one line, without the code

  // "BADSCORE 'abc' is not a number".
  [[nodiscard]] std::string ToString() const;
};

// Either a T or the Error that kept it from being made.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(). Ends the process otherwise: asking an error for its value is a bug.
  [[nodiscard]] const T& value() const& {
    if (!ok()) std::abort();
    return std::get<0>(state_);
  }
  [[nodiscard]] T& value() & {
    if (!ok()) std::abort();
    return std::get<0>(state_);
  }
  [[nodiscard]] T value() && {
    if (!ok()) std::abort();
    return std::move(std::get<0>(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // REQUIRES: !ok().
  [[nodiscard]] const Error& error() const {
    if (ok()) std::abort();
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// For calls that return nothing but may fail: `return Ok{};`.
struct Ok {};
using Status = Result<Ok>;

}  // namespace laurel
