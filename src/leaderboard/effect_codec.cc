#include "leaderboard/effect_codec.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "laurel/limits.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {
namespace {

// The first byte of an effect. Part of the format: numbers are never reused.
enum Op : std::uint8_t {
  kCreate = 1,
  kAlter = 2,
  kMark = 3,
  kUnmark = 4,
  kStamped = 5,
  kWritten = 6,
  kTurned = 7,
  kClosedThrough = 8,
  kRemember = 9,
  kForgetBefore = 10,
  kCreateInstance = 11,
  kSelectInstance = 12,
  kDropInstance = 13,
  kClose = 14,
  kPut = 20,
  kPutWithMeta = 21,
  kPutGiven = 22,  // its stamp says nothing about the clock: it was given by AT, or is an old one
  kPutGivenWithMeta = 23,
  kDelete = 24,
  kEvict = 25,
  kDeleteRange = 26,
  kEvictRange = 27,
  kClear = 28,
  kHide = 29,
  kShow = 30,
};
static_assert(kShow < kFirstHostEffect);
static_assert(kPut + 1 == kPutWithMeta && kPutGiven + 1 == kPutGivenWithMeta);  // see Entry
static_assert(kMaxInstanceNumber < UINT32_MAX);  // which EffectWriter takes for no instance

// Bits that say which optional fields of a spec follow.
constexpr std::uint64_t kHasStart = 1;
constexpr std::uint64_t kHasEnd = 2;

core::Words ReadWords(base::ByteCursor& cursor, unsigned count) {
  core::Words words{};
  for (unsigned i = 0; i < count; ++i) words[i] = cursor.Fixed();
  return words;
}

unsigned ReadWordCount(base::ByteCursor& cursor) {
  const unsigned count = cursor.Byte();
  if (count > core::kMaxWords) cursor.Fail();
  return cursor.failed() ? 0 : count;
}

}  // namespace

std::int64_t BeginSeconds(const Instance& span) {
  return span.period == Period::kAll ? 0 : span.begin / 1'000'000;
}

// Writing -----------------------------------------------------------------------------------------

void EffectWriter::WriteNumber(std::uint64_t value) {
  char bytes[base::kMaxVarintBytes];
  to_->append(bytes, static_cast<std::size_t>(base::PutVarint(bytes, value) - bytes));
}

