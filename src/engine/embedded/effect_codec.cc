#include "engine/embedded/effect_codec.h"

#include <optional>

#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "engine/limits.h"
#include "laurel/limits.h"
#include "leaderboard/effect_codec.h"

namespace laurel::engine {
namespace {

// The first byte of an effect. Part of the format: numbers are never given twice.
enum Op : std::uint8_t {
  kClock = 1,
  kSelect = 2,
  kCreate = 3,
  kDrop = 4,
  kDropBelow = 5,
  kName = 6,
  kExpiry = 7,
  kClear = 8,
  kAlter = 9,
  kPut = 10,
  kPutWithMeta = 11,
  kDelete = 12,
  kHide = 13,
  kShow = 14,
  kTemplate = 15,
  kNoTemplate = 16,
  kWritten = 17,
  kRemember = 18,
  kForgetBefore = 19,
  kCreateInstance = 20,
  kSelectInstance = 21,
  kDropInstance = 22,
  kTurned = 23,
  kClosed = 24,
  kEvict = 25,
  kDropExpired = 26,
  kClosedThrough = 27,
  kDeleteRange = 28,
  kEvictRange = 29,
};

// The words of a put are preceded by their number.
constexpr unsigned kMostWords = core::kMaxWords;

}  // namespace

InstanceRef RefOf(const core::NamedBoard& instance) {
  const core::NamedBoard::Part& part = *instance.part;
  return {instance.id, part.of->id, part.span.period, BeginSeconds(part.span)};
}

std::int64_t BeginSeconds(const Instance& span) {
  return span.period == Period::kAll ? 0 : span.begin / 1'000'000;
}

void EffectWriter::Op(int op) { to_->push_back(static_cast<char>(op)); }

void EffectWriter::Number(std::uint64_t value) {
  char bytes[base::kMaxVarintBytes];
  to_->append(bytes, static_cast<std::size_t>(base::PutVarint(bytes, value) - bytes));
}

void EffectWriter::Bytes(std::string_view bytes) {
  Number(bytes.size());
  to_->append(bytes);
}

void EffectWriter::Words(const core::Words& words, unsigned count) {
  to_->append(reinterpret_cast<const char*>(words.data()), count * sizeof(std::uint64_t));
}

void EffectWriter::WriteSpec(const Spec& spec) { leaderboard::EffectWriter(to_).WriteSpec(spec); }

void EffectWriter::Clock(Stamp last) {
  Op(kClock);
  char bytes[sizeof(Stamp)];
  base::Store(bytes, last);
  to_->append(bytes, sizeof(bytes));
}

void EffectWriter::Select(std::uint64_t id) {
  Op(kSelect);
  Number(id);
}

void EffectWriter::Create(std::uint64_t id, std::string_view name, const Spec& spec) {
  Op(kCreate);
  Number(id);
  Bytes(name);
  WriteSpec(spec);
}

void EffectWriter::Drop(std::uint64_t id, std::string_view name, const Spec& spec) {
  Op(kDrop);
  Number(id);
  Bytes(name);
  WriteSpec(spec);
}

void EffectWriter::DropExpired(std::uint64_t id, std::string_view name, const Spec& spec) {
  Op(kDropExpired);
  Number(id);
  Bytes(name);
  WriteSpec(spec);
}

void EffectWriter::CreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span,
                                  Policy policy, std::uint64_t cap) {
  Op(kCreateInstance);
  Number(id);
  Number(of);
  Number(static_cast<std::uint64_t>(span.period));
  Number(base::ZigZag(span.begin));
  Number(base::ZigZag(span.end));
  Bytes(span.label);
  Number(static_cast<std::uint64_t>(policy));
  Number(cap);
}

void EffectWriter::SelectInstance(const InstanceRef& instance) {
  Op(kSelectInstance);
  Number(instance.id);
  Number(instance.of);
  Number(static_cast<std::uint64_t>(instance.period));
  Number(base::ZigZag(instance.begin_s));
}

void EffectWriter::DropInstance(std::uint64_t id) {
  Op(kDropInstance);
  Number(id);
}

void EffectWriter::Turned(Stamp at) {
  Op(kTurned);
  Number(base::ZigZag(at));
}

void EffectWriter::ClosedThrough(Period period, Stamp end) {
  Op(kClosedThrough);
  Number(static_cast<std::uint64_t>(period));
  Number(base::ZigZag(end));
}

void EffectWriter::Closed(const ClosedInstance& closed) {
  Op(kClosed);
  Number(closed.epoch);
  Number(closed.after);
  Number(closed.size);
  Number(closed.top.size());
  Number(closed.words);
  for (const TopEntry& entry : closed.top) {
    Bytes(entry.member);
    Words(entry.words, closed.words);
  }
}

void EffectWriter::DropBelow(std::uint64_t id) {
  Op(kDropBelow);
  Number(id);
}

void EffectWriter::Name(std::string_view name, std::string_view from, const Spec& spec) {
  Op(kName);
  Bytes(name);
  Bytes(from);
  WriteSpec(spec);
}

void EffectWriter::Expiry(std::int64_t at_ms) {
  Op(kExpiry);
  Number(base::ZigZag(at_ms));
}

