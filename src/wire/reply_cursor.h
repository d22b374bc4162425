// Walks over RESP replies that Reply has written, to find where each one ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace laurel::wire {

// The replies must be whole and outlive the cursor.
class ReplyCursor {
 public:
  explicit ReplyCursor(std::string_view replies) : rest_(replies) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  // The type of the next reply: '$', '*', … REQUIRES: not done.
  [[nodiscard]] char next_type() const { return rest_[0]; }
  // Returns the bytes of the next reply, with all its elements. REQUIRES: not done.
  std::string_view Next();
  // Enters the array that comes next: its elements come next then. Returns how many there are; 0
  // for a null. REQUIRES: an array or a null comes next.
  std::size_t EnterArray();

 private:
  // Takes the first line of the next reply. `text` is what follows the type.
  struct Head {
    char type;
    std::string_view text;
  };
  Head TakeHead();
  void Skip(std::size_t bytes);

  std::string_view rest_;
};

inline bool IsErrorReply(std::string_view reply) { return reply.starts_with('-'); }
// The code of an error reply, such as "NOBOARD". REQUIRES: IsErrorReply(reply).
std::string_view CodeOfError(std::string_view reply);

}  // namespace laurel::wire
