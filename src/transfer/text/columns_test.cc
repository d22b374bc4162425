#include "transfer/text/columns.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::transfer {
namespace {

using Names = std::vector<std::string_view>;

Spec Fields(std::vector<std::string> names) {
  Spec spec;
  spec.fields.clear();
  for (std::string& name : names) spec.fields.push_back({.name = std::move(name)});
  return spec;
}

std::vector<ColumnChoice> Choices(std::string_view text) { return ParseColumns(text).value(); }

// "member 0, score 1, at 3": the roles that have a column; the error if there is no plan.
std::string Text(const Result<ColumnPlan>& plan, const Spec& spec) {
  if (!plan.ok()) return plan.error().message;
  std::string text;
  const auto add = [&text](std::string_view role, std::size_t column) {
    if (column == ColumnPlan::kNone) return;
    text += (text.empty() ? "" : ", ") + std::string(role) + " " + std::to_string(column);
  };
  add("member", plan->member);
  add("member_base64", plan->member_base64);
  for (std::size_t i = 0; i < spec.fields.size(); ++i) add(spec.fields[i].name, plan->fields[i]);
  add("at", plan->at);
  add("meta", plan->meta);
  add("meta_base64", plan->meta_base64);
  add("hidden", plan->hidden);
  add("instance", plan->instance);
  return text;
}

std::string ByHeader(const Spec& spec, const Names& header, std::string_view columns = "") {
  const std::vector<ColumnChoice> choices =
      columns.empty() ? std::vector<ColumnChoice>() : Choices(columns);
  return Text(PlanByHeader(spec, choices, header), spec);
}

std::string ByPosition(const Spec& spec, std::size_t count, std::string_view columns = "") {
  const std::vector<ColumnChoice> choices =
      columns.empty() ? std::vector<ColumnChoice>() : Choices(columns);
  return Text(PlanByPosition(spec, choices, count), spec);
}

TEST(Columns, TheOptionIsAListOfRolesAndColumns) {
  EXPECT_EQ(Choices("member=uid,score=points"),
            (std::vector<ColumnChoice>{{"member", "uid"}, {"score", "points"}}));
  EXPECT_EQ(Choices("at=a=b"), (std::vector<ColumnChoice>{{"at", "a=b"}}));
  for (const std::string text : {"", "member", "member=", "=uid", "member=uid,", ",member=uid"}) {
    EXPECT_FALSE(ParseColumns(text).ok()) << text;
  }
  EXPECT_EQ(ParseColumns("member=a,member=b").error().message,
            "--columns: the column of 'member' is given twice");
}

TEST(Columns, AHeaderNamesTheColumnsInAnyOrder) {
  const Spec one;
  EXPECT_EQ(ByHeader(one, {"member", "score"}), "member 0, score 1");
  EXPECT_EQ(ByHeader(one, {"rank", "meta", "score", "reached", "x", "member", "hidden"}),
            "member 5, score 2, at 3, meta 1, hidden 6");
  EXPECT_EQ(ByHeader(one, {"member_base64", "score", "at", "meta_base64", "instance"}),
            "member_base64 0, score 1, at 2, meta_base64 3, instance 4");
}

TEST(Columns, FieldsAreFoundByTheirNames) {
  EXPECT_EQ(ByHeader(Fields({"points", "deaths"}), {"member", "deaths", "points", "score"}),
            "member 0, points 2, deaths 1");
  EXPECT_EQ(ByHeader(Fields({"points"}), {"member", "score"}), "member 0, points 1")
      << "the one field is the score";
  EXPECT_EQ(ByHeader(Fields({"points"}), {"member", "score", "points"}), "member 0, points 2");
}

TEST(Columns, AFieldMayHaveTheNameOfARole) {
  EXPECT_EQ(ByHeader(Fields({"at"}), {"member", "at", "reached"}), "member 0, at 1, at 2");
  EXPECT_EQ(ByHeader(Fields({"member"}), {"member", "score.member", "meta"}),
            "member 0, member 1, meta 2");
  EXPECT_EQ(FieldColumnName({.name = "points"}), "points");
  for (const std::string name : {"rank", "member", "reached", "at", "meta", "hidden", "instance"}) {
    EXPECT_EQ(FieldColumnName({.name = name}), "score." + name);
  }
}

TEST(Columns, ChoicesComeFirst) {
  EXPECT_EQ(ByHeader(Spec(), {"uid", "points", "reached_at", "extra", "member", "meta"},
                     "member=uid,score=points,at=reached_at,meta=extra"),
            "member 0, score 1, at 2, meta 3");
  EXPECT_EQ(
      ByHeader(Fields({"points", "deaths"}), {"uid", "p", "d"}, "deaths=d,member=uid,points=p"),
      "member 0, points 1, deaths 2");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score", "at", "reached"}, "at=reached"),
            "member 0, score 1, at 3");
}

