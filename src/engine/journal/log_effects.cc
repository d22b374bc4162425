#include "engine/journal/log_effects.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// The first byte of an effect. Part of the file format: numbers are never reused.
enum Op : std::uint8_t {
  kClock = 64,
  kSelect = 65,
  kCreate = 66,
  kDrop = 67,
  kDropExpired = 68,
  kDropBelow = 69,
  kName = 70,
  kExpiry = 71,
  kTemplate = 72,
  kNoTemplate = 73,
  kLoad = 74,  // since format version 4
  kSelectLoad = 75,
  kPublish = 76,
};
static_assert(kClock == leaderboard::kFirstHostEffect);

}  // namespace

void LogWriter::Clock(Stamp last) {
  effects_.WriteOp(kClock);
  effects_.WriteFixed(static_cast<std::uint64_t>(last));
  effects_.Restart();
}

void LogWriter::Select(std::uint64_t id) { WriteNumber(kSelect, id); }
void LogWriter::DropBelow(std::uint64_t id) { WriteNumber(kDropBelow, id); }
void LogWriter::SelectLoad(std::uint64_t id) { WriteNumber(kSelectLoad, id); }

void LogWriter::Create(std::uint64_t id, std::string_view name, const Spec& spec) {
  WriteNamed(kCreate, id, name, spec);
}
void LogWriter::Drop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) {
  WriteNamed(expired ? kDropExpired : kDrop, id, name, spec);
}
void LogWriter::Load(std::uint64_t id, std::string_view name, const Spec& spec) {
  WriteNamed(kLoad, id, name, spec);
}

void LogWriter::Name(std::string_view name, std::string_view from, const Spec& spec) {
  effects_.WriteOp(kName);
  effects_.WriteBytes(name);
  effects_.WriteBytes(from);
  effects_.WriteSpec(spec);
  effects_.Restart();
}

void LogWriter::Publish(std::uint64_t id, const Spec& spec, std::uint64_t entries) {
  effects_.WriteOp(kPublish);
  effects_.WriteNumber(id);
  effects_.WriteNumber(entries);
  effects_.WriteSpec(spec);
  effects_.Restart();
}

void LogWriter::Expiry(std::int64_t at_ms) { WriteNumber(kExpiry, base::ZigZag(at_ms)); }

void LogWriter::Template(std::string_view pattern, const Spec& spec) {
  effects_.WriteOp(kTemplate);
  effects_.WriteBytes(pattern);
  effects_.WriteSpec(spec);
  effects_.Restart();
}

void LogWriter::NoTemplate(std::string_view pattern) {
  effects_.WriteOp(kNoTemplate);
  effects_.WriteBytes(pattern);
  effects_.Restart();
}

void LogWriter::WriteNumber(std::uint8_t op, std::uint64_t number) {
  effects_.WriteOp(op);
  effects_.WriteNumber(number);
  effects_.Restart();
}

void LogWriter::WriteNamed(std::uint8_t op, std::uint64_t id, std::string_view name,
                           const Spec& spec) {
  LAUREL_ASSERT(name.size() <= kMaxBoardNameBytes);  // the reader refuses more
  effects_.WriteOp(op);
  effects_.WriteNumber(id);
  effects_.WriteBytes(name);
  effects_.WriteSpec(spec);
  effects_.Restart();
}

Status LogReader::ReadAll(std::string_view bytes) {
  base::ByteCursor cursor(bytes);
  while (!cursor.empty()) {
    const bool own = cursor.Peek() >= leaderboard::kFirstHostEffect;
    if (own) OnRestart();
    const Status status = own ? ReadOwn(cursor) : OnBoardEffects(&cursor);
    if (cursor.failed()) return Error{ErrorCode::kErr, "an effect is malformed"};
    if (!status.ok()) return status;
  }
  return Ok{};
}

// Each case reads its effect completely before it calls the callback. A truncated effect is not
// reported.
Status LogReader::ReadOwn(base::ByteCursor& cursor) {
  const auto tell = [&](const auto& call) { return cursor.failed() ? Status(Ok{}) : call(); };
  const std::uint8_t op = cursor.Byte();
  switch (op) {
    case kClock: {
      const auto last = static_cast<Stamp>(cursor.Fixed());
      return tell([&] { return OnClock(last); });
    }
    case kSelect:
    case kSelectLoad:
    case kDropBelow: {
      const std::uint64_t id = cursor.Number();
      return tell([&] {
        if (op == kDropBelow) return OnDropBelow(id);
        return op == kSelect ? OnSelectBoard(id) : OnSelectLoad(id);
      });
    }
    case kLoad:
    case kCreate:
    case kDrop:
    case kDropExpired: {
      const std::uint64_t id = cursor.Number();
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = leaderboard::ReadSpec(&cursor);
      return tell([&] {
        if (op == kLoad) return OnLoad(id, name, spec);
        return op == kCreate ? OnCreateBoard(id, name, spec)
                             : OnDrop(id, name, spec, op == kDropExpired);
      });
    }
    case kPublish: {
      const std::uint64_t id = cursor.Number();
      const std::uint64_t entries = cursor.Number();
      const Spec spec = leaderboard::ReadSpec(&cursor);
      return tell([&] { return OnPublish(id, spec, entries); });
    }
    case kName: {
      const std::string_view name = cursor.Bytes(kMaxBoardNameBytes);
      const std::string_view from = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = leaderboard::ReadSpec(&cursor);
      return tell([&] { return OnName(name, from, spec); });
    }
    case kExpiry: {
      const std::int64_t at_ms = base::UnZigZag(cursor.Number());
      return tell([&] { return OnExpiry(at_ms); });
    }
    case kTemplate: {
      const std::string_view pattern = cursor.Bytes(kMaxBoardNameBytes);
      const Spec spec = leaderboard::ReadSpec(&cursor);
      return tell([&] { return OnTemplate(pattern, spec); });
    }
    case kNoTemplate: {
      const std::string_view pattern = cursor.Bytes(kMaxBoardNameBytes);
      return tell([&] { return OnNoTemplate(pattern); });
    }
    default:
      return Error{ErrorCode::kErr, "there is no effect " + std::to_string(op)};
  }
}

}  // namespace laurel::engine
