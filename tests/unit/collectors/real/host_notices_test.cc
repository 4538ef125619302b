// SPDX-License-Identifier: Apache-2.0
// The kernel's own notices: of a network namespace that the test makes, where it may.
#include "collectors/real/host_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <thread>

#include "api/base/status.h"
#include "collectors/real/dcb_suspects.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::Field;
using testing::IsEmpty;

std::unique_ptr<HostNotices> Opened() {
  absl::StatusOr<std::unique_ptr<HostNotices>> opened = HostNotices::Open();
  EXPECT_TRUE(opened.ok()) << Message(opened.status());
  return opened.ok() ? *std::move(opened) : nullptr;
}

// Until something was heard, or for a second.
HeardNotices HearSoon(HostNotices& notices) {
  return notices.Wait(RealClock().Now() + std::chrono::seconds(1));
}

// On a thread with a network namespace of its own; false: that is not permitted here.
bool InOwnNetwork(const std::function<void()>& body) {
  bool made = false;
  std::thread([&] {
    made = ::unshare(CLONE_NEWNET) == 0;
    if (made) body();
  }).join();
  return made;
}

void SetMtu(int mtu) {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_mtu = mtu;
  ASSERT_EQ(::ioctl(socket.get(), SIOCSIFMTU, &request), 0);
}

TEST(HostNotices, WaitsUntilItIsWokenAndHearsNothing) {
  bool waited = false;
  const bool made = InOwnNetwork([&] {
    const std::unique_ptr<HostNotices> notices = Opened();
    ASSERT_NE(notices, nullptr);
    std::jthread waker([&] {
      std::this_thread::sleep_for(milliseconds(20));
      notices->Wake();
    });
    EXPECT_TRUE(notices->Wait().empty());
    const auto begin = RealClock().Now();
    EXPECT_TRUE(notices->Wait(begin + milliseconds(30)).empty());
    EXPECT_GE(RealClock().Now() - begin, milliseconds(30)) << "a wake-up counts once";
    waited = true;
  });
  if (!made) GTEST_SKIP() << "no network namespace may be made here";
  EXPECT_TRUE(waited);
}

TEST(HostNotices, ALinkOfThisNamespaceThatChangesIsHeard) {
  const bool made = InOwnNetwork([&] {
    const std::unique_ptr<HostNotices> notices = Opened();
    ASSERT_NE(notices, nullptr);
    SetMtu(1400);
    const HeardNotices heard = HearSoon(*notices);
    EXPECT_THAT(heard.subjects, Contains(Field(&HeardSubject::last, Field(&HostNotice::name, "lo"))));
  });
  if (!made) GTEST_SKIP() << "no network namespace may be made here";
}

TEST(HostNotices, TenThousandChangesAreOneSubjectHoweverManyTheKernelCouldKeep) {
  const bool made = InOwnNetwork([&] {
    const std::unique_ptr<HostNotices> notices = Opened();
    ASSERT_NE(notices, nullptr);
    NoticeTable all;
    for (int i = 0; i < 10'000; ++i) {
      SetMtu(1400 + i % 2);
      if (i % 1000 == 999) all.Add(notices->Take());
    }
    for (int i = 0; i < 1000; ++i) {
      const HeardNotices rest = notices->Take();
      if (rest.empty()) break;
      all.Add(rest);
    }
    const HeardNotices heard = all.Take();
    EXPECT_LE(heard.subjects.size(), 2U) << "the link, and its sysctls or addresses";
    EXPECT_THAT(heard.lost, Contains(NoticeKind::kLink)) << "a thousand are more than a socket holds";
  });
  if (!made) GTEST_SKIP() << "no network namespace may be made here";
}

// Root may write to the group as the kernel does.
TEST(HostNotices, WhatDoesNotComeFromTheKernelIsNoNotice) {
  const bool made = InOwnNetwork([&] {
    const std::unique_ptr<HostNotices> notices = Opened();
    ASSERT_NE(notices, nullptr);
    const UniqueFd sender(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    sockaddr_nl group{};
    group.nl_family = AF_NETLINK;
    group.nl_groups = 1U << (RTNLGRP_LINK - 1);
    struct {
      nlmsghdr header;
      ifinfomsg body;
    } message{};
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = RTM_NEWLINK;
    message.body.ifi_index = 1;
    if (::sendto(sender.get(), &message, sizeof message, 0, reinterpret_cast<const sockaddr*>(&group),
                 sizeof group) < 0) {
      return;  // that takes CAP_NET_ADMIN
    }
    EXPECT_TRUE(notices->Wait(RealClock().Now() + milliseconds(50)).empty());
  });
  if (!made) GTEST_SKIP() << "no network namespace may be made here";
}

TEST(DcbSuspects, AProcessBeganWhenItsStatSays) {
  EXPECT_EQ(StartTicksOf("712 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21"), 4711U);
  EXPECT_EQ(StartTicksOf("712 (dcb) S 1 2"), std::nullopt);
  EXPECT_EQ(StartTicksOf(""), std::nullopt);
}

TEST(DcbSuspects, ThisProcessIsNone) {
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto self = static_cast<std::uint32_t>(::getpid());
  EXPECT_THAT(DcbSuspectsNow(), testing::Not(Contains(Field(&ProcessName::pid, self))));
}

}  // namespace
}  // namespace rdmaready
