// PatientConnection: a connection that is made again when it breaks, a bounded number of times,
// with growing waits: about 17 s in a row without progress in between. A server that has said
// nothing for two whole time limits is given up. For work that may be repeated.
//
// In a cluster it follows the redirections of the servers: MOVED moves the connection to the node
// that has the slot, ASK sends one request to the node that is getting it, and TRYAGAIN and
// CLUSTERDOWN are waited for. A node that is gone is looked for through the first address too.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // Connects once: an address that is wrong from the start is an error at once.
  static Result<PatientConnection> Open(const ConnectOptions& options);

  RedisConnection* operator->() { return connection_.get(); }
  // That of the present node.
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] const ConnectOptions& options() const { return options_; }

  // Connects again. `reason` is why; it is returned if the attempts are used up, or if the server
  // has never answered. Requests in flight are lost.
  Status Reconnect(const Error& reason);
  // Resets the number of attempts. To be called when the server has answered.
  void Progressed() { attempts_ = timeouts_ = redirections_ = 0; }
  // As RedisConnection::Ask, but repeats the request after a broken connection and while the server
  // is loading its data. Errors name the address; *refusal, if given, is the text of an error reply
  // then, and empty otherwise.
  Result<RespValue> Ask(const std::vector<std::string>& words, std::string* refusal = nullptr);

  // As Ask for a large reply: its bytes, as RedisConnection::Next returns them.
  Status AskRaw(const std::vector<std::string>& words, std::string* reply);
  // Pipelines one request for each item from `first` to `count` - 1, with bounded numbers in
  // flight. `send` queues the request of an item; `check` gets each reply, in order, and may end
  // the work with an error. After a broken connection, and while the server is loading its data,
  // repeats from the first item without a reply.
  Status Pipelined(std::size_t first, std::size_t count,
                   const std::function<void(std::size_t item)>& send,
                   const std::function<Status(std::size_t item, std::string_view reply)>& check);
  // The error of an error reply, with the address.
  [[nodiscard]] Error Refused(std::string_view reply) const;

  // Whether the wait limits of the options say stop.
  [[nodiscard]] bool stopped() const {
    return options_.waits.stop != nullptr && options_.waits.stop->load();
  }

 private:
  explicit PatientConnection(ConnectOptions options)
      : options_(std::move(options)), first_(options_.address), address_(options_.address.Text()) {}

  // Moves to the node that a MOVED error names.
  Status Move(std::string_view error);
  // Calls `work` while the connection is one to the node that an ASK error names, which has been
  // told ASKING.
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
  bool answered_ = false;  // one of the connections has had a reply
};

}  // namespace laurel::client
