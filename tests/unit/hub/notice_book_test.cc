// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notice_book.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/hub/notice_book_rig.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class NoticeBookTest : public NoticeBookRig {};

TEST_F(NoticeBookTest, WhoLooksOnceMoreBeforeItIsToldTellsNothingOld) {
  See(NotReady("node1"));
  now_ += 9 * kSecond;
  EXPECT_FALSE(book_.HasDue(now_));
  now_ += kSecond;
  EXPECT_TRUE(book_.HasDue(now_));
  See(NotReady("node1", {}));  // acknowledged meanwhile
  EXPECT_FALSE(book_.HasDue(now_));
  EXPECT_THAT(After(kSecond), IsEmpty());
}

TEST_F(NoticeBookTest, HostsOfOneGroupAreOneNotice) {
  for (int i = 0; i < 320; ++i) See(NotReady(fmt::format("node{:03}", i)));
  EXPECT_THAT(After(9 * kSecond), IsEmpty()) << "others may come";
  const std::vector<v1::Notice> notices = After(kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  const v1::Notice& notice = notices.front();
  EXPECT_EQ(notice.hosts(), 320u);
  EXPECT_EQ(notice.left(), 320u);
  ASSERT_EQ(notice.named_size(), 20);
  EXPECT_EQ(notice.named(0).name(), "node000");
  ASSERT_EQ(notice.checks_size(), 1);
  EXPECT_EQ(notice.checks(0).hosts(), 320u);
  EXPECT_EQ(
      notice.text(),
      "320 hosts of storage are not ready: pfc.a (320); node000, node001, node002, node003, node004, ...");
  for (int i = 0; i < 320; ++i) See(NotReady(fmt::format("node{:03}", i)));
  EXPECT_THAT(After(10 * kMinute), IsEmpty()) << "it was told";
}

TEST_F(NoticeBookTest, TheNextOneOfAKindAndGroupComesLater) {
  Told(NotReady("node1"));
  now_ -= kMinute;
  See(NotReady("node2"));
  EXPECT_THAT(After(30 * kSecond), IsEmpty());
  See(NotReady("node3"));
  const std::vector<v1::Notice> notices = After(30 * kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().hosts(), 2u);
}

TEST_F(NoticeBookTest, WhatIsOverIsToldWithItsIncidentOnceItHasBeenSo) {
  const v1::Notice opened = Told(NotReady("node1"));
  See(Ready("node1"));
  EXPECT_THAT(After(59 * kSecond), IsEmpty());
  const std::vector<v1::Notice> notices = After(kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_OVER);
  EXPECT_EQ(notices.front().incident(), opened.incident());
  EXPECT_EQ(notices.front().text(), "node1 of storage is ready again");
  EXPECT_THAT(book_.TakeChanges().dropped,
              ElementsAre(NoticeBook::Key{"id-node1", NoticeBook::Axis::kVerdict}));
}

TEST_F(NoticeBookTest, AnIncidentEasesAndThenIsOver) {
  See(NotReady("node1"));
  See(NotReady("node2"));
  ASSERT_THAT(After(10 * kSecond), SizeIs(1));
  See(Ready("node1"));
  std::vector<v1::Notice> notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_EASED);
  EXPECT_EQ(notices.front().text(), "node1 of storage is ready again; 1 is not");
  See(Ready("node2"));
  notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_OVER);
}

TEST_F(NoticeBookTest, HostsThatAreWellAgainOneAfterTheOtherAreOneNotice) {
  for (const char* name : {"node1", "node2", "node3"}) See(NotReady(name));
  ASSERT_THAT(After(10 * kSecond), SizeIs(1));
  for (const char* name : {"node1", "node2", "node3"}) {
    See(Ready(name));
    EXPECT_THAT(After(12 * kSecond), IsEmpty());
  }
  EXPECT_THAT(After(35 * kSecond), IsEmpty()) << "the third is well for 47 seconds";
  const std::vector<v1::Notice> notices = After(13 * kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_OVER);
  EXPECT_EQ(notices.front().hosts(), 3u);
}

