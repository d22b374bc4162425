// Turns bytes into commands; board and naive model must agree, and every invariant must hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "model/naive_board.h"
#include "model/test_board.h"

namespace {

using laurel::Board;
using laurel::Entry;
using laurel::Moment;
using laurel::RankKind;
using laurel::Score;
using laurel::Spec;
using laurel::Write;

void Require(bool holds) {
  if (!holds) std::abort();
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  [[nodiscard]] bool empty() const { return left_ == 0; }
  std::uint8_t Next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

Spec MakeSpec(Bytes* bytes) {
  Spec spec;
  const std::uint8_t choice = bytes->Next();
  spec.fields[0].direction = (choice & 1) != 0 ? laurel::Direction::kAsc : laurel::Direction::kDesc;
  spec.tie = static_cast<laurel::Tie>((choice >> 1) % 3);
  spec.policy = static_cast<laurel::Policy>((choice >> 3) % 3);
  if ((choice & 64) != 0) {
    spec.fields.push_back({"second", 2, laurel::Direction::kAsc, laurel::Operator::kSet});
  }
  if (spec.policy != laurel::Policy::kSum && (choice & 128) != 0) spec.cap = 1 + bytes->Next() % 30;
  return spec;
}

Score MakeScore(const Spec& spec, Bytes* bytes) {
  Score score;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const std::uint8_t value = bytes->Next();
    score.push_back(value < 4   ? INT64_MIN + value
                    : value < 8 ? INT64_MAX - value
                                : static_cast<std::int64_t>(value % 16) - 8);
  }
  return score;
}

// Runs one command on both. False if the results differ.
bool Step(Bytes* bytes, Moment moment, Board* board, laurel::model::NaiveBoard* model) {
  const std::uint8_t command = bytes->Next();
  const std::string member = std::to_string(bytes->Next() % 64);
  const std::string_view members[] = {member};
  switch (command % 8) {
    case 0:
    case 1:
    case 2: {
      Write write;
      write.member = member;
      write.score = MakeScore(board->spec(), bytes);
      write.mode = static_cast<laurel::WriteMode>(command % 3);
      if ((command & 64) != 0) write.at = moment.stamp - bytes->Next();
      const auto ours = laurel::model::Plain(board->Apply(write, moment));
      const auto theirs = model->Apply(write, moment);
      return ours.ok() ? theirs.ok() && *ours == *theirs : !theirs.ok();
    }
    case 3:
      return board->Remove(members) == model->Remove(members);
    case 4: {
      const auto end = (command & 64) != 0 ? Board::End::kBest : Board::End::kWorst;
      return board->Pop(command % 3, end).value() == model->Pop(command % 3, end);
    }
    case 5:
      return *board->Hide(members) == *model->Hide(members);
    case 6:
      return *board->Show(members) == *model->Show(members);
    default: {
      const auto kind = static_cast<RankKind>(command / 8 % 3);
      return board->Get(member, kind) == model->Get(member, kind) &&
             board->Top(70, kind) == model->Top(70, kind);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const Spec spec = MakeSpec(&bytes);
  laurel::model::TestBoard board(spec, laurel::model::TinyShape());
  laurel::model::NaiveBoard model(spec);
  Moment moment{1'700'000'000'000'000, 1'700'000'000'000'000};
  while (!bytes.empty()) {
    ++moment.now;
    ++moment.stamp;
    Require(Step(&bytes, moment, &*board, &model));
  }
  Require(board->Validate().empty());
  Require(board->Top(UINT64_MAX) == model.Top(UINT64_MAX));
  return 0;
}
