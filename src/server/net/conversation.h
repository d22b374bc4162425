// A conversation implements the protocol of one connection, such as RESP. The connection moves
// bytes and enforces limits and timeouts; the conversation parses requests and frames replies.
//
//   input bytes ──Take──► pipeline: requests for the engine, and immediate replies
//                               │ the engine executes the requests, now or later
//   output bytes ◄─EndPipeline──┘ replies as the protocol frames them
//
// A connection has one pipeline at a time, so replies keep the order of the requests. The
// conversation decides how many of the requests in the input go into a pipeline. Output that
// answers no request (a stream of events, MONITOR) goes through Connection::Write, on the
// connection's thread; another thread calls Connection::Wake to have OnWake called there. A stream
// that must not outrun its client calls Connection::AwaitDrained after a Write and continues in
// OnDrained.
//
// All methods are called on the connection's thread unless they say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::server {

class Conversation {
 public:
  virtual ~Conversation() = default;

  struct Taken {
    std::size_t bytes = 0;  // consumed from the front of the input
    // Whether there is a pipeline: it has requests or replies, or closes the connection
    // (Connection::CloseAfterPipeline). False: the conversation needs more input.
    bool has_pipeline = false;
  };
  // Takes requests off the front of the input and builds a pipeline: sets the connection's
  // `requests`, and appends immediate replies to `replies`. REQUIRES: the previous pipeline has
  // ended. The input does not move until the pipeline's requests are executed, so arguments may be
  // views of it. Input that is not consumed is passed again, followed by newer input. The
  // conversation itself bounds how much input it leaves or keeps.
  virtual Taken Take(std::string_view input) = 0;

  // Called when all requests of the pipeline are executed but its replies may not be sent yet. The
  // conversation may free what the requests refer to.
  virtual void ReleaseRequests() = 0;

  // Called when the pipeline is finished, or (`complete` is false) its first part: the rest is
  // executed once the client has read these replies. The connection sends what is in `replies` when
  // this returns. The conversation replaces the replies of requests whose outcome is unknown
  // (Pipeline::unknown).
  virtual void EndPipeline(bool complete) = 0;

  // Called after Connection::Wake, unless the connection was closed meanwhile. Several calls of
  // Wake may cause one call of OnWake.
  virtual void OnWake() {}
  // Called after Connection::AwaitDrained, once all output has been handed to the socket.
  virtual void OnDrained() {}
  // Called before the connection is closed (Connection::Shut). The conversation may write a last
  // time. Returns whether a blocked pipeline will still be answered soon: the connection then waits
  // for it. Called again if a pipeline blocks after that.
  virtual bool OnShut() { return false; }
  // Whether a request has arrived only in part. Connection::Shut(kWhenIdle) waits for the rest.
  [[nodiscard]] virtual bool IsReceiving() const { return false; }
  // Called about once a second. Returns whether the connection is to be closed.
  virtual bool OnTick(std::int64_t /*now_us*/) { return false; }
  // Called when the connection is closed. Afterwards only the destructor and the methods for any
  // thread are called.
  virtual void OnClosed() {}

  // Called after the server's tokens were replaced. Returns whether the client may continue: false
  // if it relies on a token that was removed or changed. The connection then closes as with
  // Connection::Shut(kWhenIdle). Before it returns false, the conversation may Write a last
  // message; afterwards it may only answer requests.
  virtual bool OnTokensChanged() = 0;

  // Whether the client has yet to authenticate, for which it has --auth-timeout.
  [[nodiscard]] virtual bool NeedsAuth() const = 0;
  // Whether --idle-timeout applies while the client sends nothing. False for a client that only
  // receives, as with MONITOR.
  [[nodiscard]] virtual bool MayTimeOut() const = 0;

  // A line of CLIENT LIST, without the newline. May be called from any thread.
  [[nodiscard]] virtual std::string Describe() const = 0;
  // The name of the client's token, "default" if it has none. May be called from any thread.
  [[nodiscard]] virtual std::string User() const = 0;

  // Bytes that the conversation keeps for the client outside the connection's buffers.
  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

 protected:
  // A plain member instead of a virtual call: the connection reads it several times per round.
  std::size_t held_bytes_ = 0;
};

}  // namespace laurel::server
