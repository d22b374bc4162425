#include "leaderboard/load.h"

#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "base/hash_chain.h"
#include "base/text.h"
#include "laurel/limits.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/leaderboard.h"

namespace laurel::leaderboard {
namespace {

// Instances that a board may have besides those that KEEP covers: the present one, the one before
// it while GRACE lasts, and one that begins meanwhile.
constexpr std::uint64_t kSpareInstances = 3;

constexpr std::uint64_t kLoadDigestSeed =
    0x4c6175726c6f6164;  // changes with the definition of the digest

// A chunk has room for the longest entry: an op, a count of words, the words and two lengths.
static_assert(kMaxChunkBytes >= 2 + sizeof(core::Words) + 2 * base::kMaxVarintBytes +
                                    kMaxMemberBytes + kMaxMetaBytes);

Error Unwanted(const std::string& what) { return {ErrorCode::kErr, "a chunk has " + what}; }

Status CheckSize(std::string_view chunk) {
  if (chunk.size() <= kMaxChunkBytes) return Ok{};
  return Error{ErrorCode::kLimit,
               "a chunk has at most " + std::to_string(kMaxChunkBytes) + " bytes"};
}

Status ReadWhole(std::string_view chunk, EffectReader* reader) {
  base::ByteCursor cursor(chunk);
  if (const Status read = reader->Read(&cursor); !read.ok()) return read;
  if (!cursor.failed() && cursor.empty()) return Ok{};
  return Error{ErrorCode::kErr, "a chunk of a load is malformed"};
}

class ChunkReader : public EffectReader {
 public:
  ChunkReader(Stamp latest, const LoadFigures& before) : latest_(latest), figures_(before) {}
  [[nodiscard]] const LoadFigures& figures() const { return figures_; }

 protected:
  Status OnStamped(Stamp last) override { return CheckTime(last); }
  Status OnWritten(Stamp at) override { return CheckTime(at); }
  Status OnTurned(Stamp at) override { return CheckTime(at); }
  Status OnClosedThrough(Period /*period*/, Stamp end) override { return CheckTime(end); }
  Status OnMark(std::string_view /*member*/) override {
    const bool is_late = figures_.entries > 0 || figures_.instances > 0;
    return is_late ? Status(Unwanted("a mark after entries")) : Status(Ok{});
  }
  Status OnClose(const Closing& closing) override {
    return closing.note.empty() ? Status(Ok{}) : Status(Unwanted("a note"));
  }
  Status OnCreate(const Spec& /*spec*/) override { return Unwanted("a declaration"); }
  Status OnAlter(const Spec& /*spec*/) override { return Unwanted("a declaration"); }
  Status OnUnmark(std::string_view /*member*/) override { return Unwanted("a removed mark"); }
  Status OnRemember(const RememberedRequest& /*request*/) override {
    return Unwanted("a request id");
  }
  Status OnForgetBefore(std::uint64_t /*sequence*/) override { return Unwanted("a request id"); }
  Status OnDropInstance(std::uint32_t /*number*/) override {
    return Unwanted("an instance that is dropped");
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    instance_ = {number, span.period, BeginSeconds(span)};
    ++figures_.instances;
    return Ok{};
  }
  Status OnSelect(const InstanceRef& instance) override {
    instance_ = instance;
    return Ok{};
  }
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    const bool hidden = effect.kind == core::Effect::Kind::kHide;
    if (effect.kind != core::Effect::Kind::kPut && !hidden) return Unwanted("a removal");
    if (!effect.stamp_not_from_clock && !hidden) return Unwanted("a new stamp");
    base::HashChain chain(kLoadDigestSeed);
    chain.Add(static_cast<std::uint64_t>(instance_.period));
    chain.Add(instance_.begin_s);
    chain.Add(std::uint64_t{hidden});
    chain.Add(effect.member);
    for (unsigned i = 0; i < words; ++i) chain.Add(effect.words[i]);
    chain.Add(effect.meta);
    ++figures_.entries;
    figures_.digest += chain.state();
    return Ok{};
  }

 private:
  [[nodiscard]] Status CheckTime(Stamp at) const {
    if (at >= 0 && at <= latest_) return Ok{};
    return Error{ErrorCode::kBadTime, "a time of the load is ahead of the clock or before 1970"};
  }

  Stamp latest_;
  InstanceRef instance_;
  LoadFigures figures_;
};

// Reads the sections of a chunk for a board that is in use.
class EntriesReader : public EffectReader {
 public:
  EntriesReader(const core::KeyLayout& layout, bool with_meta)
      : layout_(layout), with_meta_(with_meta) {}
  std::vector<ChunkSection> TakeSections() { return std::move(sections_); }

