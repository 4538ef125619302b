// SPDX-License-Identifier: Apache-2.0
// The kernel's announcements of DCB writes themselves: tests/fabric/suite/watch_test.py.
#include "collectors/real/dcb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "api/base/clock.h"
#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/questions/listening.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

absl::StatusOr<DcbNotices> Listen(const LldpWait& wait) { return DcbNoticesQuestion{wait}.AskThisHost(); }

TEST(RoutingSockets, TheirPortIdsTellTheProcesses) {
  EXPECT_THAT(RoutingSocketOwners(
                  "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
                  "00000000d9b5a5b8 0   712        00000000 0        0        0     2        0        1\n"
                  "00000000d9b5a5b9 0   4194916    00000000 0        0        0     2        0        2\n"
                  "00000000d9b5a5b9 0   612        00000000 0        0        0     2        0        3\n"
                  "00000000d9b5a5ba 0   0          00000000 0        0        0     2        0        4\n"
                  "00000000d9b5a5bb 0   3221221473 00000000 0        0        0     2        0        5\n"
                  "00000000d9b5a5bc 16  99         00000000 0        0        0     2        0        6\n"
                  "00000000d9b5a5bd 0"),
              ElementsAre(612, 712));
  EXPECT_THAT(RoutingSocketOwners(""), IsEmpty());
}

TEST(RealDcb, ListensForAsLongAsItIsToldAndLeavesItselfOut) {
  const Clock::TimePoint begin = RealClock().Now();
  const absl::StatusOr<DcbNotices> heard = Listen({.longest = milliseconds(50)});
  EXPECT_GE(RealClock().Now() - begin, milliseconds(50));
  ASSERT_TRUE(heard.ok()) << Message(heard.status());
  EXPECT_GE(heard->listened_ms, 50U);
  EXPECT_FALSE(heard->lost);
  const auto self = static_cast<std::uint32_t>(::getpid());
  EXPECT_THAT(heard->residents, Not(Contains(testing::Field(&ProcessName::pid, self))));
}

TEST(RealDcb, StopsWhenItIsToldTo) {
  std::stop_source stop;
  std::jthread stopper([&stop] {
    std::this_thread::sleep_for(milliseconds(20));
    stop.request_stop();
  });
  const absl::StatusOr<DcbNotices> heard = Listen({.longest = std::chrono::hours(1), .stop = stop.get_token()});
  ASSERT_TRUE(heard.ok());
  EXPECT_LT(heard->listened_ms, 3'600'000U) << "not for the hour";
}

// Root may write to the group as the kernel does.
TEST(RealDcb, WhatDoesNotComeFromTheKernelIsNoAnnouncement) {
  const UniqueFd sender(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  sockaddr_nl group{};
  group.nl_family = AF_NETLINK;
  group.nl_groups = 1U << (RTNLGRP_DCB - 1);
  struct {
    nlmsghdr header;
    rtgenmsg body;
  } message{};
  message.header.nlmsg_len = sizeof message;
  message.header.nlmsg_type = RTM_SETDCB;
  const auto send = [&] {
    return ::sendto(sender.get(), &message, sizeof message, 0, reinterpret_cast<const sockaddr*>(&group),
                    sizeof group);
  };
  if (send() < 0 && errno == EPERM) GTEST_SKIP() << "needs CAP_NET_ADMIN";
  std::stop_source stop;
  absl::StatusOr<DcbNotices> heard;
  std::jthread listener(
      [&] { heard = Listen({.longest = std::chrono::minutes(1), .stop = stop.get_token()}); });
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(send());
    std::this_thread::sleep_for(milliseconds(2));
  }
  stop.request_stop();
  listener.join();
  ASSERT_TRUE(heard.ok());
  EXPECT_THAT(heard->notices, IsEmpty());
}

}  // namespace
}  // namespace rdmaready
