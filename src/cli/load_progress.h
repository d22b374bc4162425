// How far reading the data folder has come: a bar on a terminal, a line now and then otherwise.
#pragma once

#include <cstdint>
#include <ostream>

#include "storage/recovery.h"

namespace laurel::cli {

class LoadProgress {
 public:
  // `out` is standard error; whether that is a terminal decides.
  explicit LoadProgress(std::ostream& out);

  // Called often; shows something a few times a second, and nothing for what is quick.
  void Show(const storage::Progress& at);
  // Takes the bar away.
  void Finish();

 private:
  std::ostream& out_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t began_us_;
  std::int64_t shown_us_;
};

}  // namespace laurel::cli
