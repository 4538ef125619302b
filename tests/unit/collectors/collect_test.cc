// SPDX-License-Identifier: Apache-2.0
#include "collectors/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/rdma/verbs_status.h"
#include "tests/unit/collectors/good_fake_host.h"
#include "tests/unit/collectors/hardware_fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::operator+;

Port OnlyPort(const Facts& facts) {
  if (!facts.ports || facts.ports->size() != 1) {
    ADD_FAILURE() << "not exactly one port";
    return {};
  }
  return facts.ports->front();
}

TEST(Collect, AHostThatAnswersLeavesNoGap) {
  FakeHost host = GoodFakeHost();
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
  EXPECT_THAT(*port.lowers, IsEmpty());
  EXPECT_THAT(*port.uppers, IsEmpty());
  EXPECT_EQ(*port.node_guid, 0x505400fffe000001);
  EXPECT_EQ(port.board.missing().detail, "a software device has no board");
  EXPECT_EQ(port.pci.missing().detail, "a software device has no PCIe");
  EXPECT_THAT(*port.hw_counters, ElementsAre(Counter{"sent_pkts", 4711}));
  EXPECT_EQ(*port.hw_counters_lifespan_ms, 12U);
  EXPECT_EQ(port.port_counters.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(port.resources->qp, 3U);
  EXPECT_EQ(port.limits->max_qp_wr, 16384U);
  EXPECT_TRUE(port.limits->fast_registration);
  EXPECT_THAT(*port.listeners, ElementsAre(RdmaListener{.port = 445, .kernel_name = "ksmbd"}));
  EXPECT_EQ(facts.modules->size(), kStorageModules.size());
  EXPECT_EQ(facts.options->size(), 4U);
  EXPECT_EQ(facts.ksmbd->multichannel, true);
  EXPECT_THAT(*facts.tcp_listeners, ElementsAre(445));
  EXPECT_THAT(*facts.rdma_nodes, ElementsAre("rdma_cm", "uverbs0"));
  EXPECT_TRUE(*facts.rdma_netns_shared);
  EXPECT_EQ(*facts.numa_nodes, 1U);
  EXPECT_EQ(*facts.open_files, (OpenFiles{.soft = 1024, .hard = 524'288}));
  EXPECT_EQ(*facts.uptime_s, 3600U);
  EXPECT_EQ(*port.rate_mbps, 25'000U);
  EXPECT_EQ(*port.netdev->ipv4, Ipv4Settings{});
  ASSERT_EQ(port.subnets->size(), 1U);
  EXPECT_EQ(port.subnets->front().route->netdev, "dcb0");
  EXPECT_THAT(*facts.routing_rules, IsEmpty());
  ASSERT_EQ(port.neighbours->size(), 1U);
  EXPECT_EQ(port.neighbours->front().state, NeighbourState::kStale);
  EXPECT_THAT(*port.netdev->statistics,
              ElementsAre(NicStatistic{NicCounter::kPauseReceived, 3, "rx_prio3_pause", 12}));
  EXPECT_EQ(port.netdev->mqprio->traffic_classes, 4);
  EXPECT_THAT(*port.netdev->dcb.rewrite, IsEmpty());
  EXPECT_EQ(port.netdev->dcb.cee.missing().detail, "driver does not speak CEE");
  EXPECT_EQ(port.devlink.versions.missing().detail, "a software device has no PCIe");
  EXPECT_EQ(port.congestion.missing().detail, "a software device has none");
  EXPECT_EQ(port.verbs_traffic_class.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(port.out_of_tree.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_TRUE(*port.verbs_provider);
}

TEST(Collect, ADeviceThatLibibverbsDoesNotListHasNoProvider) {
  FakeHost host = GoodFakeHost();
  host.verbs_ports[{"rxe0", 1}] = VerbsDeviceNotListed("rxe0");
  host.gid_tables["rxe0"] = VerbsDeviceNotListed("rxe0");
  EXPECT_FALSE(*OnlyPort(CollectFacts(host)).verbs_provider);
  // A device that may not be opened has one; which other facts tell is another question.
  host.verbs_ports[{"rxe0", 1}] = ErrnoStatus(EACCES, "open verbs device rxe0");
  EXPECT_EQ(OnlyPort(CollectFacts(host)).verbs_provider.missing().kind, Missing::Kind::kDenied);
  host.verbs_ports[{"rxe0", 1}] = ErrnoStatus(ENOENT, "open verbs device rxe0");  // no /dev/infiniband/uverbs0
  EXPECT_EQ(OnlyPort(CollectFacts(host)).verbs_provider.missing().kind, Missing::Kind::kFailed);
  host.gid_tables["rxe0"] = std::vector<VerbsGid>{};
  EXPECT_TRUE(*OnlyPort(CollectFacts(host)).verbs_provider);
}

TEST(Collect, HardwareTellsOfItsSlotAndItsFirmware) {
  FakeHost host = HardwareFakeHost();
  const Port port = OnlyPort(CollectFacts(host));
  ASSERT_TRUE(port.pci) << port.pci.missing().detail;
  ASSERT_TRUE(port.pci->path) << port.pci->path.missing().detail;
  EXPECT_EQ(*port.pci->path->front().max_read_request_bytes, 4096U);
  EXPECT_EQ(*port.pci->iommu_domain, "DMA-FQ");
  EXPECT_TRUE(*port.out_of_tree);
  EXPECT_EQ(*port.verbs_traffic_class, 106);
  ASSERT_TRUE(port.devlink.versions) << port.devlink.versions.missing().detail;
  EXPECT_EQ(port.devlink.versions->size(), 2U);
  EXPECT_EQ(*port.devlink.eswitch_mode, "legacy");
  ASSERT_TRUE(port.congestion) << port.congestion.missing().detail;
  EXPECT_EQ(port.congestion->cnp_dscp, std::uint8_t{48});
  ASSERT_TRUE(port.netdev->dcb.cee) << port.netdev->dcb.cee.missing().detail;
  EXPECT_EQ(port.netdev->dcb.peer.pfc->enabled, 8);
}

TEST(Collect, WhatLldpadHasIsThereAtOnce) {
  FakeHost host = HardwareFakeHost();
  const Facts facts = CollectFacts(host);
  EXPECT_EQ(*facts.lldp_agents, std::vector<std::string>{"lldpad"});
  const Fact<LldpHeard> heard = OnlyPort(facts).netdev->lldp_agent;
  ASSERT_TRUE(heard) << heard.missing().detail;
  EXPECT_EQ(heard->peers.at(0).system_name, "leaf1");
  FakeHost without = GoodFakeHost();
  without.files["/proc/net/unix"] = "";
  EXPECT_EQ(OnlyPort(CollectFacts(without)).netdev->lldp_agent.missing(),
            (Missing{Missing::Kind::kUnsupported, "lldpad does not run"}));
  EXPECT_FALSE(without.Asked("ask lldpad"));
}

// rxe on bond0 of dcb0 and dcb1, a VLAN on the bond.
FakeHost HostWithBond() {
  FakeHost host = GoodFakeHost();
  const auto links = std::vector<wire::Bytes>{
      wire::Link(7, "dcb0", 9000, "dcbnic") + wire::Master(9),
      wire::Link(8, "dcb1", 9000, "dcbnic") + wire::Master(9), wire::BondLink(9, "bond0", 1),
      wire::VlanLink(10, "bond0.711", 711, wire::EgressRow(4, 3)) + wire::Parent(9)};
  host.Answer(wire::LinksRequest(), wire::Each(links));
  for (std::uint32_t i = 0; i < 3; ++i) host.Answer(wire::LinkRequest(7 + i), wire::One(links[i]));
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, 9)));
  host.Answer(wire::DcbRequest("dcb1"), wire::One(wire::FullDcb("dcb1")));
  host.Answer(wire::AddressesRequest(),
              wire::Each({wire::Address4(9, {10, 0, 0, 1}, 24), wire::Address4(10, {10, 7, 11, 1}, 24)}));
  host.files["/sys/class/net/dcb1/ifindex"] = "8\n";
  host.files["/sys/class/net/bond0/ifindex"] = "9\n";
  return host;
}

TEST(Collect, APortOnABondIsTracedToTheEthernetPortsUnderIt) {
  FakeHost host = HostWithBond();
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.netdev->name, "bond0");
  ASSERT_TRUE(port.lowers) << port.lowers.missing().detail;
  ASSERT_EQ(port.lowers->size(), 2U);
  EXPECT_EQ((*port.lowers)[0].name, "dcb0");
  EXPECT_EQ((*port.lowers)[0].master, "bond0");
  EXPECT_EQ((*port.lowers)[1].dcb.pfc->enabled, 8);
  ASSERT_EQ(port.uppers->size(), 1U);
  EXPECT_EQ(port.uppers->front().name, "bond0.711");
  EXPECT_THAT(port.uppers->front().over, ElementsAre("bond0"));
  EXPECT_THAT(*port.uppers->front().addresses, ElementsAre(IpAddress{"10.7.11.1", 24}));
}

TEST(Collect, AMemberOfABondKnowsTheBondAndWhatStandsOnIt) {
  FakeHost host = HostWithBond();
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, 7)));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_THAT(*port.lowers, IsEmpty());
  ASSERT_EQ(port.uppers->size(), 2U);
  EXPECT_EQ(port.uppers->front().name, "bond0");
  EXPECT_EQ(*port.uppers->front().bond_mode, "active-backup");
  EXPECT_THAT(*port.uppers->front().addresses, ElementsAre(IpAddress{"10.0.0.1", 24}));
  EXPECT_EQ(port.uppers->back().name, "bond0.711");
}

