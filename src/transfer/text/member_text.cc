#include "transfer/text/member_text.h"

#include <array>
#include <cstddef>
#include <utility>

#include "base/byte_cursor.h"
#include "base/text.h"
#include "base/utf8.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

// Whether the text names packages and a class, joined by points: "java.lang.Long".
bool IsClassName(std::string_view text) {
  bool begins_name = true;
  std::size_t points = 0;
  for (const char c : text) {
    const bool letter = base::LowerLetter(c) >= 'a' && base::LowerLetter(c) <= 'z';
    if (c == '.' && !begins_name) {
      ++points;
      begins_name = true;
    } else if (letter || c == '_' || c == '$' || (!begins_name && c >= '0' && c <= '9')) {
      begins_name = false;
    } else {
      return false;
    }
  }
  return points > 0 && !begins_name;
}

// Java serialisation ------------------------------------------------------------------------------

constexpr std::string_view kJavaMagic("\xac\xed\x00\x05", 4);
constexpr std::uint8_t kNull = 0x70;
constexpr std::uint8_t kClassDescription = 0x72;
constexpr std::uint8_t kObject = 0x73;
constexpr std::uint8_t kString = 0x74;
constexpr std::uint8_t kEndOfAnnotation = 0x78;
constexpr std::uint8_t kLongString = 0x7c;
constexpr std::uint8_t kSerializable = 0x02;  // flag of a class without own serialisation methods

struct JavaNumber {
  std::string_view class_name;
  char type;  // type of its field "value"
  std::size_t bytes;
};
constexpr std::array<JavaNumber, 4> kJavaNumbers = {{{"java.lang.Long", 'J', 8},
                                                     {"java.lang.Integer", 'I', 4},
                                                     {"java.lang.Short", 'S', 2},
                                                     {"java.lang.Byte", 'B', 1}}};

// Takes a big-endian number; the format has no others.
std::uint64_t TakeNumber(base::ByteCursor& in, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | in.Byte();
  return value;
}

std::string_view TakeName(base::ByteCursor& in) { return in.Take(TakeNumber(in, 2)); }

// Takes one UTF-16 unit of Java's modified UTF-8; fails if the bytes are malformed.
std::uint32_t TakeUnit(base::ByteCursor& in) {
  const std::uint32_t first = in.Byte();
  if (first >= 0x01 && first < 0x80) return first;
  const auto next = [&in] {
    const std::uint32_t byte = in.Byte();
    if ((byte & 0xc0) != 0x80) in.Fail();
    return byte & 0x3f;
  };
  if ((first & 0xe0) == 0xc0) {
    const std::uint32_t unit = (first & 0x1f) << 6 | next();
    if (unit != 0 && unit < 0x80) in.Fail();  // only zero has two bytes
    return unit;
  }
  if ((first & 0xf0) == 0xe0) {
    const std::uint32_t high = (first & 0x0f) << 12 | next() << 6;
    const std::uint32_t unit = high | next();
    if (unit < 0x800) in.Fail();
    return unit;
  }
  in.Fail();
  return 0;
}

// Appends a string of modified UTF-8 as UTF-8. In modified UTF-8 a zero byte has two bytes, and a
// character beyond U+FFFF is two surrogates of three bytes. False if it is malformed.
bool AppendModifiedUtf8(std::string_view bytes, std::string* text) {
  base::ByteCursor in(bytes);
  while (!in.empty() && !in.failed()) {
    std::uint32_t code = TakeUnit(in);
    if (code >= 0xdc00 && code < 0xe000) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      const std::uint32_t low = TakeUnit(in);
      if (low < 0xdc00 || low >= 0xe000) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (!in.failed()) base::AppendUtf8(code, text);
  }
  return !in.failed();
}

// Reads the description of one of the JDK's number classes after its name: the flags and the
// primitive `fields`, no annotation.
bool TakeClassRest(base::ByteCursor& in, std::string_view fields) {
  in.Take(8);  // the version of the class
  if (in.Byte() != kSerializable) return false;
  if (TakeNumber(in, 2) != fields.size()) return false;
  for (const char type : fields) {
    if (in.Byte() != static_cast<std::uint8_t>(type) || TakeName(in) != "value") return false;
  }
  return in.Byte() == kEndOfAnnotation;
}

