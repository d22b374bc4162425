#include "wire/load_words.h"

#include <string>
#include <utility>

#include "base/integer.h"
#include "base/text.h"

namespace laurel::wire {
namespace {

using base::IsWord;

}  // namespace

Result<LoadStep> ParseLoadStep(std::span<const std::string_view> arguments) {
  using Kind = LoadStep::Kind;
  LoadStep step;
  step.board = arguments[1];
  step.id = arguments[3];
  const std::string_view word = arguments[2];
  if (IsWord(word, "BEGIN")) {
    step.options = arguments.subspan(4);
    return step;
  }
  if (IsWord(word, "CHUNK")) {
    step.kind = Kind::kChunk;
    if (arguments.size() != 6) return Err("usage: LB.LOAD board CHUNK id number bytes");
    std::int64_t number = 0;
    if (!base::ParseInteger(arguments[4], &number) || number < 0) {
      return Err("the number of a chunk is an integer from 1 on");
    }
    step.number = static_cast<std::uint64_t>(number);
    step.chunk = arguments[5];
    return step;
  }
  if (IsWord(word, "COMMIT")) {
    step.kind = Kind::kCommit;
    step.replace = arguments.size() == 5;
    if (arguments.size() > 5) return Err("usage: LB.LOAD board COMMIT id [REPLACE]");
    if (step.replace && !IsWord(arguments[4], "REPLACE")) {
      return Err("LB.LOAD … COMMIT takes REPLACE, not " + base::Quote(arguments[4]));
    }
    return step;
  }
  if (!IsWord(word, "ABORT")) {
    return Err("LB.LOAD has no step " + base::Quote(word) + ": BEGIN, CHUNK, COMMIT or ABORT");
  }
  step.kind = Kind::kAbort;
  if (arguments.size() > 4) return Err("usage: LB.LOAD board ABORT id");
  return step;
}

}  // namespace laurel::wire
