#include "fuzz/feed_fuzz_body.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "fuzz/command_samples.h"
#include "fuzz/command_shapes.h"
#include "fuzz/fuzz_input.h"
#include "fuzz/reply_checker.h"
#include "tests/feed/feed_engine.h"
#include "tests/storage/simulated_files.h"
#include "wire/command_table.h"

namespace laurel::fuzz {
namespace {

using testing::FeedEngine;
using testing::FeedEvent;
using testing::FeedPage;
using testing::TestPipeline;
using testing::Words;

constexpr std::size_t kMostSteps = 150;  // bounds the time of an input
constexpr std::size_t kWholeLog = 1000;  // events per page
constexpr std::size_t kTriedCursors = 4;
constexpr const char* kBoards[] = {"lb", "cap", "rank:1", "s", "s@hour", "s@day"};

// Commands that write and do not block.
const std::vector<wire::CommandId>& WritingCommands() {
  static const std::vector<wire::CommandId> commands = [] {
    std::vector<wire::CommandId> writing;
    for (const wire::CommandInfo& command : wire::CommandTable()) {
      if (command.Has(wire::kWrite) && !command.Has(wire::kBlocking) && command.IsForEngine() &&
          command.id != wire::CommandId::kExec) {
        writing.push_back(command.id);
      }
    }
    return writing;
  }();
  return commands;
}

class Conversation {
 public:
  explicit Conversation(std::span<const std::uint8_t> bytes) : input_(bytes) {
    Start();
    for (const std::vector<std::string_view>& words : Preludes()) {
      Ask(Words(words.begin(), words.end()));
    }
  }

  std::string Run() {
    for (std::size_t step = 0; step < kMostSteps && !input_.empty() && Holds(); ++step) Step();
    for (const char* board : kBoards) {
      if (Holds()) CheckBoard(board);
    }
    return failure_;
  }

 private:
  [[nodiscard]] bool Holds() const { return failure_.empty(); }

  void Require(bool holds, const std::string& promise) {
    if (!holds && Holds()) failure_ = promise;
  }

  void Start() {
    engine_.reset();
    engine_ = std::make_unique<FeedEngine>(&folder_, &clock_);
  }

  void Step() {
    const std::uint8_t choice = input_.Next();
    if (choice < 0x70) {
      const auto& building = BuildingCommands();
      AskFor(building[choice % building.size()]);
    } else if (choice < 0xb0) {
      const auto& writing = WritingCommands();
      AskFor(writing[input_.Below(writing.size())]);
    } else if (choice < 0xf0) {
      AskForChanges();
    } else if (choice < 0xf8) {
      clock_.Set(clock_.Now() + testing::kHour / 4 * static_cast<Stamp>(input_.Below(200)));
    } else if (choice < 0xff) {
      engine_->Tick();
    } else {
      Start();
    }
  }

  void AskFor(wire::CommandId id) {
    const Words words = MakeArguments(id, &input_);
    const std::vector<std::string_view> arguments(words.begin(), words.end());
    const wire::Lookup found = wire::LookUp(arguments);
    // Twisted arguments may have made it another command, or an unknown one.
    const bool ends = found.command != nullptr && !found.command->Has(wire::kBlocking) &&
                      found.command->IsForEngine() && found.command->id != wire::CommandId::kExec;
    if (ends) Ask(words);
  }

  // Reads from a cursor of an earlier reply, perhaps with a changed byte, or from a sample cursor.
  void AskForChanges() {
    Words words = MakeArguments(wire::CommandId::kLbChanges, &input_);
    if (words.size() < 3) return;
    if (!cursors_.empty() && !input_.OneIn(4)) {
      words[2] = cursors_[input_.Below(cursors_.size())];
      if (input_.OneIn(3))
        words[2][input_.Below(words[2].size())] = static_cast<char>(input_.Next());
    }
    Ask(words);
  }

