#include "transfer/sources/file_source.h"

#include "transfer/text/byte_reader.h"
#include "transfer/text/csv_reader.h"

namespace laurel::transfer {
namespace {

Error PackedFile(const std::string& path, const PackedScores::Found& found) {
  return {ErrorCode::kErr,
          path + ": the scores are hardly plain values. They look like those of a " +
              "sorted set that " + found.options + " reads: " + found.reason +
              ". Import the set itself (--from redis://…), or give --codec plain " +
              "to take the scores as they are; nothing was written"};
}

}  // namespace

std::optional<FileFormat> FormatOfName(std::string_view path) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  if (path.ends_with(".csv")) return FileFormat::kCsv;
  if (path.ends_with(".tsv")) return FileFormat::kTsv;
  if (path.ends_with(".jsonl") || path.ends_with(".ndjson")) return FileFormat::kJsonl;
  return std::nullopt;
}

Result<std::unique_ptr<ByteReader>> FileSource::Open() {
  Result<std::unique_ptr<ByteReader>> bytes = OpenByteReader(options_.path, options_.stop);
  return bytes.ok() ? Decoded(std::move(*bytes), options_.encoding) : std::move(bytes);
}

Result<std::vector<SourceBoard>> FileSource::List() {
  SourceBoard found{options_.path, options_.board, std::nullopt, {}};
  if (options_.format == FileFormat::kJsonl) {
    Result<std::unique_ptr<ByteReader>> bytes = Open();
    if (!bytes.ok()) return bytes.error();
    Result<std::unique_ptr<JsonlReader>> rows =
        JsonlReader::Open(std::move(*bytes), options_.rows, rejects_);
    if (!rows.ok()) return rows.error();
    jsonl_ = std::move(*rows);
    if (jsonl_->board()) {
      if (found.board.empty()) found.board = jsonl_->board()->board;
      found.spec = jsonl_->board()->spec;
      found.times = jsonl_->board()->times;
    }
  }
  if (found.board.empty()) return Error{ErrorCode::kErr, "--board is missing: the file names none"};
  return std::vector<SourceBoard>{found};
}

Result<SourceDraft> FileSource::Read(const SourceBoard& board, const ReadContext& context) {
  SourceDraft read;
  read.draft = std::make_unique<Draft>(*context.spec, EqualRows::kAsAdded, read.tick_us,
                                       context.period, context.now);
  read.draft->SetTimes(board.times);
  std::unique_ptr<RowReader> rows;
  if (options_.format == FileFormat::kJsonl) {
    if (const Status set = jsonl_->SetSpec(*context.spec); !set.ok()) return set.error();
    rows = std::move(jsonl_);
  } else {
    Result<std::unique_ptr<ByteReader>> bytes = Open();
    if (!bytes.ok()) return bytes.error();
    RowFileOptions how = options_.rows;
    how.tsv = options_.format == FileFormat::kTsv;
    Result<std::unique_ptr<CsvReader>> csv =
        CsvReader::Open(std::move(*bytes), *context.spec, std::move(how), rejects_);
    if (!csv.ok()) return csv.error();
    rows = std::move(*csv);
  }
  // A file written by Laurel has a spec, and its values are plain.
  const bool may_be_packed = context.checks && !options_.is_plain && !board.spec;
  std::vector<PackedScores> samples(may_be_packed ? context.spec->fields.size() : 0,
                                    PackedScores(context.now));
  const Status filled = FillDraft(rows.get(), ProgressUnit::kBytes, context, &read, samples);
  if (filled.ok() || filled.error().code == ErrorCode::kLimit) {
    for (const PackedScores& field : samples) {
      if (const auto packed = field.Find()) return PackedFile(board.name, *packed);
    }
  }
  if (!filled.ok()) return filled.error();
  return read;
}

}  // namespace laurel::transfer