TEST_F(NoticeBookTest, EndsThatGoOnForLongDoNotWaitForEachOther) {
  for (int i = 0; i < 40; ++i) See(NotReady(fmt::format("node{:02}", i)));
  ASSERT_THAT(After(10 * kSecond), SizeIs(1));
  std::vector<v1::Notice> notices;
  int well = 0;
  while (notices.empty() && well < 40) {
    See(Ready(fmt::format("node{:02}", well++)));
    notices = After(10 * kSecond);
  }
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(well, 11) << "a minute, and five times ten seconds, after the first";
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_EASED);
  EXPECT_EQ(notices.front().hosts(), 6u) << "those that are well for a minute";
}

TEST_F(NoticeBookTest, AClockThatIsSetBackHoldsNothingUp) {
  Told(NotReady("node1"));
  now_ -= kMinute;
  See(NotReady("node2"));
  now_ -= 120 * kMinute;
  EXPECT_THAT(After(0), IsEmpty());
  EXPECT_THAT(After(kMinute), SizeIs(1)) << "as long after the one before as without it";
  now_ -= 120 * kMinute;
  See(Ready("node1"));
  now_ -= 120 * kMinute;
  EXPECT_THAT(After(0), IsEmpty());
  EXPECT_THAT(After(59 * kSecond), IsEmpty());
  EXPECT_THAT(After(kSecond), SizeIs(1));
}

TEST_F(NoticeBookTest, AHostThatGoesToAndFroIsToldOnce) {
  Told(NotReady("node1"));
  for (int i = 0; i < 20; ++i) {
    See(Ready("node1"));
    EXPECT_THAT(After(20 * kSecond), IsEmpty());
    See(NotReady("node1"));
    EXPECT_THAT(After(20 * kSecond), IsEmpty());
  }
}

TEST_F(NoticeBookTest, WhatIsOverBeforeItWasToldIsNotTold) {
  See(NotReady("node1"));
  now_ += 5 * kSecond;
  See(Ready("node1"));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
  EXPECT_THAT(book_.TakeChanges().put, IsEmpty());
}

TEST_F(NoticeBookTest, OneMoreFindingIsToldOnce) {
  const v1::Notice opened = Told(NotReady("node1", {Blocking("pfc.a"), Blocking("link.b")}));
  See(NotReady("node1", {Blocking("pfc.a"), Blocking("mtu.c")}));
  const std::vector<v1::Notice> notices = After(10 * kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().kind(), v1::NOTICE_KIND_FINDING);
  EXPECT_EQ(notices.front().incident(), opened.incident());
  EXPECT_EQ(notices.front().incidents_size(), 0);
  EXPECT_EQ(notices.front().named(0).check(), "mtu.c");
  for (int i = 0; i < 5; ++i) {
    See(NotReady("node1", {Blocking("link.b")}));
    EXPECT_THAT(After(kMinute), IsEmpty());
    See(NotReady("node1", {Blocking("link.b"), Blocking("mtu.c")}));
    EXPECT_THAT(After(kMinute), IsEmpty());
  }
}

TEST_F(NoticeBookTest, WhatIsAcknowledgedIsNotToldAndNotTime) {
  See(NotReady("node1", {}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty()) << "it was acknowledged";
  See(NotReady("node2"));
  now_ += kSecond;
  See(NotReady("node2", {}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty()) << "it was acknowledged meanwhile";
  Told(NotReady("node3"));
  now_ += 2 * 60 * kMinute;
  See(NotReady("node3", {}));
  EXPECT_THAT(After(kMinute), IsEmpty()) << "nor is it told again";
}

TEST_F(NoticeBookTest, WhatHoldsIsToldAgain) {
  const v1::Notice opened = Told(NotReady("node1"));
  now_ += 60 * kMinute;
  See(NotReady("node1"));
  const std::vector<v1::Notice> notices = After(10 * kSecond);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_AGAIN);
  EXPECT_EQ(notices.front().incident(), opened.incident());
  See(NotReady("node1"));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
  now_ -= 1'000 * kMinute;
  for (int i = 0; i < 60; ++i) {
    See(NotReady("node1"));
    EXPECT_THAT(After(kMinute), IsEmpty());
  }
  See(NotReady("node1"));
  EXPECT_THAT(After(10 * kSecond), SizeIs(1)) << "a clock that is set back keeps it for one `repeat` at most";
}

TEST_F(NoticeBookTest, OfHostsInMaintenanceNothingIsToldUntilItIsOver) {
  WatchedHost host = NotReady("node1");
  host.host.maintenance_until_unix_ns = now_ + 60 * kMinute;
  See(host);
  EXPECT_THAT(After(30 * kMinute), IsEmpty());
  const v1::Notice told = Told(NotReady("node2"));
  WatchedHost well = Ready("node2");
  well.host.maintenance_until_unix_ns = now_ + 10 * kMinute;
  See(well);
  EXPECT_THAT(After(9 * kMinute), IsEmpty());
  now_ += kMinute;
  See(well);
  const std::vector<v1::Notice> notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1)) << "who was told that it began is told that it is over";
  EXPECT_EQ(notices.front().incident(), told.incident());
}

