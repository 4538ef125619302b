// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/odd_book.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kOddSecond = 1'000'000'000;
constexpr std::int64_t kOddMinute = 60 * kOddSecond;

OddHost Odd(const std::string& name, const std::string& check = "agree.firmware",
            const std::string& group = "storage") {
  OddHost odd{.group = group};
  odd.host.set_host_id("id-" + name);
  odd.host.set_name(name);
  odd.host.set_check(check);
  odd.host.set_subject("mlx5_0/1");
  odd.host.set_observed("20.31; 318 of 320 hosts have 20.33");
  return odd;
}

OddHost AsItWas(const std::string& name) {
  OddHost odd = Odd(name);
  odd.as_it_was = true;
  return odd;
}

class OddBookTest : public testing::Test {
 protected:
  void See(const std::vector<OddHost>& all) { book_.See(all, now_); }
  std::vector<v1::Notice> After(std::int64_t ns) {
    now_ += ns;
    const bool due = book_.HasDue(now_);
    std::vector<v1::Notice> notices = book_.Due(now_);
    EXPECT_EQ(due, !notices.empty());
    return notices;
  }
  v1::Notice Told(const std::vector<OddHost>& all) {
    See(all);
    const std::vector<v1::Notice> notices = After(10 * kOddSecond);
    EXPECT_THAT(notices, SizeIs(1));
    return notices.empty() ? v1::Notice() : notices.front();
  }

  std::int64_t now_ = 10'000 * kOddMinute;
  OddBook book_{{.gather = 10 * kOddSecond, .apart = kOddMinute}, "hub1"};
};

