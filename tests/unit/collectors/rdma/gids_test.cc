// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/gids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

VerbsGid Slot(std::uint32_t port, std::uint32_t index, std::uint32_t type, std::uint32_t ifindex = 0) {
  VerbsGid gid{.port = port, .index = index, .type = type, .ifindex = ifindex};
  gid.raw[15] = 1;
  return gid;
}

const std::string kNdev = "/sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/";

TEST(GidType, FollowsFromTheNumberAndTheTransport) {
  EXPECT_EQ(GidTypeOf(0, Transport::kInfiniBand), GidType::kIb);
  EXPECT_EQ(GidTypeOf(0, Transport::kRoce), GidType::kRoceV1);
  EXPECT_EQ(GidTypeOf(1, Transport::kRoce), GidType::kRoceV1);
  EXPECT_EQ(GidTypeOf(2, Transport::kRoce), GidType::kRoceV2);
}

TEST(GidType, AnIwarpGidIsOfNoneOfTheKinds) { EXPECT_EQ(GidTypeOf(0, Transport::kIwarp), GidType::kUnknown); }

TEST(GidType, NumbersThatMakeNoSenseAreUnknown) {
  EXPECT_EQ(GidTypeOf(2, Transport::kInfiniBand), GidType::kUnknown);
  EXPECT_EQ(GidTypeOf(9, Transport::kRoce), GidType::kUnknown);
}

TEST(GidType, WithoutATransportOnlyTheUnambiguousNumbersCount) {
  const Fact<Transport> unknown;
  EXPECT_EQ(GidTypeOf(0, unknown), GidType::kUnknown);
  EXPECT_EQ(GidTypeOf(2, unknown), GidType::kRoceV2);
}

TEST(Gids, OnlyFilledSlotsOfThePortByIndex) {
  FakeHost host;
  const std::vector<VerbsGid> table = {Slot(1, 3, 2), Slot(2, 1, 2), Slot(1, 0, 1),
                                       VerbsGid{.port = 1, .index = 2}};
  const auto gids = ReadGids(host, ReadNetwork(host), "rxe0", 1, Transport::kRoce, table);
  ASSERT_TRUE(gids);
  ASSERT_EQ(gids->size(), 2U);
  EXPECT_EQ((*gids)[0].index, 0U);
  EXPECT_EQ((*gids)[0].type, GidType::kRoceV1);
  EXPECT_EQ((*gids)[1].index, 3U);
}

TEST(Gids, ANetdevIsNamedWhenIfindexAndSysfsAgree) {
  FakeHost host;
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(7, "eth0", 1500)));
  host.files[kNdev + "0"] = "eth0\n";
  host.files[kNdev + "1"] = "eth9\n";  // ifindex 7 of another network namespace
  const auto gids = ReadGids(host, ReadNetwork(host), "rxe0", 1, Transport::kRoce,
                             std::vector<VerbsGid>{Slot(1, 0, 2, 7), Slot(1, 1, 2, 7)});
  ASSERT_TRUE(gids);
  EXPECT_EQ((*gids)[0].netdev, "eth0");
  EXPECT_EQ((*gids)[1].netdev, "");
}

TEST(Gids, ANetdevThatWentAwayLeavesTheGidWithoutAName) {
  FakeHost host;
  host.files[kNdev + "0"] = "eth0\n";
  const auto gids =
      ReadGids(host, ReadNetwork(host), "rxe0", 1, Transport::kRoce, std::vector<VerbsGid>{Slot(1, 0, 2, 7)});
  ASSERT_TRUE(gids);
  EXPECT_EQ((*gids)[0].netdev, "");
}

TEST(Gids, ATableThatMayNotBeReadIsDenied) {
  FakeHost host;
  const auto gids = ReadGids(host, ReadNetwork(host), "rxe0", 1, Transport::kRoce,
                             ErrnoStatus(EACCES, "open verbs device rxe0"));
  EXPECT_EQ(gids.missing(), (Missing{Missing::Kind::kDenied, "open verbs device rxe0: Permission denied"}));
}

TEST(Verbs, AreNotThereBeforeUverbsIsLoaded) {
  FakeHost host;
  EXPECT_EQ(Message(VerbsThere(host)), "look at /sys/class/infiniband_verbs: ib_uverbs is not loaded");
  host.directories["/sys/class/infiniband_verbs"] = std::vector<std::string>{"abi_version"};
  EXPECT_TRUE(VerbsThere(host).ok());
}

}  // namespace
}  // namespace rdmaready
