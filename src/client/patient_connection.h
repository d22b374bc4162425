// PatientConnection: a connection that reconnects when it breaks. The attempts are bounded, with
// growing waits: about 17 s in a row without progress. A server that is silent for two whole time
// limits is given up. Use it for work that may be repeated.
//
// In a cluster it follows redirections: MOVED moves the connection to the node that has the slot,
// ASK sends one request to the node that is importing it, and after TRYAGAIN and CLUSTERDOWN it
// waits. After a node fails it also asks the first address.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/redis_connection.h"

namespace laurel::client {

class PatientConnection {
 public:
  // Connects with one attempt, so that a wrong address is an error at once.
  static Result<PatientConnection> Open(const ConnectOptions& options);

  RedisConnection* operator->() { return connection_.get(); }
  // The address of the current node.
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] const ConnectOptions& options() const { return options_; }

  // Connects again, because of `reason`. Returns `reason` if the server has never answered, and the
  // last error if the attempts are used up. Requests in flight are lost.
  Status Reconnect(const Error& reason);
  // Resets the number of attempts. Must be called when the server has answered.
  void Progressed() { attempts_ = timeouts_ = redirections_ = 0; }
  // Like RedisConnection::Ask, but repeats the request after a broken connection and while the
  // server is loading its data. Errors name the address. *refusal, if given, is set to the text of
  // an error reply, otherwise to empty.
  Result<RespValue> Ask(const std::vector<std::string>& words, std::string* refusal = nullptr);

  // Like Ask, for a large reply: returns its bytes, like RedisConnection::Next.
  Status AskRaw(const std::vector<std::string>& words, std::string* reply);
  // Pipelines one request for each item from 0 to `count` - 1, with a bounded number in flight.
  // `send` queues the request of an item; `check` receives each reply in order, and may end the
  // work with an error. After a broken connection, and while the server is loading its data,
  // repeats from the first item without a reply.
  Status Pipelined(std::size_t count, const std::function<void(std::size_t item)>& send,
                   const std::function<Status(std::size_t item, std::string_view reply)>& check);
  // Makes an error of an error reply, with the address.
  [[nodiscard]] Error Refused(std::string_view reply) const;

  // Whether the stop flag of the wait limits is set.
  [[nodiscard]] bool stopped() const {
    return options_.waits.stop != nullptr && options_.waits.stop->load();
  }

 private:
  explicit PatientConnection(ConnectOptions options)
      : options_(std::move(options)), first_(options_.address), address_(options_.address.Text()) {}

  // Pipelines one request, and passes its reply to `check`.
  Status AskOne(const std::vector<std::string>& words,
                const std::function<Status(std::string_view reply)>& check);
  // Reconnects to the node that a MOVED error names.
  Status Move(std::string_view error);
  // Calls `work` with a connection to the node that an ASK error names, after sending it ASKING.
  Status Detour(std::string_view error, const std::function<Status()>& work);
  void SetAddress(const ServerAddress& address);
  // Connects to the node that a redirection names.
  Result<std::unique_ptr<RedisConnection>> Follow(std::string_view error, ServerAddress* node);

  ConnectOptions options_;
  ServerAddress first_;
  std::string address_;
  std::unique_ptr<RedisConnection> connection_;
  int attempts_ = 0;
  int redirections_ = 0;   // in a row
  int timeouts_ = 0;       // waits in a row that have taken the whole time limit
  bool answered_ = false;  // one of the connections has received a reply
};

}  // namespace laurel::client
