// Shows the progress of long work on files: a bar on a terminal, otherwise a line every two
// seconds.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "storage/recovery.h"

namespace laurel::cli {

class LoadProgress {
 public:
  // `out` is standard error. Whether it is a terminal selects bar or lines. `work` names the work.
  explicit LoadProgress(std::ostream& out, std::string_view work = "loading");

  // May be called often: prints at a bounded rate, and nothing in the first 0.3 s.
  void Show(const storage::Progress& at);
  // Calls Show and returns true. REQUIRES: not called after this object is destroyed.
  storage::ProgressCallback Callback();
  // Erases the bar.
  void Finish();

 private:
  std::ostream& out_;
  std::string_view work_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t began_us_;
  std::int64_t shown_us_;
};

}  // namespace laurel::cli
