// Walks over RESP replies that Reply has written, to find where each one ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace laurel::wire {

// The replies must be complete and outlive the cursor.
class ReplyCursor {
 public:
  explicit ReplyCursor(std::string_view replies) : rest_(replies) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  // The type of the next reply: '$', '*', … REQUIRES: not done.
  [[nodiscard]] char next_type() const { return rest_[0]; }
  // Returns the bytes of the next reply, with all its elements. REQUIRES: not done.
  std::string_view Next();
  // Enters the next reply, an array, so that its first element is next. Returns the number of its
  // elements; 0 for a null. REQUIRES: the next reply is an array or a null.
  std::size_t EnterArray();

 private:
  // Takes the first line of the next reply. `text` is the part after the type.
  struct Head {
    char type;
    std::string_view text;
  };
  Head TakeHead();
  void Skip(std::size_t bytes);

  std::string_view rest_;
};

inline bool IsErrorReply(std::string_view reply) { return reply.starts_with('-'); }
// Returns the code of an error reply, such as "NOBOARD". REQUIRES: IsErrorReply(reply).
std::string_view CodeOfError(std::string_view reply);

}  // namespace laurel::wire
