#include "tests/storage/paged_bytes.h"

#include <algorithm>
#include <cstring>

namespace laurel::testing {

PagedBytes PagedBytes::Share() {
  for (Page& page : pages_) page.shared = true;
  PagedBytes copy;
  copy.pages_ = pages_;
  copy.size_ = size_;
  return copy;
}

std::size_t PagedBytes::Read(std::uint64_t offset, char* to, std::size_t bytes) const {
  if (offset >= size_) return 0;
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - offset));
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t at = (offset + done) % kPageBytes;
    const std::size_t part = std::min(bytes - done, kPageBytes - at);
    const Page& page = pages_[(offset + done) / kPageBytes];
    if (page.bytes == nullptr) {
      std::memset(to + done, 0, part);
    } else {
      std::memcpy(to + done, page.bytes->data() + at, part);
    }
    done += part;
  }
  return bytes;
}

std::string PagedBytes::ToString() const {
  std::string bytes(size_, '\0');
  static_cast<void>(Read(0, bytes.data(), bytes.size()));
  return bytes;
}

void PagedBytes::Write(std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (offset + bytes.size() > size_) Resize(offset + bytes.size());
  while (!bytes.empty()) {
    const std::size_t at = offset % kPageBytes;
    const std::size_t part = std::min(bytes.size(), kPageBytes - at);
    std::memcpy(Own(offset / kPageBytes) + at, bytes.data(), part);
    bytes.remove_prefix(part);
    offset += part;
  }
}

void PagedBytes::Resize(std::uint64_t size) {
  pages_.resize((size + kPageBytes - 1) / kPageBytes);
  const std::size_t used = size % kPageBytes;
  if (size < size_ && used != 0 && pages_.back().bytes != nullptr) {
    std::memset(Own(pages_.size() - 1) + used, 0, kPageBytes - used);
  }
  size_ = size;
}

char* PagedBytes::Own(std::size_t page) {
  Page& own = pages_[page];
  if (own.bytes == nullptr) {
    own.bytes = std::make_shared<std::string>(kPageBytes, '\0');
  } else if (own.shared) {
    own.bytes = std::make_shared<std::string>(*own.bytes);
  }
  own.shared = false;
  return own.bytes->data();
}

}  // namespace laurel::testing
