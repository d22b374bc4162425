#include "leaderboard/load.h"

#include <string>

#include "base/byte_cursor.h"
#include "base/hash_chain.h"
#include "leaderboard/effect_codec.h"

namespace laurel::leaderboard {
namespace {

constexpr std::uint64_t kSeed = 0x4c6175726c6f6164;  // changes with the definition of the digest

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
    base::HashChain chain(kSeed);
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
  static Error Unwanted(const std::string& what) {
    return {ErrorCode::kErr, "a chunk of a load has " + what};
  }

  [[nodiscard]] Status CheckTime(Stamp at) const {
    if (at >= 0 && at <= latest_) return Ok{};
    return Error{ErrorCode::kBadTime, "a time of the load is ahead of the clock or before 1970"};
  }

  Stamp latest_;
  InstanceRef instance_;
  LoadFigures figures_;
};

}  // namespace

Status AddChunk(std::string_view chunk, Stamp latest, LoadFigures* figures) {
  if (chunk.size() > kMaxChunkBytes) {
    return Error{ErrorCode::kLimit,
                 "a chunk has at most " + std::to_string(kMaxChunkBytes) + " bytes"};
  }
  ChunkReader reader(latest, *figures);
  base::ByteCursor cursor(chunk);
  if (const Status read = reader.Read(&cursor); !read.ok()) return read;
  if (cursor.failed() || !cursor.empty()) {
    return Error{ErrorCode::kErr, "a chunk of a load is malformed"};
  }
  *figures = reader.figures();
  return Ok{};
}

}  // namespace laurel::leaderboard
