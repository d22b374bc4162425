// ZUNION, ZINTER, ZDIFF, their STORE forms, and ZINTERCARD.
//
// A sum of doubles depends on the order of its terms. As in Redis, sources are combined in order of
// rising size, so that the results are the same.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/store/member.h"
#include "engine/commands/handlers.h"
#include "engine/commands/stored_results.h"

namespace laurel::engine {
namespace {

enum class Operation : std::uint8_t { kUnion, kIntersection, kDifference };
enum class Aggregate : std::uint8_t { kSum, kMin, kMax };

struct Source {
  const core::Standings* standings = nullptr;  // null: no such key
  double weight = 1;

  [[nodiscard]] std::uint64_t size() const {
    return standings != nullptr ? standings->entries().size() : 0;
  }
  [[nodiscard]] bool Find(std::string_view member, double* score) const {
    if (standings == nullptr) return false;
    const core::Location location = standings->entries().Find(core::MemberKey(member));
    if (location == core::kNowhere) return false;
    *score = NumberAsDouble(*standings, standings->entries().WordsAt(location)[0]);
    return true;
  }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    if (standings == nullptr) return;
    standings->entries().ForRange(0, size(), false, [&](const core::EntryView& view) {
      return visit(view.member, NumberAsDouble(*standings, view.words[0]));
    });
  }
};

double Weighted(double score, double weight) {
  const double product = score * weight;
  return std::isnan(product) ? 0 : product;  // infinity times zero
}

double Combine(double a, double b, Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::kMin:
      return b < a ? b : a;
    case Aggregate::kMax:
      return b > a ? b : a;
    case Aggregate::kSum:
      break;
  }
  const double sum = a + b;
  return std::isnan(sum) ? 0 : sum;  // infinities of both signs
}

struct Options {
  Operation operation = Operation::kUnion;
  Aggregate aggregate = Aggregate::kSum;
  bool scores = false;
  bool count_only = false;  // ZINTERCARD
  std::int64_t limit = 0;
  std::vector<Source> sources;
};

// Parses "numkeys key …" from argument `at` on and looks the keys up. *next: the argument after.
bool TakeSources(Context& context, std::size_t at, Options* options, std::size_t* next) {
  std::int64_t count = 0;
  if (!TakeInteger(context, context.arguments[at], &count)) return false;
  if (count < 1) {
    return Refuse(context, "ERR at least 1 input key is needed for '" +
                               wire::LowerName(context.command) + "' command");
  }
  if (static_cast<std::uint64_t>(count) > context.arguments.size() - at - 1) {
    return Refuse(context, kSyntaxError);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    options->sources.push_back({context.keys.ViewOf(context.arguments[++at]).standings, 1});
  }
  *next = at + 1;
  return true;
}

bool TakeWeights(Context& context, std::size_t at, Options* options) {
  for (Source& source : options->sources) {
    const Result<double> weight = ParseDouble(context.arguments[at++]);
    if (!weight.ok()) return Refuse(context, "ERR weight value is not a float");
    source.weight = *weight;
  }
  return true;
}

bool TakeOptions(Context& context, std::size_t at, bool stores, Options* options) {
  const auto arguments = context.arguments;
  const bool combines = options->operation != Operation::kDifference && !options->count_only;
  while (at < arguments.size()) {
    const std::size_t left = arguments.size() - at - 1;
    if (combines && left >= options->sources.size() && IsWord(arguments[at], "WEIGHTS")) {
      if (!TakeWeights(context, at + 1, options)) return false;
      at += 1 + options->sources.size();
    } else if (combines && left >= 1 && IsWord(arguments[at], "AGGREGATE")) {
      const std::string_view word = arguments[at + 1];
      if (!IsWord(word, "SUM") && !IsWord(word, "MIN") && !IsWord(word, "MAX")) break;
      options->aggregate = IsWord(word, "SUM")   ? Aggregate::kSum
                           : IsWord(word, "MIN") ? Aggregate::kMin
                                                 : Aggregate::kMax;
      at += 2;
    } else if (!stores && !options->count_only && IsWord(arguments[at], "WITHSCORES")) {
      options->scores = true;
      ++at;
    } else if (options->count_only && left >= 1 && IsWord(arguments[at], "LIMIT")) {
      if (!TakeIntegerBetween(context, arguments[at + 1], 0, INT64_MAX,
                              "ERR LIMIT can't be negative", &options->limit)) {
        return false;
      }
      at += 2;
    } else {
      break;
    }
  }
  if (at == arguments.size()) return true;
  return Refuse(context, kSyntaxError);
}

using Visit = std::function<bool(std::string_view, double)>;

void Intersect(const Options& options, const Visit& visit) {
  const std::vector<Source>& sources = options.sources;
  sources[0].ForEach([&](std::string_view member, double first) {
    double score = Weighted(first, sources[0].weight);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      double other = 0;
      if (!sources[i].Find(member, &other)) return true;
      score = Combine(score, other * sources[i].weight, options.aggregate);
    }
    return visit(member, score);
  });
}