TEST(Collect, ALowerNetdevThatGoesAwayIsAGapAndNotAShorterList) {
  FakeHost host = HostWithBond();
  host.Answer(wire::LinkRequest(8), ErrnoStatus(ENODEV, "ask rtnetlink GETLINK"));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.lowers.missing(), (Missing{Missing::Kind::kFailed, "ask rtnetlink GETLINK: No such device"}));
  EXPECT_TRUE(port.netdev);
}

TEST(Collect, WithoutAListOfLinksTheStackIsAGapAndTheNetdevIsNot) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::LinksRequest(), ErrnoStatus(EINTR, "list by rtnetlink GETLINK"));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_TRUE(port.netdev);
  EXPECT_EQ(port.lowers.missing().detail, "list by rtnetlink GETLINK: Interrupted system call");
  EXPECT_FALSE(port.uppers);
}

TEST(Collect, ANetdevNewerThanTheListHasNoKnownStack) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(1, "lo", 65536)));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_TRUE(port.netdev);
  EXPECT_FALSE(port.lowers);
  EXPECT_FALSE(port.uppers);
}

TEST(Collect, APortWithoutANetdevHasNoStackForTheSameReason) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, std::nullopt)));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.lowers.missing(), port.netdev.missing());
  EXPECT_EQ(port.uppers.missing(), port.netdev.missing());
}

