// SPDX-License-Identifier: Apache-2.0
// Each link of the chain broken by itself, for each consumer.
#include "checks/chain/chain.h"

#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/ethernet.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// The last step decides.
Chain Of(const Facts& host, const Profile& profile = VirtualFabricProfile(),
         ChainConsumer consumer = ChainConsumer::kRdmaCm) {
  const Port& port = host.ports->front();
  const Fact<Netdev> ethernet = EthernetPortsOf(port).front();
  const EthernetView view{host, port, ethernet, profile};
  return WalkChain(view, ToSOf(view, consumer));
}

void ExpectBroken(const Facts& host, std::string_view text, std::string_view expected,
                  const Profile& profile = VirtualFabricProfile()) {
  const Chain chain = Of(host, profile);
  EXPECT_EQ(chain.back().outcome, Outcome::kFail) << ChainText(chain);
  EXPECT_NE(chain.back().text.find(text), std::string::npos) << ChainText(chain);
  EXPECT_NE(chain.back().expected.find(expected), std::string::npos) << chain.back().expected;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) EXPECT_EQ(chain[i].outcome, Outcome::kPass) << i;
}

Facts HearingPfc(std::uint8_t pfc) {
  return WithNetdev([pfc](Netdev& netdev) {
    LldpNeighbour peer;
    peer.pfc = LldpPfc{.enabled = pfc};
    netdev.lldp = LldpHeard{.listened_ms = 1000, .peers = {peer}};
  });
}

Facts Naming(MarkingConsumer consumer, std::optional<std::uint8_t> tos) {
  Facts host = GoodHost();
  host.markings = std::vector<ConsumerMarking>{{.consumer = consumer, .source = "/etc/marks.conf", .tos = tos}};
  return host;
}

TEST(Chain, OfAGoodHostIsWholeAndSaidInOneLine) {
  const Chain chain = Of(GoodHost());
  EXPECT_EQ(chain.back().outcome, Outcome::kPass);
  EXPECT_EQ(ChainText(chain),
            "ToS 106 -> DSCP 26 -> priority 3 -> TC 3 (50 %) -> PFC on -> the wire; switch not heard");
}

TEST(Chain, GoesByTheTagWhereTheProfileDoes) {
  const Profile profile = PcpProfile();
  EXPECT_EQ(ChainText(Of(OnVlan(), profile)),
            "ToS 0 -> PCP 3 on dcb0.711 -> priority 3 -> TC 3 (50 %) -> PFC on -> the wire; switch not heard");
  ExpectBroken(WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_egress = std::vector<VlanPriority>{}; }),
               "priority 0", "priority 3", profile);
  const Facts of_irdma = WithVlan([](Port& port, UpperNetdev&) {
    Netdev netdev = *port.netdev;
    netdev.driver = "ice";
    port.netdev = netdev;
  });
  EXPECT_TRUE(ChainText(Of(of_irdma, profile)).starts_with("ToS 0 -> PCP 3 on dcb0.711 -> priority 3"));
  Mqprio mqprio{.traffic_classes = 8};
  mqprio.priority_class[0] = 1;
  const Facts moved = WithVlan([&mqprio](Port& port, UpperNetdev&) {
    Netdev netdev = *port.netdev;
    netdev.mqprio = mqprio;
    port.netdev = netdev;
  });
  EXPECT_EQ(ChainText(Of(moved, profile)), "ToS 0 -> PCP 1 by mqprio -> priority 1");
  Profile tagged = profile;
  tagged.vlan = Profile::Vlan::kTagged;
  ExpectBroken(WithApp({}), "no tag", "a storage VLAN", tagged);
  EXPECT_EQ(Of(WithApp({}), profile).back().outcome, Outcome::kUnknown);
}

// As pfc.switch-agrees: what was heard on the wire goes before what the firmware says it heard.
TEST(Chain, AsksWhatWasHeardBeforeTheFirmware) {
  Facts host = HearingPfc(1U << 3);
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.dcb.peer.pfc = Pfc{.enabled = 0};
  ports.front().netdev = netdev;
  host.ports = ports;
  EXPECT_EQ(Of(host).back().text, "switch: PFC on 3");
  netdev.lldp = Missing{};
  ports.front().netdev = netdev;
  host.ports = ports;
  EXPECT_EQ(Of(host).back().outcome, Outcome::kFail);
}

TEST(Chain, NamesTheFirstBrokenLink) {
  ExpectBroken(WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "ToS 0 (DSCP 0)",
               "DSCP 26");
  ExpectBroken(WithApp({}), "trusts pcp", "dscp");
  ExpectBroken(WithApp({{.selector = AppSelector::kDscp, .priority = 0, .protocol = 48}}), "no row of DSCP 26",
               "priority 3");
  ExpectBroken(WithApp({{.selector = AppSelector::kDscp, .priority = 0, .protocol = 26}}), "priority 0",
               "priority 3");
  ExpectBroken(WithEts([](Ets& ets) { ets.prio_tc[3] = 0; }), "TC 0 (50 %), with the default", "of its own");
  ExpectBroken(WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kStrict; }), "TC 3 (strict)", "50 %");
  ExpectBroken(WithEts([](Ets& ets) { ets.tx_percent[3] = 10; }), "TC 3 (10 %)", "50 %");
  ExpectBroken(WithPfc(1U << 4), "PFC off", "PFC on");
  ExpectBroken(HearingPfc(1U << 4), "switch: PFC on 4", "at the switch");
  EXPECT_EQ(Of(HearingPfc(1U << 3)).back().text, "switch: PFC on 3");
}

