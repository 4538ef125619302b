// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

Port FullPort() {
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.transport = Transport::kRoce;
  port.software = true;
  port.firmware = Missing{Missing::Kind::kUnsupported, "a software device has no firmware"};
  port.state = PortState::kActive;
  port.phys_state = std::uint8_t{5};
  port.active_mtu_bytes = 4096u;
  port.max_mtu_bytes = 4096u;
  Gid gid{.index = 1, .raw = {}, .type = GidType::kRoceV2, .netdev = "dcb0"};
  gid.raw[15] = 7;
  port.gids = std::vector<Gid>{gid};
  port.cm_default_mode = GidType::kRoceV2;
  port.cm_default_tos = std::uint8_t{106};
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.ifindex = 4;
  netdev.driver = "dcbnic";
  netdev.admin_up = netdev.carrier = true;
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25000u;
  netdev.vlan_id = std::uint16_t{711};
  netdev.addresses = std::vector<IpAddress>{{"10.0.0.1", 24}};
  netdev.dcb.ets = Ets{.willing = true,
                       .traffic_classes = 8,
                       .tx_percent = {50, 0, 0, 50},
                       .tsa = {Tsa::kEts, Tsa::kStrict, Tsa::kVendor, Tsa::kEts},
                       .prio_tc = {0, 0, 0, 3}};
  netdev.dcb.pfc =
      Pfc{.capability = 8, .enabled = 8, .delay = 7, .pauses_sent = {1, 2}, .pauses_received = {3}};
  netdev.dcb.app = std::vector<AppEntry>{{AppSelector::kDscp, 3, 26}, {AppSelector::kPcp, 3, 11}};
  netdev.dcb.app_trust = std::vector<AppSelector>{AppSelector::kDscp, AppSelector::kPcp};
  netdev.dcb.dcbx = Dcbx{.host = true, .lld_managed = false, .cee = false, .ieee = true, .static_mode = true};
  port.netdev = netdev;
  return port;
}

Facts FullFacts() {
  Facts facts;
  facts.hostname = "storage1";
  facts.machine_id = "cafe";
  facts.kernel = Kernel{"6.12"};
  facts.rdma_stack = RdmaStack::kLoaded;
  facts.memlock = Memlock{Memlock::kUnlimited, true, 7};
  facts.ports = std::vector<Port>{FullPort()};
  return facts;
}

TEST(FactsConversion, KeepsEveryFieldOfAHostThatAnswers) {
  EXPECT_EQ(FromProto(ToProto(FullFacts())), FullFacts());
}

TEST(FactsConversion, KeepsEveryReasonOfAHostThatDoesNot) {
  Facts facts;
  facts.kernel = Missing{Missing::Kind::kFailed, "a"};
  facts.rdma_stack = Missing{Missing::Kind::kDenied, "b"};
  facts.memlock = Missing{Missing::Kind::kUnsupported, "c"};
  facts.ports = Missing{Missing::Kind::kDenied, "d"};
  EXPECT_EQ(FromProto(ToProto(facts)), facts);
}

TEST(FactsConversion, ReadsAnEmptyMessageAsNotCollected) { EXPECT_EQ(FromProto(v1::Facts()), Facts()); }

TEST(FactsConversion, ReadsAnEmptyPortAsNotCollected) {
  v1::Facts message;
  message.mutable_ports()->mutable_value()->add_ports();
  const Facts facts = FromProto(message);
  ASSERT_TRUE(facts.ports);
  EXPECT_EQ(facts.ports->front(), Port());
}

TEST(FactsConversion, TakesNoShortEtsList) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()
      ->mutable_value()
      ->mutable_ports(0)
      ->mutable_netdev()
      ->mutable_value()
      ->mutable_dcb()
      ->mutable_ets()
      ->mutable_value()
      ->clear_prio_tc();
  const Facts facts = FromProto(message);
  const Fact<Ets>& ets = facts.ports->front().netdev->dcb.ets;
  ASSERT_FALSE(ets);
  EXPECT_EQ(ets.missing().kind, Missing::Kind::kFailed);
}

TEST(FactsConversion, TakesNoGidOfAnotherLength) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()
      ->mutable_value()
      ->mutable_ports(0)
      ->mutable_gids()
      ->mutable_value()
      ->mutable_gids(0)
      ->set_raw("short");
  EXPECT_FALSE(FromProto(message).ports->front().gids);
}

TEST(FactsConversion, TakesNoNumberThatDoesNotFit) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()->mutable_value()->mutable_ports(0)->mutable_cm_default_tos()->set_value(300);
  EXPECT_FALSE(FromProto(message).ports->front().cm_default_tos);
}

TEST(FactsConversion, ReadsAnUnknownEnumeratorAsUnknown) {
  v1::Facts message = ToProto(FullFacts());
  message.mutable_ports()->mutable_value()->mutable_ports(0)->mutable_state()->set_value(
      static_cast<v1::PortState>(99));
  EXPECT_EQ(*FromProto(message).ports->front().state, PortState::kUnknown);
}

}  // namespace
}  // namespace rdmaready
