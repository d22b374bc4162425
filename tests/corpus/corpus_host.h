// What a corpus is played on: an engine in this process, or a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "laurel/score.h"
#include "tests/corpus/corpus_text.h"

namespace laurel::corpus {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

class CorpusHost {
 public:
  virtual ~CorpusHost() = default;

  // The bytes of the reply; none if the client waits from now on. A client comes into being when it
  // is first named.
  virtual std::optional<std::string> Ask(const std::string& client, const Words& command) = 0;

  // What only an engine in this process can do. A server throws std::runtime_error.

  // The reply to EXEC.
  virtual std::string Exec(const std::string& client, const std::vector<Words>& commands) = 0;
  // The reply that the client waits for.
  virtual std::string Await(const std::string& client) = 0;
  // Ends its wait, by a timeout or an error, and gives the reply.
  virtual std::string Cancel(const std::string& client, bool error) = 0;
  virtual void SetTime(Stamp now) = 0;
  virtual void MoveTime(Stamp micros) = 0;
  // Everything that is due by time is done, and on disk.
  virtual void Tick() = 0;
  // Closes the engine and opens another on the same data; every client is a new one. `saved`: with
  // a snapshot. `options`: "max-memory=1", "max-reply=1000", "max-work=10", for this start alone.
  virtual void Restart(bool saved, const Words& options) = 0;
};

// With a clock that stands still, one seed for everything random, and files in memory.
std::unique_ptr<CorpusHost> MakeEngineHost(Protocol protocol);
// The `laurel` program.
std::unique_ptr<CorpusHost> MakeServerHost(Protocol protocol);

}  // namespace laurel::corpus
