// SPDX-License-Identifier: Apache-2.0
#include "collectors/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/good_fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Port OnlyPort(const Facts& facts) {
  if (!facts.ports || facts.ports->size() != 1) {
    ADD_FAILURE() << "not exactly one port";
    return {};
  }
  return facts.ports->front();
}

TEST(Collect, AHostThatAnswersLeavesNoGap) {
  FakeHost host = GoodHost();
  const Facts facts = CollectFacts(host);
  EXPECT_EQ(facts.hostname, "node1");
  EXPECT_EQ(facts.machine_id, "0123");
  EXPECT_EQ(facts.kernel->release, "6.12.1");
  EXPECT_EQ(*facts.rdma_stack, RdmaStack::kLoaded);
  EXPECT_EQ(facts.memlock->limit_bytes, Memlock::kUnlimited);
  const Port port = OnlyPort(facts);
  EXPECT_EQ(PortName(port), "rxe0/1");
  EXPECT_EQ(*port.transport, Transport::kRoce);
  EXPECT_TRUE(*port.software);
  EXPECT_EQ(port.firmware.missing().detail, "a software device has no firmware");
  EXPECT_EQ(*port.state, PortState::kActive);
  EXPECT_EQ(*port.phys_state, 5);
  EXPECT_EQ(*port.active_mtu_bytes, 1024U);
  EXPECT_EQ(*port.max_mtu_bytes, 4096U);
  ASSERT_EQ(port.gids->size(), 1U);
  EXPECT_EQ(port.gids->front().type, GidType::kRoceV2);
  EXPECT_EQ(port.gids->front().netdev, "dcb0");
  EXPECT_EQ(*port.cm_default_mode, GidType::kRoceV2);
  EXPECT_EQ(*port.cm_default_tos, 0);
  EXPECT_EQ(port.netdev->driver, "dcbnic");
  EXPECT_EQ(port.netdev->dcb.pfc->enabled, 8);
}

TEST(Collect, AHostThatAnswersNothingIsAllGapsAndNoCrash) {
  FakeHost host;
  const Facts facts = CollectFacts(host);
  EXPECT_FALSE(facts.kernel);
  EXPECT_FALSE(facts.rdma_stack);
  EXPECT_FALSE(facts.memlock);
  EXPECT_FALSE(facts.ports);
}

TEST(Collect, WithoutAnRdmaStackThereAreNoPortsAndRdmaNetlinkIsNotTouched) {
  FakeHost host = GoodHost();
  host.directories.erase("/sys/class/infiniband");
  for (const char* modules : {"", "kernel/drivers/infiniband/core/ib_core.ko:\n"}) {
    host.files["/lib/modules/6.12.1/modules.dep"] = std::string(modules);
    const Facts facts = CollectFacts(host);
    EXPECT_EQ(*facts.rdma_stack, *modules == '\0' ? RdmaStack::kAbsent : RdmaStack::kNotLoaded);
    ASSERT_TRUE(facts.ports);
    EXPECT_THAT(*facts.ports, IsEmpty());
  }
  EXPECT_FALSE(host.Asked("netlink"));
  EXPECT_FALSE(host.Asked("verbs"));
  EXPECT_FALSE(host.Asked("rdma_cm"));
}

TEST(Collect, ALoadedStackWithoutDevicesHasAnEmptyListOfPorts) {
  FakeHost host = GoodHost();
  host.Answer(wire::DevicesRequest(), std::vector<NetlinkMessage>{});
  const Facts facts = CollectFacts(host);
  EXPECT_EQ(*facts.rdma_stack, RdmaStack::kLoaded);
  ASSERT_TRUE(facts.ports);
  EXPECT_THAT(*facts.ports, IsEmpty());
}

TEST(Collect, DevicesThatCannotBeListedAreAGapAndNotAnEmptyList) {
  FakeHost host = GoodHost();
  host.Answer(wire::DevicesRequest(), ErrnoStatus(EPERM, "list by RDMA netlink command 1"));
  EXPECT_EQ(CollectFacts(host).ports.missing().kind, Missing::Kind::kDenied);
}

TEST(Collect, WithoutUverbsLibibverbsIsNotAskedBecauseThatWouldLoadIt) {
  FakeHost host = GoodHost();
  host.directories.erase("/sys/class/infiniband_verbs");
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_FALSE(host.Asked("verbs"));
  EXPECT_THAT(port.gids.missing().detail, HasSubstr("ib_uverbs is not loaded"));
  EXPECT_THAT(port.active_mtu_bytes.missing().detail, HasSubstr("ib_uverbs is not loaded"));
  EXPECT_EQ(*port.state, PortState::kActive);
}

TEST(Collect, APortWithoutANetdevHereSaysSo) {
  FakeHost host = GoodHost();
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, std::nullopt)));
  EXPECT_EQ(OnlyPort(CollectFacts(host)).netdev.missing(),
            (Missing{Missing::Kind::kUnsupported, "port has no netdev in this network namespace"}));
}

TEST(Collect, AnInfiniBandPortHasNoNetdevByNature) {
  FakeHost host = GoodHost();
  host.Answer(wire::DevicesRequest(), wire::One(wire::Device(3, "rxe0", "ib")));
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, std::nullopt)));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.netdev.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(port.cm_default_mode.missing(), (Missing{Missing::Kind::kUnsupported, "RoCE only"}));
}

TEST(Collect, APortWhoseDriverFailsIsThereWithTheKernelsWords) {
  FakeHost host = GoodHost();
  host.Answer(wire::DevicesRequest(), wire::One(wire::Device(3, "rxe0", "roce", 2)));
  host.Answer(wire::PortRequest(3, 2), ErrnoStatus(ENODEV, "ask RDMA netlink command 5"));
  const Facts facts = CollectFacts(host);
  ASSERT_TRUE(facts.ports);
  ASSERT_EQ(facts.ports->size(), 2U);
  EXPECT_TRUE((*facts.ports)[0].state);
  EXPECT_EQ((*facts.ports)[1].number, 2U);
  EXPECT_EQ((*facts.ports)[1].state.missing().detail, "ask RDMA netlink command 5: No such device");
}

TEST(Collect, ADeviceThatGoesAwayBetweenTwoReadsIsNotBelieved) {
  FakeHost host = GoodHost();
  host.Answer(wire::DeviceRequest(3), ErrnoStatus(EINVAL, "ask RDMA netlink command 1"));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.device, "rxe0");
  EXPECT_THAT(port.software.missing().detail, HasSubstr("went away while it was read"));
  EXPECT_FALSE(port.gids);
  EXPECT_FALSE(port.netdev);
}

TEST(Collect, ADeviceThatIsRenamedBetweenTwoReadsIsNotMixedUp) {
  FakeHost host = GoodHost();
  host.Answer(wire::DeviceRequest(3), wire::One(wire::Device(3, "rocep0", "roce")));
  EXPECT_EQ(OnlyPort(CollectFacts(host)).transport.missing().detail,
            "read rxe0: it was renamed to rocep0 while it was read");
}

TEST(Collect, AnMtuThatIsNoEnumIsAGapAndNothingElse) {
  FakeHost host = GoodHost();
  host.verbs_ports[{"rxe0", 1}] = VerbsPortAnswer{4, 5, 1500, 1500, 2};
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.active_mtu_bytes.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_TRUE(port.gids);
}

}  // namespace
}  // namespace rdmaready
