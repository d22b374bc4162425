#include "http/json_answer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/entry.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::http {
namespace {

class JsonAnswers : public ::testing::Test {
 protected:
  void Begin(Shape shape, std::string_view known_versions = {}) {
    out_.clear();
    answer_.Begin({.shape = shape, .out = &out_, .known_versions = known_versions});
  }
  leaderboard::Answer& About(bool has_version = true) {
    return answer_.About(
        {.board = "lb", .id = 7, .changes = 3, .run = "tag", .has_version = has_version});
  }
  void AnswerPage(leaderboard::Answer& board) {
    const leaderboard::EntryShape shape{&spec_, false, false, std::nullopt};
    const Score score{5};
    board.BeginEntries(shape, 1);
    board.NextEntry(shape, {1, "ann", &score, 0, {}}, std::nullopt);
  }

  Spec spec_;
  std::string out_;
  JsonAnswer answer_;
};

constexpr char kEntries[] = R"("count":1,"entries":[{"rank":1,"member":"ann","score":["5"],)"
                            R"("reached":"1970-01-01T00:00:00.000000Z"}]})";

TEST_F(JsonAnswers, APageHasTheVersionOfWhatIsRead) {
  Begin(Shape::kPage);
  leaderboard::Answer& board = About();
  EXPECT_TRUE(board.Wants({.size = 1}));
  AnswerPage(board);
  EXPECT_EQ(answer_.version(), "tag-7-0-3");
  EXPECT_EQ(out_, R"({"board":"lb","version":"tag-7-0-3",)" + std::string(kEntries));
  EXPECT_FALSE(answer_.is_not_modified());
}

TEST_F(JsonAnswers, AnInstanceIsPartOfTheVersion) {
  Begin(Shape::kPage);
  const Instance day{Period::kDay, 86'400'000'000, 172'800'000'000, "1970-01-02"};
  EXPECT_TRUE(About().Wants({.span = &day, .instance = 4, .changes = 9}));
  EXPECT_EQ(answer_.version(), "tag-7-4-9-86400");
  EXPECT_TRUE(About().Wants({.span = &day}));
  EXPECT_EQ(answer_.version(), "tag-7-0-3-86400");
}

TEST_F(JsonAnswers, AKnownVersionEndsTheReadBeforeItBegins) {
  for (const std::string_view known : {R"("tag-7-0-3")", R"("x", "tag-7-0-3")", "*"}) {
    Begin(Shape::kCount, known);
    EXPECT_FALSE(About().Wants({})) << known;
    EXPECT_TRUE(answer_.is_not_modified()) << known;
  }
  Begin(Shape::kCount, R"("tag-7-0-30")");
  EXPECT_TRUE(About().Wants({}));
  EXPECT_FALSE(answer_.is_not_modified());
}

TEST_F(JsonAnswers, AKnownVersionDoesNotTellWhetherAMemberIsThere) {
  for (const bool is_there : {true, false}) {
    Begin(Shape::kPercentile, "*");
    leaderboard::Answer& board = About();
    EXPECT_TRUE(board.Wants({}));
    is_there ? board.ShowPercentile({}) : board.Absent(leaderboard::Missing::kPercentile);
    EXPECT_EQ(answer_.is_not_modified(), is_there);
    EXPECT_EQ(answer_.absence() != nullptr, !is_there);
    EXPECT_EQ(answer_.error(), nullptr);
  }
}

TEST_F(JsonAnswers, AWriteHasNoVersion) {
  Begin(Shape::kPage);
  leaderboard::Answer& board = About(/*has_version=*/false);
  EXPECT_TRUE(board.Wants({.size = 1}));
  AnswerPage(board);
  EXPECT_EQ(out_, R"({"board":"lb",)" + std::string(kEntries));
}

TEST_F(JsonAnswers, ValuesAreWrappedByTheShape) {
  Begin(Shape::kCount);
  About().Number(5);
  EXPECT_EQ(out_, R"({"count":5})");
  Begin(Shape::kRank);
  About().Absent(leaderboard::Missing::kRank);
  EXPECT_EQ(out_, R"({"rank":null})");
  Begin(Shape::kRemovedOne);
  About().Number(0);
  EXPECT_EQ(out_, "");
  ASSERT_NE(answer_.absence(), nullptr);
  EXPECT_EQ(answer_.absence()->code, ErrorCode::kNoMember);
  EXPECT_EQ(answer_.failed_word(), 2U);
}

TEST_F(JsonAnswers, ARefusalTakesBackWhatWasAnswered) {
  Begin(Shape::kPage);
  leaderboard::Answer& board = About();
  EXPECT_TRUE(board.Wants({.size = 1}));
  AnswerPage(board);
  answer_.Refused({ErrorCode::kLimit, "too much"}, 2);
  EXPECT_EQ(out_, "");
  ASSERT_NE(answer_.error(), nullptr);
  EXPECT_EQ(answer_.error()->ToString(), "LIMIT too much");
  EXPECT_EQ(answer_.failed_word(), 2U);
  answer_.TakeBack();
  EXPECT_EQ(answer_.error(), nullptr);
  answer_.Number(1);
  EXPECT_EQ(out_, "1");
}

TEST_F(JsonAnswers, ElementsAreSeparatedAndARefusedOneIsAnObject) {
  std::vector<std::unique_ptr<JsonAnswer>> elements;
  for (int i = 0; i < 4; ++i) {
    elements.push_back(std::make_unique<JsonAnswer>());
    elements.back()->Begin(
        {.shape = Shape::kCount, .out = &out_, .is_element = true, .is_first = i == 0});
  }
  elements[0]->Refused({ErrorCode::kNoBoard, "none"}, wire::kNoWord);
  elements[1]->Number(1);
  elements[2]->Number(2);
  elements[2]->TakeBack();
  elements[2]->Refused({ErrorCode::kLimit, "much"}, wire::kNoWord);
  elements[3]->Number(3);
  EXPECT_EQ(out_, R"({"code":"NOBOARD","detail":"none"},{"count":1},)"
                  R"({"code":"LIMIT","detail":"much"},{"count":3})");
  ASSERT_NE(elements[2]->error(), nullptr);
  EXPECT_EQ(elements[2]->error()->code, ErrorCode::kLimit);
  EXPECT_EQ(elements[1]->error(), nullptr);
}

TEST_F(JsonAnswers, OneTemplateIsFoundByItsPattern) {
  const wire::Answer::TemplateLine lines[] = {{"a*", &spec_}, {"b*", &spec_}};
  for (const std::string_view wanted : {"b*", "c*"}) {
    out_.clear();
    answer_.Begin({.shape = Shape::kTemplate, .out = &out_, .only_template = wanted});
    answer_.Templates(lines);
    EXPECT_EQ(out_.starts_with(R"({"pattern":"b*","spec":{)"), wanted == "b*") << out_;
    EXPECT_EQ(answer_.absence() != nullptr, wanted == "c*");
  }
}

void WriteEvent(wire::Events& events, std::string_view cursor, std::int64_t value) {
  events.Begin(cursor, "put");
  events.values().Map(1);
  events.values().Bulk("n");
  events.values().Integer(value);
}

TEST_F(JsonAnswers, EventsAreAPage) {
  Begin(Shape::kEvents);
  std::unique_ptr<wire::Events> events = answer_.NewEvents();
  WriteEvent(*events, "c1", 1);
  WriteEvent(*events, "c2", 2);
  EXPECT_EQ(events->size(), std::string_view(R"({"n":1},{"n":2})").size());
  EXPECT_EQ(out_, "");
  answer_.ShowEvents(std::move(events), {.next = "c2", .count = 2, .gap = true});
  EXPECT_EQ(out_, R"({"events":[{"n":1},{"n":2}],"next":"c2","gap":true})");
}

TEST_F(JsonAnswers, EventsOfAStreamAreFramed) {
  EventText stream;
  answer_.Begin({.shape = Shape::kEvents, .out = &out_, .stream = &stream});
  std::unique_ptr<wire::Events> events = answer_.NewEvents();
  WriteEvent(*events, "c1", 1);
  WriteEvent(*events, "c2", 2);
  EXPECT_EQ(events->size(), 2 * std::string_view(R"({"n":1})").size());
  answer_.ShowEvents(std::move(events), {.next = "c2", .count = 2, .full = true});
  EXPECT_EQ(stream.text,
            "id: c1\nevent: put\ndata: {\"n\":1}\n\nid: c2\nevent: put\ndata: {\"n\":2}\n\n");
  EXPECT_EQ(stream.end.next, "c2");
  EXPECT_TRUE(stream.end.full);
  EXPECT_EQ(out_, "");
}

}  // namespace
}  // namespace laurel::http
