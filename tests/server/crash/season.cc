#include "server/crash/season.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace laurel::black_box {
namespace {

constexpr std::uint64_t kMaxPipeline = 6;
constexpr std::size_t kKeptAcknowledged = 60;
constexpr int kMembers = 12;
constexpr std::int64_t kHour = 3'600'000'000;
// Ids are remembered for a day; retries keep an hour away from its end.
constexpr std::int64_t kRemembered = 23 * kHour;
// A stamp may be this many µs later than the clock reading that chose the instance.
constexpr std::int64_t kStampLead = 5'000;

// Removes the mark `duplicate` from each verdict of a reply. Returns false if a verdict has none.
bool TakeDuplicate(Value* reply) {
  const bool many = !reply->elements.empty() && reply->elements[0].IsAggregate();
  std::vector<Value*> verdicts;
  if (!many) verdicts.push_back(reply);
  for (std::size_t i = 0; many && i < reply->elements.size(); ++i) {
    verdicts.push_back(&reply->elements[i]);
  }
  for (Value* verdict : verdicts) {
    std::vector<Value>& pairs = verdict->elements;
    const auto word = std::find_if(pairs.begin(), pairs.end(),
                                   [](const Value& value) { return value.text == "duplicate"; });
    if (word == pairs.end()) return false;
    pairs.erase(word, word + 2);
  }
  return true;
}

}  // namespace

std::string Season::Declare(RespClient* client) {
  const std::string reply = client->Ask(
      {"LB.CREATE", kBoard, "POLICY", "sum", "PERIODS", "3", "hour", "day", "all", "KEEP", "2"});
  if (reply != "+OK") return "LB.CREATE " + reply;
  // Moves the follower's cursor to the present. From "0" it would silently skip events that the log
  // had dropped before the first read.
  return follower_.Follow(client);
}

// Members "m…" get all their scores from writes with ids, and their sums are checked; members "x…"
// come and go.
Season::Request Season::Next() {
  Request request;
  const std::uint64_t choice = random_.Below(20);
  const std::string amount = std::to_string(1 + random_.Below(9));
  const std::string other = "x" + std::to_string(random_.Below(4));
  if (choice < 2) {
    request.command = {choice == 0 ? "LB.HIDE" : "LB.SHOW", kBoard,
                       random_.OneIn(2) ? other : Member()};
  } else if (choice < 4) {
    request.command = {"LB.SUBMIT", kBoard, other, amount};
  } else if (choice < 5) {
    request.command = {"LB.REMOVE", std::string(kBoard) + (random_.OneIn(2) ? "@hour" : ""), other};
  } else {
    request.has_id = true;
    const std::string id = "id" + std::to_string(++ids_);
    if (choice < 8) {
      request.command = {"LB.MSUBMIT", kBoard, "2", "m0", amount, Member(), amount, "ID", id};
    } else {
      request.command = {choice < 10 ? "LB.INCR" : "LB.SUBMIT", kBoard, Member(), amount, "ID", id};
    }
  }
  return request;
}

void Season::SendUntilTheEnd(int port) {
  try {
    RespClient client(port);
    for (;;) {
      const std::size_t first = requests_.size();
      std::string bytes;
      for (std::uint64_t i = 1 + random_.Below(kMaxPipeline); i > 0; --i) {
        requests_.push_back(Next());
        bytes += Encoded(requests_.back().command);
      }
      client.SendRaw(bytes);
      for (std::size_t i = first; i < requests_.size(); ++i) {
        requests_[i].reply = client.ReadReply();
        requests_[i].acknowledged_at = std::chrono::steady_clock::now();
        requests_[i].is_acknowledged = true;
      }
    }
  } catch (const std::runtime_error&) {
    // The server is gone.
  }
}

std::string Season::Verify(RespClient* client, Time promised, std::int64_t now) {
  const bool all_kept = promised == Time::max();
  std::string problem = VerifyChanges(client);
  if (problem.empty()) problem = SendAgain(client, promised);
  if (problem.empty()) problem = VerifySums(client);
  if (problem.empty()) problem = VerifyRetries(client, now);
  if (problem.empty()) problem = VerifyClosed(client, all_kept);
  return problem.empty() ? "" : std::string(kBoard) + ": " + problem;
}

// Runs before any new write: everything that the server recovered is on disk, so the change feed
// must show it.
std::string Season::VerifyChanges(RespClient* client) {
  if (const std::string problem = follower_.Follow(client); !problem.empty()) return problem;
  if (!follower_.has_gap()) return follower_.Difference(ReadInstances(client, kBoard));
  if (keeps_log_) return "the changes have a gap";
  Arguments show = {"LB.SHOW", kBoard};
  for (int i = 0; i < kMembers; ++i) show.push_back("m" + std::to_string(i));
  for (int i = 0; i < 4; ++i) show.push_back("x" + std::to_string(i));
  const Value shown = client->Command(show);
  if (shown.IsError()) return shown.ToString();
  follower_.Adopt(client);
  return "";
}

