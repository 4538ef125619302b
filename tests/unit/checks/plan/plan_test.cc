// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/base/plan_digest.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Plan PlanOf(const Facts& host, const Profile& profile = VirtualFabricProfile(), bool persist = false) {
  return MakePlan(HostParts(host, profile), {.persist = persist});
}

// "pfc of dcb0: off delay 0 -> on 3 delay 0", a line each.
std::string Steps(const Plan& plan) {
  std::string text;
  for (const PlanStep& step : plan.steps) {
    if (!text.empty()) text += '\n';
    text += TextOf(step.object) + ": " + step.from + " -> " + step.to;
  }
  return text;
}

std::string Refusals(const Plan& plan) {
  std::string text;
  for (const PlanRefusal& refusal : plan.refusals)
    text += TextOf(refusal.object) + ": " + refusal.reason + "\n";
  return text;
}

std::vector<std::string> Kinds(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const PlanStep& step : plan.steps) kinds.emplace_back(NameOf(step.object.kind));
  return kinds;
}

// As the driver comes up with it.
Facts FreshIce(bool agent) {
  return WithNetdev([agent](Netdev& netdev) {
    netdev.driver = "ice";
    Ets ets{.willing = true, .traffic_classes = 8};
    ets.tsa[0] = Tsa::kEts;
    ets.tx_percent[0] = 100;
    netdev.dcb.ets = ets;
    netdev.dcb.pfc = Pfc{.capability = 8};
    netdev.dcb.app = std::vector<AppEntry>{};
    netdev.dcb.dcbx = Dcbx{.host = !agent, .lld_managed = agent, .ieee = true};
    netdev.link.private_flags = std::vector<PrivateFlag>{{.name = "fw-lldp-agent", .on = agent}};
    const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};
    netdev.dcb.buffer = none;
    netdev.dcb.max_rate_kbps = none;
  });
}

TEST(Plan, OfAGoodHostHasNothing) {
  const Plan plan = PlanOf(GoodHost());
  EXPECT_EQ(Steps(plan), "");
  EXPECT_EQ(Refusals(plan), "");
  EXPECT_TRUE(plan.pending.empty());
  EXPECT_TRUE(plan.unknown.empty());
  EXPECT_TRUE(plan.users.empty());
}

TEST(Plan, APausedPriorityTooManyIsOneStep) {
  const Plan plan = PlanOf(WithPfc(0x18));
  EXPECT_EQ(Steps(plan), "pfc of dcb0: on 3,4 delay 0 -> on 3 delay 0");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].subject, "rxe0/1 dcb0");
  EXPECT_EQ(plan.steps[0].profile, "virtual-fabric");
  EXPECT_EQ(plan.steps[0].mends, std::vector<std::string>{"pfc.only-one"});
}

TEST(Plan, AShareWithinTheToleranceIsNotWritten) {
  EXPECT_EQ(Steps(PlanOf(WithEts([](Ets& ets) { ets.tx_percent = {48, 0, 0, 52, 0, 0, 0, 0}; }))), "");
}

TEST(Plan, AWillingHostIsTakenOffItsNeighbourWithoutTouchingTheClasses) {
  const Plan plan = PlanOf(WithEts([](Ets& ets) { ets.willing = true; }));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].to,
            "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
            "0,0,0,3,0,0,0,0");
  EXPECT_EQ(plan.steps[0].mends, std::vector<std::string>{"dcbx.willing"});
}

TEST(Plan, ClassesStandBeforePfcOnBnxt) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    netdev.driver = "bnxt_en";
    netdev.dcb.ets = Ets{.traffic_classes = 8};
    netdev.dcb.pfc = Pfc{.capability = 2};
  });
  const Plan plan = PlanOf(host);
  EXPECT_EQ(Kinds(plan), (std::vector<std::string>{"app", "ets", "pfc"}));
}