void EffectWriter::Written(Stamp at) {
  Op(kWritten);
  Number(base::ZigZag(at));
}

void EffectWriter::Clear() { Op(kClear); }

void EffectWriter::Alter(const Spec& spec) {
  Op(kAlter);
  WriteSpec(spec);
}

void EffectWriter::Put(std::string_view member, const core::Words& words, unsigned word_count,
                       std::string_view meta) {
  Op(meta.empty() ? kPut : kPutWithMeta);
  Op(static_cast<int>(word_count));
  Bytes(member);
  Words(words, word_count);
  if (!meta.empty()) Bytes(meta);
}

void EffectWriter::Delete(std::string_view member) {
  Op(kDelete);
  Bytes(member);
}

void EffectWriter::Evict(std::string_view member) {
  Op(kEvict);
  Bytes(member);
}

void EffectWriter::Hide(std::string_view member, unsigned word_count, const core::Words* words,
                        std::string_view meta) {
  Op(kHide);
  Bytes(member);
  Op(words == nullptr ? 0 : static_cast<int>(word_count));
  if (words == nullptr) return;
  Words(*words, word_count);
  Bytes(meta);
}

void EffectWriter::DeleteRange(const core::KeyRange& range, unsigned word_count, bool evicted) {
  Op(evicted ? kEvictRange : kDeleteRange);
  Number(range.count);
  Op(static_cast<int>(word_count));
  Bytes(range.first_member);
  Words(range.first, word_count);
  Bytes(range.last_member);
  Words(range.last, word_count);
}

void EffectWriter::Show(std::string_view member) {
  Op(kShow);
  Bytes(member);
}

void EffectWriter::Remember(const core::RememberedRequest& request) {
  char bytes[1 + 3 * base::kMaxVarintBytes + sizeof(request.arguments)];
  char* end = bytes;
  *end++ = kRemember;
  end = base::PutVarint(end, request.sequence);
  end = base::PutVarint(end, base::ZigZag(request.at));
  base::Store(end, request.arguments);
  end = base::PutVarint(end + sizeof(request.arguments), request.id.size());
  to_->append(bytes, static_cast<std::size_t>(end - bytes));
  to_->append(request.id);
  Bytes(request.outcome);
}

void EffectWriter::ForgetBefore(std::uint64_t sequence) {
  Op(kForgetBefore);
  Number(sequence);
}

void EffectWriter::Template(std::string_view pattern, const Spec& spec) {
  Op(kTemplate);
  Bytes(pattern);
  WriteSpec(spec);
}

void EffectWriter::NoTemplate(std::string_view pattern) {
  Op(kNoTemplate);
  Bytes(pattern);
}

// Reading --------------------------------------------------------------------------------------

class EffectReader::Cursor : public base::ByteCursor {
 public:
  using ByteCursor::ByteCursor;

  unsigned WordCount() {
    const unsigned count = Byte();
    if (count > kMostWords) Fail();
    return failed() ? 0 : count;
  }
  core::Words Words(unsigned count) {
    core::Words words{};
    for (unsigned i = 0; i < count; ++i) words[i] = Fixed();
    return words;
  }
  laurel::Spec Spec() { return leaderboard::ReadSpec(this); }
  ClosedInstance Closed();
};

ClosedInstance EffectReader::Cursor::Closed() {
  ClosedInstance closed;
  closed.epoch = Number();
  closed.after = Number();
  closed.size = Number();
  const std::uint64_t count = Choose(std::uint64_t{kClosingTop});
  closed.words = static_cast<unsigned>(Choose(std::uint64_t{kMostWords}));
  for (std::uint64_t i = 0; i < count && !failed(); ++i) {
    TopEntry& entry = closed.top.emplace_back();
    entry.member = Bytes(kMaxMemberBytes);
    entry.words = Words(closed.words);
  }
  return closed;
}

Status EffectReader::Read(std::string_view bytes) {
  Cursor cursor(bytes);
  while (!cursor.empty()) {
    const Status status = ReadOne(cursor);
    if (cursor.failed()) return Error{ErrorCode::kErr, "an effect is malformed"};
    if (!status.ok()) return status;
  }
  return Ok{};
}