// 64 ports, each on a netdev of its own: everything that lists all of a host is asked once.
TEST(Collect, ManyPortsCostInProportion) {
  constexpr std::uint32_t kPorts = 64;
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DevicesRequest(), wire::One(wire::Device(3, "rxe0", "roce", kPorts)));
  host.Answer(wire::DeviceRequest(3), wire::One(wire::Device(3, "rxe0", "roce", kPorts)));
  host.gid_tables["rxe0"] = std::vector<VerbsGid>{};
  std::vector<wire::Bytes> links;
  for (std::uint32_t i = 1; i <= kPorts; ++i) {
    links.push_back(wire::Link(100 + i, "eth" + std::to_string(i), 9000));
    host.Answer(wire::LinkRequest(100 + i), wire::One(links.back()));
    host.Answer(wire::PortRequest(3, i), wire::One(wire::Port(3, "rxe0", i, 100 + i)));
  }
  host.Answer(wire::LinksRequest(), wire::Each(links));
  const Facts facts = CollectFacts(host);
  ASSERT_EQ(facts.ports->size(), kPorts);
  for (const Port& port : *facts.ports) EXPECT_TRUE(port.lowers) << port.lowers.missing().detail;
  const auto count = [&host](const std::string& what) { return std::ranges::count(host.asked, what); };
  EXPECT_EQ(count("ask netlink protocol 0 type " + std::to_string(RTM_GETADDR)), 1);
  EXPECT_EQ(count("ask netlink protocol 0 type " + std::to_string(RTM_GETLINK)), 1 + kPorts);
  EXPECT_LT(host.asked.size(), std::size_t{30} * kPorts);
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
  FakeHost host = GoodFakeHost();
  host.directories.erase("/sys/class/infiniband");
  for (const char* modules : {"", "kernel/drivers/infiniband/core/ib_core.ko:\n"}) {
    host.files["/lib/modules/6.12.1/modules.dep"] = std::string(modules);
    const Facts facts = CollectFacts(host);
    EXPECT_EQ(*facts.rdma_stack, *modules == '\0' ? RdmaStack::kAbsent : RdmaStack::kNotLoaded);
    ASSERT_TRUE(facts.ports);
    EXPECT_THAT(*facts.ports, IsEmpty());
  }
  EXPECT_FALSE(host.Asked("ask netlink protocol 20"));
  EXPECT_FALSE(host.Asked("query"));
  EXPECT_FALSE(host.Asked("read the RDMA-CM"));
}

