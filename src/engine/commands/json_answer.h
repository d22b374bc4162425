// Answers of leaderboards as JSON, and what requests with JSON answers have beyond RESP words:
// scores by field name, versions of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/commands/context.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/answer_shape.h"
#include "wire/json_writer.h"

namespace laurel::engine {

// A page of entries is an object: board, version, count (of the board's visible entries), entries.
class JsonAnswer : public leaderboard::ShapedAnswer<wire::JsonWriter> {
 public:
  // What a page says besides its entries.
  struct Page {
    std::string board;    // the name of the board or of the instance
    std::string version;  // empty: it has none
    std::uint64_t count = 0;
  };

  // `board`: the board's own name. All must outlive this object.
  JsonAnswer(wire::JsonWriter* writer, std::string_view board, const Page* page,
             std::size_t max_reply_bytes)
      : ShapedAnswer(writer, board),
        json_(*writer),
        page_(*page),
        max_reply_bytes_(max_reply_bytes) {}

  [[nodiscard]] const std::optional<ErrorCode>& refused() const { return refused_; }

  void Refused(const Error& error) override {
    refused_ = error.code;
    ShapedAnswer::Refused(error);
  }
  [[nodiscard]] std::size_t MaxBytes() const override { return max_reply_bytes_; }
  [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override;
  void BeginEntries(const leaderboard::EntryShape& shape, std::uint64_t count) override;

 private:
  wire::JsonWriter& json_;
  const Page& page_;
  std::size_t max_reply_bytes_;
  std::optional<ErrorCode> refused_;
};

// What a page of the name says. The version changes with every change of the entries, and the same
// version is never given to two states.
JsonAnswer::Page PageOf(Context& context, std::string_view name);

// Returns the request's words with each score as values in the order of the spec's fields. An error
// if a score has the wrong number of values, names fields that the board does not have, or has a
// value that is none of its field's; sets call->failed_score. *ordered keeps the words, if they
// differ from the request's.
Result<std::span<const std::string_view>> OrderScores(std::span<const std::string_view> words,
                                                      JsonCall* call, const Spec& spec,
                                                      std::string_view board,
                                                      std::vector<std::string_view>* ordered);

// Writes a spec as an object with the names of a description.
void WriteSpec(wire::JsonWriter* writer, std::string_view name, const Spec& spec);

}  // namespace laurel::engine