// Also where the profile asks for no share: bnxt_en takes no PFC before.
TEST(Plan, ClassesAreSetForPfcOnBnxtWhenNobodyAsksForShares) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    netdev.driver = "bnxt_en";
    netdev.dcb.ets = Ets{.traffic_classes = 8};
    netdev.dcb.pfc = Pfc{.capability = 2};
  });
  const Profile profile = Without([](Profile& one) { one.ets_rdma_percent.reset(); });
  EXPECT_EQ(Kinds(PlanOf(host, profile)), (std::vector<std::string>{"app", "ets", "pfc"}));
}

// ice: the flag first; the rows before ETS, whose `from` is what the first row made of it.
TEST(Plan, OnIceTheAgentGoesFirstAndRowsComeBeforeClasses) {
  const Plan plan = PlanOf(FreshIce(true));
  EXPECT_EQ(Steps(plan),
            "private-flag fw-lldp-agent of dcb0: on -> off\n"
            "app of dcb0: empty -> dscp:26:3\n"
            "ets of dcb0: willing off tsa ets,ets,ets,ets,ets,ets,ets,ets tx 100,0,0,0,0,0,0,0 prio "
            "0,1,2,3,4,5,6,7 -> willing off tsa ets,ets,ets,ets,ets,ets,ets,ets tx 50,0,0,50,0,0,0,0 prio "
            "0,1,2,3,4,5,6,7\n"
            "pfc of dcb0: off delay 0 -> on 3 delay 0");
  EXPECT_EQ(Refusals(plan), "");
}

TEST(Plan, OnIceWithoutStaticDcbxTheAgentIsNamedAndNothingIsWritten) {
  const Profile profile = Without([](Profile& one) { one.dcbx = Profile::Dcbx::kAny; });
  const Plan plan = PlanOf(FreshIce(true), profile);
  EXPECT_EQ(Steps(plan), "");
  EXPECT_NE(Refusals(plan).find("ice takes no DCB while its firmware's LLDP agent runs"), std::string::npos)
      << Refusals(plan);
}

TEST(Plan, AnIceInABondIsRefused) {
  Facts host = FreshIce(false);
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.master = "bond0";
  ports.front().netdev = netdev;
  ports.front().uppers =
      std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .over = {"dcb0"}, .mtu_bytes = 9000}};
  host.ports = ports;
  const Plan plan = PlanOf(host);
  EXPECT_EQ(Steps(plan), "");
  EXPECT_NE(Refusals(plan).find("in a bond"), std::string::npos) << Refusals(plan);
}

TEST(Plan, BnxtWhoseFirmwareHasDcbxIsRefused) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    netdev.driver = "bnxt_en";
    netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
    netdev.dcb.pfc = Pfc{.capability = 2};
  });
  const Plan plan = PlanOf(host);
  EXPECT_EQ(Steps(plan), "");
  EXPECT_NE(Refusals(plan).find("dcbx of dcb0: bnxt_en gives DCBX back only"), std::string::npos)
      << Refusals(plan);
}

TEST(Plan, MoreLosslessPrioritiesThanTheNicHasAreRefused) {
  const Facts host = WithDcb([](Dcb& dcb) {
    Pfc pfc = *dcb.pfc;
    pfc.capability = 1;
    dcb.pfc = pfc;
  });
  const Profile profile = Without([](Profile& one) { one.pfc = std::vector<std::uint8_t>{3, 4}; });
  EXPECT_EQ(Refusals(PlanOf(host, profile)),
            "pfc of dcb0: the NIC can pause 1 priority, the profile has 2 lossless ones\n");
}

TEST(Plan, AnLldpadThatFollowsTheSwitchKeepsItsSettings) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
    netdev.lldp_agent = LldpHeard{.listened_ms = 60'000, .own = {{.pfc = LldpPfc{.willing = true}}}};
  });
  const Plan plan = PlanOf(host);
  EXPECT_EQ(Steps(plan), "");
  EXPECT_EQ(Refusals(plan),
            "pfc of dcb0: lldpad follows the switch on dcb0: it writes over what is set here\n");
}

