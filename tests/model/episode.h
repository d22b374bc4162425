// One random life of a board, lived by the library and by the model at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "laurel/board.h"
#include "laurel/entry.h"
#include "model/generator.h"
#include "model/naive_board.h"
#include "model/operations.h"
#include "model/render.h"
#include "model/test_board.h"

namespace laurel::model {

using OperationCounts = std::array<std::uint64_t, kOperationCount>;

// What one seed decides about an episode before its first operation.
struct EpisodePlan {
  std::uint64_t seed = 0;
  core::Shape shape;
  std::size_t members = 0;         // how many there are to choose from
  std::uint64_t operations = 0;    // how many to run
  std::uint64_t phase_length = 0;  // grow, stay, shrink to nothing; and again

  static EpisodePlan FromSeed(std::uint64_t seed);
};

class Episode {
 public:
  explicit Episode(const EpisodePlan& plan);

  // Runs all of it, or up to the first difference: then failure() says what it was.
  void Run();

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const OperationCounts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  using Members = std::vector<std::string_view>;
  using Arguments = std::function<std::string()>;
  enum class Phase : std::uint8_t { kGrow, kSteady, kShrink };

  [[nodiscard]] Phase phase() const;
  Operation ChooseOperation();
  [[nodiscard]] bool Applicable(Operation operation);
  void Execute(Operation operation);
  void Dispatch(Operation operation);

  // Writes.
  void RunShorthand(Operation operation);
  void RunApply();
  void RunApplyAll();
  void RunApplyBatch();
  void RunSetMeta();
  void RunRemove();
  void RunPop(Board::End end);
  void RunTrim();
  void RunClear();
  void RunHide();
  void RunShow();
  void RunAlterCap();
  void RunLoad();

  // Reads.
  void RunGet();
  void RunRanks();
  void RunAt();
  void RunTop();
  void RunRange();
  void RunAround();
  void RunAmong();
  void RunRankOf();
  void RunCount();
  void RunBetween();
  void RunLexCount();
  void RunLexRange();
  void RunPercentile();
  void RunQuantile();
  void RunHistogram();
  void RunRandomEntries();
  void RunScan();
  void RunForEach(Board::End from);
  void RunContains();

  // The whole content, in every way to look at it.
  void CompareContents();
  // To nothing, by removals alone: memory has to come back.
  void DeleteAll();

  template <typename T>
  void Compare(const Arguments& arguments, const T& board, const T& model) {
    if (failure_.empty() && !SameReply(board, model)) {
      Fail(arguments(), Render(board), Render(model));
    }
  }
  void Fail(const std::string& arguments, const std::string& board, const std::string& model);

  Moment NextMoment(std::uint64_t stamps);
  std::vector<Write> RandomWrites(std::size_t count, Stamp now);
  // Mostly one that is there.
  std::string_view LikelyMember();
  Members LikelyMembers(std::size_t most);
  std::vector<Entry> EntriesToLoad();
  void WriteDuringScan(std::set<std::string>* throughout);
  void CompareScanned(const std::vector<Entry>& page, std::map<std::string, int>* seen);

  EpisodePlan plan_;
  Generator generator_;
  base::Random& random_;
  TestBoard board_;
  NaiveBoard model_;
  Stamp now_ = kBegin;
  Stamp last_stamp_ = 0;
  Operation current_ = Operation::kSize;
  std::uint64_t operations_ = 0;
  OperationCounts counts_{};
  std::string failure_;
};

}  // namespace laurel::model
