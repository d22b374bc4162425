// Reads the effects of a Leaderboard::Walk into an empty leaderboard, entries in bulk.
#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_cursor.h"
#include "laurel/result.h"
#include "leaderboard/leaderboard.h"

namespace laurel::leaderboard {

class Loader {
 public:
  // REQUIRES: `into` is empty. Until Finish nothing else may use it.
  explicit Loader(Leaderboard* into);
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
