// The bytes of a simulated file, in pages that copies share until one of them is written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::testing {

// A copy costs a pointer per 64 KiB, so that a test can take one before each of many thousand
// calls. Not thread-safe, but copies may be used on different threads.
class PagedBytes {
 public:
  PagedBytes() = default;
  explicit PagedBytes(std::string_view bytes) { Write(0, bytes); }

  // Returns a copy that shares the pages. From then on neither of the two writes into a shared
  // page. That changes the original too, hence no copy constructor.
  PagedBytes Share();
  PagedBytes(const PagedBytes&) = delete;
  PagedBytes& operator=(const PagedBytes&) = delete;
  PagedBytes(PagedBytes&&) = default;
  PagedBytes& operator=(PagedBytes&&) = default;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t Read(std::uint64_t offset, char* to, std::size_t bytes) const;
  [[nodiscard]] std::string ToString() const;
  // A gap before `offset` is filled with zeros.
  void Write(std::uint64_t offset, std::string_view bytes);
  // Truncates, or appends zeros.
  void Resize(std::uint64_t size);

 private:
  static constexpr std::size_t kPageBytes = 64 << 10;

  struct Page {
    std::shared_ptr<std::string> bytes;  // kPageBytes long; null: all zeros
    bool shared = false;
  };

  // Returns the bytes of the page, to be written to. Copies the page if it is shared.
  char* Own(std::size_t page);

  std::vector<Page> pages_;  // bytes past size_ are zeros
  std::uint64_t size_ = 0;
};

}  // namespace laurel::testing
