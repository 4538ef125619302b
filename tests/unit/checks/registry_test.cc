// SPDX-License-Identifier: Apache-2.0
// The registry as a whole: what must hold for every check, also for the ones not written yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "checks/check.h"
#include "checks/live/transfer.h"
#include "checks/placeholders.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(Registry, HoldsTheChecksOfThisRelease) {
  std::vector<std::string_view> ids;
  for (const Check& check : AllChecks()) ids.push_back(check.id);
  EXPECT_THAT(ids, testing::UnorderedElementsAreArray<std::string_view>({"agree.adapter",
                                                                         "agree.congestion",
                                                                         "agree.dscp",
                                                                         "agree.ets",
                                                                         "agree.firmware",
                                                                         "agree.gid",
                                                                         "agree.marking",
                                                                         "agree.mtu",
                                                                         "agree.netdev-mtu",
                                                                         "agree.pfc",
                                                                         "agree.speed",
                                                                         "agree.transport",
                                                                         "app.roce-ethertype",
                                                                         "app.roce-udp",
                                                                         "app.smb-port",
                                                                         "arp.announce",
                                                                         "arp.ignore",
                                                                         "chain.nccl",
                                                                         "chain.nvme",
                                                                         "chain.rdma-cm",
                                                                         "chain.smb",
                                                                         "chain.verbs",
                                                                         "cnt.cm-retries",
                                                                         "cnt.cqe",
                                                                         "cnt.discards-phy",
                                                                         "cnt.icrc",
                                                                         "cnt.pause-storm",
                                                                         "cnt.rdma-retrans",
                                                                         "cnt.remote-access",
                                                                         "cnt.retry-exceeded",
                                                                         "cnt.rnr",
                                                                         "cnt.saturated",
                                                                         "cnt.sequence",
                                                                         "dcbx.dialect",
                                                                         "dcbx.mode",
                                                                         "dcbx.one-agent",
                                                                         "dcbx.willing",
                                                                         "dev.fast-registration",
                                                                         "dev.max-cqe",
                                                                         "dev.max-mr",
                                                                         "dev.max-qp-wr",
                                                                         "dev.max-sge",
                                                                         "dev.rd-atom",
                                                                         "drift.foreign-writer",
                                                                         "drv.core-modules",
                                                                         "drv.dcb-capable",
                                                                         "drv.fw-uniform",
                                                                         "drv.fw-version",
                                                                         "drv.health",
                                                                         "drv.out-of-tree",
                                                                         "drv.roce-enabled",
                                                                         "drv.userlib",
                                                                         "ecn.cnp-dscp",
                                                                         "ecn.cnp-prio",
                                                                         "ecn.ect-set",
                                                                         "ecn.loop-closed",
                                                                         "ecn.np",
                                                                         "ecn.rp",
                                                                         "ets.capacity",
                                                                         "ets.classes",
                                                                         "ets.cluster-share",
                                                                         "ets.map",
                                                                         "ets.map-contiguous",
                                                                         "ets.maxrate",
                                                                         "ets.min-default",
                                                                         "ets.rdma-share",
                                                                         "ets.sum",
                                                                         "ets.switch-agrees",
                                                                         "ets.three-classes",
                                                                         "ets.tsa",
                                                                         "gid.default-mode",
                                                                         "gid.ip-match",
                                                                         "gid.no-v1-traffic",
                                                                         "gid.v2-present",
                                                                         "gid.vlan-match",
                                                                         "host.governor",
                                                                         "host.irq-affinity",
                                                                         "host.irqbalance",
                                                                         "host.memlock",
                                                                         "host.nofile",
                                                                         "ib.lid",
                                                                         "ib.link-recovery",
                                                                         "ib.mtu",
                                                                         "ib.pkey",
                                                                         "ib.rcv-errors",
                                                                         "ib.sm",
                                                                         "ib.speed",
                                                                         "ib.state-init",
                                                                         "ib.symbol-errors",
                                                                         "ib.width",
                                                                         "ib.xmit",
                                                                         "ib.xmit-wait",
                                                                         "inv.bond",
                                                                         "inv.boot-path",
                                                                         "inv.bridge",
                                                                         "inv.expected-count",
                                                                         "inv.netdev-mapping",
                                                                         "inv.netns-mode",
                                                                         "inv.physical",
                                                                         "inv.rdma-present",
                                                                         "inv.symmetry",
                                                                         "inv.transport",
                                                                         "ip.accept-local",
                                                                         "ip.address",
                                                                         "ip.firewall",
                                                                         "ip.neighbor",
                                                                         "ip.route-symmetric",
                                                                         "ip.rp-filter",
                                                                         "ip.subnets",
                                                                         "iser.initiator-module",
                                                                         "iser.target-listener",
                                                                         "iser.target-module",
                                                                         "iw.ird-ord",
                                                                         "iw.peer-protocol",
                                                                         "iw.port-5445",
                                                                         "iw.retrans",
                                                                         "link.ber",
                                                                         "link.crc",
                                                                         "link.duplex",
                                                                         "link.eee",
                                                                         "link.fec",
                                                                         "link.flaps",
                                                                         "link.lanes",
                                                                         "link.module",
                                                                         "link.phys-state",
                                                                         "link.rate-match",
                                                                         "link.speed",
                                                                         "link.speed-consistent",
                                                                         "link.state",
                                                                         "map.cnp-dscp",
                                                                         "map.default-prio",
                                                                         "map.dscp",
                                                                         "map.duplicates",
                                                                         "map.pcp",
                                                                         "mtu.ethernet",
                                                                         "mtu.max",
                                                                         "mtu.pair",
                                                                         "mtu.path",
                                                                         "mtu.roce-active",
                                                                         "mtu.vlan",
                                                                         "nfs.client-module",
                                                                         "nfs.server-listener",
                                                                         "nfs.server-module",
                                                                         "nvme.host-module",
                                                                         "nvme.target-listener",
                                                                         "nvme.target-module",
                                                                         "pause.autoneg",
                                                                         "pause.global-count",
                                                                         "pause.none",
                                                                         "pause.off-with-pfc",
                                                                         "pcie.acs",
                                                                         "pcie.aer",
                                                                         "pcie.bandwidth",
                                                                         "pcie.iommu",
                                                                         "pcie.mps",
                                                                         "pcie.mrrs",
                                                                         "pcie.numa",
                                                                         "pcie.speed",
                                                                         "pcie.stall",
                                                                         "pcie.width",
                                                                         "peer.app-tlv",
                                                                         "peer.lldp-seen",
                                                                         "peer.port-unique",
                                                                         "peer.required-tlvs",
                                                                         "peer.vlan",
                                                                         "pfc.both-directions",
                                                                         "pfc.capability",
                                                                         "pfc.delay",
                                                                         "pfc.headroom",
                                                                         "pfc.lossless-priority",
                                                                         "pfc.not-default",
                                                                         "pfc.not-heartbeat",
                                                                         "pfc.off-when-lossy",
                                                                         "pfc.only-one",
                                                                         "pfc.seen-under-load",
                                                                         "pfc.storm-live",
                                                                         "pfc.storm-prevention",
                                                                         "pfc.switch-agrees",
                                                                         "pfc.wrong-prio",
                                                                         "rewr.consistent",
                                                                         "roce.tos",
                                                                         "roce.tos-persistent",
                                                                         "roce.tos-verbs",
                                                                         "sec.agent-caps",
                                                                         "sec.device-nodes",
                                                                         "sec.netns-shared",
                                                                         "smb.client-built-in",
                                                                         "smb.interfaces",
                                                                         "smb.kernel",
                                                                         "smb.listener",
                                                                         "smb.mixed-transports",
                                                                         "smb.multichannel",
                                                                         "smb.multichannel-ports",
                                                                         "smb.server-address",
                                                                         "smb.server-built-in",
                                                                         "smb.signing",
                                                                         "smb.tcp",
                                                                         "trust.apptrust-order",
                                                                         "trust.mode",
                                                                         "trust.uniform",
                                                                         "vlan.egress-map",
                                                                         "vlan.id",
                                                                         "vlan.mqprio",
                                                                         "vlan.present"}));
}

