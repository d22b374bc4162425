#include "server/leaderboard_fixture.h"

#include <sstream>

namespace laurel::black_box {
namespace {

// The numbers of a score, separated by commas.
std::string ScoreText(const Value& score) {
  if (score.IsNull()) return "nil";
  EXPECT_EQ(score.type, '*') << score.ToString();
  std::string text;
  for (const Value& value : score.elements) {
    EXPECT_EQ(value.type, '$') << score.ToString();
    text += (text.empty() ? "" : ",") + value.text;
  }
  return text;
}

std::string NumberText(const Value& number) {
  if (number.IsNull()) return "nil";
  EXPECT_EQ(number.type, ':') << number.ToString();
  return number.text;
}

}  // namespace

std::unique_ptr<ServerProcess> LeaderboardTest::server_;

void LeaderboardTest::SetUpTestSuite() {
  server_ = std::make_unique<ServerProcess>(ServerProcess::Laurel());
}

void LeaderboardTest::TearDownTestSuite() { server_.reset(); }

RespClient LeaderboardTest::NewClient() const {
  RespClient client(server_->port());
  if (resp3()) client.Command({"HELLO", "3"});
  return client;
}

void LeaderboardTest::SetUp() {
  client_.emplace(NewClient());
  ASSERT_EQ(Ask("FLUSHALL"), "+OK");
}

Value LeaderboardTest::Command(const Arguments& arguments) { return client_->Command(arguments); }

std::string LeaderboardTest::Code(std::string_view line) {
  const Value reply = Command(line);
  if (!reply.IsError()) return reply.ToString();
  return reply.text.substr(0, reply.text.find(' '));
}

Arguments LeaderboardTest::Split(std::string_view line) {
  std::istringstream words{std::string(line)};
  Arguments arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

const Value& LeaderboardTest::Named(const Value& map, std::string_view name) const {
  static const Value kNothing;
  EXPECT_EQ(map.type, resp3() ? '%' : '*') << map.ToString();
  const Value* value = map.Find(name);
  EXPECT_NE(value, nullptr) << name << " in " << map.ToString();
  return value == nullptr ? kNothing : *value;
}

std::string LeaderboardTest::VerdictText(const Value& verdict) {
  if (verdict.IsError()) return verdict.ToString();
  NumberText(Named(verdict, "stamp"));
  std::string text =
      Named(verdict, "status").text + " rank " + NumberText(Named(verdict, "previous_rank")) +
      "->" + NumberText(Named(verdict, "rank")) + " score " +
      ScoreText(Named(verdict, "previous_score")) + "->" + ScoreText(Named(verdict, "score"));
  if (const Value* needs = verdict.Find("needs")) text += " needs " + ScoreText(*needs);
  if (verdict.Find("hidden") != nullptr) text += " hidden";
  return text;
}

std::string LeaderboardTest::EntryText(const Value& entry) {
  if (entry.IsNull()) return "nil";
  NumberText(Named(entry, "stamp"));
  std::string text = NumberText(Named(entry, "rank")) + " " + Named(entry, "member").text + " " +
                     ScoreText(Named(entry, "score"));
  if (const Value* place = entry.Find("place")) text += " place " + NumberText(*place);
  if (const Value* meta = entry.Find("meta")) {
    text += " meta " + (meta->IsNull() ? "nil" : meta->text);
  }
  return text;
}

std::string LeaderboardTest::Entries(std::string_view line) {
  const Value reply = Command(line);
  if (reply.type != '*' || reply.null) return reply.ToString();
  std::string text;
  for (const Value& entry : reply.elements) text += (text.empty() ? "" : "; ") + EntryText(entry);
  return text;
}

std::int64_t LeaderboardTest::Stamp(const std::string& board, const std::string& member) {
  return Named(Command(Arguments{"LB.GET", board, member}), "stamp").Integer();
}

std::string LeaderboardTest::Score(const std::string& number) const {
  return resp3() ? "," + number : "\"" + number + "\"";
}

std::string LeaderboardTest::Scored(
    std::initializer_list<std::pair<std::string, std::string>> entries) const {
  std::string text;
  for (const auto& [member, score] : entries) {
    const std::string pair = Quoted(member) + ", " + Score(score);
    text += (text.empty() ? "" : ", ") + (resp3() ? "[" + pair + "]" : pair);
  }
  return "[" + text + "]";
}

}  // namespace laurel::black_box
