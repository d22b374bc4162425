// A corpus file: requests, other steps between them, and the recorded replies.
//
// The file is played in RESP2 and in RESP3, step by step, each on a host of its own.
//
//   # text               a comment
//   LB.TOP lb 10         a request of the current client (corpus_text.h: how words are quoted)
//     = reply            the reply in both protocols, or
//     2 reply            in RESP2, and
//     3 reply            in RESP3
//     = waits            the client blocks: @await or @cancel follows
//   @client NAME         later requests come from this client; the first client is `main`
//   @multi … @exec       the requests between are one transaction; the reply is that of EXEC
//   @await NAME          waits for the reply to the blocked client
//   @cancel NAME timeout|error
//   @clock TIME          sets the clock; it starts at 2026-11-15T12:00:00Z
//   @step MICROSECONDS   moves the clock, back if negative; also 90s, 250ms, 15m, 12h, 30d
//   @tick                does what is due by the clock
//   @restart [saved] [OPTION=VALUE …]
//   @mask                values of the next reply differ from run to run: keeps its types only
//   @server              in the first line: the file is played on the server program
//
// Cursors of the change feed contain a random number. They are written cursor:1, cursor:2, … in the
// order in which replies first show them; requests may use these names.
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

  // Plays the file and returns its steps with the replies they get now. Throws std::runtime_error,
  // with the line, if a step is unknown or fails.
  [[nodiscard]] std::vector<Step> Play() const;

  static void Write(const std::filesystem::path& path, const std::vector<Step>& steps);

 private:
  std::vector<Step> steps_;
};

}  // namespace laurel::corpus
