// Number text: no bytes cause a crash, and an accepted number reads back as the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "laurel/limits.h"
#include "laurel/score.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int decimals = data[0] % (laurel::kMaxDecimals + 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  const laurel::Result<std::int64_t> value = laurel::ParseNumber(text, decimals);
  if (value.ok()) {
    const std::string printed = laurel::FormatNumber(*value, decimals);
    const laurel::Result<std::int64_t> again = laurel::ParseNumber(printed, decimals);
    Require(again.ok() && *again == *value);
  } else {
    Require(value.error().ToString().find('\n') == std::string::npos);
  }

  const laurel::Result<double> number = laurel::ParseDouble(text);
  if (number.ok()) {
    const laurel::Result<double> again = laurel::ParseDouble(laurel::FormatDouble(*number));
    Require(again.ok() && *again == *number);
  }

  laurel::Spec spec;
  spec.fields[0].decimals = decimals;
  for (const laurel::BoundSide side : {laurel::BoundSide::kMin, laurel::BoundSide::kMax}) {
    const laurel::Result<laurel::ScoreBound> bound = laurel::ParseBound(spec, text, side);
    // A number is also a bound: an inclusive one at its own value.
    if (value.ok()) {
      Require(bound.ok() && bound->reach == laurel::ScoreBound::Reach::kInclusive &&
              bound->value == *value);
    }
  }
  const laurel::Result<laurel::Field> field = laurel::ParseField(text);
  Require(field.ok() || !field.error().message.empty());
  return 0;
}
