#include "fuzz/command_fuzz_body.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/engine.h"
#include "fuzz/command_samples.h"
#include "fuzz/command_shapes.h"
#include "fuzz/fuzz_input.h"
#include "fuzz/reply_checker.h"
#include "tests/support/engine_rig.h"
#include "wire/command_replies.h"
#include "wire/command_table.h"

namespace laurel::fuzz {
namespace {

constexpr std::size_t kClients = 4;
constexpr std::size_t kMostRequests = 5;  // of a pipeline, and of a transaction
constexpr std::size_t kMostSteps = 400;   // bounds the time of an input
constexpr std::size_t kMostErrorBytes = 2048;

// A command that the server answers without the engine, as part of a transaction.
class Pong : public engine::LocalCommand {
 public:
  void Run(const engine::Request& /*request*/, const engine::MeasureFunction& measure,
           wire::Reply* reply) override {
    measure(engine::Access());
    reply->Simple("PONG");
  }
};

// A reply that is still to come.
struct Expected {
  wire::Protocol protocol = wire::Protocol::kResp2;
  const wire::CommandInfo* command = nullptr;
  std::int64_t transaction = -1;  // commands of an EXEC; -1: not an EXEC
  std::string text;               // of the request
};

struct FuzzClient {
  testing::TestClient client;
  std::unique_ptr<testing::TestPipeline> pipeline =
      std::make_unique<testing::TestPipeline>(&client);
  bool waits = false;
  std::vector<Expected> expected;
};

std::string TextOf(std::span<const std::string> arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    text += (text.empty() ? "" : " ") + base::Quote(argument);
  }
  return text;
}

// The command table answers COMMAND and its subcommands.
bool IsAboutCommands(const wire::CommandInfo& command) {
  return command.id == wire::CommandId::kCommand || command.name.starts_with("COMMAND|");
}

const std::vector<wire::CommandId>& RunnableCommands() {
  static const std::vector<wire::CommandId> commands = [] {
    std::vector<wire::CommandId> runnable;
    for (const wire::CommandInfo& command : wire::CommandTable()) {
      if (IsAboutCommands(command) || command.IsForEngine()) runnable.push_back(command.id);
    }
    return runnable;
  }();
  return commands;
}

class Conversation {
 public:
  explicit Conversation(std::span<const std::uint8_t> bytes) : input_(bytes) {
    const std::uint8_t choice = input_.Next();
    engine::EmbeddedOptions options;
    options.clock = &clock_;
    options.hash_seed = 1;
    options.max_reply_bytes = (choice & 1) != 0 ? 1024 : 65536;
    options.max_memory_bytes = (choice & 2) != 0 ? std::size_t{8} << 10 : 0;
    if ((choice & 4) != 0) options.templates.push_back({"rank:*", Spec()});
    max_reply_bytes_ = options.max_reply_bytes;
    rig_ = std::make_unique<testing::EngineRig>(options);
    rig_->callbacks().set_slow_micros((choice & 8) != 0 ? 0 : INT64_MAX);
    for (std::size_t i = 0; i < kClients; ++i) {
      clients_[i].client.protocol = i % 2 == 0 ? wire::Protocol::kResp2 : wire::Protocol::kResp3;
    }
    clients_[3].client.access =
        engine::Access("t", (choice & 32) != 0 ? "rank:*" : "*",
                       (choice & 16) != 0 ? wire::Role::kSubmit : wire::Role::kAdmin);
    const unsigned left_out = (input_.Next() & input_.Next()) | (input_.Next() & input_.Next())
                                                                    << 8U;
    for (std::size_t i = 0; i < Preludes().size(); ++i) {
      if ((left_out >> i & 1U) == 0) Ask(Preludes()[i]);
    }
  }

  std::string Run() {
    for (std::size_t step = 0; step < kMostSteps && !input_.empty() && Holds(); ++step) Step();
    for (FuzzClient& client : clients_) {
      if (Holds() && client.waits) Cancel(&client, engine::Wakeup::kTimeout);
    }
    if (Holds()) CheckEnd();
    return failure_;
  }

 private:
  [[nodiscard]] bool Holds() const { return failure_.empty(); }

  void Require(bool holds, std::string_view promise, std::string_view at = {}) {
    if (holds || !Holds()) return;
    failure_ = std::string(promise);
    if (!at.empty()) failure_.append(", at: ").append(at);
  }