std::string Season::SendAgain(RespClient* client, Time promised) {
  for (Request& request : requests_) {
    if (!request.has_id) continue;
    const bool kept = request.is_acknowledged && request.acknowledged_at <= promised;
    if (!kept) {
      Value again = client->Command(request.command);
      const bool was_applied = TakeDuplicate(&again);
      found_ += was_applied ? 1 : 0;
      if (was_applied && request.is_acknowledged && again != request.reply) {
        return Quoted(request.command) + " was told " + request.reply.ToString() + "\nand again " +
               again.ToString();
      }
      request.reply = std::move(again);
    }
    if (const std::string problem = Count(request); !problem.empty()) return problem;
  }
  requests_.clear();
  return "";
}

std::string Season::Count(const Request& request) {
  const Value& reply = request.reply;
  if (reply.IsError()) return Quoted(request.command) + ": " + reply.ToString();
  const bool many = request.command[0] == "LB.MSUBMIT";
  const std::size_t writes = many ? 2 : 1;
  std::int64_t stamp = 0;
  for (std::size_t i = 0; i < writes; ++i) {
    const std::size_t at = many ? 3 + 2 * i : 2;
    const Value& verdict = many ? reply.elements[i] : reply;
    const std::string problem = CountOne(request.command[at], request.command[at + 1], verdict);
    if (!problem.empty()) return Quoted(request.command) + ": " + problem;
    stamp = verdict.Find("stamp")->Integer();
  }
  acknowledged_.push_back({request.command, reply.ToString(), stamp});
  if (acknowledged_.size() > kKeptAcknowledged) acknowledged_.pop_front();
  return "";
}

std::string Season::CountOne(const std::string& member, const std::string& amount,
                             const Value& verdict) {
  const Value* status = verdict.Find("status");
  if (status == nullptr || status->text != "accepted") return verdict.ToString();
  const std::int64_t stamp = verdict.Find("stamp")->Integer();
  const std::int64_t hour = stamp - stamp % kHour;
  if (stamp - hour < kStampLead) doubtful_.insert({hour, hour - kHour});
  all_[member] += std::stoll(amount);
  hours_[hour][member] += std::stoll(amount);
  return "";
}

std::string Season::VerifySums(RespClient* client) {
  for (const Value& line : client->Command({"LB.PERIODS", kBoard}).elements) {
    const std::string& instance = line.Find("board")->text;
    const std::string& period = line.Find("period")->text;
    Sums expected = all_;
    if (period != "all") {
      const std::int64_t begin = line.Find("begin")->Integer();
      const std::int64_t end = line.Find("end")->Integer();
      expected.clear();
      for (const auto& [hour, sums] : hours_) {
        if (hour < begin || hour >= end) continue;
        for (const auto& [member, sum] : sums) expected[member] += sum;
      }
      const auto doubt = doubtful_.lower_bound(begin);
      if (doubt != doubtful_.end() && *doubt < end) continue;
    }
    for (int i = 0; i < kMembers; ++i) {
      const std::string member = "m" + std::to_string(i);
      const Value entry = client->Command({"LB.GET", instance, member});
      const std::string found =
          entry.IsNull() || entry.IsError() ? "0" : entry.Find("score")->elements[0].text;
      if (found == std::to_string(expected[member])) continue;
      return instance + " has " + member + " with " + found + ", its writes make " +
             std::to_string(expected[member]);
    }
  }
  return "";
}

// A retry of an acknowledged write must get the same reply and change nothing.
std::string Season::VerifyRetries(RespClient* client, std::int64_t now) {
  while (!acknowledged_.empty() && acknowledged_.front().stamp + kRemembered < now)
    acknowledged_.pop_front();
  const InstanceContents before = ReadInstances(client, kBoard);
  for (const Acknowledged& last_acknowledged : acknowledged_) {
    Value again = client->Command(last_acknowledged.command);
    const std::string text = again.ToString();
    if (!TakeDuplicate(&again))
      return Quoted(last_acknowledged.command) + " is no duplicate: " + text;
    if (again.ToString() != last_acknowledged.text) {
      return Quoted(last_acknowledged.command) + " was told " + last_acknowledged.text +
             "\nand again " + text;
    }
    ++retried_;
  }
  for (const auto& [instance, entries] : ReadInstances(client, kBoard)) {
    const auto found = before.find(instance);  // an hour may have turned
    if (found != before.end() && found->second != entries) return "retries changed " + instance;
  }
  return "";
}

// A closed instance must stay closed, at the same cursor. Follower checks that each close event
// comes once.
std::string Season::VerifyClosed(RespClient* client, bool all_kept) {
  if (!all_kept) closed_at_.clear();
  for (const Value& line : client->Command({"LB.PERIODS", kBoard}).elements) {
    const std::string& instance = line.Find("board")->text;
    const Value& closed = *line.Find("closed");
    const auto known = closed_at_.find(instance);
    if (known == closed_at_.end()) {
      if (!closed.IsNull()) closed_at_[instance] = closed.text;
      continue;
    }
    if (closed.IsNull() || closed.text != known->second) {
      return instance + " was closed at " + known->second + ", now " + closed.ToString();
    }
    if (keeps_log_ && !follower_.closed().contains(instance)) {
      return "the changes do not tell of the close of " + instance;
    }
  }
  return "";
}

}  // namespace laurel::black_box
