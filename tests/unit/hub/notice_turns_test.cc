// SPDX-License-Identifier: Apache-2.0
// What is told of a host that was told already: one more finding, that it is worse, and what maintenance and
// acknowledging do to that.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/hub/notice_book_rig.h"

namespace rdmaready::hub {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class NoticeTurnsTest : public NoticeBookRig {};

TEST_F(NoticeTurnsTest, OneMoreFindingOfHostsOfSeveralIncidentsNamesThem) {
  std::vector<std::string> told;
  for (int i = 0; i < 30; ++i) told.push_back(Told(NotReady(fmt::format("node{:02}", i))).incident());
  const auto one_more = [&](int hosts, const char* check) {
    for (int i = 0; i < hosts; ++i) See(NotReady(fmt::format("node{:02}", i), {Blocking(check)}));
    const std::vector<v1::Notice> notices = After(kMinute);
    EXPECT_THAT(notices, SizeIs(1));
    return notices.front();
  };
  const v1::Notice of_two = one_more(2, "mtu.c");
  EXPECT_EQ(of_two.incident(), "") << "it is of neither alone";
  EXPECT_THAT(of_two.incidents(), UnorderedElementsAre(told[0], told[1]));
  EXPECT_EQ(of_two.left(), 2u) << "of these incidents";
  const v1::Notice of_all = one_more(30, "link.d");
  EXPECT_EQ(of_all.incidents_size(), 20);
  EXPECT_EQ(of_all.left(), 30u);
}

TEST_F(NoticeTurnsTest, OneMoreFindingIsToldAlsoOfAHostThatWasReadyForAMoment) {
  Told(NotReady("node1", {Blocking("pfc.a")}));
  See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
  now_ += kSecond;
  See(Ready("node1"));
  now_ += kSecond;
  See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
  EXPECT_THAT(After(9 * kSecond), IsEmpty());
  const std::vector<v1::Notice> notices = After(kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().kind(), v1::NOTICE_KIND_FINDING);
  EXPECT_EQ(notices.front().named(0).check(), "mtu.c");
}

TEST_F(NoticeTurnsTest, OneMoreFindingIsNamedHoweverOftenTheHostIsSeen) {
  Told(NotReady("node1", {Blocking("pfc.a")}));
  std::vector<v1::Notice> notices;
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(notices, IsEmpty());
    See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
    notices = After(2 * kSecond);
  }
  ASSERT_THAT(notices, SizeIs(1)) << "it does not begin to wait anew";
  EXPECT_EQ(notices.front().named(0).check(), "mtu.c");
}

TEST_F(NoticeTurnsTest, AFindingThatIsOverBeforeItWasToldIsNotToldAndIsWhenItComesAgain) {
  Told(NotReady("node1", {Blocking("pfc.a")}));
  See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
  now_ += kSecond;
  See(NotReady("node1", {Blocking("pfc.a")}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
  See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
  EXPECT_THAT(After(10 * kSecond), SizeIs(1));
}

TEST_F(NoticeTurnsTest, WhatIsWorseIsOverByTheWordThatOpenedIt) {
  See(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  const v1::Notice opened = Told(Host("node2", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  See(NotReady("node1"));
  See(NotReady("node3"));
  std::vector<v1::Notice> notices = After(10 * kSecond);
  ASSERT_THAT(notices, SizeIs(2)) << "one of what is new, one of what is worse";
  EXPECT_EQ(notices[0].named(0).name(), "node3");
  EXPECT_EQ(notices[0].incident(), notices[0].notice_id());
  EXPECT_EQ(notices[1].named(0).name(), "node1");
  EXPECT_EQ(notices[1].state(), v1::NOTICE_STATE_OPEN);
  EXPECT_EQ(notices[1].incident(), opened.incident());
  EXPECT_EQ(notices[1].left(), 2u);
  See(Ready("node1"));
  See(Ready("node2"));
  notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(2)) << "one of each kind";
  EXPECT_EQ(notices[0].state(), v1::NOTICE_STATE_EASED);
  EXPECT_EQ(notices[1].state(), v1::NOTICE_STATE_OVER);
  for (const v1::Notice& notice : notices) EXPECT_EQ(notice.incident(), opened.incident());
}

TEST_F(NoticeTurnsTest, WorseIsToldAlsoOfAHostThatWasReadyForAMoment) {
  Told(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  See(NotReady("node1"));
  now_ += kSecond;
  See(Ready("node1"));
  now_ += kSecond;
  See(NotReady("node1"));
  now_ += 5 * kSecond;
  See(NotReady("node1"));
  const std::vector<v1::Notice> notices = After(5 * kSecond);
  ASSERT_THAT(notices, SizeIs(1)) << "it does not begin to wait anew";
  EXPECT_EQ(notices.front().kind(), v1::NOTICE_KIND_NOT_READY);
  See(NotReady("node1"));
  EXPECT_THAT(After(10 * kMinute), IsEmpty()) << "it was told";
}

TEST_F(NoticeTurnsTest, WorseThatIsOverBeforeItWasToldIsNotTold) {
  const v1::Notice opened = Told(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  See(NotReady("node1"));
  now_ += kSecond;
  See(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
  See(NotReady("node1"));
  now_ += kSecond;
  See(Ready("node1"));
  const std::vector<v1::Notice> notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().kind(), v1::NOTICE_KIND_UNDETERMINED) << "which is what was told";
  EXPECT_EQ(notices.front().incident(), opened.incident());
}

TEST_F(NoticeTurnsTest, WorseWithOtherFindingsIsOneNotice) {
  Told(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  EXPECT_EQ(Told(NotReady("node1", {Blocking("mtu.c"), Blocking("pfc.a")})).named(0).check(), "mtu.c");
  See(NotReady("node1", {Blocking("mtu.c"), Blocking("pfc.a")}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
}

TEST_F(NoticeTurnsTest, WhatWaitsWhenMaintenanceBeginsIsToldWhenThatIsOver) {
  Told(NotReady("node1", {Blocking("pfc.a")}));
  Told(Host("node2", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  WatchedHost one = NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")});
  WatchedHost two = NotReady("node2");
  See(one);
  See(two);
  now_ += kSecond;
  one.host.maintenance_until_unix_ns = now_ + 10 * kMinute;
  two.host.maintenance_until_unix_ns = now_ + 10 * kMinute;
  See(one);
  See(two);
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
  See(one);
  See(two);
  const std::vector<v1::Notice> notices = After(10 * kSecond);
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_EQ(notices[0].kind(), v1::NOTICE_KIND_NOT_READY);
  EXPECT_EQ(notices[0].named(0).name(), "node2");
  EXPECT_EQ(notices[1].kind(), v1::NOTICE_KIND_FINDING);
  EXPECT_EQ(notices[1].named(0).check(), "mtu.c");
}

TEST_F(NoticeTurnsTest, WhatIsAcknowledgedWhileItWaitsToBeToldAgainIsNotTold) {
  Told(NotReady("node1"));
  now_ += 60 * kMinute;
  See(NotReady("node1"));
  now_ += kSecond;
  See(NotReady("node1", {}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
}

}  // namespace
}  // namespace rdmaready::hub