TEST(Columns, AHeaderWithoutTheWantedColumnsIsRefused) {
  EXPECT_EQ(ByHeader(Spec(), {"uid", "score"}),
            "no column has the member: the header has the columns 'uid', 'score'; try --columns "
            "member=uid");
  EXPECT_EQ(ByHeader(Spec(), {"uid", "points", "at"}),
            "no column has the member: the header has the columns 'uid', 'points', 'at'; try "
            "--columns member=uid,score=points");
  EXPECT_EQ(ByHeader(Spec(), {"member", "points"}),
            "no column has the field 'score': the header has the columns 'member', 'points'; try "
            "--columns score=points");
  EXPECT_EQ(ByHeader(Spec(), {"ann", "5"}),
            "no column has the member: the header has the columns 'ann', '5'; if that is a row, "
            "--no-header");
  EXPECT_EQ(ByHeader(Spec(), {"my id", "5a"}),
            "no column has the member: the header has the columns 'my id', '5a'");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score"}, "at=when"),
            "there is no column 'when': the header has the columns 'member', 'score'");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score", "member"}), "two columns have the name 'member'");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score", "at", "reached"}),
            "there are the columns 'at' and 'reached': give --columns at=…");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score"}, "points=score"),
            "--columns: 'points' is no role of a column: expected member, score, at, meta, hidden, "
            "instance, member_base64 or meta_base64");
  EXPECT_EQ(ByHeader(Spec(), {"member", "score", "t"}, "at=t,reached=t"),
            "--columns: the column of 'reached' is given twice");
  EXPECT_EQ(ByHeader(Fields({"a", "b"}), {"member", "score"}, "score=score"),
            "--columns: 'score' is no role of a column: expected member, a, b, at, meta, hidden, "
            "instance, member_base64 or meta_base64");
}

TEST(Columns, DoubledNamesThatNoRoleNeedsDoNoHarm) {
  EXPECT_EQ(ByHeader(Spec(), {"member", "score", "x", "x", ""}), "member 0, score 1");
}

TEST(Columns, WithoutAHeaderPositionsDecide) {
  EXPECT_EQ(ByPosition(Spec(), 2), "member 0, score 1");
  EXPECT_EQ(ByPosition(Spec(), 3), "member 0, score 1, at 2");
  EXPECT_EQ(ByPosition(Spec(), 4), "member 0, score 1, at 2, meta 3");
  EXPECT_EQ(ByPosition(Fields({"a", "b"}), 4), "member 0, a 1, b 2, at 3");
  EXPECT_EQ(ByPosition(Spec(), 9, "member=9,score=1"), "member 8, score 0");
}

TEST(Columns, WithoutAHeaderWrongPositionsAreRefused) {
  EXPECT_EQ(ByPosition(Spec(), 1), "the first row has 1 columns, fewer than member and score");
  EXPECT_EQ(ByPosition(Spec(), 5),
            "the first row has 5 columns, more than member, score, time and meta: give --columns");
  EXPECT_EQ(ByPosition(Spec(), 3, "member=1"),
            "no column has the field 'score': the first row has 3 columns");
  for (const std::string position : {"0", "4", "-1", "uid", "1x", "99999999999999999999"}) {
    EXPECT_EQ(ByPosition(Spec(), 3, "member=1,score=" + position),
              "--columns: '" + position +
                  "' is no position of a column: the first row has 3 columns, and no header names "
                  "them");
  }
}

}  // namespace
}  // namespace laurel::transfer
