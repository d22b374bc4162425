// FileSource: an import's source that is a CSV, TSV or JSONL file, or standard input.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transfer/sources/board_source.h"
#include "transfer/text/jsonl_reader.h"
#include "transfer/text/row_file.h"
#include "transfer/text/text_encoding.h"

namespace laurel::transfer {

enum class FileFormat : std::uint8_t { kCsv, kTsv, kJsonl };

// Returns the format that a file's name implies: ".csv", ".tsv", ".jsonl" or ".ndjson", optionally
// followed by ".zst". None for other names.
std::optional<FileFormat> FormatOfName(std::string_view path);

struct FileSourceOptions {
  std::string path;  // "-": standard input
  FileFormat format = FileFormat::kCsv;
  std::string board;  // empty: the name in the JSONL file
  RowFileOptions rows;
  TextEncoding encoding = TextEncoding::kUtf8;
  bool is_plain = false;                    // packed scores are not refused
  const std::atomic<bool>* stop = nullptr;  // ends a wait for a pipe; may be null
};

class FileSource final : public BoardSource {
 public:
  // `rejects` must outlive the source.
  FileSource(FileSourceOptions options, Rejects* rejects)
      : options_(std::move(options)), rejects_(rejects) {}

  // Opens a JSONL file, whose first line may describe the board.
  Result<std::vector<SourceBoard>> List() override;
  // May be called only once.
  Result<SourceDraft> Read(const SourceBoard& board, const ReadContext& context) override;
  [[nodiscard]] bool can_repeat() const override { return false; }
  [[nodiscard]] std::string suspects() const override { return "--columns, --at-unit or --tz"; }
  [[nodiscard]] std::string value_suspects() const override { return "--columns"; }

 private:
  Result<std::unique_ptr<ByteReader>> Open();

  FileSourceOptions options_;
  Rejects* rejects_;
  std::unique_ptr<JsonlReader> jsonl_;  // kept from List to Read
};

}  // namespace laurel::transfer
