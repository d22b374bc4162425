#include "server/crash/writer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "server/crash/contents.h"

namespace laurel::black_box {
namespace {

constexpr std::uint64_t kMaxPipeline = 24;

std::string Described(const Step& step) {
  std::string text = "step " + std::to_string(step.number);
  for (const Arguments& command : step.commands) text += "; " + Quoted(command);
  return text;
}

}  // namespace

void Writer::SendUntilTheEnd(int port) {
  try {
    RespClient client(port);
    for (;;) {
      const std::size_t first = steps_.size();
      std::string bytes;
      for (std::uint64_t i = 1 + random_.Below(kMaxPipeline); i > 0; --i) {
        steps_.push_back(stream_.Next());
        for (const Arguments& command : steps_.back().commands) bytes += Encoded(command);
      }
      sent_ = steps_.back().number;
      client.SendRaw(bytes);
      for (std::size_t i = first; i < steps_.size(); ++i) {
        Step& step = steps_[i];
        std::vector<Value> replies;
        while (replies.size() < step.commands.size()) replies.push_back(client.ReadReply());
        step.acknowledged_at = std::chrono::steady_clock::now();
        step.replies = std::move(replies);
      }
    }
  } catch (const std::runtime_error&) {
    // The server is gone.
  }
}

Writer::Outcome Writer::Verify(RespClient* recovered, RespClient* oracle, Time promised) {
  Outcome outcome;
  std::size_t must = 0;
  for (const Step& step : steps_) {
    if (!step.acknowledged()) break;
    ++outcome.acknowledged;
    if (step.acknowledged_at <= promised) must = outcome.acknowledged;
  }
  std::size_t applied = AtLeast(recovered, must, &outcome.problem);
  if (outcome.problem.empty()) outcome.problem = Apply(oracle, 0, applied);
  if (!outcome.problem.empty()) return outcome;

  const std::vector<std::string> found = Own(recovered);
  std::string difference = Difference(Own(oracle), found);
  std::string nearest = difference;
  while (!difference.empty()) {
    if (applied == steps_.size() || steps_[applied].kind == Step::Kind::kMarker) {
      outcome.problem = "writer " + stream_.prefix() + " neither its " + std::to_string(must) +
                        " acknowledged steps nor any more of those sent explain\n" + nearest;
      return outcome;
    }
    outcome.problem = Apply(oracle, applied, applied + 1);
    if (!outcome.problem.empty()) return outcome;
    ++applied;
    difference = Difference(Own(oracle), found);
    if (difference.size() < nearest.size()) nearest = difference;
  }
  outcome.beyond = applied - std::min(applied, outcome.acknowledged);
  outcome.lost = outcome.acknowledged - std::min(applied, outcome.acknowledged);
  outcome.problem = VerifyStamps(recovered, applied);
  steps_.clear();
  return outcome;
}

std::size_t Writer::AtLeast(RespClient* recovered, std::size_t promised, std::string* problem) {
  const Value score = recovered->Command({"ZSCORE", stream_.marker(), "at"});
  const std::uint64_t found = score.IsNull() ? 0 : std::stoull(score.text);
  const std::uint64_t before = std::exchange(marker_, found);
  std::uint64_t expected = before;
  std::size_t at_least = promised;
  bool was_sent = found == before;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].kind != Step::Kind::kMarker) continue;
    if (i < promised) expected = steps_[i].number;
    if (steps_[i].number != found) continue;
    was_sent = true;
    at_least = std::max(promised, i + 1);
  }
  if (found < expected || !was_sent) {
    *problem = "writer " + stream_.prefix() + " marker " + std::to_string(expected) +
               " was acknowledged, found " + std::to_string(found) + " of " +
               std::to_string(sent_) + " sent";
  }
  return at_least;
}

std::string Writer::Apply(RespClient* oracle, std::size_t first, std::size_t last) {
  constexpr std::size_t kAtOnce = 200;
  while (first < last) {
    const std::size_t end = std::min(last, first + kAtOnce);
    std::string bytes;
    for (std::size_t i = first; i < end; ++i) {
      for (const Arguments& command : steps_[i].commands) bytes += Encoded(command);
    }
    oracle->SendRaw(bytes);
    for (; first < end; ++first) {
      const Step& step = steps_[first];
      const bool compare = step.acknowledged() && step.kind != Step::Kind::kShared;
      for (std::size_t i = 0; i < step.commands.size(); ++i) {
        const std::string expected = TimelessText(oracle->ReadReply());
        if (!compare || step.kind == Step::Kind::kBrief) continue;
        const std::string found = TimelessText(step.replies[i]);
        if (found != expected) {
          return "writer " + stream_.prefix() + " " + Described(step) + "\nexpected " + expected +
                 "\n   found " + found;
        }
      }
    }
  }
  return "";
}

std::vector<std::string> Writer::Own(RespClient* client) const {
  std::vector<std::string> lines =
      Contents(client, stream_.boards(), stream_.prefix(), Detail::kTimeless);
  const std::string own = stream_.prefix().substr(0, stream_.prefix().size() - 1);
  for (const char* board : {kSharedSet, kSharedBoard}) {
    lines.push_back(std::string("part of ") + board + " " + client->Ask({"ZSCORE", board, own}));
  }
  return lines;
}

// An acknowledged stamp must be unchanged. A step that was not acknowledged may have set a later
// one.
std::string Writer::VerifyStamps(RespClient* recovered, std::size_t applied) {
  std::int64_t newest = 0;
  for (const auto& [member, stamp] : stamps_) newest = std::max(newest, stamp);
  std::map<std::string, bool> last_acknowledged;  // by member: was its last step acknowledged?
  for (std::size_t i = 0; i < applied; ++i) {
    const Step& step = steps_[i];
    if (step.kind != Step::Kind::kStamped) continue;
    const std::string& member = step.commands[0][2];
    last_acknowledged[member] = step.acknowledged();
    if (!step.acknowledged()) continue;
    // NOBOARD is right if the first kill lost the declaration before it was acknowledged. If an
    // acknowledged board had been lost, the comparison with the oracle would have failed.
    if (step.replies[0].IsError() && step.replies[0].text.starts_with("NOBOARD") &&
        recovered->Ask({"LB.SIZE", stream_.stamped()}).starts_with("-NOBOARD")) {
      last_acknowledged.erase(member);
      continue;
    }
    const Value* stamp = step.replies[0].Find("stamp");
    const Value* status = step.replies[0].Find("status");
    if (stamp == nullptr || status == nullptr || stamp->IsNull()) {
      return "no stamp in " + step.replies[0].ToString();
    }
    const std::int64_t now = stamp->Integer();
    if (now != stamps_[member] && now <= newest) {
      return Described(step) + ": stamp " + stamp->text + " does not follow " +
             std::to_string(newest);
    }
    newest = std::max(newest, now);
    stamps_[member] = now;
  }
  for (const Value& entry :
       recovered->Command({"LB.RANGE", stream_.stamped(), "1", "-1"}).elements) {
    const std::string& member = entry.Find("member")->text;
    const std::int64_t found = entry.Find("stamp")->Integer();
    const auto known = last_acknowledged.find(member);
    const bool changed_later = known != last_acknowledged.end() && !known->second;
    const bool right = changed_later ? found >= stamps_[member] : found == stamps_[member];
    if (!right) {
      return "writer " + stream_.prefix() + " stamp of " + member + ": expected " +
             std::to_string(stamps_[member]) + ", found " + std::to_string(found);
    }
    stamps_[member] = found;
  }
  return "";
}

}  // namespace laurel::black_box