void EffectWriter::WriteFixed(std::uint64_t value) {
  to_->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void EffectWriter::WriteBytes(std::string_view bytes) {
  WriteNumber(bytes.size());
  to_->append(bytes);
}

void EffectWriter::WriteWords(const core::Words& words, unsigned count) {
  to_->append(reinterpret_cast<const char*>(words.data()), count * sizeof(std::uint64_t));
}

void EffectWriter::WriteSpec(const Spec& spec) {
  LAUREL_ASSERT(spec.fields.size() <= kMaxFields && spec.periods.size() <= kPeriods);
  WriteNumber(static_cast<std::uint64_t>(spec.kind));
  WriteNumber(static_cast<std::uint64_t>(spec.policy));
  WriteNumber(static_cast<std::uint64_t>(spec.tie));
  WriteNumber(spec.cap);
  WriteNumber((spec.start ? kHasStart : 0) | (spec.end ? kHasEnd : 0));
  if (spec.start) WriteNumber(static_cast<std::uint64_t>(*spec.start));
  if (spec.end) WriteNumber(static_cast<std::uint64_t>(*spec.end));
  WriteNumber(static_cast<std::uint64_t>(spec.grace_us));
  WriteNumber(static_cast<std::uint64_t>(spec.expire_us));
  WriteNumber(spec.dedup);
  WriteNumber(spec.periods.size());
  for (const Period period : spec.periods) WriteNumber(static_cast<std::uint64_t>(period));
  if (!spec.periods.empty()) {
    WriteBytes(spec.zone);
    WriteNumber(static_cast<std::uint64_t>(spec.turn_minutes));
    WriteNumber(spec.keep);
  }
  WriteNumber(spec.fields.size());
  for (const Field& field : spec.fields) {
    WriteBytes(field.name);
    WriteNumber(static_cast<std::uint64_t>(field.decimals));
    WriteNumber(static_cast<std::uint64_t>(field.direction));
    WriteNumber(static_cast<std::uint64_t>(field.op));
  }
}

void EffectWriter::Create(const Spec& spec) {
  WriteOp(kCreate);
  WriteSpec(spec);
}

void EffectWriter::Alter(const Spec& spec) {
  WriteOp(kAlter);
  WriteSpec(spec);
}

void EffectWriter::Mark(std::string_view member) {
  WriteOp(kMark);
  WriteBytes(member);
}

void EffectWriter::Unmark(std::string_view member) {
  WriteOp(kUnmark);
  WriteBytes(member);
}

void EffectWriter::Stamped(Stamp last) {
  WriteOp(kStamped);
  WriteNumber(base::ZigZag(last));
}

void EffectWriter::Written(Stamp at) {
  WriteOp(kWritten);
  WriteNumber(base::ZigZag(at));
}

void EffectWriter::Turned(Stamp at) {
  WriteOp(kTurned);
  WriteNumber(base::ZigZag(at));
}

void EffectWriter::ClosedThrough(Period period, Stamp end) {
  WriteOp(kClosedThrough);
  WriteNumber(static_cast<std::uint64_t>(period));
  WriteNumber(base::ZigZag(end));
}

void EffectWriter::Remember(const RememberedRequest& request) {
  char bytes[1 + 3 * base::kMaxVarintBytes + sizeof(request.identity)];
  char* end = bytes;
  *end++ = kRemember;
  end = base::PutVarint(end, request.sequence);
  end = base::PutVarint(end, base::ZigZag(request.at));
  base::Store(end, request.identity);
  end = base::PutVarint(end + sizeof(request.identity), request.id.size());
  to_->append(bytes, static_cast<std::size_t>(end - bytes));
  to_->append(request.id);
  WriteBytes(request.outcome);
}

void EffectWriter::ForgetBefore(std::uint64_t sequence) {
  WriteOp(kForgetBefore);
  WriteNumber(sequence);
}

void EffectWriter::CreateInstance(std::uint32_t number, const Instance& span) {
  LAUREL_ASSERT(number <= kMaxInstanceNumber);
  WriteOp(kCreateInstance);
  WriteNumber(number);
  WriteNumber(static_cast<std::uint64_t>(span.period));
  WriteNumber(base::ZigZag(span.begin));
  WriteNumber(base::ZigZag(span.end));
  WriteBytes(span.label);
  selected_ = number;
}

void EffectWriter::Select(const InstanceRef& instance) {
  if (selected_ == instance.number) return;
  LAUREL_ASSERT(instance.number <= kMaxInstanceNumber);
  selected_ = instance.number;
  WriteOp(kSelectInstance);
  WriteNumber(instance.number);
  WriteNumber(static_cast<std::uint64_t>(instance.period));
  WriteNumber(base::ZigZag(instance.begin_s));
}

void EffectWriter::DropInstance(std::uint32_t number) {
  LAUREL_ASSERT(number <= kMaxInstanceNumber);
  WriteOp(kDropInstance);
  WriteNumber(number);
  if (selected_ == number) selected_ = UINT32_MAX;  // the next Select writes an effect
}

void EffectWriter::Close(const Closing& closing) {
  // The reader refuses more.
  LAUREL_ASSERT(closing.note.size() <= kMaxCloseNoteBytes);
  LAUREL_ASSERT(closing.top.size() <= kClosingTop && closing.words <= core::kMaxWords);
  WriteOp(kClose);
  WriteBytes(closing.note);
  WriteNumber(closing.size);
  WriteNumber(closing.top.size());
  WriteNumber(closing.words);
  for (const TopEntry& entry : closing.top) {
    WriteBytes(entry.member);
    WriteWords(entry.words, closing.words);
  }
}

void EffectWriter::Entry(const core::Effect& effect, unsigned words) {
  using Kind = core::Effect::Kind;
  switch (effect.kind) {
    case Kind::kPut:
      LAUREL_ASSERT(words > 0 && words <= core::kMaxWords);
      WriteOp((effect.stamp_not_from_clock ? kPutGiven : kPut) + (effect.meta.empty() ? 0 : 1));
      WriteOp(static_cast<int>(words));
      WriteBytes(effect.member);
      WriteWords(effect.words, words);
      if (!effect.meta.empty()) WriteBytes(effect.meta);
      break;
    case Kind::kDelete:
      WriteOp(effect.evicted ? kEvict : kDelete);
      WriteBytes(effect.member);
      break;
    case Kind::kDeleteRange:
      LAUREL_ASSERT(effect.range != nullptr && words <= core::kMaxWords);
      WriteOp(effect.evicted ? kEvictRange : kDeleteRange);
      WriteNumber(effect.range->count);
      WriteOp(static_cast<int>(words));
      WriteBytes(effect.range->first_member);
      WriteWords(effect.range->first, words);
      WriteBytes(effect.range->last_member);
      WriteWords(effect.range->last, words);
      break;
    case Kind::kClear:
      WriteOp(kClear);
      break;
    case Kind::kHide:
      LAUREL_ASSERT(words > 0 && words <= core::kMaxWords);
      WriteOp(kHide);
      WriteBytes(effect.member);
      WriteOp(static_cast<int>(words));
      WriteWords(effect.words, words);
      WriteBytes(effect.meta);
      break;
    case Kind::kShow:
      WriteOp(kShow);
      WriteBytes(effect.member);
      break;
    case Kind::kAlter:
      LAUREL_ASSERT(effect.spec != nullptr);
      Alter(*effect.spec);
      break;
  }
}

// Reading -----------------------------------------------------------------------------------------

Spec ReadSpec(base::ByteCursor* from) {
  base::ByteCursor& cursor = *from;
  Spec spec;
  spec.kind = cursor.Choose(BoardKind::kSortedSet);
  spec.policy = cursor.Choose(Policy::kSum);
  spec.tie = cursor.Choose(Tie::kMember);
  spec.cap = cursor.Number();
  const std::uint64_t has = cursor.Choose(kHasStart | kHasEnd);
  if ((has & kHasStart) != 0) spec.start = static_cast<Stamp>(cursor.Number());
  if ((has & kHasEnd) != 0) spec.end = static_cast<Stamp>(cursor.Number());
  spec.grace_us = static_cast<std::int64_t>(cursor.Number());
  spec.expire_us = static_cast<std::int64_t>(cursor.Number());
  spec.dedup = cursor.Number();
  const std::uint64_t periods = cursor.Choose(std::uint64_t{kPeriods});
  for (std::uint64_t i = 0; i < periods; ++i) spec.periods.push_back(cursor.Choose(Period::kAll));
  if (periods > 0) {
    spec.zone = cursor.Bytes(kMaxZoneNameBytes);
    spec.turn_minutes = static_cast<int>(cursor.Choose(std::uint64_t{24 * 60 - 1}));
    spec.keep = cursor.Number();
  }
  spec.fields.clear();
  const std::uint64_t fields = cursor.Choose(std::uint64_t{kMaxFields});
  for (std::uint64_t i = 0; i < fields && !cursor.failed(); ++i) {
    Field& field = spec.fields.emplace_back();
    field.name = cursor.Bytes(kMaxFieldNameBytes);
    field.decimals = static_cast<int>(cursor.Choose(std::uint64_t{kMaxDecimals}));
    field.direction = cursor.Choose(Direction::kAsc);
    field.op = cursor.Choose(Operator::kMin);
  }
  if (!cursor.failed() && !CheckSpec(spec).ok()) cursor.Fail();
  return spec;
}

Status EffectReader::Read(base::ByteCursor* cursor) {
  while (!cursor->empty() && cursor->Peek() < kFirstHostEffect) {
    const Status status = ReadOne(*cursor);
    if (cursor->failed()) return Error{ErrorCode::kErr, "an effect is malformed"};
    if (!status.ok()) return status;
  }
  return Ok{};
}

// Each case reads a whole effect before it calls the virtual function. An incomplete effect causes
// no call.
Status EffectReader::ReadOne(base::ByteCursor& cursor) {
  const auto tell = [&](const auto& call) { return cursor.failed() ? Status(Ok{}) : call(); };
  const std::uint8_t op = cursor.Byte();
  switch (op) {
    case kCreate:
    case kAlter: {
      const Spec spec = ReadSpec(&cursor);
      return tell([&] { return op == kCreate ? OnCreate(spec) : OnAlter(spec); });
    }
    case kMark:
    case kUnmark: {
      const std::string_view member = cursor.Bytes(kMaxMemberBytes);
      return tell([&] { return op == kMark ? OnMark(member) : OnUnmark(member); });
    }
    case kStamped:
    case kWritten:
    case kTurned: {
      const Stamp at = base::UnZigZag(cursor.Number());
      return tell([&] {
        return op == kStamped ? OnStamped(at) : op == kWritten ? OnWritten(at) : OnTurned(at);
      });
    }
    case kClosedThrough: {
      const Period period = cursor.Choose(Period::kAll);
      const Stamp end = base::UnZigZag(cursor.Number());
      return tell([&] { return OnClosedThrough(period, end); });
    }
    case kRemember: {
      RememberedRequest request;
      request.sequence = cursor.Choose(RememberedRequest::kMaxSequence);
      request.at = base::UnZigZag(cursor.Number());
      request.identity = cursor.Fixed();
      request.id = cursor.Bytes(kMaxRequestIdLength);
      request.outcome = cursor.Bytes(kMaxOutcomeBytes);
      return tell([&] { return OnRemember(request); });
    }
    case kForgetBefore: {
      const std::uint64_t sequence = cursor.Choose(RememberedRequest::kMaxSequence + 1);
      return tell([&] { return OnForgetBefore(sequence); });
    }
    case kCreateInstance:
    case kSelectInstance:
    case kDropInstance:
    case kClose:
      return ReadInstance(op, cursor);
    default:
      return ReadEntry(op, cursor);
  }
}

Status EffectReader::ReadInstance(std::uint8_t op, base::ByteCursor& cursor) {
  const auto tell = [&](const auto& call) { return cursor.failed() ? Status(Ok{}) : call(); };
  if (op == kClose) {
    Closing closing;
    closing.note = cursor.Bytes(kMaxCloseNoteBytes);
    closing.size = cursor.Number();
    const std::uint64_t count = cursor.Choose(std::uint64_t{kClosingTop});
    closing.words = static_cast<unsigned>(cursor.Choose(std::uint64_t{core::kMaxWords}));
    for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
      TopEntry& entry = closing.top.emplace_back();
      entry.member = cursor.Bytes(kMaxMemberBytes);
      entry.words = ReadWords(cursor, closing.words);
    }
    return tell([&] { return OnClose(closing); });
  }
  const auto number = static_cast<std::uint32_t>(cursor.Choose(std::uint64_t{kMaxInstanceNumber}));
  if (op == kDropInstance) {
    return tell([&] { return OnDropInstance(number); });
  }
  const Period period = cursor.Choose(Period::kAll);
  const std::int64_t begin = base::UnZigZag(cursor.Number());
  if (op == kSelectInstance) {
    return tell([&] { return OnSelect({number, period, begin}); });
  }
  Instance span{period, begin, base::UnZigZag(cursor.Number()), ""};
  span.label = cursor.Bytes(Label::kMaxBytes);
  return tell([&] { return OnCreateInstance(number, span); });
}

