// A collection of boards in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/board.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel {

namespace core {
class Catalog;
}  // namespace core

struct BoardInfo {
  std::string name;
  Spec spec;
  std::uint64_t size = 0;    // visible entries
  std::uint64_t hidden = 0;  // hidden members, present or not
  std::size_t bytes = 0;
};

// Boards by name. Threads: as for Board.
class Boards {
 public:
  Boards();
  // The boards' memory comes from `memory`, which must outlive the collection. It must not throw: a
  // host that is out of memory ends the process, or refuses writes before it comes to that.
  explicit Boards(std::pmr::memory_resource* memory);
  ~Boards();
  Boards(Boards&&) noexcept;
  Boards& operator=(Boards&&) noexcept;

  // The board of that name. An equal spec again is no error; another spec is EXISTS. Bad specs are
  // ERR or LIMIT, see CheckSpec, and so is one with periods. A name has 1 to 512 bytes, a
  // leaderboard's no '@'. EXPIRE and DEDUP are for the host to carry out.
  Result<Board> Create(std::string_view name, const Spec& spec = Spec());

  [[nodiscard]] std::optional<Board> Find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const;

  // Names in byte order, from `after` (exclusive) on, at most `limit`.
  [[nodiscard]] std::vector<std::string> List(std::string_view after = {},
                                              std::size_t limit = SIZE_MAX) const;
  // NOBOARD if there is none.
  [[nodiscard]] Result<BoardInfo> Describe(std::string_view name) const;
  // Spec, entries and hidden marks go along; a board that stands at `to` is dropped. NOBOARD if
  // there is none at `from`.
  Status Rename(std::string_view from, std::string_view to);
  // The name is free at once; memory of a huge board goes back in slices, see Reclaim. False if
  // there is none.
  bool Drop(std::string_view name);

  // Frees about `entries` entries of boards that were dropped or cleared, and of large ranges that
  // were removed; false when nothing is left to free. Call it between other work: that keeps each
  // call short. Without it removed ranges are freed by later writes to their board, a few entries
  // each, and everything else by the destructor.
  bool Reclaim(std::size_t entries);

  // Bytes of all boards, dropped ones that are not yet reclaimed included.
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  std::unique_ptr<core::Catalog> catalog_;
};

}  // namespace laurel
