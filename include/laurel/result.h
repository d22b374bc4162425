// Errors as values. No exception crosses a layer of Laurel: a call that can fail returns Result<T>,
// and [[nodiscard]] makes the compiler report a result that is ignored.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace laurel {

// The kind of an error. Its name is stable and the first word of every error line. A call that is
// refused changes nothing.
enum class ErrorCode : std::uint8_t {
  kErr,        // malformed, or not applicable here
  kNoBoard,    // no such board
  kNoMember,   // no such entry, where absence is an error
  kExists,     // the name is taken by a board with another spec
  kWrongType,  // not possible on this kind of board
  kBadScore,   // not a finite decimal number, or not a value of the field's type
  kBadTime,    // not a valid time, or a stamp too far ahead of the clock
  kOverflow,   // a number does not fit in 64 bits
  kLimit,      // a documented limit is exceeded
  kClosed,     // outside the board's window, or the instance takes no more writes
  kReused,     // the request id was used for another write
  kLoading,    // the boards are still being read from disk
  kNoAuth,     // a token is needed
  kNoPerm,     // the token does not permit this
  kOom,        // the memory limit of the boards is reached
  kMisconf,    // the server cannot write to its disk
  kNoSpace,    // the disk, or a quota on it, is full; clients see MISCONF
  kUnknown,    // it is unknown whether the write happened: retry only with the same id
};

// "BADSCORE", "OVERFLOW", …
std::string_view ErrorName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kErr;
  std::string message;  // one line, without the code

  // "BADSCORE 'abc' is not a number".
  [[nodiscard]] std::string ToString() const;
};

// Returns an error of the kind kErr.
inline Error Err(std::string message) { return {ErrorCode::kErr, std::move(message)}; }

// A T, or the Error that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(). Aborts otherwise: reading the value of an error is a bug.
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

  // REQUIRES: !ok(). Aborts otherwise.
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