Status EffectReader::ReadEntry(std::uint8_t op, base::ByteCursor& cursor) {
  const auto tell = [&](const core::Effect& effect, unsigned words) {
    return cursor.failed() ? Status(Ok{}) : OnEntry(effect, words);
  };
  core::Effect effect;
  switch (op) {
    case kPut:
    case kPutWithMeta:
    case kPutGiven:
    case kPutGivenWithMeta: {
      const unsigned words = ReadWordCount(cursor);
      if (words == 0) return Error{ErrorCode::kErr, "an entry has no words"};
      effect.stamp_not_from_clock = op == kPutGiven || op == kPutGivenWithMeta;
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      effect.words = ReadWords(cursor, words);
      const bool has_meta = op == kPutWithMeta || op == kPutGivenWithMeta;
      if (has_meta) effect.meta = cursor.Bytes(kMaxMetaBytes);
      return tell(effect, words);
    }
    case kHide: {
      effect.kind = core::Effect::Kind::kHide;
      effect.member = cursor.Bytes(kMaxMemberBytes);
      const unsigned words = ReadWordCount(cursor);
      if (words == 0) return Error{ErrorCode::kErr, "an entry has no words"};
      effect.words = ReadWords(cursor, words);
      effect.meta = cursor.Bytes(kMaxMetaBytes);
      return tell(effect, words);
    }
    case kDeleteRange:
    case kEvictRange: {
      core::KeyRange range;
      range.count = cursor.Number();
      const unsigned words = ReadWordCount(cursor);
      range.first_member = cursor.Bytes(kMaxSortedSetMemberBytes);
      range.first = ReadWords(cursor, words);
      range.last_member = cursor.Bytes(kMaxSortedSetMemberBytes);
      range.last = ReadWords(cursor, words);
      effect.kind = core::Effect::Kind::kDeleteRange;
      effect.range = &range;
      effect.evicted = op == kEvictRange;
      return tell(effect, words);
    }
    case kClear:
      effect.kind = core::Effect::Kind::kClear;
      return tell(effect, 0);
    case kDelete:
    case kEvict:
    case kShow:
      effect.kind = op == kShow ? core::Effect::Kind::kShow : core::Effect::Kind::kDelete;
      effect.evicted = op == kEvict;
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      return tell(effect, 0);
    default:
      return Error{ErrorCode::kErr, "there is no effect " + std::to_string(op)};
  }
}

}  // namespace laurel::leaderboard