void Subtract(const Options& options, const Visit& visit) {
  const std::vector<Source>& sources = options.sources;
  sources[0].ForEach([&](std::string_view member, double score) {
    double ignored = 0;
    for (std::size_t i = 1; i < sources.size(); ++i) {
      if (sources[i].standings == sources[0].standings || sources[i].Find(member, &ignored))
        return true;
    }
    return visit(member, score);
  });
}

void Unite(const Options& options, const core::MemberHash& hasher, const Visit& visit) {
  std::unordered_map<std::string, double, core::MemberHash, std::equal_to<>> united(0, hasher);
  united.reserve(options.sources.back().size());  // the largest source
  for (const Source& source : options.sources) {
    source.ForEach([&](std::string_view member, double score) {
      const double weighted = Weighted(score, source.weight);
      const auto [place, fresh] = united.try_emplace(std::string(member), weighted);
      if (!fresh) place->second = Combine(place->second, weighted, options.aggregate);
      return true;
    });
  }
  for (const auto& [member, score] : united) visit(member, score);
}

// An upper bound of the entries that the operation visits or looks up.
std::uint64_t WorkOf(const Options& options) {
  const std::vector<Source>& sources = options.sources;
  std::uint64_t total = 0;
  std::uint64_t least = sources[0].size();
  for (const Source& source : sources) {
    total += source.size();
    least = std::min(least, source.size());
  }
  switch (options.operation) {
    case Operation::kUnion:
      return total;
    case Operation::kIntersection:
      return least * sources.size();
    case Operation::kDifference:
      return sources[0].size() * sources.size();
  }
  return total;
}

// Calls visit(member, score) for each entry of the result; an intersection or a difference stops
// when visit returns false. Replies LIMIT and returns false if --max-work does not allow the
// operation.
bool Run(Context& context, Options* options, const Visit& visit) {
  if (!TakeWork(context, WorkOf(*options))) return false;
  const auto by_size = [](const Source& a, const Source& b) { return a.size() < b.size(); };
  if (options->operation != Operation::kDifference) {
    std::stable_sort(options->sources.begin(), options->sources.end(), by_size);
  }
  switch (options->operation) {
    case Operation::kUnion:
      Unite(*options, core::MemberHash{context.random.Next()}, visit);
      break;
    case Operation::kIntersection:
      Intersect(*options, visit);
      break;
    case Operation::kDifference:
      Subtract(*options, visit);
      break;
  }
  return true;
}

void ReplyEntries(Context& context, const std::vector<StoredEntry>& entries, bool scores) {
  const std::size_t start = context.reply.size();
  const bool nested = scores && context.reply.resp3();
  context.reply.Array(scores && !nested ? entries.size() * 2 : entries.size());
  for (const StoredEntry& entry : entries) {
    if (nested) context.reply.Array(2);
    context.reply.Bulk(entry.member);
    if (scores) context.reply.Double(FormatDouble(entry.score));
    if (!WithinReplyLimit(context, start)) return;
  }
}

void Execute(Context& context, Operation operation, bool stores) {
  Options options;
  options.operation = operation;
  std::size_t next = 0;
  if (!TakeSources(context, stores ? 2 : 1, &options, &next)) return;
  if (!TakeOptions(context, next, stores, &options)) return;
  std::vector<StoredEntry> entries;
  const bool ran = Run(context, &options, [&](std::string_view member, double score) {
    entries.push_back({std::string(member), score});
    return true;
  });
  if (!ran) return;
  if (stores) return StoreResult(context, context.arguments[1], std::move(entries));
  SortEntries(&entries);
  ReplyEntries(context, entries, options.scores);
}

void ZInterCard(Context& context) {
  Options options;
  options.operation = Operation::kIntersection;
  options.count_only = true;
  std::size_t next = 0;
  if (!TakeSources(context, 1, &options, &next)) return;
  if (!TakeOptions(context, next, false, &options)) return;
  std::int64_t count = 0;
  if (Run(context, &options, [&](std::string_view, double) { return ++count != options.limit; })) {
    context.reply.Integer(count);
  }
}

}  // namespace

void RegisterSortedSetAlgebra(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kZUnion,
           [](Context& context) { Execute(context, Operation::kUnion, false); });
  Register(table, CommandId::kZInter,
           [](Context& context) { Execute(context, Operation::kIntersection, false); });
  Register(table, CommandId::kZDiff,
           [](Context& context) { Execute(context, Operation::kDifference, false); });
  Register(table, CommandId::kZUnionStore,
           [](Context& context) { Execute(context, Operation::kUnion, true); });
  Register(table, CommandId::kZInterStore,
           [](Context& context) { Execute(context, Operation::kIntersection, true); });
  Register(table, CommandId::kZDiffStore,
           [](Context& context) { Execute(context, Operation::kDifference, true); });
  Register(table, CommandId::kZInterCard, ZInterCard);
}

}  // namespace laurel::engine