TEST(Plan, WhatCouldNotBeReadIsUnknownAndNoStep) {
  const Plan plan = PlanOf(WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }));
  EXPECT_EQ(Steps(plan), "");
  ASSERT_EQ(plan.unknown.size(), 1U);
  EXPECT_EQ(plan.unknown[0], "PFC of dcb0: Operation not permitted");
}

TEST(Plan, ADriverWithoutDcbIsARefusal) {
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};
  const Facts host = On("e1000e", [&none](Netdev& netdev) { netdev.dcb.pfc = none; });
  EXPECT_EQ(Refusals(PlanOf(host)), "pfc of dcb0: driver e1000e has no PFC for the host to set\n");
}

TEST(Plan, ASmallMtuIsRaisedOnTheInterfaceAndTheVlanOnIt) {
  const Facts host = WithVlan([](Port& port, UpperNetdev& vlan) {
    Netdev netdev = *port.netdev;
    netdev.mtu_bytes = 1500;
    port.netdev = netdev;
    port.active_mtu_bytes = 1024;
    vlan.mtu_bytes = 1500;
  });
  EXPECT_EQ(Steps(PlanOf(host, Tagged())), "mtu of dcb0: 1500 -> 9000\nmtu of dcb0.711: 1500 -> 9000");
}

TEST(Plan, AnMtuThatTheDriverDoesNotAllowIsARefusal) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    netdev.mtu_bytes = 1500;
    netdev.max_mtu_bytes = 4000;
  });
  EXPECT_EQ(Refusals(PlanOf(host)), "mtu of dcb0: the driver of dcb0 does not allow an MTU of 9000\n");
}

TEST(Plan, TheMapOfAVlanIsAskedForThePriorityThatRdmaCmWillHave) {
  const Facts host = WithVlan([](Port& port, UpperNetdev& vlan) {
    vlan.vlan_egress = std::vector<VlanPriority>{};
    port.cm_default_tos = std::uint8_t{0};
  });
  const Profile profile = [] {
    Profile one = Tagged();
    one.tos = 106;
    return one;
  }();
  EXPECT_EQ(Steps(PlanOf(host, profile)), "vlan-egress of dcb0.711: empty -> 2:3\ncm-tos of rxe0/1: 0 -> 106");
}

TEST(Plan, SwitchesReorderHdrOnWhereItIsOff) {
  const Facts host = WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_reorder = false; });
  const Plan plan = PlanOf(host, Tagged());
  ASSERT_EQ(Steps(plan), "vlan-reorder of dcb0.711: off -> on");
  EXPECT_EQ(plan.steps[0].mends, std::vector<std::string>{"vlan.reorder"});
  ASSERT_EQ(plan.steps[0].commands.size(), 1U);
  EXPECT_TRUE(
      plan.steps[0].commands[0].starts_with("ip link set dev dcb0.711 type vlan reorder_hdr on  # for good: "));
  EXPECT_EQ(plan.steps[0].one_way, "");
}

TEST(Plan, LeavesReorderHdrAloneWhereItIsOnOrNotKnown) {
  EXPECT_EQ(Steps(PlanOf(OnVlan(), Tagged())), "");
  const Plan plan = PlanOf(WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_reorder = Denied(); }), Tagged());
  EXPECT_EQ(Steps(plan), "");
  ASSERT_EQ(plan.unknown.size(), 1U);
  EXPECT_TRUE(plan.unknown[0].starts_with("reorder_hdr of the VLANs of rxe0/1"));
}

TEST(Plan, RdmaCmIsSetToTheProfilesModeAndToS) {
  const Facts host = WithPort([](Port& port) {
    port.cm_default_mode = GidType::kRoceV1;
    port.cm_default_tos = std::uint8_t{0};
  });
  EXPECT_EQ(Steps(PlanOf(host)), "cm-mode of rxe0/1: IB/RoCE v1 -> RoCE v2\ncm-tos of rxe0/1: 0 -> 106");
}

