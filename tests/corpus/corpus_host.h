// The host that a corpus file is played on: an engine in this process, or a server.
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

  // The bytes of the reply; none if the client blocks. A client is created when it is first named.
  virtual std::optional<std::string> Ask(const std::string& client, const Words& command) = 0;

  // The rest is possible on an engine in this process only. A server throws std::runtime_error.

  // The reply to EXEC.
  virtual std::string Exec(const std::string& client, const std::vector<Words>& commands) = 0;
  // Waits for the reply to the blocked client.
  virtual std::string Await(const std::string& client) = 0;
  // Ends the client's wait by a timeout or an error, and returns the reply.
  virtual std::string Cancel(const std::string& client, bool error) = 0;
  virtual void SetTime(Stamp now) = 0;
  virtual void MoveTime(Stamp micros) = 0;
  // Does everything that is due by the clock, and waits until it is durable.
  virtual void Tick() = 0;
  // Closes the engine, with a snapshot if `saved`, and opens another on the same data; all clients
  // are new. `options`: "max-memory=1", "max-reply=1000", "max-work=10", for this start only.
  virtual void Restart(bool saved, const Words& options) = 0;
};

// An embedded engine with a settable clock, fixed seeds, and files in memory.
std::unique_ptr<CorpusHost> MakeEngineHost(Protocol protocol);
// A process of the `laurel` program.
std::unique_ptr<CorpusHost> MakeServerHost(Protocol protocol);

}  // namespace laurel::corpus
