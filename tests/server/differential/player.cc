#include "server/differential/player.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <poll.h>

#include "base/text.h"

namespace laurel::differential {
namespace {

using black_box::Encoded;
using black_box::ParseReply;
using black_box::Quoted;
using black_box::RespClient;

constexpr int kShrinkSeconds = 20;
constexpr int kPollIntervalMs = 2;
constexpr int kPatienceMs = 60'000;
// An iteration that needs more calls than this counts as endless.
constexpr int kMaxIterationCalls = 100'000;

// Thrown while a stream is played; caught in Play.
struct Differs {
  Difference difference;
};

// Runs `action` on the first server: its failures are failures of the test.
template <typename Action>
auto Expected(const Arguments& command, Action action) {
  try {
    return action();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("the first server, at " + Quoted(command) + ": " + error.what());
  }
}

// Runs `action` on the second server: its failures are differences.
template <typename Action>
auto Actual(const Difference& context, Action action) {
  try {
    return action();
  } catch (const std::runtime_error& error) {
    Difference difference = context;
    difference.why = error.what();
    throw Differs{difference};
  }
}

// A connection to each server, with the comparison of their replies.
class Pair {
 public:
  Pair(std::string name, int expected_port, int actual_port, int protocol)
      : name_(std::move(name)),
        ports_{expected_port, actual_port},
        protocol_(protocol),
        expected_(std::make_unique<RespClient>(expected_port)) {
    Actual(Context({"HELLO"}), [&] { actual_ = std::make_unique<RespClient>(actual_port); });
    if (protocol_ == 3) Greet();
  }

  Difference Context(const Arguments& command) const {
    Difference difference;
    difference.connection = name_;
    difference.command = command;
    return difference;
  }

  RespClient& expected() { return *expected_; }
  RespClient& actual() { return *actual_; }

  void Send(const Arguments& command) {
    const std::string bytes = Encoded(command);
    expected_->SendRaw(bytes);
    Actual(Context(command), [&] { actual_->SendRaw(bytes); });
  }

  void CompareNext(const Arguments& command) {
    const std::string expected = Expected(command, [&] { return expected_->ReadRawReply(); });
    Difference context = Context(command);
    context.expected = expected;
    const std::string actual = Actual(context, [&] { return actual_->ReadRawReply(); });
    if (std::optional<std::string> why = comparison_.Compare(command, expected, actual)) {
      context.actual = actual;
      context.why = *why;
      throw Differs{context};
    }
  }

  void Ask(const Arguments& command) {
    Send(command);
    CompareNext(command);
  }

  // Opens new connections, which ends blocking pops on the old ones.
  void Reconnect() { *this = Pair(name_, ports_[0], ports_[1], protocol_); }

 private:
  // The reply names the server and its version, so it is not compared.
  void Greet() {
    const Arguments hello = {"HELLO", "3"};
    Send(hello);
    expected_->ReadReply();
    Actual(Context(hello), [&] { actual_->ReadReply(); });
  }

  std::string name_;
  int ports_[2];
  int protocol_;
  std::unique_ptr<RespClient> expected_;
  std::unique_ptr<RespClient> actual_;
  ReplyComparison comparison_;
};

long BlockedClients(RespClient& client) {
  const std::string name = "blocked_clients:";
  const std::string info = client.Command({"INFO", "clients"}).text;
  const std::size_t place = info.find(name);
  if (place == std::string::npos) throw std::runtime_error("INFO clients shows no blocked_clients");
  return std::stol(info.substr(place + name.size()));
}

// Polls `condition`. Returns false if it is still false after kPatienceMs.
template <typename Condition>
bool Eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    poll(nullptr, 0, kPollIntervalMs);
  }
  return true;
}

// The state of one play of a stream.
class Playing {
 public:
  Playing(int expected_port, int actual_port, const Manner& manner)
      : random_(manner.cut_seed),
        control_("control", expected_port, actual_port, manner.protocol),
        pusher_("pusher", expected_port, actual_port, manner.protocol) {
    for (std::size_t i = 0; i < kStreamConnections; ++i) {
      pairs_.emplace_back(std::to_string(i), expected_port, actual_port, manner.protocol);
    }
    for (std::size_t i = 0; i < kWaiters; ++i) {
      waiters_.emplace_back("waiter " + std::to_string(i), expected_port, actual_port,
                            manner.protocol);
    }
    control_.Ask({"FLUSHALL"});
  }

