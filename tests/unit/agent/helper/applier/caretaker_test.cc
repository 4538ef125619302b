// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/caretaker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

namespace rdmaready::helper {
namespace {

HeardNotices Heard(HostNotice notice) { return {.subjects = {{.last = std::move(notice), .times = 1}}}; }

HostNotice Link(std::uint32_t ifindex, bool gone = false) {
  return {.kind = NoticeKind::kLink, .ifindex = ifindex, .name = "dcb0", .gone = gone};
}

TEST(NoticeReader, ANetdevThatIsMadeAnewHasAppeared) {
  NoticeReader reader;
  EXPECT_TRUE(reader.Read(Heard(Link(3))).appeared);
  EXPECT_FALSE(reader.Read(Heard(Link(3))).appeared) << "it only changed";
  EXPECT_FALSE(reader.Read(Heard(Link(3, true))).appeared);
  EXPECT_TRUE(reader.Read(Heard(Link(3))).appeared) << "a number may be given again";
  EXPECT_TRUE(reader.Read(Heard(Link(4))).appeared);
}

TEST(NoticeReader, ANetdevUnderAnotherNameHasAppeared) {
  NoticeReader reader;
  HostNotice link{.kind = NoticeKind::kLink, .ifindex = 3, .name = "eth0"};
  EXPECT_TRUE(reader.Read(Heard(link)).appeared);
  EXPECT_FALSE(reader.Read(Heard(link)).appeared);
  link.name = "ens1f0";
  EXPECT_TRUE(reader.Read(Heard(link)).appeared);
  EXPECT_FALSE(reader.Read(Heard(link)).appeared);
}

TEST(NoticeReader, AnRdmaDeviceThatComesHasAppeared) {
  NoticeReader reader;
  EXPECT_TRUE(reader.Read(Heard({.kind = NoticeKind::kRdma, .name = "rxe0"})).appeared);
  EXPECT_FALSE(reader.Read(Heard({.kind = NoticeKind::kRdma, .name = "rxe0", .gone = true})).appeared);
}

TEST(NoticeReader, ASettingThatWasWrittenMayHaveToBePutBack) {
  NoticeReader reader;
  for (const NoticeKind kind :
       {NoticeKind::kDcb, NoticeKind::kAddress, NoticeKind::kNetconf, NoticeKind::kEthtool}) {
    const NoticeReader::Reasons reasons = reader.Read(Heard({.kind = kind, .ifindex = 3, .name = "dcb0"}));
    EXPECT_TRUE(reasons.changed);
    EXPECT_FALSE(reasons.appeared);
  }
  EXPECT_FALSE(reader.Read({}).changed);
}

TEST(NoticeReader, WhatWasLostMayHaveBeenAnything) {
  NoticeReader reader;
  const NoticeReader::Reasons reasons = reader.Read({.lost = {NoticeKind::kEthtool}});
  EXPECT_TRUE(reasons.appeared);
  EXPECT_TRUE(reasons.changed);
}

TEST(DeviceLooks, AStreamOfNewNetdevsDoesNotMoveTheFirstLook) {
  using namespace std::chrono_literals;
  DeviceLooks looks(300ms, 5s);
  const DeviceLooks::Time begin{1h};
  std::vector<std::chrono::milliseconds> looked;
  for (std::chrono::milliseconds at{}; at < 12s; at += 100ms) {
    looks.Appeared(begin + at);
    if (looks.TakeDue(begin + at)) looked.push_back(at);
  }
  ASSERT_GE(looked.size(), 10U);
  EXPECT_EQ(looked.front(), 300ms);
  for (std::size_t i = 1; i < looked.size(); ++i) EXPECT_LE(looked[i] - looked[i - 1], 400ms);
}

TEST(DeviceLooks, ADeviceThatComesBetweenTheTwoLooksHasBothOfItsOwn) {
  using namespace std::chrono_literals;
  DeviceLooks looks(300ms, 5s);
  const DeviceLooks::Time begin{1h};
  looks.Appeared(begin);
  EXPECT_TRUE(looks.TakeDue(begin + 300ms));
  looks.Appeared(begin + 4900ms);
  EXPECT_TRUE(looks.TakeDue(begin + 5s));
  EXPECT_EQ(looks.Next(), begin + 5200ms);
  EXPECT_TRUE(looks.TakeDue(begin + 5200ms));
  EXPECT_EQ(looks.Next(), begin + 9900ms);
  EXPECT_TRUE(looks.TakeDue(begin + 9900ms));
  EXPECT_EQ(looks.Next(), std::nullopt);
}

}  // namespace
}  // namespace rdmaready::helper
