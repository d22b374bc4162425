// Every operation of laurel::Board in one list. The random test cannot miss one: its table has a
// row for each, and it ends by checking how often each operation ran.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel::model {

enum class Operation : std::uint8_t {
  kSubmit,
  kSet,
  kIncrement,
  kApply,
  kApplyAll,
  kApplyBatch,
  kSetMeta,
  kRemove,
  kPopBest,
  kPopWorst,
  kTrim,
  kClear,
  kHide,
  kShow,
  kAlterCap,
  kLoad,
  kGet,
  kRanks,
  kAt,
  kTop,
  kRange,
  kAround,
  kAmong,
  kRankOf,
  kCount,
  kBetween,
  kLexCount,
  kLexRange,
  kPercentile,
  kQuantile,
  kHistogram,
  kRandomEntries,
  kScan,
  kForEachBest,
  kForEachWorst,
  kSize,
  kContains,
  kSpec,
  kMemoryUsage,
  kValidate,
};

inline constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::kValidate) + 1;

// The weight of an operation while the board grows, keeps its size, or shrinks to nothing.
struct OperationInfo {
  Operation operation;
  std::string_view name;
  unsigned grow;
  unsigned steady;
  unsigned shrink;
};

inline constexpr std::array<OperationInfo, kOperationCount> kOperations = {{
    {Operation::kSubmit, "Submit", 120, 60, 8},
    {Operation::kSet, "Set", 60, 40, 5},
    {Operation::kIncrement, "Increment", 60, 40, 5},
    {Operation::kApply, "Apply", 200, 120, 20},
    {Operation::kApplyAll, "ApplyAll", 25, 20, 3},
    {Operation::kApplyBatch, "ApplyBatch", 25, 20, 3},
    {Operation::kSetMeta, "SetMeta", 10, 15, 10},
    {Operation::kRemove, "Remove", 10, 80, 200},
    {Operation::kPopBest, "Pop(best)", 2, 12, 40},
    {Operation::kPopWorst, "Pop(worst)", 2, 12, 40},
    {Operation::kTrim, "Trim", 1, 5, 20},
    {Operation::kClear, "Clear", 1, 1, 1},
    {Operation::kHide, "Hide", 5, 15, 10},
    {Operation::kShow, "Show", 10, 20, 15},
    {Operation::kAlterCap, "Alter(cap)", 2, 4, 4},
    {Operation::kLoad, "Load", 2, 2, 1},
    {Operation::kGet, "Get", 60, 60, 60},
    {Operation::kRanks, "Ranks", 15, 15, 15},
    {Operation::kAt, "At", 30, 30, 30},
    {Operation::kTop, "Top", 15, 15, 15},
    {Operation::kRange, "Range", 20, 20, 20},
    {Operation::kAround, "Around", 20, 20, 20},
    {Operation::kAmong, "Among", 10, 10, 10},
    {Operation::kRankOf, "RankOf", 30, 30, 30},
    {Operation::kCount, "Count", 30, 30, 30},
    {Operation::kBetween, "Between", 15, 15, 15},
    {Operation::kLexCount, "LexCount", 15, 15, 15},
    {Operation::kLexRange, "LexRange", 15, 15, 15},
    {Operation::kPercentile, "PercentileOf", 15, 15, 15},
    {Operation::kQuantile, "Quantile", 15, 15, 15},
    {Operation::kHistogram, "Histogram", 3, 3, 3},
    {Operation::kRandomEntries, "RandomEntries", 5, 5, 5},
    {Operation::kScan, "Scan", 2, 2, 2},
    {Operation::kForEachBest, "ForEach(best)", 4, 4, 4},
    {Operation::kForEachWorst, "ForEach(worst)", 4, 4, 4},
    {Operation::kSize, "size", 10, 10, 10},
    {Operation::kContains, "contains", 15, 15, 15},
    {Operation::kSpec, "spec", 3, 3, 3},
    {Operation::kMemoryUsage, "MemoryUsage", 3, 3, 3},
    {Operation::kValidate, "Validate", 10, 10, 10},
}};

constexpr bool OperationsStandInOrder() {
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    if (static_cast<std::size_t>(kOperations[i].operation) != i) return false;
  }
  return true;
}
static_assert(OperationsStandInOrder(), "kOperations is indexed by Operation");

constexpr std::string_view OperationName(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)].name;
}

}  // namespace laurel::model
