// MemberText: extracts the member from the value that a serialising Redis client stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "laurel/result.h"

namespace laurel::transfer {

enum class MemberEncoding : std::uint8_t {
  kRaw,   // the bytes are the member
  kJson,  // a JSON string or number, also ["java.lang.Long",5] as Jackson writes it with type names
  kJava,  // Java serialisation of a String, Long, Integer, Short or Byte
};

// Parses "raw", "json" or "java". ERR for other texts.
Result<MemberEncoding> ParseMemberEncoding(std::string_view text);

// Used by one thread.
class MemberText {
 public:
  explicit MemberText(MemberEncoding encoding = MemberEncoding::kRaw) : encoding_(encoding) {}

  // Returns the member in `stored`: the bytes of a string in UTF-8, or the digits of a number. The
  // result is a view of `stored` or of this object, valid until the next call. ERR with the cause
  // if the value is not a string or number, LIMIT if it exceeds kMaxWrappedMemberBytes.
  Result<std::string_view> Unwrap(std::string_view stored);

 private:
  Result<std::string_view> UnwrapJson(std::string_view stored);
  Result<std::string_view> UnwrapJava(std::string_view stored);

  MemberEncoding encoding_;
  base::JsonDocument document_;
  std::string unwrapped_;
};

}  // namespace laurel::transfer
