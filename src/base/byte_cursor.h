// ByteCursor: reads values from the front of untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/assert.h"

namespace laurel::base {

// A read fails if bytes are missing or a value is out of bounds. After a failed read every later
// read returns 0 or an empty text, so the caller may check failed() once, at the end.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  void Fail() { failed_ = true; }

  // The next byte, without consuming it. REQUIRES: not empty.
  [[nodiscard]] std::uint8_t Peek() const {
    LAUREL_ASSERT(!rest_.empty());
    return static_cast<std::uint8_t>(rest_[0]);
  }
  std::uint8_t Byte() {
    if (!Has(1)) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  // A varint (base/bytes.h).
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view Take(std::size_t bytes) {
    if (!Has(bytes)) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  // 8 bytes in the byte order of the machine.
  std::uint64_t Fixed() {
    const std::string_view bytes = Take(sizeof(std::uint64_t));
    std::uint64_t value = 0;
    if (!failed_) std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  // A varint length, at most `most`, and that many bytes.
  std::string_view Bytes(std::size_t most) {
    const std::uint64_t size = Number();
    if (size > most) failed_ = true;
    return failed_ ? std::string_view() : Take(size);
  }
  // A varint from 0 to `most`, as an enumerator.
  template <typename Choice>
  Choice Choose(Choice most) {
    const std::uint64_t value = Number();
    if (value > static_cast<std::uint64_t>(most)) failed_ = true;
    return static_cast<Choice>(failed_ ? 0 : value);
  }

 private:
  bool Has(std::size_t bytes) {
    if (bytes > rest_.size()) failed_ = true;
    return !failed_;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace laurel::base
