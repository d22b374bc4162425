#include "fuzz/rows_fuzz_body.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "tests/support/piece_reader.h"
#include "tests/support/row_text.h"
#include "transfer/text/byte_reader.h"
#include "transfer/text/csv_reader.h"
#include "transfer/text/jsonl_reader.h"
#include "transfer/text/limits.h"
#include "transfer/text/row_writer.h"

namespace laurel::fuzz {
namespace {

using transfer::Row;
using transfer::RowReader;

constexpr std::size_t kRunBytes = 20'000;  // length of a run; a few runs exceed the longest row
constexpr std::size_t kMaxFileBytes = 300'000;
constexpr std::size_t kMaxBytesForSingles = 4000;  // longer files are not read byte by byte
constexpr char kRepeat = '\x01';

// How the input wants its file to be read.
struct Options {
  enum class Format : std::uint8_t { kCsv, kTsv, kJsonl };
  Format format = Format::kCsv;
  bool has_header = true;
  bool two_fields = false;
  bool has_zone = false;
  bool decompress = false;
  transfer::MemberEncoding member = transfer::MemberEncoding::kRaw;
  std::size_t cut = 0;  // the size of a read; 0: the whole file
};

Options TakeOptions(FuzzInput* input) {
  Options options;
  options.format = static_cast<Options::Format>(input->Below(3));
  const std::uint8_t flags = input->Next();
  options.has_header = (flags & 1) == 0;
  options.two_fields = (flags & 2) != 0;
  options.has_zone = (flags & 4) != 0;
  options.decompress = (flags & 8) != 0;
  options.member = static_cast<transfer::MemberEncoding>((flags >> 4) % 3);
  options.cut = 1 + input->Next();
  return options;
}

// The file: a 1 and another byte are a run of that byte.
std::string TakeFile(FuzzInput* input) {
  std::string file;
  while (!input->empty() && file.size() < kMaxFileBytes) {
    const char c = static_cast<char>(input->Next());
    if (c == kRepeat) {
      file.append(kRunBytes, static_cast<char>(input->Next()));
    } else {
      file += c;
    }
  }
  return file;
}

Spec SpecOf(const Options& options) {
  Spec spec;
  if (options.two_fields) spec.fields = {{.name = "points", .decimals = 2}, {.name = "meta"}};
  return spec;
}

transfer::TimeParser TimesOf(const Options& options) {
  return transfer::TimeParser::Of(transfer::TimeUnit::kSeconds,
                                  options.has_zone ? "Europe/Berlin" : "")
      .value();
}

Result<std::unique_ptr<RowReader>> OpenRows(const std::string& file, const Options& options,
                                            transfer::Rejects* rejects) {
  std::unique_ptr<transfer::ByteReader> source = std::make_unique<PieceReader>(
      file, [cut = options.cut] { return cut == 0 ? SIZE_MAX : cut; });
  if (options.decompress) {
    auto opened = transfer::Decompressed(std::move(source));
    if (!opened.ok()) return opened.error();
    source = std::move(opened).value();
  }
  if (options.format == Options::Format::kJsonl) {
    transfer::RowFileOptions wanted;
    wanted.member = options.member;
    wanted.times = TimesOf(options);
    auto reader = transfer::JsonlReader::Open(std::move(source), std::move(wanted), rejects);
    if (!reader.ok()) return reader.error();
    if (!(*reader)->board() && !(*reader)->SetSpec(SpecOf(options)).ok()) std::abort();
    return std::unique_ptr<RowReader>(std::move(reader).value());
  }
  transfer::RowFileOptions wanted;
  wanted.tsv = options.format == Options::Format::kTsv;
  wanted.has_header = options.has_header;
  wanted.member = options.member;
  wanted.times = TimesOf(options);
  auto reader =
      transfer::CsvReader::Open(std::move(source), SpecOf(options), std::move(wanted), rejects);
  if (!reader.ok()) return reader.error();
  return std::unique_ptr<RowReader>(std::move(reader).value());
}

// An own copy of a row.
struct Kept {
  explicit Kept(const Row& row)
      : text(RowText(row)),
        member(row.member),
        values(row.values.begin(), row.values.end()),
        at(row.at),
        meta(row.meta),
        hidden(row.hidden),
        instance(row.instance),
        line(row.line) {}

  std::string text;
  std::string member;
  std::vector<std::string> values;
  std::optional<Stamp> at;
  std::string meta;
  bool hidden;
  std::string instance;
  std::uint64_t line;
};

struct ReadFile {
  std::vector<Kept> rows;
  std::vector<std::string> rejects;  // the first ones
  std::uint64_t rejected = 0;
  std::string error;
  Spec spec;
  std::string problem;  // a broken promise

  [[nodiscard]] std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Kept& row : rows) texts.push_back(row.text);
    return texts;
  }
};

std::string ProblemOfRow(const Kept& row, const Spec& spec, const ReadFile& before) {
  if (row.member.size() > kMaxMemberBytes) return "a member has its limit";
  if (row.meta.size() > kMaxMetaBytes) return "meta has its limit";
  if (row.instance.size() > transfer::kMaxInstanceBytes) return "an instance has its limit";
  if (row.values.size() != spec.fields.size() && !(row.values.empty() && row.hidden)) {
    return "a row has one value per field";
  }
  for (const std::string& value : row.values) {
    if (value.empty() || value.size() > transfer::kMaxNumberBytes) return "a value has its limits";
  }
  if (!before.rows.empty() && row.line <= before.rows.back().line) return "lines rise";
  return "";
}

