#include "leaderboard/operation.h"

#include <algorithm>
#include <string>

#include "base/integer.h"
#include "base/text.h"

namespace laurel::leaderboard {

std::uint64_t StepsOf(const InstanceSelector& selector, const Spec& spec) {
  constexpr std::uint64_t kCalendarSteps = 8;
  constexpr std::uint64_t kInstancesPerStep = 128;  // two changes of the offset a year, if days
  if (selector.which == InstanceSelector::Which::kPresent) return 0;
  const std::uint64_t back = std::min<std::uint64_t>(selector.back, spec.keep);
  return kCalendarSteps + (back + spec.keep) / kInstancesPerStep;
}

InstanceSelector ParseSelector(std::string_view text) {
  InstanceSelector selector;
  selector.text = text;
  const std::size_t colon = text.find(':');
  const Result<Period> period = ParsePeriod(text.substr(0, colon));
  // ParsePeriod ignores case; in the name of an instance the period must be in lower case.
  if (!period.ok() || PeriodName(*period) != text.substr(0, colon)) return selector;
  selector.period = *period;
  selector.which = InstanceSelector::Which::kPresent;
  if (colon == std::string_view::npos) return selector;
  const std::string_view rest = text.substr(colon + 1);
  std::int64_t back = 0;
  if (rest.starts_with('-') && base::ParseInteger(rest, &back)) {
    selector.which = InstanceSelector::Which::kBefore;
    selector.back = std::uint64_t{0} - static_cast<std::uint64_t>(back);
  } else {
    selector.which = InstanceSelector::Which::kLabel;
    selector.label = rest;
  }
  return selector;
}

Result<ScoreBound> ReadBound(const Spec& spec, std::string_view what, std::string_view text,
                             BoundSide side) {
  Result<ScoreBound> bound = ParseBound(spec, text, side);
  if (bound.ok()) return bound;
  return Error{ErrorCode::kErr, std::string(what) +
                                    " must be a number, a number after '(' for an exclusive bound, "
                                    "-inf or +inf, got " +
                                    base::Quote(text)};
}

std::uint64_t StampsFor(const WriteOperation& operation, const Spec& spec) {
  if (std::holds_alternative<Submit>(operation)) return 1;
  const auto* many = std::get_if<SubmitMany>(&operation);
  if (many == nullptr) return 0;
  return many->writes.empty() ? many->texts.size() / (spec.fields.size() + 1) : many->writes.size();
}

}  // namespace laurel::leaderboard
