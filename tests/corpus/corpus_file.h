// A corpus file: requests, what happens between them, and the replies that were recorded.
//
// The file is played twice at once, in RESP2 and in RESP3, each on a host of its own.
//
//   # text               a comment
//   LB.TOP lb 10         a request of the present client (corpus_text.h says how words are quoted)
//     = reply            the reply in both protocols, or
//     2 reply            in RESP2, and
//     3 reply            in RESP3
//     = waits            there is no reply yet: @await or @cancel follows
//   @client NAME         requests come from this client from now on; the first one is `main`
//   @multi … @exec       the requests between are one transaction; the reply is that of EXEC
//   @await NAME          the reply that the client waits for
//   @cancel NAME timeout|error
//   @clock TIME          2026-11-15T12:00:00Z, where the clock stands at first
//   @step MICROSECONDS   moves the clock, back if negative; 90s, 250ms, 15m, 12h and 30d are taken
//   too
//   @tick                does what is due by time
//   @restart [saved] [OPTION=VALUE …]
//   @mask                the values in the next reply differ from run to run: only types are kept
//   @server              in the first line: the file is played on the server program
//
// Cursors of the change feed hold a random number. They are written cursor:1, cursor:2, … in the
// order in which replies show them first, and requests may name them so.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/corpus/corpus_text.h"

namespace laurel::corpus {

// A line of a file and the reply below it.
struct Step {
  int line_number = 0;
  std::string line;
  Words words;                     // of a request
  std::vector<std::string> reply;  // as written, without the indentation
};

class CorpusFile {
 public:
  // Throws std::runtime_error if there is no such file.
  explicit CorpusFile(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] bool on_server() const { return !steps_.empty() && steps_[0].line == "@server"; }

  // The replies that the steps get now. Throws std::runtime_error, with the line, if a line has no
  // meaning.
  [[nodiscard]] std::vector<Step> Play() const;

  static void Write(const std::filesystem::path& path, const std::vector<Step>& steps);

 private:
  std::vector<Step> steps_;
};

}  // namespace laurel::corpus