TEST(Chain, BreaksAtEcnWhereTheProfileAsksForIt) {
  Profile profile = VirtualFabricProfile();
  profile.ecn = Profile::Ecn{};
  EXPECT_EQ(Of(GoodHost(), profile).back().outcome, Outcome::kPass);
  ExpectBroken(WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{104}; }), "no switch may mark",
               "leave to mark", profile);
  const auto control = [](std::optional<std::uint8_t> np, std::optional<std::uint8_t> rp) {
    return WithHardware([=](Port& port, PciFunction&) {
      port.congestion = CongestionControl{.source = "/x", .notifies = np, .slows_down = rp};
    });
  };
  ExpectBroken(control(std::uint8_t{0}, std::uint8_t{8}), "not answered", "answered", profile);
  ExpectBroken(control(std::uint8_t{8}, std::uint8_t{0}), "do not slow it down", "slowed down", profile);
  EXPECT_EQ(Of(control(std::uint8_t{8}, std::nullopt), profile).back().outcome, Outcome::kUnknown);
  EXPECT_EQ(Of(control(std::uint8_t{8}, std::uint8_t{8}), profile).back().outcome, Outcome::kPass);
}

TEST(Chain, OfADriverThatHidesItsFirmwaresRowsIsNotKnown) {
  const auto on = [](std::string_view driver, std::vector<AppEntry> rows) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.driver = driver;
      netdev.dcb.app = std::move(rows);
    });
  };
  const Chain hidden = Of(on("qede", {}));
  EXPECT_EQ(hidden.back().outcome, Outcome::kUnknown) << ChainText(hidden);
  EXPECT_EQ(Of(on("bnxt_en", {})).back().outcome, Outcome::kUnknown);
  const Chain told = Of(on("qede", {{.selector = AppSelector::kDgram, .priority = 3, .protocol = 4791}}));
  EXPECT_EQ(told.back().outcome, Outcome::kPass) << ChainText(told);
}

TEST(Chain, SaysUnknownFromHereWhereAFactIsMissing) {
  const std::vector<Facts> hosts{
      WithPort([](Port& port) { port.cm_default_tos = Denied(); }),
      WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }),
      WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }), WithPort([](Port& port) { port.netdev = Denied(); })};
  for (const Facts& host : hosts) {
    const Chain chain = Of(host);
    EXPECT_EQ(chain.back().outcome, Outcome::kUnknown) << ChainText(chain);
    EXPECT_NE(chain.back().text.find("unknown from here"), std::string::npos) << ChainText(chain);
  }
}

TEST(Chain, TakesBnxtsPriorityFromItsRow) {
  const auto bnxt = [](std::vector<AppEntry> rows) {
    return WithNetdev([&rows](Netdev& netdev) {
      netdev.driver = "bnxt_en";
      netdev.dcb.app = rows;
    });
  };
  const AppEntry udp{.selector = AppSelector::kDgram, .priority = 3, .protocol = 4791};
  EXPECT_EQ(Of(bnxt({udp})).back().outcome, Outcome::kPass);
  EXPECT_EQ(Of(bnxt({})).back().outcome, Outcome::kUnknown);
}

TEST(Chain, OfAConsumerHasItsOwnMark) {
  const Profile profile = VirtualFabricProfile();
  EXPECT_EQ(Of(Naming(MarkingConsumer::kNvme, std::uint8_t{106}), profile, ChainConsumer::kNvme).back().outcome,
            Outcome::kPass);
  EXPECT_EQ(Of(Naming(MarkingConsumer::kNvme, std::uint8_t{0}), profile, ChainConsumer::kNvme).back().text,
            "ToS 0 (DSCP 0)");
  // NCCL_IB_TC is 0 when nobody names it.
  EXPECT_EQ(Of(Naming(MarkingConsumer::kNccl, std::nullopt), profile, ChainConsumer::kNccl).back().text,
            "ToS 0 (DSCP 0)");
  const Facts forced = WithPort([](Port& port) { port.verbs_traffic_class = std::uint8_t{96}; });
  for (const ChainConsumer consumer : {ChainConsumer::kRdmaCm, ChainConsumer::kVerbs, ChainConsumer::kSmb})
    EXPECT_EQ(Of(forced, profile, consumer).back().text, "ToS 96 (DSCP 24)");
}

// One thing is wrong, and one line says so.
TEST(Chain, IsHiddenBehindTheCheckOfItsBrokenLink) {
  const auto hidden_by = [](const Facts& host, std::string_view id) {
    return rdmaready::Of(JudgeHost(host, VirtualFabricProfile()), id).hidden_by;
  };
  EXPECT_EQ(hidden_by(WithPfc(1U << 4), "chain.rdma-cm"), "pfc.lossless-priority");
  EXPECT_EQ(hidden_by(WithPfc(1U << 4), "chain.smb"), "pfc.lossless-priority");
  EXPECT_EQ(hidden_by(WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "chain.rdma-cm"),
            "roce.tos");
  // Advice hides it too.
  const Facts forced = WithPort([](Port& port) { port.verbs_traffic_class = std::uint8_t{96}; });
  EXPECT_EQ(hidden_by(forced, "chain.verbs"), "roce.tos-verbs");
  EXPECT_EQ(hidden_by(HearingPfc(0), "chain.rdma-cm"), "pfc.switch-agrees");
  EXPECT_EQ(hidden_by(HearingPfc(0), "chain.smb"), "pfc.switch-agrees");
  // A mark of its own is nobody else's fault, and another's no fault of it.
  Facts nvme = Naming(MarkingConsumer::kNvme, std::uint8_t{106});
  std::vector<Port> ports = *nvme.ports;
  ports.front().cm_default_tos = std::uint8_t{0};
  nvme.ports = ports;
  EXPECT_EQ(rdmaready::Of(JudgeHost(nvme, VirtualFabricProfile()), "chain.nvme").outcome, Outcome::kPass);
}

}  // namespace
}  // namespace rdmaready