  void Step() {
    FuzzClient& client = clients_[input_.Below(kClients)];
    switch (const std::size_t step = input_.Below(16)) {
      case 12:
        return MoveClock();
      case 13:
        return Tick();
      case 14:
        if (client.waits) {
          constexpr engine::Wakeup kWays[] = {engine::Wakeup::kTimeout, engine::Wakeup::kError,
                                              engine::Wakeup::kGone};
          return Cancel(&client, kWays[input_.Below(3)]);
        }
        client.client.protocol =
            static_cast<wire::Protocol>(5 - static_cast<int>(client.client.protocol));
        return;
      case 15:
        if (client.waits) Cancel(&client, engine::Wakeup::kGone);
        return rig_->engine().Forget(&client.client);
      default:
        return ExecuteRound(&client, 1 + step % 3);
    }
  }

  // Pipelines ------------------------------------------------------------------------------------

  // Executes pipelines of `count` neighbouring clients, except those that wait, in one Execute.
  void ExecuteRound(FuzzClient* first, std::size_t count) {
    std::vector<FuzzClient*> round;
    std::vector<testing::TestPipeline*> pipelines;
    const auto start = static_cast<std::size_t>(first - clients_.data());
    for (std::size_t i = 0; i < count; ++i) {
      FuzzClient& client = clients_[(start + i) % kClients];
      if (client.waits) continue;
      MakePipeline(&client);
      if (client.pipeline->requests.empty()) {  // all requests were answered without the engine
        CheckReplies(client, client.expected.size());
        continue;
      }
      round.push_back(&client);
      pipelines.push_back(client.pipeline.get());
    }
    rig_->Execute(pipelines);
    for (FuzzClient* client : round) AfterExecute(client);
    FinishServed();
  }

  void MakePipeline(FuzzClient* client) {
    client->expected.clear();
    client->pipeline->Reset();
    const std::size_t count = 1 + input_.Below(kMostRequests);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t choice = input_.Next();
      if (choice == 0xff) {
        AddLiteral(client, HugeReply());
      } else if (choice >= 0xf0) {
        AddTransaction(client);
      } else if (!AddRequest(client, choice)) {
        return;
      }
    }
  }

  // A reply that is large enough to pause its pipeline.
  static std::string HugeReply() {
    std::string reply;
    wire::Reply(&reply, wire::Protocol::kResp2).Bulk(std::string(engine::kPauseReplyBytes, 'x'));
    return reply;
  }

  void AddLiteral(FuzzClient* client, std::string reply) {
    client->expected.push_back({client->client.protocol, nullptr, -1, "literal"});
    // As in a session, a literal before the first request goes straight to the replies.
    if (client->pipeline->requests.empty()) {
      client->pipeline->replies += reply;
      return;
    }
    engine::Request& request = client->pipeline->requests.emplace_back();
    request.protocol = client->client.protocol;
    request.literal = client->pipeline->Keep(std::move(reply));
  }

  // Adds one request. False if it has to be the last of its pipeline.
  bool AddRequest(FuzzClient* client, std::uint8_t choice) {
    Expected expected;
    std::string reply;
    const engine::Request request = MakeRequest(client, choice, &expected, &reply);
    if (request.command == nullptr) {
      AddLiteral(client, std::move(reply));
      return true;
    }
    client->expected.push_back(std::move(expected));
    client->pipeline->requests.push_back(request);
    return !request.command->Has(wire::kBlocking);
  }

  // Makes a request as a session would. It has no command if `reply` already answers it.
  engine::Request MakeRequest(FuzzClient* client, std::uint8_t choice, Expected* expected,
                              std::string* reply) {
    const auto& building = BuildingCommands();
    const auto& all = RunnableCommands();
    const wire::CommandId id =
        choice < 0x70 ? building[choice % building.size()] : all[input_.Below(all.size())];
    const testing::Words texts = MakeArguments(id, &input_);
    const std::span<const std::string_view> arguments = client->pipeline->Keep(texts);
    const wire::Lookup lookup = wire::LookUp(arguments);
    engine::Request request;
    request.protocol = client->client.protocol;
    wire::Reply writer(reply, client->client.protocol);
    if (lookup.command == nullptr) {
      writer.Error(lookup.error);
    } else if (lookup.command->id == wire::CommandId::kExec) {
      writer.Error("ERR EXEC without MULTI");
    } else if (IsAboutCommands(*lookup.command)) {
      wire::WriteCommandReply(*lookup.command, arguments, &writer);
    } else if (!lookup.command->IsForEngine()) {
      writer.Ok();  // a command of the server itself, after the arguments were twisted
    } else {
      request.command = lookup.command;
      request.arguments = arguments;
      std::vector<std::string_view> keys;
      wire::KeysOf(*lookup.command, arguments, &keys);
    }
    *expected = {client->client.protocol, lookup.command, -1, TextOf(texts)};
    return request;
  }