TEST(Plan, AParameterThatTakesAReloadIsPending) {
  Facts host = HardwareNic([](Port& port, PciFunction&) {
    port.devlink.parameters = std::vector<DevlinkParameter>{{.name = "enable_roce", .driverinit = "false"}};
  });
  const Plan plan = PlanOf(host);
  ASSERT_EQ(plan.pending.size(), 1U);
  EXPECT_EQ(plan.pending[0].needs, "devlink dev reload pci/0000:3b:00.0");
  EXPECT_EQ(TextOf(plan.pending[0].object), "devlink enable_roce of pci/0000:3b:00.0");
  EXPECT_EQ(plan.pending[0].mends, std::vector<std::string>{"drv.roce-enabled"});
}

TEST(Plan, WhoUsesAPortThatIsTouchedIsNamed) {
  Facts host = WithPfc(0);
  std::vector<Port> ports = *host.ports;
  ports.front().resources = RdmaResources{.qp = 9, .cm_id = 5, .ctx = 1};
  ports.front().listeners = std::vector<RdmaListener>{{.port = 445, .kernel_name = "ksmbd"}};
  host.ports = ports;
  const Plan plan = PlanOf(host);
  ASSERT_EQ(plan.users.size(), 1U);
  EXPECT_EQ(plan.users[0].subject, "rxe0/1 dcb0");
  EXPECT_EQ(
      plan.users[0].text,
      "8 queue pairs; opened 1 time by processes; 4 connections; ksmbd listens on port 445 (rdma resource "
      "show)");
}

TEST(Plan, TwoProfilesThatWantOneThingInTwoWaysGetNeither) {
  Facts host = WithSecond(GoodHost(), [](Port& port) {
    port.netdev = GoodNetdev();  // one interface under two RDMA ports
  });
  Profile first = VirtualFabricProfile();
  first.ports = {{.device = "rxe0"}};
  Profile second = VirtualFabricProfile();
  second.name = "other";
  second.ports = {{.device = "rxe1"}};
  second.pfc = std::vector<std::uint8_t>{3, 4};
  const std::vector<Profile> profiles{first, second};
  const auto parts = HostParts::Divide(host, profiles);
  ASSERT_TRUE(parts.ok());
  const Plan plan = MakePlan(*parts);
  EXPECT_EQ(Steps(plan), "");
  EXPECT_NE(Refusals(plan).find(
                "pfc of dcb0: profile other wants it as \"on 3,4 delay 0\", profile virtual-fabric as"),
            std::string::npos)
      << Refusals(plan);
}

TEST(Plan, ASparePortIsLeftAlone) {
  const Facts host = WithSecond(GoodHost(), [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{};
    netdev.carrier = false;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
    port.netdev = netdev;
    port.state = PortState::kDown;
    port.subnets = std::vector<Subnet>{};
  });
  EXPECT_EQ(Steps(PlanOf(host)), "");
}

TEST(Plan, WhatIsKeptForTheNextBootSetsAllThatTheProfileAsksFor) {
  Facts host = GoodHost();
  host.dcb_keepers = std::vector<std::string>{};
  host.tos_keepers = std::vector<std::string>{};
  const Plan plan = PlanOf(host, VirtualFabricProfile(), true);
  const auto find = [&plan](const std::string& path) {
    const auto found = std::ranges::find(plan.persist, path, &PersistFile::path);
    return found == plan.persist.end() ? std::string() : found->content;
  };
  const std::string unit = find("/etc/systemd/system/rdma-dcb-dcb0.service");
  EXPECT_NE(unit.find("ExecStart=dcb pfc set dev dcb0 prio-pfc all:off 3:on\n"), std::string::npos) << unit;
  EXPECT_NE(unit.find("ExecStart=dcb app "), std::string::npos) << unit;
  EXPECT_NE(unit.find("ExecStart=dcb ets set dev dcb0 tc-tsa "), std::string::npos) << unit;
  EXPECT_NE(unit.find("WantedBy=sys-subsystem-net-devices-dcb0.device\n"), std::string::npos) << unit;
  EXPECT_NE(find("/etc/udev/rules.d/90-rdma-tos.rules").find("echo 106 | tee */ports/*/default_roce_tos"),
            std::string::npos);
  EXPECT_NE(find("/etc/systemd/system/rdma-mtu-dcb0.service").find("ip link set dev dcb0 mtu 9000\n"),
            std::string::npos);
}

