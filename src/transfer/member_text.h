// MemberText: the member inside of what a serialising Redis client stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "laurel/result.h"

namespace laurel::transfer {

enum class MemberEncoding : std::uint8_t {
  kRaw,   // the bytes are the member
  kJson,  // a JSON string or number; as Jackson with type names writes it: ["java.lang.Long",5]
  kJava,  // Java serialisation of a String, Long, Integer, Short or Byte
};

// "raw", "json" or "java". ERR otherwise.
Result<MemberEncoding> ParseMemberEncoding(std::string_view text);

// Used by one thread.
class MemberText {
 public:
  explicit MemberText(MemberEncoding encoding = MemberEncoding::kRaw) : encoding_(encoding) {}

  // The member in `stored`: the bytes of a string in UTF-8, the digits of a number. The result is a
  // view of `stored` or of this object, valid until the next call. ERR with the cause for anything
  // else than a string or number, and LIMIT for more than kMaxWrappedMemberBytes.
  Result<std::string_view> Unwrap(std::string_view stored);

 private:
  Result<std::string_view> UnwrapJson(std::string_view stored);
  Result<std::string_view> UnwrapJava(std::string_view stored);

  MemberEncoding encoding_;
  base::JsonDocument document_;
  std::string unwrapped_;
};

}  // namespace laurel::transfer
