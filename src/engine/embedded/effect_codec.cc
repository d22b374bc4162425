#include "engine/embedded/effect_codec.h"

#include <optional>

#include "base/bytes.h"
#include "engine/limits.h"
#include "laurel/limits.h"

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
};

// What a spec may have and not have.
constexpr std::uint64_t kHasStart = 1;
constexpr std::uint64_t kHasEnd = 2;

// The words of a put are preceded by their number.
constexpr unsigned kMostWords = core::kMaxWords;

}  // namespace

void EffectWriter::Op(int op) { to_->push_back(static_cast<char>(op)); }

void EffectWriter::Number(std::uint64_t value) {
  char bytes[base::kMaxVarintBytes];
  to_->append(bytes, static_cast<std::size_t>(base::PutVarint(bytes, value) - bytes));
}

void EffectWriter::Bytes(std::string_view bytes) {
  Number(bytes.size());
  to_->append(bytes);
}

void EffectWriter::WriteSpec(const Spec& spec) {
  Number(static_cast<std::uint64_t>(spec.kind));
  Number(static_cast<std::uint64_t>(spec.policy));
  Number(static_cast<std::uint64_t>(spec.tie));
  Number(spec.cap);
  Number((spec.start ? kHasStart : 0) | (spec.end ? kHasEnd : 0));
  if (spec.start) Number(static_cast<std::uint64_t>(*spec.start));
  if (spec.end) Number(static_cast<std::uint64_t>(*spec.end));
  Number(static_cast<std::uint64_t>(spec.grace_us));
  Number(static_cast<std::uint64_t>(spec.expire_us));
  Number(spec.dedup);
  Number(spec.fields.size());
  for (const Field& field : spec.fields) {
    Bytes(field.name);
    Number(static_cast<std::uint64_t>(field.decimals));
    Number(static_cast<std::uint64_t>(field.direction));
    Number(static_cast<std::uint64_t>(field.op));
  }
}

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

void EffectWriter::Drop(std::uint64_t id) {
  Op(kDrop);
  Number(id);
}

void EffectWriter::DropBelow(std::uint64_t id) {
  Op(kDropBelow);
  Number(id);
}

void EffectWriter::Name(std::string_view name) {
  Op(kName);
  Bytes(name);
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
  to_->append(reinterpret_cast<const char*>(words.data()), word_count * sizeof(std::uint64_t));
  if (!meta.empty()) Bytes(meta);
}

void EffectWriter::Delete(std::string_view member) {
  Op(kDelete);
  Bytes(member);
}

void EffectWriter::Hide(std::string_view member) {
  Op(kHide);
  Bytes(member);
}

void EffectWriter::Show(std::string_view member) {
  Op(kShow);
  Bytes(member);
}

void EffectWriter::Remember(const core::RememberedRequest& request) {
  Op(kRemember);
  Number(request.sequence);
  Number(base::ZigZag(request.at));
  char bytes[sizeof(request.arguments)];
  base::Store(bytes, request.arguments);
  to_->append(bytes, sizeof(bytes));
  Bytes(request.id);
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

// Takes values off the front. Once something was missing everything is: ask once, at the end.
class EffectReader::Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

  std::uint8_t Byte() {
    if (!Has(1)) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
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
  std::string_view Bytes(std::size_t most) {
    const std::uint64_t size = Number();
    if (size > most) failed_ = true;
    return failed_ ? std::string_view() : Take(size);
  }
  // One of the choices 0 … most.
  template <typename Choice>
  Choice Choose(Choice most) {
    const std::uint64_t value = Number();
    if (value > static_cast<std::uint64_t>(most)) failed_ = true;
    return static_cast<Choice>(failed_ ? 0 : value);
  }
  core::Words Words(unsigned count) {
    core::Words words{};
    const std::string_view bytes = Take(count * sizeof(std::uint64_t));
    if (!failed_) std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }
  laurel::Spec Spec();

 private:
  bool Has(std::size_t bytes) {
    if (bytes > rest_.size()) failed_ = true;
    return !failed_;
  }

  std::string_view rest_;
  bool failed_ = false;
};

laurel::Spec EffectReader::Cursor::Spec() {
  laurel::Spec spec;
  spec.kind = Choose(BoardKind::kSortedSet);
  spec.policy = Choose(Policy::kSum);
  spec.tie = Choose(Tie::kMember);
  spec.cap = Number();
  const std::uint64_t has = Choose(kHasStart | kHasEnd);
  if ((has & kHasStart) != 0) spec.start = static_cast<Stamp>(Number());
  if ((has & kHasEnd) != 0) spec.end = static_cast<Stamp>(Number());
  spec.grace_us = static_cast<std::int64_t>(Number());
  spec.expire_us = static_cast<std::int64_t>(Number());
  spec.dedup = Number();
  spec.fields.clear();
  const std::uint64_t fields = Choose(std::uint64_t{kMaxFields});
  for (std::uint64_t i = 0; i < fields && !failed_; ++i) {
    Field& field = spec.fields.emplace_back();
    field.name = Bytes(kMaxFieldNameBytes);
    field.decimals = static_cast<int>(Choose(std::uint64_t{kMaxDecimals}));
    field.direction = Choose(Direction::kAsc);
    field.op = Choose(Operator::kMin);
  }
  if (!failed_ && !CheckSpec(spec).ok()) failed_ = true;
  return spec;
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
    case kDrop:
    case kDropBelow: {
      const std::uint64_t id = cursor.Number();
      return tell([&] {
        return op == kSelect ? OnSelect(id) : op == kDrop ? OnDrop(id) : OnDropBelow(id);
      });
    }
    case kCreate: {
      const std::uint64_t id = cursor.Number();
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = cursor.Spec();
      return tell([&] { return OnCreate(id, name, spec); });
    }
    case kRemember: {
      core::RememberedRequest request;
      request.sequence = cursor.Number();
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
      const std::uint64_t sequence = cursor.Number();
      return tell([&] { return OnForgetBefore(sequence); });
    }
    case kName: {
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      return tell([&] { return OnName(name); });
    }
    case kExpiry:
    case kWritten: {
      const std::int64_t at = base::UnZigZag(cursor.Number());
      return tell([&] { return op == kExpiry ? OnExpiry(at) : OnWritten(at); });
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
      const unsigned words = cursor.Byte();
      if (words == 0 || words > kMostWords) {
        return Error{ErrorCode::kErr, "an entry has " + std::to_string(words) + " words"};
      }
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      effect.words = cursor.Words(words);
      if (op == kPutWithMeta) effect.meta = cursor.Bytes(kMaxMetaBytes);
      return tell([&] { return OnEffect(effect, words); });
    }
    case kDelete:
    case kHide:
    case kShow:
      effect.kind = op == kDelete ? core::Effect::Kind::kDelete
                    : op == kHide ? core::Effect::Kind::kHide
                                  : core::Effect::Kind::kShow;
      effect.member = cursor.Bytes(kMaxSortedSetMemberBytes);
      break;
    default:
      return Error{ErrorCode::kErr, "there is no effect " + std::to_string(op)};
  }
  return tell([&] { return OnEffect(effect, 0); });
}

}  // namespace laurel::engine