  // The step being played or, after a difference, the step that differs.
  std::size_t position() const { return position_; }

  void Run(const Stream& stream) {
    while (position_ < stream.size()) {
      const Step& step = stream[position_];
      switch (step.kind) {
        case Step::Kind::kCommands:
          RunPipeline(stream);
          break;
        case Step::Kind::kIteration:
          Iterate(step);
          ++position_;
          break;
        case Step::Kind::kWaiting:
          Wait(step);
          ++position_;
          break;
        case Step::Kind::kOneSided:
          for (const Arguments& command : step.commands) control_.actual().Command(command);
          ++position_;
          break;
      }
    }
  }

 private:
  // Sends consecutive steps on the same connection as one pipeline.
  void RunPipeline(const Stream& stream) {
    Pair& pair = pairs_[stream[position_].connection];
    std::size_t end = position_;
    std::string bytes;
    while (end < stream.size() && stream[end].kind == Step::Kind::kCommands &&
           stream[end].connection == stream[position_].connection) {
      for (const Arguments& command : stream[end].commands) {
        bytes += stream[end].inline_form ? Quoted(command) + "\r\n" : Encoded(command);
      }
      ++end;
    }
    SendInPieces(pair, bytes, stream[position_].commands[0]);
    for (; position_ < end; ++position_) {
      for (const Arguments& command : stream[position_].commands) pair.CompareNext(command);
    }
  }

  void SendInPieces(Pair& pair, std::string_view bytes, const Arguments& first) {
    int cuts = random_.OneIn(3) ? static_cast<int>(random_.Below(40)) : 0;
    while (!bytes.empty()) {
      const std::size_t count =
          cuts-- > 0 ? std::min<std::size_t>(bytes.size(), 1 + random_.Below(60)) : bytes.size();
      pair.expected().SendRaw(bytes.substr(0, count));
      Actual(pair.Context(first), [&] { pair.actual().SendRaw(bytes.substr(0, count)); });
      bytes.remove_prefix(count);
    }
  }

  // Returns all elements of a whole iteration. An error reply ends it and is added.
  std::vector<Value> IterateOn(RespClient& client, Arguments command, std::size_t cursor_index) {
    std::vector<Value> found;
    for (int calls = 0; calls < kMaxIterationCalls; ++calls) {
      Value reply = client.Command(command);
      if (reply.type != '*' || reply.elements.size() != 2 || reply.elements[0].type != '$' ||
          !reply.elements[1].IsAggregate()) {
        found.push_back(reply);
        return found;
      }
      std::vector<Value>& page = reply.elements[1].elements;
      found.insert(found.end(), page.begin(), page.end());
      command[cursor_index] = reply.elements[0].text;
      if (command[cursor_index] == "0") return found;
    }
    throw std::runtime_error("the iteration does not end: " + Quoted(command));
  }

  void Iterate(const Step& step) {
    const Arguments& command = step.commands[0];
    const bool members = command[0] == "ZSCAN" || command[0] == "zscan";
    const std::size_t cursor_index = members ? 2 : 1;
    const std::vector<Value> expected = IterateOn(control_.expected(), command, cursor_index);
    Difference context = control_.Context(command);
    const std::vector<Value> actual =
        Actual(context, [&] { return IterateOn(control_.actual(), command, cursor_index); });
    if (std::optional<std::string> why = CompareAsSets(expected, actual, members)) {
      context.why = "the whole iteration: " + *why;
      throw Differs{context};
    }
  }

  // --- blocking pops ---

  struct Waiter {
    Pair* pair;
    Arguments command;
    bool served = false;
  };

  void Wait(const Step& step) {
    auto command = step.commands.begin();
    if (command != step.commands.end() && base::IsWord((*command)[0], "DEL"))
      pusher_.Ask(*command++);
    std::vector<Waiter> waiting;
    for (std::size_t i = 0; i < step.blocking.size(); ++i) {
      waiting.push_back({&waiters_[i], step.blocking[i], false});
      waiters_[i].Send(step.blocking[i]);
      // One after the other: the client that has been blocked longest is served first.
      Settle(&waiting);
    }
    for (; command != step.commands.end(); ++command) {
      pusher_.Ask(*command);
      Settle(&waiting);
    }
    // Ends a transaction that a shrunk stream may have left open.
    pusher_.Ask({"DISCARD"});
    for (Waiter& waiter : waiting) {
      if (!waiter.served) waiter.pair->Reconnect();
    }
    waiting.clear();
    Settle(&waiting);
  }

