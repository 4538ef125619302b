// SPDX-License-Identifier: Apache-2.0
#include "collectors/refresh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "collectors/collect.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

const Netdev& OnlyNetdev(const Facts& facts) { return *facts.ports->front().netdev; }

TEST(Refresh, ReadsTheNamedNetdevAgain) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(7, "dcb0", 1500, "dcbnic")));
  host.Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "dcb0", 1500, "dcbnic")));
  const Facts after = Refresh(host, {.netdevs = {7}}, before);
  EXPECT_EQ(OnlyNetdev(before).mtu_bytes, 9000U);
  EXPECT_EQ(OnlyNetdev(after).mtu_bytes, 1500U);
}

TEST(Refresh, WhatNothingHappenedToIsAsAWholeReadingHasIt) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  EXPECT_EQ(Refresh(host, {.every_netdev = true}, before), before);
}

TEST(Refresh, AsksNothingOfTheDeviceAndTheHost) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.asked.clear();
  Refresh(host, {.netdevs = {7}}, before);
  EXPECT_FALSE(host.asked.empty());
  for (const std::string& question : host.asked) {
    EXPECT_EQ(question.find("rxe0"), std::string::npos) << question;
    EXPECT_EQ(question.find("verbs"), std::string::npos) << question;
  }
}

TEST(Refresh, ANetdevOfNoPortIsNotRead) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.Answer(wire::DcbRequest("dcb0"), ErrnoStatus(EIO, "ask dcbnl"));
  EXPECT_EQ(Refresh(host, {.netdevs = {99}}, before), before);
}

TEST(Refresh, ANetdevThatIsGoneIsNotKnown) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.Answer(wire::LinksRequest(), std::vector<NetlinkMessage>{});
  host.Answer(wire::LinkRequest(7), ErrnoStatus(ENODEV, "ask rtnetlink GETLINK"));
  EXPECT_FALSE(Refresh(host, {.netdevs = {7}}, before).ports->front().netdev);
}

TEST(Refresh, ADeviceThatCameBackUnderAnotherIfindexIsReadAnew) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, 8)));
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(8, "dcb0", 9000, "dcbnic")));
  host.Answer(wire::LinkRequest(8), wire::One(wire::Link(8, "dcb0", 9000, "dcbnic")));
  host.files["/sys/class/net/dcb0/ifindex"] = "8\n";
  const Facts after = Refresh(host, {.devices = true}, before);
  EXPECT_EQ(OnlyNetdev(after).ifindex, 8U);
  EXPECT_THAT(NetdevsOfPorts(after), ElementsAre(8));
}

TEST(Refresh, TheSameDevicesAreNotReadAgain) {
  FakeHost host = GoodFakeHost();
  const Facts before = CollectFacts(host);
  host.files["/proc/sys/kernel/hostname"] = "other\n";
  EXPECT_EQ(Refresh(host, {.devices = true}, before).hostname, "node1");
  EXPECT_EQ(Refresh(host, {.everything = true}, before).hostname, "other");
}

}  // namespace
}  // namespace rdmaready
