#include "server/http/change_pages.h"

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

using Role = ChangePages::Role;

class FakeStream : public ChangePages::Stream {
 public:
  void OnPage() override { ++told; }
  int told = 0;
};

class SharedPages : public testing::Test {
 protected:
  Role Ask(FakeStream* stream) { return pages_.Ask(key_, stream, &page_); }

  ChangePages pages_;
  ChangePages::Key key_{"lb", "1-2", std::nullopt, "*"};
  std::shared_ptr<const ChangePages::Page> page_;
  FakeStream first_;
  FakeStream second_;
};

TEST_F(SharedPages, OneStreamReadsAPageAndTheOthersGetIt) {
  EXPECT_EQ(Ask(&first_), Role::kLeads);
  EXPECT_EQ(Ask(&second_), Role::kWaits);
  const auto page = std::make_shared<const ChangePages::Page>(ChangePages::Page{"text", "1-3"});
  pages_.Publish(key_, page);
  EXPECT_EQ(second_.told, 1);
  EXPECT_EQ(first_.told, 0);
  EXPECT_EQ(Ask(&second_), Role::kHasPage);
  EXPECT_EQ(page_, page);
}

TEST_F(SharedPages, ALeaderThatLeavesIsReplaced) {
  EXPECT_EQ(Ask(&first_), Role::kLeads);
  EXPECT_EQ(Ask(&second_), Role::kWaits);
  pages_.Leave(key_, &first_);
  EXPECT_EQ(second_.told, 1);
  EXPECT_EQ(Ask(&second_), Role::kLeads);
}

TEST_F(SharedPages, AStreamThatHasLeftIsNotTold) {
  EXPECT_EQ(Ask(&first_), Role::kLeads);
  EXPECT_EQ(Ask(&second_), Role::kWaits);
  pages_.Leave(key_, &second_);
  pages_.Publish(key_, std::make_shared<const ChangePages::Page>());
  EXPECT_EQ(second_.told, 0);
}

TEST_F(SharedPages, PagesOfOtherClientsAndMembersAreNotShared) {
  pages_.Publish(key_, std::make_shared<const ChangePages::Page>());
  EXPECT_EQ(Ask(&first_), Role::kHasPage);
  key_.pattern = "lb";
  EXPECT_EQ(Ask(&first_), Role::kLeads);
  key_.pattern = "*";
  key_.member = "";
  EXPECT_EQ(Ask(&first_), Role::kLeads);
}

TEST_F(SharedPages, OldPagesAreForgotten) {
  pages_.Publish(key_, std::make_shared<const ChangePages::Page>());
  for (int i = 0; i < 64; ++i) {
    pages_.Publish({"other", std::to_string(i), std::nullopt, "*"},
                   std::make_shared<const ChangePages::Page>());
  }
  EXPECT_EQ(Ask(&first_), Role::kLeads);
}

}  // namespace
}  // namespace laurel::server