Plan TwoSteps() {
  return {.steps = {{.object = {.kind = SettingKind::kMtu, .where = "dcb0"}, .from = "1500", .to = "9000"},
                    {.object = {.kind = SettingKind::kPfc, .where = "dcb0"}, .from = "off", .to = "on 3"}}};
}

TEST(PlanDigest, IsAnotherForWhateverElseWouldBeWritten) {
  std::set<std::string> digests;
  const auto add = [&](const Plan& plan) { digests.insert(*PlanDigest(plan)); };
  add({});
  add(TwoSteps());
  Plan plan = TwoSteps();
  std::swap(plan.steps[0], plan.steps[1]);
  add(plan);
  plan = TwoSteps();
  plan.steps.pop_back();
  add(plan);
  plan = TwoSteps();
  plan.steps[0].from = "1400";
  add(plan);
  plan = TwoSteps();
  plan.steps[0].to = "4200";
  add(plan);
  plan = TwoSteps();
  plan.steps[0].object.where = "dcb1";
  add(plan);
  plan = TwoSteps();
  plan.steps[0].object.name = "dcb0";
  add(plan);
  plan.steps[0].object.where = "";
  add(plan);
  plan = TwoSteps();
  plan.steps[0].object.kind = SettingKind::kBuffer;
  add(plan);
  EXPECT_EQ(digests.size(), 10U);
  for (const std::string& digest : digests) EXPECT_EQ(digest.size(), 64U);
}

TEST(PlanDigest, IsTheSameWhateverIsOnlySaidOfASetting) {
  Plan plan = TwoSteps();
  plan.steps[0].disturbance = {.text = "the link goes down", .estimate_ms = 900, .link_down = true};
  plan.steps[0].commands = {"ip link set dev dcb0 mtu 9000"};
  plan.steps[0].mends = {"mtu.netdev"};
  plan.users = {{"rxe0/1 dcb0", "12 queue pairs"}};
  plan.unknown = {"the trust of dcb1"};
  EXPECT_EQ(*PlanDigest(plan), *PlanDigest(TwoSteps()));
}

Plan WithFiles(std::vector<PersistFile> files) {
  Plan plan = TwoSteps();
  plan.persist = std::move(files);
  plan.persist_from_applier = true;
  return plan;
}

TEST(PlanDigest, CoversPathAndContentOfFilesOfTheApplier) {
  std::set<std::string> digests{*PlanDigest(TwoSteps()), *PlanDigest(WithFiles({}))};
  for (const char* path : {"/etc/a", "/etc/b"})
    for (const char* content : {"x", "y"})
      digests.insert(*PlanDigest(WithFiles({{.path = path, .content = content, .by_apply = true}})));
  EXPECT_EQ(digests.size(), 6U);
  PersistFile noted{.path = "/etc/a", .content = "x", .by_apply = true};
  const std::string digest = *PlanDigest(WithFiles({noted}));
  noted.note = "where the initramfs holds it, make the initramfs again";
  EXPECT_EQ(*PlanDigest(WithFiles({noted, {.path = "/etc/rc.local", .content = "for a person"}})), digest);
}

// The agent may read less than the applier, and show another text.
TEST(PlanDigest, LeavesOutFilesOfTheAgent) {
  Plan plan = WithFiles({{.path = "/etc/a", .content = "x", .by_apply = true}});
  plan.persist_from_applier = false;
  EXPECT_EQ(*PlanDigest(plan), *PlanDigest(TwoSteps()));
}

TEST(PlanDigest, IsTheOneThatOtherVersionsMake) {
  EXPECT_EQ(*PlanDigest(TwoSteps()), "e9fd88e9c786dffd44e678c594dbb42fe243297cb1da7a7f777cd862e48cd25d");
}

}  // namespace
}  // namespace rdmaready