 protected:
  Status OnStamped(Stamp /*last*/) override { return OfBoard(); }
  Status OnWritten(Stamp /*at*/) override { return OfBoard(); }
  Status OnTurned(Stamp /*at*/) override { return OfBoard(); }
  Status OnClosedThrough(Period /*period*/, Stamp /*end*/) override { return OfBoard(); }
  Status OnMark(std::string_view /*member*/) override { return OfBoard(); }
  Status OnClose(const Closing& /*closing*/) override { return OfBoard(); }
  Status OnCreate(const Spec& /*spec*/) override { return OfBoard(); }
  Status OnAlter(const Spec& /*spec*/) override { return OfBoard(); }
  Status OnUnmark(std::string_view /*member*/) override { return OfBoard(); }
  Status OnRemember(const RememberedRequest& /*request*/) override { return OfBoard(); }
  Status OnForgetBefore(std::uint64_t /*sequence*/) override { return OfBoard(); }
  Status OnDropInstance(std::uint32_t /*number*/) override { return OfBoard(); }

  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    if (sections_.size() == kMaxChunkInstances) return Unwanted("too many instances");
    for (const ChunkSection& section : sections_) {  // the board finds other names of one instance
      const bool same = section.instance && section.instance->period == span.period &&
                        section.instance->label == span.label;
      if (same) return Unwanted("an instance twice");
    }
    section_ = section_of_[number] = sections_.size();
    sections_.push_back({span, {}});
    return Ok{};
  }
  Status OnSelect(const InstanceRef& instance) override {
    const auto known = section_of_.find(instance.number);
    if (known == section_of_.end())
      return Unwanted("an entry of an instance that it does not name");
    section_ = known->second;
    return Ok{};
  }
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    const bool is_put =
        effect.kind == core::Effect::Kind::kPut || effect.kind == core::Effect::Kind::kHide;
    if (!is_put) return Unwanted("a removal");
    if (words != layout_.words()) return Unwanted("a score of another board");
    if (!section_) {
      section_of_.emplace(0, sections_.size());
      section_ = sections_.size();
      sections_.emplace_back();
    }
    Write& write = sections_[*section_].writes.emplace_back();
    write.mode = WriteMode::kRestore;
    write.member = effect.member;
    write.score = layout_.ScoreOf(effect.words);
    write.at = layout_.StampOf(effect.words);
    if (with_meta_) write.meta = effect.meta;
    return Ok{};
  }

 private:
  static Status OfBoard() { return Unwanted("more than entries, but the board is in use"); }

  const core::KeyLayout& layout_;
  bool with_meta_;
  std::map<std::uint32_t, std::size_t> section_of_;  // by the number of the instance
  std::optional<std::size_t> section_;               // the selected one
  std::vector<ChunkSection> sections_;
};

}  // namespace

std::string DigestText(std::uint64_t digest) {
  std::string text(16, '0');
  char digits[16];
  const char* end = std::to_chars(digits, digits + 16, digest, 16).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  return text.replace(16 - size, size, digits, size);
}

Status AddChunk(std::string_view chunk, Stamp latest, LoadFigures* figures) {
  if (Status fits = CheckSize(chunk); !fits.ok()) return fits;
  ChunkReader reader(latest, *figures);
  if (Status read = ReadWhole(chunk, &reader); !read.ok()) return read;
  *figures = reader.figures();
  return Ok{};
}

Result<std::vector<ChunkSection>> ReadEntries(std::string_view chunk, const core::KeyLayout& layout,
                                              bool with_meta) {
  if (const Status fits = CheckSize(chunk); !fits.ok()) return fits.error();
  EntriesReader reader(layout, with_meta);
  if (const Status read = ReadWhole(chunk, &reader); !read.ok()) return read.error();
  return reader.TakeSections();
}

Result<bool> ApplyChunk(std::uint64_t number, std::string_view chunk, Stamp now, Leaderboard* board,
                        LoadProgress* progress, bool* ruined) {
  if (number == 0 || number > progress->next) {
    return Error{ErrorCode::kErr, "chunk " + std::to_string(number) + " does not follow chunk " +
                                      std::to_string(progress->next - 1)};
  }
  if (number < progress->next) return false;  // its reply was lost
  const Stamp latest = now + kMaxStampLeadMicros;
  LoadFigures figures = progress->figures;
  if (const Status added = AddChunk(chunk, latest, &figures); !added.ok()) return added.error();
  const Spec& spec = board->spec();
  if (figures.instances > spec.periods.size() * (spec.keep + kSpareInstances)) {
    return Error{ErrorCode::kLimit, "the load has more instances than KEEP covers"};
  }
  base::ByteCursor effects(chunk);
  Summary summary;
  Status applied = board->Apply(&effects, /*lenient=*/false, &summary, latest);
  if (applied.ok() && board->ExceedsCap()) {
    applied = Error{ErrorCode::kLimit, "the load has more entries than the cap"};
  }
  *ruined = !applied.ok();
  if (*ruined) return applied.error();
  ++progress->next;
  progress->figures = figures;
  return true;
}

Error NoLoad(std::string_view board, std::string_view id) {
  return {ErrorCode::kNoBoard, "there is no load " + base::Quote(id) + " of " + base::Quote(board) +
                                   ": it was committed, aborted, refused, dropped after 10 " +
                                   "minutes without a chunk, or the server was started since"};
}

Error LoadHasBegun(std::string_view id) {
  return {ErrorCode::kExists, "the load " + base::Quote(id) + " has begun: choose another id"};
}

Error NameIsTaken(std::string_view board) {
  return {ErrorCode::kExists, base::Quote(board) + " exists: commit with REPLACE, or abort"};
}

}  // namespace laurel::leaderboard
