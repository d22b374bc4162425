// How far long work on files has come: a bar on a terminal, a line now and then otherwise.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "storage/recovery.h"

namespace laurel::cli {

class LoadProgress {
 public:
  // `out` is standard error; whether that is a terminal decides. `work` says what is done.
  explicit LoadProgress(std::ostream& out, std::string_view work = "loading");

  // Called often; shows something a few times a second, and nothing for what is quick.
  void Show(const storage::Progress& at);
  // Takes the bar away.
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
