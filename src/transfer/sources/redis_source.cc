#include "transfer/sources/redis_source.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "transfer/sources/zset_source.h"

namespace laurel::transfer {
namespace {

constexpr std::int64_t kUntimedTickUs = 1'000'000;

Error PackedKey(const std::string& key, const PackedScores::Found& found) {
  return {ErrorCode::kErr, key + ": the scores are hardly plain values. " + found.options +
                               " fits: " + found.reason + ". Give it, or --codec plain to take " +
                               "the scores as they are; nothing was written"};
}

// Says how the rows of a sorted set are folded. Under member-time several members of the set may be
// one member of the board, and the board's rules fold them. Otherwise a member has one row, and
// further rows are repeats of the scan.
Folding FoldingOf(const Codec& codec) {
  return codec.range().time_in_member ? Folding::kByPolicy : Folding::kLatest;
}

// Whether different scores may decode to the same value without a time. Only Redis can then return
// their order.
bool DropsOrder(const Codec& codec) { return !codec.range().holds_time && codec.name() != "plain"; }

// Whether the reader must drop repeats, because rows of one member add up.
bool NeedsUniqueRows(const Spec& spec, const Codec& codec) {
  const bool adds = spec.policy == Policy::kSum ||
                    std::any_of(spec.fields.begin(), spec.fields.end(),
                                [](const Field& field) { return field.op == Operator::kSum; });
  return adds && FoldingOf(codec) == Folding::kByPolicy;
}

}  // namespace

Result<std::unique_ptr<RedisSource>> RedisSource::Open(RedisSourceOptions options) {
  Result<client::PatientConnection> server = client::PatientConnection::Open(options.server);
  if (!server.ok()) return server.error();
  return std::unique_ptr<RedisSource>(new RedisSource(std::move(*server), std::move(options)));
}

Result<std::vector<SourceBoard>> RedisSource::List() {
  if (options_.pattern.empty()) {
    const std::string board =
        options_.board.empty() ? options_.rename.Apply(options_.key) : options_.board;
    return std::vector<SourceBoard>{{options_.key, board, std::nullopt, {}}};
  }
  const Result<std::vector<std::string>> keys = FindKeys(&server_, options_.pattern, "zset");
  if (!keys.ok()) return keys.error();
  if (keys->empty() && !options_.may_vanish) {
    return Error{ErrorCode::kErr,
                 server_.address() + ": no sorted set matches " + base::Quote(options_.pattern)};
  }
  std::vector<SourceBoard> boards;
  for (const std::string& key : *keys) {
    boards.push_back({key, options_.rename.Apply(key), std::nullopt, {}});
  }
  return boards;
}

Result<SourceDraft> RedisSource::Read(const SourceBoard& board, const ReadContext& context) {
  const CodecRange& range = options_.codec.range();
  SourceDraft read;
  read.has_times = range.holds_time;
  read.tick_us = range.holds_time ? range.resolution_us : kUntimedTickUs;
  const EqualRows shown = context.spec->fields[0].direction == Direction::kAsc
                              ? EqualRows::kMemberAscending
                              : EqualRows::kMemberDescending;
  const bool in_order = DropsOrder(options_.codec);
  const EqualRows equals = in_order ? EqualRows::kAsAdded : shown;
  read.draft = std::make_unique<Draft>(*context.spec, equals, read.tick_us, context.period,
                                       context.now, FoldingOf(options_.codec));
  PackedScores samples(context.now);
  ZsetSourceOptions scan{board.name,
                         options_.codec,
                         options_.member,
                         NeedsUniqueRows(*context.spec, options_.codec),
                         in_order ? std::optional(shown) : std::nullopt,
                         options_.may_vanish,
                         options_.untimed_at};
  const Result<std::unique_ptr<ZsetReader>> rows =
      ZsetReader::Open(&server_, std::move(scan), context.rejects);
  if (!rows.ok()) return rows.error();
  const Status filled = FillDraft(rows->get(), ProgressUnit::kRows, context, &read,
                                  {&samples, options_.codec_given ? 0U : 1U});
  // Packed scores with fractions may cause too many rejects. A followed set was found to be
  // plain before.
  if (filled.ok() || filled.error().code == ErrorCode::kLimit) {
    const auto packed = options_.may_vanish ? std::nullopt : samples.Find();
    if (packed) return PackedKey(board.name, *packed);
  }
  if (!filled.ok()) return filled.error();
  read.inexact = (*rows)->figures().inexact;
  read.max_at_error_us = (*rows)->figures().max_at_error_us;
  return read;
}

std::string RedisSource::suspects() const {
  std::string text;
  for (const std::string_view option : options_.codec.info().options) {
    text += (text.empty() ? "--" : ", --") + std::string(option);
  }
  return (text.empty() ? "--codec" : "--codec or " + text) + " (it is " +
         std::string(options_.codec.name()) + ")";
}

}  // namespace laurel::transfer