// Each case reads all of its effect before it tells of it, and tells of nothing that is not whole.
Status EffectReader::ReadOne(Cursor& cursor) {
  const auto tell = [&](const auto& call) { return cursor.failed() ? Status(Ok{}) : call(); };
  const std::uint8_t op = cursor.Byte();
  core::Effect effect;
  switch (op) {
    case kClock: {
      const std::string_view bytes = cursor.Take(sizeof(Stamp));
      return tell([&] { return OnClock(base::Load<Stamp>(bytes.data())); });
    }
    case kSelect:
    case kDropBelow:
    case kDropInstance: {
      const std::uint64_t id = cursor.Number();
      return tell([&] {
        return op == kSelect      ? OnSelect(id)
               : op == kDropBelow ? OnDropBelow(id)
                                  : OnDropInstance(id);
      });
    }
    case kDrop:
    case kDropExpired: {
      const std::uint64_t id = cursor.Number();
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = cursor.Spec();
      return tell([&] { return OnDrop(id, name, spec, op == kDropExpired); });
    }
    case kCreateInstance: {
      const std::uint64_t id = cursor.Number();
      const std::uint64_t of = cursor.Number();
      Instance span;
      span.period = cursor.Choose(Period::kAll);
      span.begin = base::UnZigZag(cursor.Number());
      span.end = base::UnZigZag(cursor.Number());
      span.label = cursor.Bytes(kMaxLabelBytes);
      const Policy policy = cursor.Choose(Policy::kSum);
      const std::uint64_t cap = cursor.Number();
      return tell([&] { return OnCreateInstance(id, of, span, policy, cap); });
    }
    case kSelectInstance: {
      InstanceRef instance;
      instance.id = cursor.Number();
      instance.of = cursor.Number();
      instance.period = cursor.Choose(Period::kAll);
      instance.begin_s = base::UnZigZag(cursor.Number());
      return tell([&] { return OnSelectInstance(instance); });
    }
    case kClosedThrough: {
      const Period period = cursor.Choose(Period::kAll);
      const Stamp end = base::UnZigZag(cursor.Number());
      return tell([&] { return OnClosedThrough(period, end); });
    }
    case kClosed: {
      const ClosedInstance closed = cursor.Closed();
      return tell([&] { return OnClosed(closed); });
    }
    case kCreate: {
      const std::uint64_t id = cursor.Number();
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = cursor.Spec();
      return tell([&] { return OnCreate(id, name, spec); });
    }
    case kRemember: {
      core::RememberedRequest request;
      request.sequence = cursor.Choose(core::RememberedRequest::kMaxSequence);
      request.at = base::UnZigZag(cursor.Number());
      const std::string_view arguments = cursor.Take(sizeof(request.arguments));
      request.id = cursor.Bytes(kMaxRequestIdLength);
      request.outcome = cursor.Bytes(kMaxOutcomeBytes);
      return tell([&] {
        request.arguments = base::Load<std::uint64_t>(arguments.data());
        return OnRemember(request);
      });
    }
    case kForgetBefore: {
      const std::uint64_t sequence = cursor.Choose(core::RememberedRequest::kMaxSequence + 1);
      return tell([&] { return OnForgetBefore(sequence); });
    }
    case kName: {
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const std::string_view from = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = cursor.Spec();
      return tell([&] { return OnName(name, from, spec); });
    }
    case kExpiry:
    case kWritten:
    case kTurned: {
      const std::int64_t at = base::UnZigZag(cursor.Number());
      return tell([&] {
        return op == kExpiry ? OnExpiry(at) : op == kWritten ? OnWritten(at) : OnTurned(at);
      });
    }
    case kTemplate: {
      const std::string_view pattern = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = cursor.Spec();
      return tell([&] { return OnTemplate(pattern, spec); });
    }
    case kNoTemplate: {
      const std::string_view pattern = cursor.Bytes(kMaxBoardNameBytes);
      return tell([&] { return OnNoTemplate(pattern); });
    }
    case kClear:
      effect.kind = core::Effect::Kind::kClear;
      return OnEffect(effect, 0);
    case kAlter: {
      const Spec spec = cursor.Spec();
      effect.kind = core::Effect::Kind::kAlter;
      effect.spec = &spec;
      return tell([&] { return OnEffect(effect, 0); });
    }
    case kPut:
    case kPutWithMeta: {
      const unsigned words = cursor.WordCount();
      if (words == 0) return Error{ErrorCode::kErr, "an entry has no words"};
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      effect.words = cursor.Words(words);
      if (op == kPutWithMeta) effect.meta = cursor.Bytes(kMaxMetaBytes);
      return tell([&] { return OnEffect(effect, words); });
    }
    case kHide: {
      effect.kind = core::Effect::Kind::kHide;
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      const unsigned words = cursor.WordCount();
      effect.has_entry = words > 0;
      if (effect.has_entry) {
        effect.words = cursor.Words(words);
        effect.meta = cursor.Bytes(kMaxMetaBytes);
      }
      return tell([&] { return OnEffect(effect, words); });
    }
    case kDeleteRange:
    case kEvictRange: {
      core::KeyRange range;
      range.count = cursor.Number();
      const unsigned words = cursor.WordCount();
      range.first_member = cursor.Bytes(kMaxSortedSetMemberBytes);
      range.first = cursor.Words(words);
      range.last_member = cursor.Bytes(kMaxSortedSetMemberBytes);
      range.last = cursor.Words(words);
      effect.kind = core::Effect::Kind::kDeleteRange;
      effect.range = &range;
      effect.evicted = op == kEvictRange;
      return tell([&] { return OnEffect(effect, words); });
    }
    case kDelete:
    case kEvict:
    case kShow:
      effect.kind = op == kShow ? core::Effect::Kind::kShow : core::Effect::Kind::kDelete;
      effect.evicted = op == kEvict;
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      break;
    default:
      return Error{ErrorCode::kErr, "there is no effect " + std::to_string(op)};
  }
  return tell([&] { return OnEffect(effect, 0); });
}

}  // namespace laurel::engine
