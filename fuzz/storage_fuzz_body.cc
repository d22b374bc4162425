#include "fuzz/storage_fuzz_body.h"

#include <algorithm>
#include <string_view>

#include "base/memory.h"
#include "engine/disk/restorer.h"
#include "engine/keyspace/digest.h"
#include "fuzz/fuzz_input.h"
#include "storage/format.h"
#include "storage/recovery.h"
#include "tests/storage/simulated_files.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kHistory = 0x1234;
constexpr std::size_t kMostSegments = 3;
constexpr std::size_t kMostFrames = 64;

std::string Header(storage::FileKind kind, std::uint64_t first) {
  storage::FileHeader header;
  header.kind = kind;
  header.history = kHistory;
  header.epoch = 1;
  header.first = first;
  return storage::EncodeFileHeader(header);
}

// Appends to a file what the input describes: frames, intact or with a bit flipped, sync marks, or
// raw bytes. `number` is the number of the next frame.
void AppendFrames(FuzzInput* input, storage::FileKind kind, std::uint64_t* number,
                  std::string* file) {
  const storage::FrameFormat format(kind, kHistory);
  bool continues = false;
  for (std::size_t left = 1 + input->Below(kMostFrames); left > 0 && !input->empty(); --left) {
    const std::uint8_t choice = input->Next();
    const std::size_t bytes = (choice & 1) != 0 ? input->Below(65536) : input->Below(256);
    const std::string_view payload = input->Take(bytes);
    if ((choice & 0xe0) == 0xe0) {
      file->append(payload);
      continue;
    }
    if ((choice & 0xe0) == 0x80 && kind == storage::FileKind::kLog) {
      const std::uint32_t flags = (choice >> 2 & 3) * storage::kEnds;
      const std::uint64_t last = *number - 1;
      file->append(storage::EncodeSyncMark(
          format, {last, last - last / 2, bytes, storage::kSyncMark | flags}));
      continue;
    }
    storage::Frame frame;
    frame.number = *number + ((choice & 0xe0) == 0xc0 ? input->Next() : 0);
    frame.synced = (choice & 2) != 0 ? frame.number - 1 : frame.number - input->Next();
    frame.flags = choice >> 2 & 3;
    if (continues) frame.flags |= storage::kContinued;
    continues = frame.Has(storage::kContinues);
    frame.payload = payload;
    const std::size_t begin = file->size();
    format.Append(frame, file);
    if ((choice & 0xe0) == 0xa0) (*file)[begin + input->Below(65536) % frame.bytes()] ^= 1;
    ++*number;
  }
}

void AddSegments(FuzzInput* input, std::uint64_t first, testing::SimulatedFolder* folder) {
  for (std::size_t left = 1 + input->Below(kMostSegments); left > 0 && !input->empty(); --left) {
    std::uint64_t number = first;
    std::string file = Header(storage::FileKind::kLog, first);
    AppendFrames(input, storage::FileKind::kLog, &number, &file);
    if (input->OneIn(8)) file.resize(input->Below(65536) % (file.size() + 1));
    if (input->OneIn(8)) file.append(input->Below(65536), '\0');
    folder->SetBytes(storage::SegmentName(first), file);
    first = number + (input->OneIn(16) ? 1 : 0);
  }
}

struct Outcome {
  std::string broken;
  std::string error;
  std::uint64_t digest = 0;
  std::uint64_t last = 0;
  storage::Recovery recovery;
};

// The log may hide entries without a hidden mark and exceed a cap, so only the structures are
// checked.
std::string ValidateInstances(const engine::Leaderboard& board) {
  for (const auto& stored : board.instances()) {
    if (std::string broken = stored->standings.entries().Validate(); !broken.empty()) return broken;
  }
  return board.ViewOf(std::nullopt, 0)->standings->entries().Validate();
}

std::string Validate(engine::Keyspace& keys) {
  for (const engine::NamedBoard* named = keys.catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    const std::string broken = ValidateInstances(named->board);
    if (!broken.empty()) return broken;
  }
  return "";
}

Outcome Recover(testing::SimulatedFolder* folder, storage::Holes holes = storage::Holes::kRefuse) {
  Outcome outcome;
  engine::Keyspace keys(base::SystemMemory(), 1);
  engine::Restorer restorer(&keys);
  storage::RecoverOptions options;
  options.holes = holes;
  const Result<storage::Recovery> found = storage::Recover(folder, &restorer, options);
  Status finished = Ok{};
  if (found.ok() && holes == storage::Holes::kSkip && !found->lost.empty()) {
    restorer.Reconcile();
  }
  if (found.ok()) finished = restorer.Finish();
  if (!found.ok() || !finished.ok()) {
    outcome.error = found.ok() ? finished.error().message : found.error().message;
    if (outcome.error.empty()) outcome.broken = "an error without a message";
    if (keys.catalog().restoring()) keys.catalog().AbandonRestore();
    return outcome;
  }
  outcome.broken = Validate(keys);
  outcome.digest = engine::DigestOf(&keys).value;
  outcome.last = found->last;
  outcome.recovery = *found;
  return outcome;
}

std::string Check(testing::SimulatedFolder* folder) {
  const Outcome exact = Recover(folder, storage::Holes::kStopBefore);
  if (!exact.broken.empty()) return exact.broken;
  const Outcome most = Recover(folder, storage::Holes::kSkip);
  if (!most.broken.empty()) return most.broken;
  Outcome first = Recover(folder);
  if (!first.broken.empty() || !first.error.empty()) return first.broken;
  if (!exact.error.empty() || exact.digest != first.digest) return "what loads is not exact";
  if (!most.error.empty() || most.digest != first.digest) return "what loads is not all";
  if (!storage::Tidy(folder, &first.recovery).ok()) return "the folder cannot be tidied";
  const Outcome again = Recover(folder);
  if (!again.broken.empty()) return again.broken;
  if (!again.error.empty()) return "not found again after tidying: " + again.error;
  if (again.digest != first.digest) return "another state after tidying";
  return "";
}

}  // namespace

std::string RunLog(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  testing::SimulatedFolder folder;
  AddSegments(&input, 1, &folder);
  return Check(&folder);
}

std::string RunSnapshot(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  testing::SimulatedFolder folder;
  storage::Footer footer;
  footer.started_at = input.Below(4);
  footer.ended_at = footer.started_at + input.Below(4);
  footer.next_board = input.Next();
  const std::uint8_t choice = input.Next();
  std::uint64_t number = 1;
  std::string file = Header(storage::FileKind::kSnapshot, footer.started_at);
  AppendFrames(&input, storage::FileKind::kSnapshot, &number, &file);
  if ((choice & 15) != 15) {
    const std::string payload = storage::EncodeFooter(footer);
    const storage::FrameFormat format(storage::FileKind::kSnapshot, kHistory);
    format.Append({number, footer.started_at, storage::kFooter, payload}, &file);
  }
  folder.SetBytes(storage::SnapshotName(footer.ended_at), file);
  if ((choice & 16) != 0) AddSegments(&input, footer.started_at + 1, &folder);
  return Check(&folder);
}

}  // namespace laurel::fuzz
