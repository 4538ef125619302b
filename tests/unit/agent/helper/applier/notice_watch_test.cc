// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/notice_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace rdmaready::helper {
namespace {

using testing::HasSubstr;
using testing::Optional;

HeardSubject WrittenBy(std::vector<std::uint32_t> sequences, const std::string& netdev = "dcb0") {
  return {.last = {.kind = NoticeKind::kDcb, .name = netdev},
          .times = sequences.size(),
          .sequences = std::move(sequences)};
}

class NoticeWatchTest : public testing::Test {
 protected:
  NoticeWatchTest() { watch_.Begin(); }

  HeardNotices next_{};
  NoticeWatch watch_{[this] { return std::exchange(next_, {}); }};
};

TEST_F(NoticeWatchTest, OurOwnWritesAreNotForeign) {
  for (std::uint32_t sequence = 1; sequence <= 1000; ++sequence) {
    watch_.Own({.port_id = 7, .sequence = sequence});
    next_.subjects = {WrittenBy({sequence})};
    EXPECT_EQ(watch_.Foreign(), std::nullopt) << sequence;
  }
}

TEST_F(NoticeWatchTest, AWriteBesideOursIsForeignAndNamesThePortAndWhoItMayBe) {
  watch_.Own({.sequence = 5});
  next_.subjects = {WrittenBy({5, 1'700'000'000})};
  next_.subjects.front().suspects = {{.pid = 77, .name = "dcb"}};
  EXPECT_THAT(
      watch_.Foreign(),
      Optional(std::string("DCB settings of dcb0 were written by somebody else, perhaps by dcb (process 77)")));
}

TEST_F(NoticeWatchTest, TheFirstForeignOneIsToldUntilTheNextChangeBegins) {
  next_.subjects = {WrittenBy({9}, "dcb1")};
  EXPECT_THAT(watch_.Foreign(), Optional(HasSubstr("dcb1")));
  EXPECT_THAT(watch_.Foreign(), Optional(HasSubstr("dcb1")));
  watch_.Begin();
  EXPECT_EQ(watch_.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, AWriteToANetdevThatTheChangeDoesNotTouchIsNone) {
  watch_.Only({"dcb0"});
  next_.subjects = {WrittenBy({9}, "dcb1")};
  EXPECT_EQ(watch_.Foreign(), std::nullopt);
  next_.subjects = {WrittenBy({9}, "dcb0")};
  EXPECT_THAT(watch_.Foreign(), Optional(HasSubstr("dcb0")));
  watch_.Begin();
  next_.subjects = {WrittenBy({9}, "dcb1")};
  EXPECT_THAT(watch_.Foreign(), Optional(HasSubstr("dcb1")));
}

TEST_F(NoticeWatchTest, WhatWasAnnouncedBeforeIsNotOfThisChange) {
  next_.subjects = {WrittenBy({9})};
  watch_.Begin();
  EXPECT_EQ(watch_.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, NorWhatTakesManyLooks) {
  int waiting = 40;
  const auto look = [&waiting] {
    return waiting-- > 0 ? HeardNotices{.subjects = {WrittenBy({9})}} : HeardNotices{};
  };
  NoticeWatch watch(look);
  watch.Begin();
  EXPECT_EQ(watch.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, AFloodThatGoesOnIsForeign) {
  NoticeWatch watch([] { return HeardNotices{.subjects = {WrittenBy({9})}}; });
  watch.Begin();
  EXPECT_THAT(watch.Foreign(), Optional(HasSubstr("dcb0")));
}

TEST_F(NoticeWatchTest, ANumberOfAnEarlierChangeIsNotOurs) {
  watch_.Own({.sequence = 5});
  watch_.Begin();
  next_.subjects = {WrittenBy({5})};
  EXPECT_NE(watch_.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, ANoticeOfADriverWithoutANumberIsNobodys) {
  next_.subjects = {WrittenBy({0})};
  EXPECT_EQ(watch_.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, WhatWasLostIsForeign) {
  next_.lost = {NoticeKind::kDcb};
  EXPECT_THAT(watch_.Foreign(), Optional(HasSubstr("were lost")));
  watch_.Begin();
  next_.subjects = {WrittenBy({})};
  next_.subjects.front().all_sequences = false;
  EXPECT_NE(watch_.Foreign(), std::nullopt);
}

TEST_F(NoticeWatchTest, WhatIsNoDcbTellsNothingOfAWriter) {
  next_.subjects = {{.last = {.kind = NoticeKind::kLink, .ifindex = 3, .name = "dcb0"}}};
  next_.lost = {NoticeKind::kLink};
  EXPECT_EQ(watch_.Foreign(), std::nullopt);
}

}  // namespace
}  // namespace rdmaready::helper
