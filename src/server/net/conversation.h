// A conversation is what a client and the server say to each other over one connection: a protocol
// such as RESP. The connection moves bytes and knows limits and timers; the conversation
// understands them.
//
//   input bytes ──Take──► pipeline: requests for the engine, and replies on the spot
//                           │ the engine executes the requests, now or later
//   output bytes ◄─EndPipeline──┘ replies as the protocol frames them
//
// There is one pipeline at a time, so replies keep the order of requests: a conversation takes as
// many pipelined requests into a pipeline as it likes. Output without a request (a stream of
// events, MONITOR) goes through Connection::Write, on the connection's thread; Connection::Wake
// brings another thread's news there. A stream that must not run ahead of its client calls
// Connection::AwaitDrained after a Write and goes on in OnDrained.
//
// All methods are called on the connection's thread unless they say otherwise.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace laurel::server {

class Conversation {
 public:
  virtual ~Conversation() = default;

  struct Taken {
    std::size_t bytes = 0;  // of the input, which are done with
    // The pipeline holds requests, or replies, or an end (Connection::CloseAfterPipeline). False:
    // nothing more can be done before more input comes.
    bool has_pipeline = false;
  };
  // Takes requests off the front of the input and makes a pipeline of them: sets the connection's
  // `requests`, and appends what it answers by itself to `replies`. REQUIRES: the pipeline before
  // has ended. The input stays where it is until the pipeline's requests are executed, so arguments
  // may be views of it. Input that is not taken is shown again, with more behind it. A conversation
  // bounds by itself how much input it leaves or keeps.
  virtual Taken Take(std::string_view input) = 0;

  // All requests of the pipeline are executed and the reply is still to come: what they refer to is
  // not needed any more.
  virtual void ReleaseRequests() = 0;

  // The engine has finished the pipeline, or its first part (not `complete`: the rest is executed
  // once the client has read this). What is in `replies` when this returns is sent. The
  // conversation replaces the replies of requests whose outcome is unknown (Pipeline::unknown).
  virtual void EndPipeline(bool complete) = 0;

  // After Connection::Wake, unless the connection was closed meanwhile. Several calls of Wake may
  // become one of OnWake.
  virtual void OnWake() {}
  // After Connection::AwaitDrained, once all output has been handed to the socket.
  virtual void OnDrained() {}
  // The connection is closed; nothing is called after it but the destructor and what is called
  // from any thread.
  virtual void OnClosed() {}

  // Whether the client has yet to show a token, for which it has --auth-timeout.
  [[nodiscard]] virtual bool IsStranger() const = 0;
  // Whether --idle-timeout counts while nothing is asked. False for a client that only listens.
  [[nodiscard]] virtual bool MayTimeOut() const = 0;

  // A line of CLIENT LIST, without its end. From any thread.
  [[nodiscard]] virtual std::string Describe() const = 0;
  // The name of the client's token, "default" if it has none. From any thread.
  [[nodiscard]] virtual std::string User() const = 0;

  // Bytes that are kept for the client outside the connection's buffers.
  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

 protected:
  // A plain member: it is asked for several times in each round.
  std::size_t held_bytes_ = 0;
};

}  // namespace laurel::server
