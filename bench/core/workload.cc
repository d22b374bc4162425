#include "bench/core/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace laurel::bench {

const char* NameOf(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniform:
      return "uniform";
    case Distribution::kPyramid:
      return "pyramid";
    case Distribution::kTwenties:
      return "n/20 distinct";
    case Distribution::kEqual:
      return "all equal";
  }
  return "";
}

std::int64_t Workload::NextScore() {
  switch (distribution_) {
    case Distribution::kUniform:
      return static_cast<std::int64_t>(random_.Next() >> 1);
    case Distribution::kPyramid: {
      const double unit = static_cast<double>((random_.Next() >> 11) + 1) * 0x1p-53;
      return static_cast<std::int64_t>(-std::log(unit) * 100);
    }
    case Distribution::kTwenties:
      return static_cast<std::int64_t>(random_.Below(std::max<std::uint64_t>(entries_ / 20, 1)));
    case Distribution::kEqual:
      return 1;
  }
  return 0;
}

std::string Workload::Member(std::uint64_t number) const {
  char text[32];
  switch (style_) {
    case MemberStyle::kText18:
      std::snprintf(text, sizeof(text), "player:%011llu", static_cast<unsigned long long>(number));
      break;
    case MemberStyle::kInt64:
      return std::to_string(1'000'000'000'000'000'000 + number * 7'919);
    case MemberStyle::kInt32:
      return std::to_string(10'000'000 + number * 97);
  }
  return text;
}

Workload::Writes Workload::Make(std::uint64_t count, WriteMode mode, bool every_member) {
  std::vector<std::uint64_t> numbers(count);
  if (every_member) {
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::uint64_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[random_.Below(i)]);
  } else {
    for (std::uint64_t& number : numbers) number = random_.Below(entries_);
  }
  Writes writes;
  std::vector<std::size_t> ends;
  ends.reserve(count);
  for (const std::uint64_t number : numbers) {
    writes.text += Member(number);
    ends.push_back(writes.text.size());
  }
  writes.list.resize(count);
  std::size_t start = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Write& write = writes.list[i];
    write.member = std::string_view(writes.text).substr(start, ends[i] - start);
    write.mode = mode;
    write.score = Score{mode == WriteMode::kIncrement ? 1 : NextScore()};
    start = ends[i];
  }
  return writes;
}

Workload::Writes Workload::Inserts() { return Make(entries_, WriteMode::kSet, true); }

Workload::Writes Workload::Updates(std::uint64_t count) {
  Writes writes = Make(count, WriteMode::kSet, false);
  if (distribution_ == Distribution::kEqual) {
    for (std::uint64_t i = 0; i < count; ++i) {
      writes.list[i].at = kFirstStamp + static_cast<Stamp>(entries_ + updates_++);
    }
  }
  return writes;
}

Workload::Writes Workload::Increments(std::uint64_t count) {
  return Make(count, WriteMode::kIncrement, false);
}

Workload::Writes Workload::Members(std::uint64_t count) {
  return Make(count, WriteMode::kSet, false);
}

}  // namespace laurel::bench