// Takes the value of a number object, starting at its class description.
bool TakeJavaNumber(base::ByteCursor& in, const JavaNumber& number, std::int64_t* value) {
  if (!TakeClassRest(in, {&number.type, 1})) return false;
  if (in.Byte() != kClassDescription || TakeName(in) != "java.lang.Number") return false;
  if (!TakeClassRest(in, "") || in.Byte() != kNull) return false;
  const std::size_t unused_bits = 64 - 8 * number.bytes;
  *value = static_cast<std::int64_t>(TakeNumber(in, number.bytes) << unused_bits) >> unused_bits;
  return !in.failed() && in.empty();
}

}  // namespace

Result<MemberEncoding> ParseMemberEncoding(std::string_view text) {
  if (text == "raw") return MemberEncoding::kRaw;
  if (text == "json") return MemberEncoding::kJson;
  if (text == "java") return MemberEncoding::kJava;
  return Err(base::Quote(text) + " is no encoding of members: expected raw, json or java");
}

Result<std::string_view> MemberText::Unwrap(std::string_view stored) {
  if (encoding_ == MemberEncoding::kRaw) return stored;
  if (stored.size() > kMaxWrappedMemberBytes) {
    return Error{ErrorCode::kLimit, "a serialised member has at most " +
                                        std::to_string(kMaxWrappedMemberBytes) + " bytes, got " +
                                        std::to_string(stored.size())};
  }
  return encoding_ == MemberEncoding::kJson ? UnwrapJson(stored) : UnwrapJava(stored);
}

Result<std::string_view> MemberText::UnwrapJson(std::string_view stored) {
  if (Status parsed = document_.Parse(stored); !parsed.ok()) {
    return Err("the member " + base::Quote(stored) + " is no JSON: " + parsed.error().message);
  }
  const auto is_text = [](base::JsonValue value) {
    return value.Is(base::JsonKind::kString) || value.Is(base::JsonKind::kNumber);
  };
  const base::JsonValue root = document_.root();
  if (is_text(root)) return root.text();
  // Jackson with type names writes [class, value].
  if (root.Is(base::JsonKind::kArray) && root.size() == 2 &&
      (*root.begin()).Is(base::JsonKind::kString) && IsClassName((*root.begin()).text())) {
    const base::JsonValue value = *++root.begin();
    if (is_text(value)) return value.text();
    return Err("the member is " + std::string(base::JsonKindName(value.kind())) + " of class " +
               base::Quote((*root.begin()).text()) + ", not a string or a number");
  }
  return Err("the member is " + std::string(base::JsonKindName(root.kind())) +
             " of JSON, not a string or a number");
}

Result<std::string_view> MemberText::UnwrapJava(std::string_view stored) {
  const auto unknown = [stored](std::string_view cause) {
    return Err("the member " + base::Quote(stored) + " " + std::string(cause));
  };
  if (!stored.starts_with(kJavaMagic)) return unknown("is not serialised by Java");
  base::ByteCursor in(stored.substr(kJavaMagic.size()));
  const std::uint8_t kind = in.Byte();
  unwrapped_.clear();
  if (kind == kString || kind == kLongString) {
    const std::string_view bytes = in.Take(TakeNumber(in, kind == kString ? 2 : 8));
    if (in.failed() || !in.empty() || !AppendModifiedUtf8(bytes, &unwrapped_)) {
      return unknown("is a damaged string of Java");
    }
    return std::string_view(unwrapped_);
  }
  if (kind != kObject || in.Byte() != kClassDescription) {
    return unknown("is serialised by Java, and is not a string or a number");
  }
  const std::string_view class_name = TakeName(in);
  for (const JavaNumber& number : kJavaNumbers) {
    if (class_name != number.class_name) continue;
    std::int64_t value = 0;
    if (!TakeJavaNumber(in, number, &value)) return unknown("is a damaged number of Java");
    unwrapped_ = std::to_string(value);
    return std::string_view(unwrapped_);
  }
  if (in.failed()) return unknown("is a damaged object of Java");
  return Err("the member is an object of class " + base::Quote(class_name) +
             ", not a string or a number");
}

}  // namespace laurel::transfer