  // Waits until each waiting client has a reply or is blocked, on the first server and then on the
  // second. Then compares which clients got which replies.
  void Settle(std::vector<Waiter>* waiting) {
    const auto unserved = [&](auto client_of) {
      long count = 0;
      for (Waiter& waiter : *waiting) {
        count += !waiter.served && !client_of(*waiter.pair).ReplyWithin(0);
      }
      return count;
    };
    const auto expected_of = [](Pair& pair) -> RespClient& { return pair.expected(); };
    const auto actual_of = [](Pair& pair) -> RespClient& { return pair.actual(); };
    if (!Eventually([&] { return unserved(expected_of) == BlockedClients(control_.expected()); })) {
      throw std::runtime_error("the first server does not say which clients wait");
    }
    Difference context = control_.Context({"INFO", "clients"});
    if (!Actual(context, [&] {
          return Eventually(
              [&] { return unserved(actual_of) == BlockedClients(control_.actual()); });
        })) {
      context.why = "clients without a reply, but not as many as INFO calls blocked";
      throw Differs{context};
    }
    for (Waiter& waiter : *waiting) {
      if (waiter.served) continue;
      const bool expected = waiter.pair->expected().ReplyWithin(0);
      const bool actual = waiter.pair->actual().ReplyWithin(0);
      if (expected && actual) {
        waiter.pair->CompareNext(waiter.command);
        waiter.served = true;
      } else if (expected || actual) {
        RespClient& one = expected ? waiter.pair->expected() : waiter.pair->actual();
        context = waiter.pair->Context(waiter.command);
        (expected ? context.expected : context.actual) = one.ReadRawReply();
        context.why = expected ? "still waits" : "does not wait any more";
        throw Differs{context};
      }
    }
  }

  base::Random random_;
  std::vector<Pair> pairs_;
  std::vector<Pair> waiters_;
  Pair control_;
  Pair pusher_;
  std::size_t position_ = 0;
};

std::string KindOfReply(const std::string& raw) {
  if (raw.empty()) return "none";
  std::size_t consumed = 0;
  const std::optional<Value> value = ParseReply(raw, &consumed);
  if (!value) return "none";
  if (value->IsError()) return value->ToString().substr(0, 40);
  return value->IsNull() ? "nil" : std::string(1, value->type);
}

}  // namespace

std::string Difference::Signature() const {
  std::string name = command.empty() ? "" : command[0];
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name + " | " + KindOfReply(expected) + " | " + KindOfReply(actual);
}

std::optional<Difference> Player::Play(const Stream& stream, const Manner& manner) {
  std::unique_ptr<Playing> playing;
  try {
    playing = std::make_unique<Playing>(expected_port_, actual_port_, manner);
    playing->Run(stream);
  } catch (Differs& differs) {
    differs.difference.step = playing ? playing->position() : 0;
    return differs.difference;
  }
  return std::nullopt;
}

Stream Player::Shrink(Stream stream, const Manner& manner, const Difference& difference) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kShrinkSeconds);
  const std::string signature = difference.Signature();
  stream.resize(std::min(stream.size(), difference.step + 1));
  for (std::size_t piece = std::max<std::size_t>(1, stream.size() / 2);;) {
    bool shorter = false;
    for (std::size_t from = 0; from < stream.size() && stream.size() > 1;) {
      if (std::chrono::steady_clock::now() > end) return stream;
      Stream candidate = stream;
      const auto first = candidate.begin() + static_cast<std::ptrdiff_t>(from);
      candidate.erase(
          first, first + static_cast<std::ptrdiff_t>(std::min(piece, candidate.size() - from)));
      const std::optional<Difference> again = Play(candidate, manner);
      if (again && again->Signature() == signature) {
        candidate.resize(std::min(candidate.size(), again->step + 1));
        stream = std::move(candidate);
        shorter = true;
      } else {
        from += piece;
      }
    }
    if (piece == 1 && !shorter) return stream;
    piece = std::max<std::size_t>(1, piece / 2);
  }
}

}  // namespace laurel::differential
