// Reads JSON (RFC 8259) strictly: what two readers could understand differently is refused.
//
// A document is one vector of nodes in the order of the text. The node of an array or object is
// followed by those of its contents, and knows how many they are, so a walk over elements skips
// from one to the next. Strings without escapes are views of the text; the others are unescaped
// into one buffer of the document. A document that is parsed again allocates only if it needs more
// than ever since ReleaseMemory. 56 bytes a value.
//
// Numbers stay text: a score has more digits than a double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::base {

inline constexpr std::size_t kMaxJsonDepth = 16;  // arrays and objects around a value
inline constexpr std::size_t kMaxJsonValues = 100'000;
inline constexpr std::size_t kMaxJsonNumberBytes = 64;

enum class JsonKind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "a boolean", "a number", "a string", "an array", "an object". For messages.
std::string_view JsonKindName(JsonKind kind);

struct JsonNode {
  std::string_view key;   // of a member of an object
  std::string_view text;  // of a string or number; JSON of an array or object
  std::size_t offset;     // in the input: of the key if there is one, else of the value
  std::uint32_t size;     // elements or members; of a boolean: 1 is true
  std::uint32_t nodes;    // this one and all inside it
  JsonKind kind;
};
static_assert(sizeof(JsonNode) == 56);

// A value of a document: a reference, valid until the document is parsed again or destroyed.
class JsonValue {
 public:
  // Iterates over the elements of an array, or over the values of an object's members, in order.
  class Iterator {
   public:
    explicit Iterator(const JsonNode* node) : node_(node) {}
    JsonValue operator*() const { return JsonValue(node_); }
    Iterator& operator++() {
      node_ += node_->nodes;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const JsonNode* node_;
  };

  explicit JsonValue(const JsonNode* node) : node_(node) {}

  [[nodiscard]] JsonKind kind() const { return node_->kind; }
  [[nodiscard]] bool Is(JsonKind kind) const { return node_->kind == kind; }

  // The key of this value in its object; empty if it is not a member of one.
  [[nodiscard]] std::string_view key() const { return node_->key; }
  // The bytes of a string, unescaped (UTF-8, with zero bytes if it has any), or the number as it
  // was sent ("1.0E7"). REQUIRES: a string or a number.
  [[nodiscard]] std::string_view text() const;
  // REQUIRES: a boolean.
  [[nodiscard]] bool boolean() const;
  // How many elements or members there are. REQUIRES: an array or an object.
  [[nodiscard]] std::size_t size() const;

  // The text of an array or object as it was sent. REQUIRES: an array or an object.
  [[nodiscard]] std::string_view json() const;

  // Both are equal for values that are neither arrays nor objects.
  [[nodiscard]] Iterator begin() const { return Iterator(node_ + 1); }
  [[nodiscard]] Iterator end() const { return Iterator(node_ + node_->nodes); }

 private:
  const JsonNode* node_;
};

class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // Parses a text that is one value with nothing but blanks around it. `text` must stay as long as
  // values are used. ERR with the offset of the cause if the text
  //
  // - is not JSON, is cut off, or begins with a byte order mark
  // - is not UTF-8, or has an escape that is half of a surrogate pair
  // - has a key twice in one object
  // - exceeds kMaxJsonDepth, kMaxJsonValues or, in a number, kMaxJsonNumberBytes
  //
  // Takes time O(n log k) for n bytes with up to k members an object.
  Status Parse(std::string_view text);

  // REQUIRES: the last Parse was successful.
  [[nodiscard]] JsonValue root() const;

  // Bytes that the document has allocated.
  [[nodiscard]] std::size_t MemoryUsage() const;
  // Frees all memory. The document has no root then.
  void ReleaseMemory();

 private:
  class Parser;

  std::vector<JsonNode> nodes_;      // empty after an error
  std::string unescaped_;            // reserved before the first view of it is taken
  std::vector<std::uint32_t> keys_;  // scratch memory of the search for equal keys
};

}  // namespace laurel::base