TEST(Registry, HasUniqueIdsAcrossSettingsAndLiveTests) {
  std::set<std::string> ids;
  for (const Check& check : AllChecks()) EXPECT_TRUE(ids.emplace(check.id).second) << check.id;
  for (const TransferCheck& check : AllTransferChecks()) EXPECT_TRUE(ids.insert(check.id).second) << check.id;
  for (const ProbeCheck& check : AllProbeChecks()) {
    EXPECT_TRUE(ids.emplace(check.id).second) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
}

TEST(Registry, GivesEveryCheckItsTexts) {
  for (const Check& check : AllChecks()) {
    EXPECT_FALSE(check.title.empty()) << check.id;
    EXPECT_FALSE(check.why.empty()) << check.id;
    EXPECT_FALSE(check.fix.empty()) << check.id;
    EXPECT_FALSE(check.title.ends_with('.')) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
  for (const TransferCheck& check : AllTransferChecks()) {
    EXPECT_FALSE(check.title.empty()) << check.id;
    EXPECT_FALSE(check.why.empty()) << check.id;
    EXPECT_FALSE(check.fix.empty()) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
}

TEST(Registry, PutsDependenciesBeforeThoseWhoDependOnThem) {
  std::set<std::string_view> seen;
  for (const Check& check : AllChecks()) {
    for (const std::string_view id : check.depends_on)
      EXPECT_TRUE(seen.contains(id)) << check.id << " on " << id;
    seen.insert(check.id);
  }
}

TEST(Registry, LetsHostAndPortChecksDependOnNoPairCheck) {
  for (const Check& check : AllChecks()) {
    for (const std::string_view id : check.depends_on) {
      EXPECT_NE(ScopeOf(*FindCheck(id)), Scope::kPair) << check.id << " on " << id;
      const bool host_only = ScopeOf(check) != Scope::kHost || ScopeOf(*FindCheck(id)) == Scope::kHost;
      EXPECT_TRUE(host_only) << check.id << " on " << id;
    }
  }
}

TEST(Registry, HasOnlyPlaceholdersThatCanBeFilled) {
  const Facts host = GoodHost();
  for (const Check& check : AllChecks()) {
    const std::string fix = FillIn(check.fix, host, &host.ports->front(), VirtualFabricProfile());
    EXPECT_EQ(fix.find_first_of("{}\n"), std::string::npos) << fix;
    EXPECT_EQ(FillIn(check.why, host, nullptr, Profile{}).find_first_of("{}\n"), std::string::npos);
  }
}

TEST(Registry, FindsByIdAndKnowsNoOther) {
  EXPECT_EQ(FindCheck("pfc.only-one")->id, "pfc.only-one");
  EXPECT_EQ(FindCheck("pfc.only"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
  EXPECT_EQ(FindTransferCheck("peer.write-512k")->case_name, "write-512k");
  EXPECT_EQ(FindTransferCheck("write-512k"), nullptr);
}

TEST(Registry, SortsIdsIntoTheGroupsThatPeopleLookUnder) {
  EXPECT_EQ(GroupOf("link.state"), "device");
  EXPECT_EQ(GroupOf("drv.core-modules"), "device");
  EXPECT_EQ(GroupOf("drv.dcb-capable"), "dcb");
  EXPECT_EQ(GroupOf("vlan.present"), "net");
  EXPECT_EQ(GroupOf("vlan.egress-map"), "roce");
  EXPECT_EQ(FamilyOf("vlan.egress-map"), "vlan");
  EXPECT_EQ(FamilyOf("vlan"), "vlan");
  EXPECT_EQ(GroupOf("mtu.pair"), "pair");
  EXPECT_EQ(GroupOf("iw.peer-protocol"), "pair");
  EXPECT_EQ(GroupOf("iw.ird-ord"), "device");
  EXPECT_EQ(GroupOf("iw.port-5445"), "storage");
  EXPECT_EQ(GroupOf("nfs.client-module"), "storage");
  EXPECT_EQ(GroupOf("pfc.both-directions"), "pair");
  EXPECT_EQ(GroupOf("pfc.only-one"), "dcb");
  EXPECT_EQ(GroupOf("loopback.send-1k"), "loopback");
  EXPECT_EQ(GroupOf("peer.send-1k"), "peer");
  EXPECT_EQ(GroupOf("peer.lldp-seen"), "dcb");
  EXPECT_EQ(GroupOf("something"), "other");
}

TEST(Names, AreTheContractsAndReadBack) {
  EXPECT_EQ(Name(Outcome::kNotApplicable), "not-applicable");
  EXPECT_EQ(Name(Readiness::kNotReady), "not-ready");
  EXPECT_EQ(Name(RungOutcome::kNotRun), "not-run");
  EXPECT_EQ(Name(GidType::kRoceV2), "roce-v2");
  EXPECT_EQ(Name(Profile::Role::kIserInitiator), "iser-initiator");
  EXPECT_EQ(Name(ModuleState::kBuiltIn), "built-in");
  EXPECT_EQ(Name(FailureKind::kPeerGone), "peer-gone");
  for (const Rung rung : kRungs) EXPECT_EQ(RungFromName(Name(rung)), rung);
  for (const Protocol protocol : {Protocol::kSmb, Protocol::kNvme, Protocol::kIser, Protocol::kNfs}) {
    EXPECT_EQ(ProtocolFromName(Name(protocol)), protocol);
  }
  EXPECT_EQ(ProtocolFromName("unknown"), std::nullopt);
  for (const Outcome outcome :
       {Outcome::kUnknown, Outcome::kPass, Outcome::kWarn, Outcome::kFail, Outcome::kNotApplicable}) {
    EXPECT_EQ(OutcomeFromName(Name(outcome)), outcome);
  }
  for (const Readiness readiness : {Readiness::kUndetermined, Readiness::kReady, Readiness::kNotReady}) {
    EXPECT_EQ(ReadinessFromName(Name(readiness)), readiness);
  }
  EXPECT_EQ(RungFromName("top"), std::nullopt);
}

}  // namespace
}  // namespace rdmaready
