#include "server/crash/contents.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "server/crash/stream.h"

namespace laurel::black_box {
namespace {

constexpr std::size_t kShownDifferences = 4;
// Expiry times before this one come from a relative EXPIRE; the absolute times that a stream sets
// are later.
constexpr std::int64_t kRelativeBeforeMs = 7'000'000'000'000;

// Clears the values of `name` in all maps of `value`.
Value Without(std::string_view name, Value value) {
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    const bool named = i > 0 && value.elements[i - 1].text == name;
    value.elements[i] = named ? Value{} : Without(name, std::move(value.elements[i]));
  }
  return value;
}

std::string ExpiryText(const Value& reply) {
  if (reply.type != ':' || reply.Integer() < 0) return reply.ToString();
  return reply.Integer() < kRelativeBeforeMs ? "relative" : reply.text;
}

void AddProbe(const std::string& board, const std::string& probe,
              std::vector<Arguments>* commands) {
  commands->push_back({"COPY", board, probe, "REPLACE"});
  commands->push_back({"LB.ALTER", probe, "CAP", "1000"});
  for (int i = 0; i < Stream::kMembers; ++i) {
    commands->push_back({"LB.SHOW", probe, "m" + std::to_string(i)});
  }
  commands->push_back({"LB.RANGE", probe, "1", "-1", "WITHMETA"});
  commands->push_back({"LB.DROP", probe});
  commands->push_back({"DEL", probe});
}

}  // namespace

std::string TimelessText(const Value& reply) { return Without("stamp", reply).ToString(); }

std::vector<std::string> Contents(RespClient* client, const std::vector<std::string>& boards,
                                  const std::string& prefix, Detail detail) {
  std::vector<Arguments> commands;
  for (const std::string& board : boards) {
    commands.push_back({"TYPE", board});
    commands.push_back({"LB.DESCRIBE", board});
    commands.push_back({"PEXPIRETIME", board});
    commands.push_back({"ZRANGE", board, "0", "-1", "WITHSCORES"});
    commands.push_back({"LB.RANGE", board, "1", "-1", "WITHMETA"});
    if (prefix.empty()) continue;
    // LB.GET returns hidden members too. It covers boards with hidden members only, which do not
    // exist for COPY.
    for (int i = 0; i < Stream::kMembers; ++i) {
      commands.push_back({"LB.GET", board, "m" + std::to_string(i)});
    }
    AddProbe(board, prefix + "probe", &commands);
  }
  std::string bytes;
  for (const Arguments& command : commands) bytes += Encoded(command);
  client->SendRaw(bytes);
  std::vector<std::string> lines;
  for (const Arguments& command : commands) {
    // The memory of a board depends on its history, not only on its contents.
    const Value reply = Without("bytes", client->ReadReply());
    const std::string text = detail == Detail::kEverything ? reply.ToString()
                             : command[0] == "PEXPIRETIME" ? ExpiryText(reply)
                                                           : TimelessText(reply);
    lines.push_back(Quoted(command) + " " + text);
  }
  if (prefix.empty()) return lines;
  std::vector<std::string> templates;
  for (const Value& declared : client->Command({"LB.TEMPLATE", "LIST"}).elements) {
    const Value* pattern = declared.Find("pattern");
    if (pattern != nullptr && pattern->text.starts_with(prefix)) {
      templates.push_back("template " + declared.ToString());
    }
  }
  lines.insert(lines.end(), templates.begin(), templates.end());
  return lines;
}

std::string Difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& found) {
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const std::string expects = i < expected.size() ? expected[i] : "nothing";
    const std::string finds = i < found.size() ? found[i] : "nothing";
    if (expects == finds || shown == kShownDifferences) continue;
    text += "expected " + expects + "\n   found " + finds + "\n";
    ++shown;
  }
  return text;
}

}  // namespace laurel::black_box
