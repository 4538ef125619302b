// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include <gtest/gtest.h>

#include "tests/unit/api/convert/full_facts.h"

namespace rdmaready {
namespace {

TEST(FactsConversion, KeepsEveryFieldOfAHostThatAnswers) {
  EXPECT_EQ(FromProto(ToProto(FullFacts::Make())), FullFacts::Make());
  EXPECT_EQ(FromProto(ToProto(FullFacts::MakeExtreme())), FullFacts::MakeExtreme());
}

TEST(FactsConversion, KeepsEveryReasonOfAHostThatDoesNot) {
  EXPECT_EQ(FromProto(ToProto(FullFacts::MakeWithGaps())), FullFacts::MakeWithGaps());
  Facts facts;
  SetAllMissing(facts, Missing{Missing::Kind::kDenied, "no"});
  EXPECT_EQ(FromProto(ToProto(facts)), facts);
  EXPECT_EQ(FromProto(ToProto(Facts())), Facts());
}

TEST(FactsConversion, TellsAnEmptyListFromNone) {
  Facts facts = FullFacts::Make();
  facts.ports = std::vector<Port>();
  facts.rdma_nodes = std::vector<std::string>();
  facts.firewall = Firewall();
  EXPECT_EQ(FromProto(ToProto(facts)), facts);
  v1::Facts message = ToProto(facts);
  message.clear_ports();
  message.clear_rdma_nodes();
  facts.ports = Missing();
  facts.rdma_nodes = Missing();
  EXPECT_EQ(FromProto(message), facts);
}

TEST(FactsConversion, ReadsAnEmptyMessageAsNotCollected) { EXPECT_EQ(FromProto(v1::Facts()), Facts()); }

TEST(FactsConversion, SaysWhichFieldTheSenderLeftOut) {
  v1::Facts message = ToProto(FullFacts::Make());
  message.mutable_ports()->mutable_ports(0)->clear_device();
  EXPECT_EQ(FromProto(message).ports.missing(),
            (Missing{Missing::Kind::kNotCollected, "the sender does not say \"device\""}));
}

TEST(FactsConversion, TakesTheGapWhereBothAreSaid) {
  v1::Facts message = ToProto(FullFacts::Make());
  (*message.mutable_missing())["uptime_s"].set_kind(v1::Missing::KIND_DENIED);
  EXPECT_EQ(FromProto(message).uptime_s, Fact<std::uint64_t>(Missing{Missing::Kind::kDenied, ""}));
}

TEST(FactsConversion, TakesNoOtherReasonForNoneOfAnOptionalField) {
  v1::Facts message = ToProto(FullFacts::Make());
  v1::ConsumerMarking& marking = *message.mutable_markings()->mutable_markings(0);
  marking.clear_tos();
  (*marking.mutable_missing())["tos"].set_kind(v1::Missing::KIND_NONE);
  EXPECT_FALSE(FromProto(message).markings->front().tos);
  (*marking.mutable_missing())["tos"].set_kind(v1::Missing::KIND_DENIED);
  EXPECT_EQ(FromProto(message).markings.missing().kind, Missing::Kind::kDenied);
}

TEST(FactsConversion, TakesNoShortList) {
  v1::Facts message = ToProto(FullFacts::Make());
  v1::Netdev& netdev = *message.mutable_ports()->mutable_ports(0)->mutable_netdev();
  netdev.mutable_dcb()->mutable_ets()->mutable_prio_tc()->RemoveLast();
  netdev.mutable_lldp()->mutable_peers()->mutable_neighbours(0)->mutable_ets()->add_tsa(1);
  message.mutable_ports()->mutable_ports(0)->mutable_gids()->mutable_gids(0)->set_raw("short");
  const Facts facts = FromProto(message);
  EXPECT_EQ(facts.ports->front().netdev->dcb.ets.missing(),
            (Missing{Missing::Kind::kFailed, "the sender's facts: prio_tc has another length"}));
  EXPECT_EQ(facts.ports->front().netdev->lldp.missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(facts.ports->front().gids.missing().kind, Missing::Kind::kFailed);
  EXPECT_TRUE(facts.ports->front().netdev->dcb.pfc);
}

TEST(FactsConversion, TakesNoNumberThatDoesNotFit) {
  v1::Facts message = ToProto(FullFacts::Make());
  message.mutable_ports()->mutable_ports(0)->set_cm_default_tos(300);
  message.mutable_ports()->mutable_ports(0)->mutable_netdev()->mutable_dcb()->mutable_pfc()->set_delay(65536);
  const Facts facts = FromProto(message);
  EXPECT_EQ(facts.ports->front().cm_default_tos.missing(),
            (Missing{Missing::Kind::kFailed, "the sender's facts: cm_default_tos does not fit"}));
  EXPECT_EQ(facts.ports->front().netdev->dcb.pfc.missing().kind, Missing::Kind::kFailed);
}

TEST(FactsConversion, ReadsAnUnknownEnumeratorAsUnknown) {
  v1::Facts message = ToProto(FullFacts::Make());
  message.mutable_ports()->mutable_ports(0)->set_state(static_cast<v1::PortState>(99));
  message.mutable_firewall()->mutable_packets()->mutable_packets(0)->set_fate(static_cast<v1::PacketFate>(99));
  (*message.mutable_missing())["uptime_s"].set_kind(static_cast<v1::Missing::Kind>(99));
  const Facts facts = FromProto(message);
  EXPECT_EQ(*facts.ports->front().state, PortState::kUnknown);
  EXPECT_EQ(facts.firewall->packets[0].fate, PacketFate::kUnknown);
  EXPECT_EQ(facts.uptime_s.missing().kind, Missing::Kind::kNotCollected);
}

}  // namespace
}  // namespace rdmaready
