#include "server/crash/follower.h"

#include <utility>

namespace laurel::black_box {
namespace {

constexpr char kAdoptedMarker[] = "adopted";  // a member that no writer uses

std::string EntryText(const Value& entry) {
  return entry.Find("score")->ToString() + " " + entry.Find("stamp")->text;
}

}  // namespace

InstanceContents ReadInstances(RespClient* client, const std::string& board) {
  InstanceContents contents;
  for (const Value& line : client->Command({"LB.PERIODS", board}).elements) {
    const std::string& instance = line.Find("board")->text;
    std::set<std::string>& entries = contents[instance];
    for (const Value& entry : client->Command({"LB.RANGE", instance, "1", "-1"}).elements) {
      entries.insert(entry.Find("member")->text + " " + EntryText(entry));
    }
  }
  return contents;
}

std::string Follower::Follow(RespClient* client) {
  while (!has_gap_) {
    const Value page = client->Command({"LB.CHANGES", board_, cursor_, "COUNT", "10000"});
    if (page.IsError()) return "LB.CHANGES from " + cursor_ + ": " + page.ToString();
    cursor_ = page.Find("next")->text;
    has_gap_ = page.Find("gap") != nullptr;
    for (const Value& event : page.Find("events")->elements) {
      if (std::string problem = Take(event); !problem.empty()) {
        return problem + ": " + event.ToString();
      }
    }
    if (page.Find("events")->elements.empty()) return "";
  }
  return "";
}

std::string Follower::Take(const Value& event) {
  const std::string& cause = event.Find("cause")->text;
  const Value* board = event.Find("board");
  const Value* member = event.Find("member");
  if (cause == "created") return "";
  if (cause == "hidden") {
    hidden_.insert(member->text);
  } else if (cause == "shown") {
    hidden_.erase(member->text);
    if (member->text == kAdoptedMarker) caught_up_ = true;
  } else if (cause == "closed") {
    return TakeClosed(board->text, event);
  } else if (cause == "put") {
    std::string& entry = instances_[board->text][member->text];
    // A put on a closed instance may only repeat the entry, as LB.SHOW does.
    if (closed_.contains(board->text) && entry != EntryText(event)) return "written when closed";
    entry = EntryText(event);
  } else if (cause == "removed") {
    instances_[board->text].erase(member->text);
  } else {
    return "nobody did this";
  }
  return "";
}

std::string Follower::TakeClosed(const std::string& instance, const Value& event) {
  if (!closed_.insert(instance).second) return "closed twice";
  if (!caught_up_) return "";  // the event is older than the adopted contents
  const std::set<std::string> visible = Visible(instances_[instance]);
  if (event.Find("count")->Integer() != static_cast<std::int64_t>(visible.size())) {
    return "closed with another count than " + std::to_string(visible.size());
  }
  for (const Value& entry : event.Find("top")->elements) {
    if (!visible.contains(entry.Find("member")->text + " " + EntryText(entry))) {
      return "closed with another top";
    }
  }
  return "";
}

void Follower::Adopt(RespClient* client) {
  has_gap_ = false;
  cursor_ = client->Command({"LB.CHANGES", board_, "$"}).Find("next")->text;
  // The cursor is at the durable end of the log, but the contents that are read below may be newer.
  // The events of kAdoptedMarker separate events that the contents already include from new ones.
  // SAVE makes all of them durable in every fsync mode.
  caught_up_ = false;
  for (const char* command : {"LB.HIDE", "LB.SHOW"})
    client->Command({command, board_, kAdoptedMarker});
  client->Command({"SAVE"});
  instances_.clear();
  hidden_.clear();
  for (const auto& [instance, entries] : ReadInstances(client, board_)) {
    for (const std::string& entry : entries) {
      const std::size_t space = entry.find(' ');
      instances_[instance][entry.substr(0, space)] = entry.substr(space + 1);
    }
  }
}

std::set<std::string> Follower::Visible(const Entries& entries) const {
  std::set<std::string> visible;
  for (const auto& [member, entry] : entries) {
    if (!hidden_.contains(member)) visible.insert(member + " " + entry);
  }
  return visible;
}

std::string Follower::Difference(const InstanceContents& contents) const {
  for (const auto& [instance, entries] : contents) {
    const auto found = instances_.find(instance);
    const std::set<std::string> visible =
        found == instances_.end() ? std::set<std::string>() : Visible(found->second);
    if (visible == entries) continue;
    std::string text = "the changes make another " + instance + " than there is:";
    for (const std::string& entry : visible) {
      if (!entries.contains(entry)) text += "\n  told of    " + entry;
    }
    for (const std::string& entry : entries) {
      if (!visible.contains(entry)) text += "\n  not told of " + entry;
    }
    return text;
  }
  return "";
}

}  // namespace laurel::black_box