TEST_F(OddBookTest, AGroupAndCheckIsOneNoticeHoweverManyHosts) {
  std::vector<OddHost> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(Odd(fmt::format("node{:02}", i)));
    all.push_back(Odd(fmt::format("node{:02}", i)));  // with another port
  }
  See(all);
  EXPECT_THAT(After(9 * kOddSecond), IsEmpty());
  const std::vector<v1::Notice> notices = After(kOddSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().kind(), v1::NOTICE_KIND_ODD);
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_OPEN);
  EXPECT_EQ(notices.front().hosts(), 40u);
  EXPECT_EQ(notices.front().named_size(), 20);
  EXPECT_EQ(
      notices.front().text(),
      "40 hosts of storage are the odd ones: agree.firmware (40); node00, node01, node02, node03, node04, "
      "...");
  See(all);
  EXPECT_THAT(After(1'000 * kOddMinute), IsEmpty()) << "it was told";
}

TEST_F(OddBookTest, EachCheckAndEachGroupIsAnIncidentOfItsOwn) {
  See({Odd("node1"), Odd("node1", "agree.mtu"), Odd("node2", "agree.mtu", "gpu")});
  EXPECT_THAT(After(10 * kOddSecond), SizeIs(3));
}

TEST_F(OddBookTest, WhenNoneIsOddAnyMoreItIsOver) {
  const v1::Notice opened = Told({Odd("node1")});
  EXPECT_EQ(opened.text(),
            "node1 of storage is the odd one: agree.firmware on mlx5_0/1: 20.31; 318 of 320 hosts have 20.33");
  See({});
  EXPECT_THAT(After(59 * kOddSecond), IsEmpty());
  const std::vector<v1::Notice> notices = After(kOddSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_OVER);
  EXPECT_EQ(notices.front().incident(), opened.incident());
  EXPECT_EQ(notices.front().text(), "node1 of storage is the odd one no more: agree.firmware");
  EXPECT_THAT(book_.TakeChanges().dropped, ElementsAre(OddBook::Key{"storage", "agree.firmware"}));
}

TEST_F(OddBookTest, OneOfSeveralThatIsAsTheOthersAgainIsNoNews) {
  Told({Odd("node1"), Odd("node2")});
  See({Odd("node2")});
  EXPECT_THAT(After(100 * kOddMinute), IsEmpty());
}

// Firmware that is rolled out makes hosts odd one after the other.
TEST_F(OddBookTest, HostsThatBecomeOddLaterAreToldTogetherAnHourAfter) {
  const v1::Notice opened = Told({Odd("node1")});
  std::vector<OddHost> all{Odd("node1")};
  for (int i = 2; i < 7; ++i) {
    all.push_back(Odd(fmt::format("node{}", i)));
    See(all);
    EXPECT_THAT(After(10 * kOddMinute), IsEmpty());
  }
  const std::vector<v1::Notice> notices = After(10 * kOddMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().hosts(), 6u);
  EXPECT_EQ(notices.front().incident(), opened.incident());
}

TEST_F(OddBookTest, WhatIsOverBeforeItWasToldIsNotTold) {
  See({Odd("node1")});
  EXPECT_THAT(After(5 * kOddSecond), IsEmpty());
  See({});
  EXPECT_THAT(After(10 * kOddMinute), IsEmpty());
  EXPECT_THAT(book_.TakeChanges().put, IsEmpty());
}

TEST_F(OddBookTest, WhoIsSilentOrWorkedOnOpensAndEndsNothing) {
  See({AsItWas("node1")});
  EXPECT_THAT(After(10 * kOddMinute), IsEmpty());
  Told({Odd("node1")});
  See({AsItWas("node1")});
  EXPECT_THAT(After(10 * kOddMinute), IsEmpty());
}

TEST_F(OddBookTest, WhatWasKeptIsNotToldAgain) {
  const v1::Notice opened = Told({Odd("node1")});
  const OddBook::Changes changes = book_.TakeChanges();
  ASSERT_THAT(changes.put, SizeIs(1));
  OddBook after({.gather = 10 * kOddSecond, .apart = kOddMinute}, "hub1");
  after.Restore(changes.put.front());
  after.See({Odd("node1")}, now_);
  EXPECT_THAT(after.Due(now_ + 100 * kOddMinute), IsEmpty());
  after.See({}, now_ + 100 * kOddMinute);
  const std::vector<v1::Notice> notices = after.Due(now_ + 101 * kOddMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().incident(), opened.incident());
  EXPECT_EQ(notices.front().hosts(), 1u);
}

TEST_F(OddBookTest, WhatWasNotKeptIsAmongTheNextChanges) {
  Told({Odd("node1")});
  const OddBook::Changes changes = book_.TakeChanges();
  EXPECT_THAT(book_.TakeChanges().put, IsEmpty());
  book_.Untake(changes);
  EXPECT_THAT(book_.TakeChanges().put, SizeIs(1));
}

TEST_F(OddBookTest, AClockThatIsSetBackHoldsNothingUp) {
  Told({Odd("node1")});
  See({});
  now_ -= 120 * kOddMinute;
  EXPECT_THAT(After(0), IsEmpty());
  EXPECT_THAT(After(59 * kOddSecond), IsEmpty());
  EXPECT_THAT(After(kOddSecond), SizeIs(1));
}

TEST_F(OddBookTest, AClockThatIsSetBackMakesNoNews) {
  Told({Odd("node1")});
  now_ += 120 * kOddMinute;
  See({Odd("node1")});
  now_ -= kOddSecond;
  EXPECT_THAT(After(0), IsEmpty());
  EXPECT_THAT(After(kOddMinute), IsEmpty());
}

TEST_F(OddBookTest, AClockThatWasAheadBeforeAStartHoldsNothingUp) {
  Told({Odd("node1")});
  v1::NoticeOddOnes kept = book_.TakeChanges().put.at(0);
  kept.set_told_unix_ns(now_ + 1'000'000 * kOddMinute);
  OddBook after({.gather = 10 * kOddSecond, .apart = kOddMinute}, "hub1");
  after.Restore(kept);
  after.See({Odd("node1"), Odd("node2")}, now_);
  EXPECT_THAT(after.Due(now_ + 59 * kOddMinute), IsEmpty());
  EXPECT_THAT(after.Due(now_ + 60 * kOddMinute), SizeIs(1));
}

TEST_F(OddBookTest, WhoIsSilentOrWorkedOnIsNotToldAgain) {
  book_.SetRules({.gather = 10 * kOddSecond, .apart = kOddMinute, .repeat = 60 * kOddMinute});
  Told({Odd("node1"), Odd("node2")});
  now_ += 50 * kOddMinute;
  See({AsItWas("node1"), AsItWas("node2"), Odd("node2")});  // one of its ports was acknowledged
  const std::vector<v1::Notice> notices = After(10 * kOddMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_AGAIN);
  EXPECT_EQ(notices.front().hosts(), 1u);
  EXPECT_EQ(notices.front().named(0).name(), "node2");
  EXPECT_EQ(notices.front().left(), 2u);
  See({AsItWas("node1"), AsItWas("node2")});
  EXPECT_THAT(After(100 * kOddMinute), IsEmpty());
}

// The store may fail when a hub that was started again looks for the first time.
TEST_F(OddBookTest, NothingIsToldAgainBeforeTheHostsWereSeen) {
  Told({Odd("node1")});
  OddBook after({.gather = 10 * kOddSecond, .apart = kOddMinute, .repeat = 60 * kOddMinute}, "hub1");
  after.Restore(book_.TakeChanges().put.at(0));
  now_ += 60 * kOddMinute;
  EXPECT_THAT(after.Due(now_), IsEmpty());
  after.See({Odd("node1")}, now_);
  const std::vector<v1::Notice> notices = after.Due(now_);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_AGAIN);
}

}  // namespace
}  // namespace rdmaready::hub
