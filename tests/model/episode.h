// A random sequence of operations on one board, executed by the library and by the model.
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

// The parameters of an episode, all derived from one seed.
struct EpisodePlan {
  std::uint64_t seed = 0;
  core::Shape shape;
  std::size_t members = 0;         // number of different members
  std::uint64_t operations = 0;    // number of operations to run
  std::uint64_t phase_length = 0;  // operations of one phase: grow, steady, shrink, and again

  static EpisodePlan FromSeed(std::uint64_t seed);
};

class Episode {
 public:
  explicit Episode(const EpisodePlan& plan);

  // Runs the episode up to its end or the first difference, which failure() then describes.
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
  void RunShorthand();  // Submit, Set or Increment, as current_ says
  void RunApply();
  void RunApplyAll();
  void RunApplyBatch();
  void RunSetMeta();
  void RunRemove();
  void RunPop(Board::End end);
  void RunPopBest() { RunPop(Board::End::kBest); }
  void RunPopWorst() { RunPop(Board::End::kWorst); }
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
  void RunForEachBest() { RunForEach(Board::End::kBest); }
  void RunForEachWorst() { RunForEach(Board::End::kWorst); }
  void RunContains();
  void RunSize() {
    Compare([] { return ""; }, board_->size(), model_.size());
  }
  void RunSpec() {
    Compare([] { return ""; }, board_->spec(), model_.spec());
  }
  void RunMemoryUsage() {
    Compare([] { return "> 0 if anything is there"; },
            model_.size() == 0 || board_->MemoryUsage() > 0, true);
  }
  void RunValidate() {
    Compare([] { return ""; }, board_->Validate(), std::string());
  }

  // Compares the whole contents through every kind of read.
  void CompareContents();
  // Removes all entries one by one and checks that their memory is freed.
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
  // A member that in most cases has an entry.
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