TEST_F(NoticeBookTest, SilenceIsAThingOfItsOwn) {
  Told(NotReady("node1"));
  const v1::Notice silent = Told(Silent("node1"));
  EXPECT_EQ(silent.kind(), v1::NOTICE_KIND_SILENT);
  EXPECT_EQ(silent.text(), "node1 of storage is silent");
  See(NotReady("node1"));
  const std::vector<v1::Notice> notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1)) << "that it is not ready was told";
  EXPECT_EQ(notices.front().incident(), silent.incident());
  EXPECT_EQ(notices.front().text(), "node1 of storage is heard again");
}

TEST_F(NoticeBookTest, WorseIsToldAndBetterThatIsNotWellIsNot) {
  Told(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  EXPECT_EQ(Told(NotReady("node1")).kind(), v1::NOTICE_KIND_NOT_READY);
  See(Host("node1", HostCondition::kUndetermined, {Blocking("pfc.a")}));
  EXPECT_THAT(After(10 * kMinute), IsEmpty());
}

TEST_F(NoticeBookTest, OfWhoIsRevokedItIsOverWithoutHisBeingReady) {
  for (const char* name : {"node1", "node2", "node3"}) See(NotReady(name));
  ASSERT_THAT(After(10 * kSecond), SizeIs(1));
  See(Host("node1", HostCondition::kRevoked));
  std::vector<v1::Notice> notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().state(), v1::NOTICE_STATE_EASED);
  EXPECT_EQ(notices.front().named(0).observed(), "revoked");
  EXPECT_EQ(notices.front().text(), "node1 of storage was revoked; 2 are left");
  See(Ready("node2"));
  See(Ready("node3"));
  now_ += kSecond;
  See(Host("node3", HostCondition::kRevoked));
  notices = After(kMinute);
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_EQ(notices[0].text(), "node2 of storage is ready again; 1 is not");
  EXPECT_EQ(notices[1].text(), "node3 of storage was revoked");
  EXPECT_EQ(notices[1].state(), v1::NOTICE_STATE_OVER);
}

TEST_F(NoticeBookTest, WhatWasKeptIsNotToldAgain) {
  const v1::Notice opened = Told(NotReady("node1"));
  const NoticeBook::Changes changes = book_.TakeChanges();
  ASSERT_THAT(changes.put, SizeIs(1));
  NoticeBook after({.gather = 10 * kSecond, .apart = kMinute}, "hub1");
  after.Restore(changes.put.front());
  after.See(NotReady("node1"), now_);
  EXPECT_THAT(after.Due(now_ + 10 * kMinute), IsEmpty());
  after.See(Ready("node1"), now_ + 10 * kMinute);
  const std::vector<v1::Notice> notices = after.Due(now_ + 11 * kMinute);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(notices.front().incident(), opened.incident());
}

TEST_F(NoticeBookTest, WhatWasNotKeptIsAmongTheNextChanges) {
  Told(NotReady("node1"));
  const NoticeBook::Changes changes = book_.TakeChanges();
  EXPECT_THAT(book_.TakeChanges().put, IsEmpty());
  book_.Untake(changes);
  EXPECT_THAT(book_.TakeChanges().put, SizeIs(1));
}

}  // namespace
}  // namespace rdmaready::hub