  void AddTransaction(FuzzClient* client) {
    std::vector<engine::Request> queue;
    std::string text = "EXEC of";
    for (std::size_t left = input_.Below(kMostRequests + 1); left > 0; --left) {
      Expected expected;
      std::string reply;
      engine::Request request = MakeRequest(client, input_.Next(), &expected, &reply);
      const bool immediate =
          request.command != nullptr && (request.command->id == wire::CommandId::kWatch ||
                                         request.command->id == wire::CommandId::kDiscard ||
                                         request.command->Has(wire::kNoMulti));
      if (immediate) {  // a session does not queue these
        request.command = &wire::CommandOf(wire::CommandId::kPing);
        request.local = &pong_;
      } else if (request.command == nullptr) {
        request.literal = client->pipeline->Keep(std::move(reply));
      }
      queue.push_back(request);
      text += " (" + expected.text + ")";
    }
    const auto commands = static_cast<std::int64_t>(queue.size());
    client->pipeline->AddTransaction(std::move(queue),
                                     input_.OneIn(16) ? "EXECABORT Transaction discarded" : "");
    client->expected.push_back({client->client.protocol, client->pipeline->requests.back().command,
                                commands, std::move(text)});
  }

  // Checking the results -------------------------------------------------------------------------

  void AfterExecute(FuzzClient* client) {
    testing::TestPipeline& pipeline = *client->pipeline;
    const std::string last = client->expected.back().text;
    if (pipeline.blocked()) {
      client->waits = true;
      Require(pipeline.executed == pipeline.requests.size(),
              "only the last request of a turn waits", last);
      Require(pipeline.client() == &client->client, "a turn keeps its client");
      // Frees the requests: the engine must not use them after Execute.
      pipeline.ForgetRequests();
      return;
    }
    while (Holds()) {
      Require(pipeline.times_done() == 1, "an executed turn is done once", last);
      Require(pipeline.executed <= pipeline.requests.size(), "a turn executes its own requests",
              last);
      if (!Holds() || pipeline.executed == pipeline.requests.size()) break;
      Require(pipeline.replies.size() > engine::kPauseReplyBytes, "a turn stops for large replies");
      Continue(client);
      if (pipeline.blocked()) return AfterExecute(client);
    }
    CheckReplies(*client, client->expected.size());
  }

  // Checks and takes the replies so far, as a client does, and executes the rest of the pipeline.
  void Continue(FuzzClient* client) {
    testing::TestPipeline& pipeline = *client->pipeline;
    const std::size_t left = pipeline.requests.size() - pipeline.executed;
    const std::size_t answered = client->expected.size() - left;
    CheckReplies(*client, answered);
    client->expected.erase(client->expected.begin(),
                           client->expected.begin() + static_cast<std::ptrdiff_t>(answered));
    pipeline.TakeReplies();
    rig_->Execute(&pipeline);
  }

  // Checks blocked pipelines that writes of other clients have served.
  void FinishServed() {
    for (FuzzClient& client : clients_) {
      if (!client.waits || !client.pipeline->answered()) continue;
      Require(client.pipeline->times_done() == 1, "a waiting turn is done once");
      client.waits = false;
      CheckReplies(client, client.expected.size());
    }
  }

  void Cancel(FuzzClient* client, engine::Wakeup wakeup) {
    const std::string text = client->expected.back().text;
    Require(rig_->engine().Cancel(client->pipeline.get(), wakeup), "who waits can be cancelled",
            text);
    Require(client->pipeline->times_done() == (wakeup == engine::Wakeup::kGone ? 0 : 1),
            "a cancelled turn is done, but for a client that is gone", text);
    Require(!rig_->engine().Cancel(client->pipeline.get(), wakeup), "nobody is cancelled twice",
            text);
    client->waits = false;
    if (wakeup == engine::Wakeup::kGone) client->expected.pop_back();
    CheckReplies(*client, client->expected.size());
  }

  void CheckReplies(const FuzzClient& client, std::size_t count) {
    std::string_view rest = client.pipeline->replies;
    for (std::size_t i = 0; i < count && Holds(); ++i) {
      const Expected& expected = client.expected[i];
      const CheckedReply reply = CheckReply(rest, expected.protocol);
      Require(reply.problem.empty(), "a reply is well-formed (" + reply.problem + ")",
              expected.text);
      if (!Holds()) return;
      CheckOne(expected, reply);
      rest.remove_prefix(reply.bytes);
    }
    Require(rest.empty(), "one reply to each request",
            count == 0 ? std::string_view() : client.expected[count - 1].text);
  }

