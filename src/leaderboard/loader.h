// Reads the effects of a Leaderboard::Walk into a leaderboard. Entries of a board or instance that
// is empty are loaded in bulk, others are put one by one.
#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_cursor.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"

namespace laurel::leaderboard {

class Loader {
 public:
  // Until Finish nothing else may use `into`. `latest`: as in Leaderboard::Apply.
  explicit Loader(Leaderboard* into, Stamp latest = INT64_MAX);
  ~Loader();

  // Reads effects up to the end, or up to the first of the host's own effects. May be called
  // repeatedly.
  Status Read(base::ByteCursor* effects);
  // Entries read so far.
  [[nodiscard]] std::uint64_t entries() const;

  // Entries that Finish still has to index and sort.
  [[nodiscard]] std::size_t unsorted() const;
  // The two long steps of Finish. After the last Read they may run on two threads at once, which
  // pays off for many entries. Finish does whichever was not called.
  void Index();
  void Sort();
  void Finish();

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace laurel::leaderboard