TEST(Collect, ALoadedStackWithoutDevicesHasAnEmptyListOfPorts) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DevicesRequest(), std::vector<NetlinkMessage>{});
  const Facts facts = CollectFacts(host);
  EXPECT_EQ(*facts.rdma_stack, RdmaStack::kLoaded);
  ASSERT_TRUE(facts.ports);
  EXPECT_THAT(*facts.ports, IsEmpty());
}

TEST(Collect, DevicesThatCannotBeListedAreAGapAndNotAnEmptyList) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DevicesRequest(), ErrnoStatus(EPERM, "list by RDMA netlink command 1"));
  EXPECT_EQ(CollectFacts(host).ports.missing().kind, Missing::Kind::kDenied);
}

TEST(Collect, WithoutUverbsLibibverbsIsNotAskedBecauseThatWouldLoadIt) {
  FakeHost host = GoodFakeHost();
  host.directories.erase("/sys/class/infiniband_verbs");
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_FALSE(host.Asked("query"));
  EXPECT_THAT(port.gids.missing().detail, HasSubstr("ib_uverbs is not loaded"));
  EXPECT_THAT(port.active_mtu_bytes.missing().detail, HasSubstr("ib_uverbs is not loaded"));
  EXPECT_EQ(*port.state, PortState::kActive);
}

TEST(Collect, APortWithoutANetdevHereSaysSo) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, std::nullopt)));
  EXPECT_EQ(OnlyPort(CollectFacts(host)).netdev.missing(),
            (Missing{Missing::Kind::kUnsupported, "port has no netdev in this network namespace"}));
}

TEST(Collect, AnInfiniBandPortHasNoNetdevByNature) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DevicesRequest(), wire::One(wire::Device(3, "rxe0", "ib")));
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, std::nullopt)));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.netdev.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(port.cm_default_mode.missing(), (Missing{Missing::Kind::kUnsupported, "RoCE only"}));
}

TEST(Collect, APortWhoseDriverFailsIsThereWithTheKernelsWords) {
  FakeHost host = GoodFakeHost();
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
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DeviceRequest(3), ErrnoStatus(EINVAL, "ask RDMA netlink command 1"));
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.device, "rxe0");
  EXPECT_THAT(port.software.missing().detail, HasSubstr("went away while it was read"));
  EXPECT_FALSE(port.gids);
  EXPECT_FALSE(port.netdev);
  for (const Missing& why :
       {port.firmware.missing(), port.lowers.missing(), port.uppers.missing(), port.node_guid.missing(),
        port.board.missing(), port.pci.missing(), port.hw_counters.missing(), port.port_counters.missing(),
        port.resources.missing()}) {
    EXPECT_EQ(why, port.software.missing());
  }
}

TEST(Collect, ADeviceThatIsRenamedBetweenTwoReadsIsNotMixedUp) {
  FakeHost host = GoodFakeHost();
  host.Answer(wire::DeviceRequest(3), wire::One(wire::Device(3, "rocep0", "roce")));
  EXPECT_EQ(OnlyPort(CollectFacts(host)).transport.missing().detail,
            "read rxe0: it was renamed to rocep0 while it was read");
}

TEST(Collect, AnMtuThatIsNoEnumIsAGapAndNothingElse) {
  FakeHost host = GoodFakeHost();
  host.verbs_ports[{"rxe0", 1}] = VerbsPortAnswer{4, 5, 1500, 1500, 2};
  const Port port = OnlyPort(CollectFacts(host));
  EXPECT_EQ(port.active_mtu_bytes.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_TRUE(port.gids);
}

}  // namespace
}  // namespace rdmaready
