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
  // `into` is the loader's until Finish.
  explicit Loader(Leaderboard* into);
  ~Loader();

  // Reads effects up to the first one of the host's. May be called any number of times.
  Status Read(base::ByteCursor* effects);
  // Entries read so far.
  [[nodiscard]] std::uint64_t entries() const;

  // The two long parts of Finish, which may run on two threads at once; worth it for many entries.
  [[nodiscard]] std::size_t unsorted() const;
  void Index();
  void Sort();
  void Finish();

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace laurel::leaderboard
