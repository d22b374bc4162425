#include <map>
#include <stdexcept>

#include "server/process.h"
#include "server/resp_client.h"
#include "tests/corpus/corpus_host.h"

namespace laurel::corpus {
namespace {

class ServerHost : public CorpusHost {
 public:
  explicit ServerHost(Protocol protocol)
      : protocol_(protocol), server_(black_box::ServerProcess::Laurel()) {}

  std::optional<std::string> Ask(const std::string& client, const Words& command) override {
    black_box::RespClient& connection = Connection(client);
    connection.Send(command);
    return connection.ReadRawReply();
  }

  std::string Exec(const std::string& /*client*/, const std::vector<Words>& /*commands*/) override {
    Refuse();
  }
  std::string Await(const std::string& /*client*/) override { Refuse(); }
  std::string Cancel(const std::string& /*client*/, bool /*error*/) override { Refuse(); }
  void SetTime(Stamp /*now*/) override { Refuse(); }
  void MoveTime(Stamp /*micros*/) override { Refuse(); }
  void Tick() override { Refuse(); }
  void Restart(bool /*saved*/, const Words& /*options*/) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() { throw std::runtime_error("a server cannot do this"); }

  black_box::RespClient& Connection(const std::string& client) {
    if (const auto found = connections_.find(client); found != connections_.end()) {
      return found->second;
    }
    black_box::RespClient& connection =
        connections_.emplace(client, black_box::RespClient(server_.port())).first->second;
    if (protocol_ == Protocol::kResp3) connection.Command({"HELLO", "3"});
    return connection;
  }

  Protocol protocol_;
  black_box::ServerProcess server_;
  std::map<std::string, black_box::RespClient> connections_;
};

}  // namespace

std::unique_ptr<CorpusHost> MakeServerHost(Protocol protocol) {
  return std::make_unique<ServerHost>(protocol);
}

}  // namespace laurel::corpus