  void Ask(const Words& words) {
    const auto protocol = input_.OneIn(2) ? wire::Protocol::kResp2 : wire::Protocol::kResp3;
    TestPipeline pipeline(protocol);
    pipeline.Add(words);
    engine_->rig().Execute(&pipeline);
    // Cancels a blocked request at once. The cancel may race with its reply.
    if (pipeline.requests[0].command->Has(wire::kBlocking)) {
      engine_->engine().Cancel(&pipeline, engine::Wakeup::kTimeout);
    }
    pipeline.Await();
    engine_->engine().Forget(pipeline.client());  // the client may watch boards
    const CheckedReply reply = CheckReply(pipeline.replies, protocol);
    Require(reply.problem.empty() && reply.bytes == pipeline.replies.size(),
            "one well-formed reply (" + reply.problem + ") to " + TextOf(words));
    Require(pipeline.times_done() == 1, "a turn is done once: " + TextOf(words));
    if (pipeline.requests[0].command->id != wire::CommandId::kLbChanges || reply.value.IsNull() ||
        !Holds() || protocol != wire::Protocol::kResp3) {
      return;
    }
    const FeedPage page = testing::ToPage(reply.value);
    if (page.error.empty()) cursors_.push_back(page.next);
  }

  static std::string TextOf(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "'" : " '") + word + "'";
    return text;
  }

  // Reads all events from a cursor on, of one member if it is given; gaps become events of their
  // own.
  std::vector<FeedEvent> ReadAll(const std::string& board, std::string from, std::size_t count,
                                 const std::string& member = "") {
    std::vector<FeedEvent> all;
    for (;;) {
      Words words = {"LB.CHANGES", board, from, "COUNT", std::to_string(count)};
      if (!member.empty()) words.insert(words.end(), {"MEMBER", member});
      const FeedPage page = testing::ToPage(engine_->Ask({words}));
      if (page.gap) {
        FeedEvent gap;
        gap.cause = "gap";
        gap.cursor = page.next;
        all.push_back(gap);
      }
      Require(page.events.size() <= count, "a page is as long as was asked for");
      all.insert(all.end(), page.events.begin(), page.events.end());
      if (!page.error.empty() || (page.events.empty() && !page.gap)) return all;
      from = page.next;
    }
  }

  void CheckBoard(const std::string& board) {
    const std::vector<FeedEvent> whole = ReadAll(board, "0", kWholeLog);
    const std::vector<std::string> texts = testing::Texts(whole);
    const std::size_t count = 1 + input_.Below(7);
    Require(testing::Texts(ReadAll(board, "0", count)) == texts,
            "pages of " + std::to_string(count) + " say the same of " + board);
    for (std::size_t i = 0; i < kTriedCursors && !whole.empty() && Holds(); ++i) {
      const std::size_t at = input_.Below(whole.size());
      const std::vector<std::string> rest(texts.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                          texts.end());
      Require(testing::Texts(ReadAll(board, whole[at].cursor, count)) == rest,
              "behind event " + std::to_string(at) + " of " + board + " comes the rest");
    }
    if (Holds()) CheckLast(board, whole);
    if (Holds()) CheckMember(board, whole);
    Start();
    Require(testing::Texts(ReadAll(board, "0", kWholeLog)) == texts,
            "a restart changes nothing of " + board);
  }

  // `whole`: all events and gaps of the board.
  void CheckLast(const std::string& board, std::vector<FeedEvent> whole) {
    const auto gap = std::find_if(whole.rbegin(), whole.rend(),
                                  [](const FeedEvent& event) { return event.cause == "gap"; });
    whole.erase(whole.begin(), gap.base());
    if (whole.empty()) return;
    const std::size_t n = 1 + input_.Below(whole.size());
    const FeedPage page = engine_->Changes(board, "-" + std::to_string(n), kWholeLog);
    whole.erase(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(n));
    Require(testing::Texts(page.events) == testing::Texts(whole) && !page.gap,
            "the last " + std::to_string(n) + " of " + board + " are the tail");
  }

  void CheckMember(const std::string& board, std::vector<FeedEvent> whole) {
    std::vector<std::string> members;
    for (const FeedEvent& event : whole) {
      if (!event.member.empty()) members.push_back(event.member);
    }
    if (members.empty()) return;
    const std::string& member = members[input_.Below(members.size())];
    std::erase_if(whole, [&](const FeedEvent& event) {
      return event.value.Find("member") != nullptr && event.member != member;
    });
    const std::size_t count = 1 + input_.Below(7);
    Require(testing::Texts(ReadAll(board, "0", count, member)) == testing::Texts(whole),
            "MEMBER filters the changes of " + board);
  }

  FuzzInput input_;
  testing::TestClock clock_{testing::kNoon};
  testing::SimulatedFolder folder_;
  std::unique_ptr<FeedEngine> engine_;
  std::vector<std::string> cursors_;
  std::string failure_;
};

}  // namespace

std::string RunFeed(std::span<const std::uint8_t> bytes) { return Conversation(bytes).Run(); }

}  // namespace laurel::fuzz
