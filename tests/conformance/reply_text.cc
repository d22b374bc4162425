#include "tests/conformance/reply_text.h"

#include <stdexcept>

namespace laurel::conformance {
namespace {

using resp::Value;

// RESP2 has no maps: a flat array that begins with a name. Lists have no texts as elements, except
// scores, which are read as such by their place.
bool IsMap(const Value& value) {
  return value.type == '%' || (!value.elements.empty() && !value.elements[0].IsAggregate());
}

std::string TextOf(const Value& value) { return value.IsNull() ? "-" : value.text; }

std::string ScoreText(const Value& score) {
  if (score.IsNull()) return "-";
  std::string text;
  for (const Value& field : score.elements) text += (text.empty() ? "" : "/") + field.text;
  return text;
}

std::string OneVerdict(const Value& verdict) {
  std::string text =
      Named(verdict, "status").text + " rank " + TextOf(Named(verdict, "previous_rank")) + ">" +
      TextOf(Named(verdict, "rank")) + " score " + ScoreText(Named(verdict, "previous_score")) +
      ">" + ScoreText(Named(verdict, "score")) + " stamp " + TextOf(Named(verdict, "stamp"));
  if (const Value* needs = verdict.Find("needs")) text += " needs " + ScoreText(*needs);
  if (verdict.Find("hidden") != nullptr) text += " hidden";
  return text;
}

std::string VerdictText(const Value& verdict) {
  std::string text = OneVerdict(verdict);
  const Value* periods = verdict.Find("periods");
  if (periods == nullptr) return text;
  for (std::size_t i = 1; i < periods->elements.size(); i += 2) {
    text += " + " + OneVerdict(periods->elements[i]);
  }
  return text;
}

std::string EntryText(const Value& entry) {
  std::string text = TextOf(Named(entry, "rank")) + " " + Named(entry, "member").text;
  const Value& score = Named(entry, "score");
  text += score.IsNull() ? " absent" : " " + ScoreText(score) + " @" + Named(entry, "stamp").text;
  if (const Value* meta = entry.Find("meta")) {
    text += " meta '" + (meta->IsNull() ? "" : meta->text) + "'";
  }
  if (const Value* place = entry.Find("place")) text += " place " + TextOf(*place);
  return text;
}

std::string InstanceText(const Value& line) {
  const std::string name = Named(line, "board").text;
  const std::string period = Named(line, "period").text;
  const std::string before = "@" + period + ":";
  const std::size_t at = name.find(before);
  const std::string label = at != std::string::npos ? name.substr(at + before.size()) : "";
  const std::string present = Named(line, "present").text;  // RESP2 has no booleans
  return period + ":" + label + " size " + Named(line, "size").text +
         (present == "t" || present == "1" ? " present" : "") +
         (Named(line, "closed").IsNull() ? "" : " closed") + "; ";
}

std::string MapText(const Value& map) {
  if (map.Find("status") != nullptr) {
    return (map.Find("duplicate") != nullptr ? "duplicate " : "") + VerdictText(map);
  }
  if (map.Find("percentile") != nullptr) {
    return Named(map, "percentile").text + " worse " + Named(map, "worse").text + " equal " +
           Named(map, "equal").text + " of " + Named(map, "count").text;
  }
  if (map.Find("policy") != nullptr) {
    return "policy " + Named(map, "policy").text + " tie " + Named(map, "tie").text + " cap " +
           Named(map, "cap").text + " size " + Named(map, "size").text + " hidden " +
           Named(map, "hidden").text;
  }
  return EntryText(map) + " of " + Named(map, "count").text;
}

std::string ListText(const Value& list) {
  const Value* first = list.elements.empty() ? nullptr : &list.elements[0];
  std::string text;
  if (first != nullptr && first->Find("status") != nullptr) {
    for (const Value& verdict : list.elements) {
      text += (text.empty() ? "[" : " | ") + VerdictText(verdict);
    }
    return (first->Find("duplicate") != nullptr ? "duplicate " : "") + text + "]";
  }
  if (first != nullptr && first->Find("from") != nullptr) {
    for (const Value& bucket : list.elements) {
      text += "[" + Named(bucket, "from").text + "," + Named(bucket, "to").text + ") " +
              Named(bucket, "count").text + "; ";
    }
    return text;
  }
  if (first != nullptr && first->Find("period") != nullptr) {
    for (const Value& line : list.elements) text += InstanceText(line);
    return text;
  }
  text = std::to_string(list.elements.size()) + " entries";
  for (const Value& entry : list.elements) text += "; " + EntryText(entry);
  return text;
}

}  // namespace

const Value& Named(const Value& map, std::string_view name) {
  const Value* found = map.Find(name);
  if (found == nullptr) throw std::runtime_error("no " + std::string(name) + ": " + map.ToString());
  return *found;
}

// An array is a list of entries unless the operation or its elements say otherwise.
std::string ReplyText(const Value& reply, const leaderboard::Operation& operation) {
  if (reply.type == '-') return "!" + reply.text.substr(0, reply.text.find(' '));
  if (reply.IsNull()) return "nil";
  if (!reply.IsAggregate()) return reply.text;
  if (const auto* read = std::get_if<leaderboard::ReadOperation>(&operation)) {
    if (std::holds_alternative<leaderboard::Quantile>(*read)) return ScoreText(reply);
    const bool lines = std::holds_alternative<leaderboard::Histogram>(*read) ||
                       std::holds_alternative<leaderboard::ListPeriods>(*read);
    if (lines && reply.elements.empty()) return "";
  }
  return IsMap(reply) ? MapText(reply) : ListText(reply);
}

}  // namespace laurel::conformance
