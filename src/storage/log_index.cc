#include "storage/log_index.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc32c.h"

namespace laurel::storage {
namespace {

using base::Load;
using base::Store;

constexpr std::uint64_t kMagic = 0x78496c657275614c;  // "LaurelIx"
constexpr std::size_t kVersionOffset = 8;
constexpr std::size_t kCrcOffset = 12;
constexpr std::size_t kSchemeOffset = 16;
constexpr std::size_t kEpochOffset = 24;
constexpr std::size_t kFirstOffset = 32;
constexpr std::size_t kCreatedOffset = 40;
constexpr std::size_t kLastOffset = 48;
constexpr std::size_t kEndOffset = 56;
constexpr std::size_t kIndexHeaderBytes = 64;
constexpr std::size_t kTagsPerAnchor = 64;

std::uint32_t ChecksumOf(std::string_view file, std::uint64_t history) {
  const auto seed = base::Crc32c({reinterpret_cast<const char*>(&history), sizeof(history)});
  return base::Crc32c(file.substr(kSchemeOffset), seed);
}

void AppendVarint(std::uint64_t value, std::string* to) {
  char bytes[base::kMaxVarintBytes];
  to->append(bytes, static_cast<std::size_t>(base::PutVarint(bytes, value) - bytes));
}

// Takes a varint off the front. Returns false if there is none.
bool TakeVarint(std::string_view* from, std::uint64_t* value) {
  std::size_t length = 0;
  do {
    if (length == from->size() || length == base::kMaxVarintBytes) return false;
  } while ((static_cast<unsigned char>((*from)[length++]) & 0x80) != 0);
  base::GetVarint(from->data(), value);
  from->remove_prefix(length);
  return true;
}

// Takes a varint off the front and adds it to *sum. Returns false if there is none, or if the sum
// would exceed `most`.
bool TakeStep(std::string_view* from, std::uint64_t most, std::uint64_t* sum) {
  std::uint64_t step = 0;
  if (!TakeVarint(from, &step) || *sum > most || step > most - *sum) return false;
  *sum += step;
  return true;
}

// Takes the list of one tag off the front: its length in bytes, then the blocks, each as the
// difference from the one before.
bool TakeList(std::string_view* from, std::string_view* list) {
  std::uint64_t length = 0;
  if (!TakeVarint(from, &length) || length > from->size()) return false;
  *list = from->substr(0, length);
  from->remove_prefix(length);
  return true;
}

}  // namespace

// IndexBuilder ---------------------------------------------------------------------------------

void IndexBuilder::Add(const BatchView& batch, std::span<const std::uint64_t> tags) {
  LAUREL_ASSERT(batch.offset >= end_ && batch.first == last_ + 1);
  LAUREL_ASSERT(batch.end > batch.offset && batch.number >= batch.first);
  LAUREL_ASSERT(postings_.size() + tags.size() < kNone);
  if (blocks_.empty() ||
      blocks_.back().offset / kIndexBlockBytes != batch.offset / kIndexBlockBytes) {
    blocks_.push_back({batch.offset, batch.first});
  }
  last_ = batch.number;
  end_ = batch.end;
  const auto block = static_cast<std::uint32_t>(blocks_.size() - 1);
  for (const std::uint64_t tag : tags) {
    const auto [at, is_new] = newest_.try_emplace(tag, kNone);
    if (!is_new && postings_[at->second].block == block) continue;
    postings_.push_back({block, at->second});
    at->second = static_cast<std::uint32_t>(postings_.size() - 1);
  }
}

void IndexBuilder::Collect(std::uint64_t tag, std::uint32_t from,
                           std::vector<std::uint32_t>* blocks) const {
  const auto found = newest_.find(tag);
  if (found == newest_.end()) return;
  for (std::uint32_t at = found->second; at != kNone; at = postings_[at].before) {
    if (postings_[at].block < from) return;
    blocks->push_back(postings_[at].block);
  }
}

std::string IndexBuilder::Encode(const FileHeader& segment, std::uint64_t scheme) const {
  std::string bytes(kIndexHeaderBytes, '\0');
  Store(bytes.data(), kMagic);
  Store(&bytes[kVersionOffset], kFormatVersion);
  Store(&bytes[kSchemeOffset], scheme);
  Store(&bytes[kEpochOffset], segment.epoch);
  Store(&bytes[kFirstOffset], segment.first);
  Store(&bytes[kCreatedOffset], segment.created_us);
  Store(&bytes[kLastOffset], last_);
  Store(&bytes[kEndOffset], end_);
  AppendVarint(blocks_.size(), &bytes);
  Block before{0, segment.first};
  for (const Block& block : blocks_) {
    AppendVarint(block.offset - before.offset, &bytes);
    AppendVarint(block.first - before.first, &bytes);
    before = block;
  }
  std::vector<std::uint64_t> tags;
  tags.reserve(newest_.size());
  for (const auto& [tag, posting] : newest_) tags.push_back(tag);
  std::sort(tags.begin(), tags.end());
  AppendVarint(tags.size(), &bytes);
  std::uint64_t tag_before = 0;
  std::vector<std::uint32_t> list;
  std::string encoded;
  for (const std::uint64_t tag : tags) {
    AppendVarint(tag - std::exchange(tag_before, tag), &bytes);
    list.clear();
    encoded.clear();
    Collect(tag, 0, &list);
    std::uint32_t block_before = 0;
    for (auto block = list.rbegin(); block != list.rend(); ++block) {
      AppendVarint(*block - std::exchange(block_before, *block), &encoded);
    }
    AppendVarint(encoded.size(), &bytes);
    bytes += encoded;
  }
  Store(&bytes[kCrcOffset], ChecksumOf(bytes, segment.history));
  return bytes;
}

// LogIndex -------------------------------------------------------------------------------------

std::unique_ptr<LogIndex> LogIndex::Parse(std::string bytes, const FileHeader& segment,
                                          std::uint64_t scheme) {
  if (bytes.size() < kIndexHeaderBytes || Load<std::uint64_t>(bytes.data()) != kMagic ||
      Load<std::uint32_t>(&bytes[kVersionOffset]) != kFormatVersion ||
      Load<std::uint32_t>(&bytes[kCrcOffset]) != ChecksumOf(bytes, segment.history) ||
      Load<std::uint64_t>(&bytes[kSchemeOffset]) != scheme ||
      Load<std::uint64_t>(&bytes[kEpochOffset]) != segment.epoch ||
      Load<std::uint64_t>(&bytes[kFirstOffset]) != segment.first ||
      Load<std::int64_t>(&bytes[kCreatedOffset]) != segment.created_us) {
    return nullptr;
  }
  std::unique_ptr<LogIndex> index(new LogIndex());
  index->bytes_ = std::move(bytes);
  index->last_ = Load<std::uint64_t>(&index->bytes_[kLastOffset]);
  index->end_ = Load<std::uint64_t>(&index->bytes_[kEndOffset]);
  std::string_view rest = std::string_view(index->bytes_).substr(kIndexHeaderBytes);
  if (!index->ReadBlocks(segment.first, &rest) || !index->ReadTags(rest)) return nullptr;
  return index;
}

bool LogIndex::ReadBlocks(std::uint64_t first, std::string_view* rest) {
  std::uint64_t count = 0;
  if (!TakeVarint(rest, &count) || count > rest->size()) return false;
  if (count == 0) return last_ == first - 1 && end_ == kFileHeaderBytes;
  blocks_.reserve(count);
  Block block{0, first};
  for (std::uint64_t i = 0; i < count; ++i) {
    const Block before = block;
    if (!TakeStep(rest, end_, &block.offset) || !TakeStep(rest, last_, &block.first)) return false;
    const bool follows = i == 0 ? block.offset == kFileHeaderBytes && block.first == first
                                : block.offset > before.offset && block.first > before.first;
    if (!follows || block.offset >= end_) return false;
    blocks_.push_back(block);
  }
  return true;
}

bool LogIndex::ReadTags(std::string_view rest) {
  std::uint64_t count = 0;
  if (!TakeVarint(&rest, &count)) return false;
  std::uint64_t tag = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t tag_before = tag;
    if (!TakeStep(&rest, UINT64_MAX, &tag) || (i > 0 && tag == tag_before)) return false;
    if (i % kTagsPerAnchor == 0) anchors_.push_back({tag, bytes_.size() - rest.size()});
    std::string_view list;
    if (!TakeList(&rest, &list) || list.empty()) return false;
    std::uint64_t block = 0;
    for (bool is_first = true; !list.empty(); is_first = false) {
      const std::uint64_t block_before = block;
      if (!TakeStep(&list, blocks_.size(), &block) || block >= blocks_.size()) return false;
      if (!is_first && block == block_before) return false;
    }
  }
  return rest.empty();
}

void LogIndex::Collect(std::uint64_t tag, std::uint32_t from,
                       std::vector<std::uint32_t>* blocks) const {
  const auto behind =
      std::upper_bound(anchors_.begin(), anchors_.end(), tag,
                       [](std::uint64_t wanted, const Anchor& one) { return wanted < one.tag; });
  if (behind == anchors_.begin()) return;
  const Anchor& anchor = *(behind - 1);
  std::string_view rest = std::string_view(bytes_).substr(anchor.lists_at);
  std::uint64_t at = anchor.tag;
  std::string_view list;
  while (TakeList(&rest, &list) && at != tag) {
    if (rest.empty() || !TakeStep(&rest, UINT64_MAX, &at) || at > tag) return;
  }
  std::uint64_t block = 0;
  while (!list.empty() && TakeStep(&list, UINT32_MAX, &block)) {
    if (block >= from) blocks->push_back(static_cast<std::uint32_t>(block));
  }
}

}  // namespace laurel::storage