  void CheckOne(const Expected& expected, const CheckedReply& reply) {
    if (expected.command == nullptr || expected.command->Has(wire::kLocal)) return;
    const resp::Value& value = reply.value;
    if (expected.transaction >= 0) {
      const auto commands = static_cast<std::size_t>(expected.transaction);
      Require(value.IsError() || value.IsNull() || value.elements.size() == commands,
              "EXEC replies to each command", expected.text);
      Require(reply.bytes <= max_reply_bytes_ + (commands + 1) * kMostErrorBytes,
              "a transaction keeps within max-reply", expected.text);
      return;
    }
    const bool pops = expected.command->name.find("POP") != std::string_view::npos;
    const bool bounded = pops || expected.command->Has(wire::kReadOnly);
    if (value.IsError()) {
      Require(reply.bytes <= kMostErrorBytes, "an error is short", expected.text);
    } else if (bounded) {
      Require(reply.bytes <= max_reply_bytes_, "entries keep within max-reply", expected.text);
    }
  }

  // Time -----------------------------------------------------------------------------------------

  void MoveClock() {
    constexpr Stamp kSecond = 1'000'000;
    // By hours and days too, so that periods turn, close and are dropped.
    constexpr Stamp kMoves[] = {1,
                                999,
                                10'000,
                                kSecond,
                                10 * kSecond,
                                3600 * kSecond,
                                -5 * kSecond,
                                -kSecond / 1000,
                                900 * kSecond,
                                7200 * kSecond,
                                86'400 * kSecond,
                                3 * 86'400 * kSecond,
                                -3600 * kSecond};
    clock_.Move(kMoves[input_.Below(std::size(kMoves))]);
    for (FuzzClient& client : clients_) {
      const std::int64_t deadline_ms = client.pipeline->deadline_ms();
      if (client.waits && deadline_ms != 0 && deadline_ms <= clock_.Now() / 1000) {
        Cancel(&client, engine::Wakeup::kTimeout);
      }
    }
  }

  void Tick() {
    for (int left = 1000; rig_->engine().Tick(); --left) {
      if (left == 0) return Require(false, "Tick comes to an end");
    }
    std::uint64_t waiting = 0;
    for (const FuzzClient& client : clients_) waiting += client.waits ? 1 : 0;
    Require(rig_->engine().Measure().blocked == waiting, "who waits is counted");
  }

  // The end --------------------------------------------------------------------------------------

  // Sends a request of a separate client.
  resp::Value Ask(const std::vector<std::string_view>& arguments) {
    testing::TestPipeline pipeline(wire::Protocol::kResp2);
    pipeline.Add(testing::Words(arguments.begin(), arguments.end()));
    rig_->Execute(&pipeline);
    Require(pipeline.answered(), "a turn is done", arguments[0]);
    return Holds() ? pipeline.Answer() : resp::Value();
  }

  void CheckEnd() {
    const resp::Value size = Ask({"DBSIZE"});
    const resp::Value keys = Ask({"KEYS", "*"});
    const engine::Figures figures = rig_->engine().Measure();
    const engine::Figures::Boards boards = figures.boards.value();
    Require(size.Plain() == std::to_string(boards.existing), "DBSIZE is what is measured");
    Require(keys.IsError() || keys.elements.size() == boards.existing,
            "KEYS lists what DBSIZE counts");
    Require(figures.blocked == 0, "nobody waits in the end");
    Require(boards.expiring <= boards.existing, "what expires exists");
    Ask({"FLUSHALL"});
    Tick();
    const engine::Figures::Boards flushed = rig_->engine().Measure().boards.value();
    Require(flushed.existing == 0 && flushed.all == 0 && flushed.expiring == 0,
            "FLUSHALL leaves nothing");
  }

  FuzzInput input_;
  testing::TestClock clock_;
  Pong pong_;
  std::array<FuzzClient, kClients> clients_;  // they outlive the engine
  std::size_t max_reply_bytes_ = 0;
  std::unique_ptr<testing::EngineRig> rig_;
  std::string failure_;
};

}  // namespace

std::string RunCommands(std::span<const std::uint8_t> bytes) { return Conversation(bytes).Run(); }

}  // namespace laurel::fuzz