ReadFile ReadRows(const std::string& file, const Options& options) {
  ReadFile read;
  transfer::Rejects rejects(UINT64_MAX);
  auto reader = OpenRows(file, options, &rejects);
  if (!reader.ok()) {
    read.error = reader.error().ToString();
    return read;
  }
  read.spec = SpecOf(options);
  if (const auto* jsonl = dynamic_cast<const transfer::JsonlReader*>(reader->get())) {
    if (jsonl->board()) read.spec = jsonl->board()->spec;
  }
  Row row;
  for (;;) {
    const Result<bool> found = (*reader)->Next(&row);
    if (!found.ok()) read.error = found.error().ToString();
    if (!found.ok() || !*found) break;
    Kept kept(row);
    if (read.problem.empty()) read.problem = ProblemOfRow(kept, read.spec, read);
    read.rows.push_back(std::move(kept));
  }
  read.rejects = rejects.shown();
  read.rejected = rejects.count();
  return read;
}

std::string ProblemOfCut(const std::string& file, const Options& options, const ReadFile& whole) {
  const ReadFile cut = ReadRows(file, options);
  if (cut.error.empty() != whole.error.empty()) return "cuts do not make errors";
  // Where damaged zstd data is noticed, and what came out before, depends on the reads.
  if (options.decompress && !whole.error.empty()) return "";
  if (cut.error != whole.error) return "cuts do not change errors";
  if (cut.Texts() != whole.Texts()) return "cuts do not change rows";
  if (cut.rejects != whole.rejects || cut.rejected != whole.rejected) {
    return "cuts do not change rejects";
  }
  return "";
}

// Names of instances are printable ASCII. The readers leave that check to the board.
std::string_view InstanceName(std::string_view text) {
  const bool is_name =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  return is_name ? text : std::string_view();
}

// Writes the rows whose numbers fit the spec, and reads them back.
std::string ProblemOfWriter(const ReadFile& whole, transfer::RowWriter* writer,
                            Options::Format format) {
  std::vector<transfer::BoardEntry> entries;
  for (const Kept& row : whole.rows) {
    const std::vector<std::string_view> values(row.values.begin(), row.values.end());
    const Result<Score> score = ParseScore(whole.spec, values);
    if (!score.ok() && !values.empty()) continue;
    if (whole.spec.kind == BoardKind::kSortedSet && (!score.ok() || !row.meta.empty())) continue;
    const std::string_view meta = score.ok() ? std::string_view(row.meta) : "";
    entries.push_back({1, row.member, score.ok() ? *score : Score(), row.at.value_or(0), meta,
                       row.hidden, InstanceName(row.instance)});
  }
  std::string file;
  if (writer->needs_survey()) {
    for (const transfer::BoardEntry& entry : entries) writer->Survey(entry);
  }
  if (!writer->Begin("b\xff", whole.spec, {}, &file).ok()) return "a text format takes any board";
  for (const transfer::BoardEntry& entry : entries) writer->Write(entry, &file);
  writer->End(&file);

  Options options;
  options.format = format;
  options.two_fields = whole.spec.fields.size() == 2;
  const ReadFile again = ReadRows(file, options);
  if (!again.error.empty() || again.rejected > 0) return "the reader takes what the writer writes";
  if (again.rows.size() != entries.size()) return "the reader reads every row of the writer";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Kept& row = again.rows[i];
    const transfer::BoardEntry& entry = entries[i];
    const std::vector<std::string_view> values(row.values.begin(), row.values.end());
    if (row.member != entry.member || row.meta != entry.meta || row.hidden != entry.hidden ||
        row.instance != entry.instance) {
      return "texts are equal after writing and reading";
    }
    if (entry.is_mark()) {
      if (!values.empty() || row.at) return "a mark is a mark after writing and reading";
      continue;
    }
    const Result<Score> score = ParseScore(whole.spec, values);
    if (!score.ok() || !(*score == entry.score)) return "scores are equal after writing";
    const bool has_stamp = whole.spec.kind == BoardKind::kLeaderboard;
    if (has_stamp && row.at != entry.stamp) return "stamps are equal after writing";
  }
  return "";
}

// The specs that a CSV file of this test can be read back with.
bool IsOwnSpec(const Spec& spec) {
  return spec == SpecOf({}) || spec == SpecOf({.two_fields = true});
}

}  // namespace

std::string RunRows(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  Options options = TakeOptions(&input);
  const std::string file = TakeFile(&input);
  if (file.size() > kMaxBytesForSingles) options.cut *= 100;

  Options whole_options = options;
  whole_options.cut = 0;
  const ReadFile whole = ReadRows(file, whole_options);
  if (!whole.problem.empty()) return whole.problem;
  std::string problem = ProblemOfCut(file, options, whole);
  if (!problem.empty()) return problem;
  problem = ProblemOfWriter(whole, transfer::MakeRowWriter(transfer::RowFormat::kJsonl).get(),
                            Options::Format::kJsonl);
  if (problem.empty() && IsOwnSpec(whole.spec)) {
    problem = ProblemOfWriter(whole, transfer::MakeRowWriter(transfer::RowFormat::kCsv).get(),
                              Options::Format::kCsv);
  }
  return problem;
}

}  // namespace laurel::fuzz
