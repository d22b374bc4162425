// Rejects: the rows that an import could not use. The reject file has one JSON object per line, so
// that a user can correct the rows and import them again:
//
//   {"line":17,"reason":"BADSCORE 'abc' is not a number","row":"ann,abc"}
//
// "line" is absent if the source has no lines. "row" is the beginning of the row, at most
// kMaxRejectRowBytes; bytes that are not UTF-8 appear as "row_base64".
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {

struct Reject {
  std::uint64_t line = 0;  // 0: the source has no lines
  std::string_view reason;
  std::string_view row;  // in the source's form; the beginning is enough
};

// Used by one thread.
class Rejects {
 public:
  // Counts rejects, without a file.
  explicit Rejects(std::uint64_t max = kDefaultMaxRejects) : max_(max) {}
  // Opens the reject file, which replaces an existing one. It stays empty if no row is rejected.
  // `max`: the number of rejects that are accepted; 0 accepts none.
  static Result<Rejects> Open(const std::string& path, std::uint64_t max);

  // Counts and writes one reject. LIMIT if there are more than accepted: the reject is written, and
  // the import must end. ERR if the file cannot be written.
  Status Add(const Reject& reject);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const std::string& path() const { return path_; }  // empty without a file
  // The first rejects, at most kMaxRejectsShown, as lines for a terminal: "line 17: …".
  [[nodiscard]] const std::vector<std::string>& shown() const { return shown_; }

  // Writes the buffer. Must be called before the count is reported as complete.
  Status Flush();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  Status Write(const Reject& reject);
  [[nodiscard]] Error Failed(const char* what) const;

  std::uint64_t max_;
  std::uint64_t count_ = 0;
  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<std::string> shown_;
  std::string buffer_;  // one line
};

}  // namespace laurel::transfer
