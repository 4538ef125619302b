// SPDX-License-Identifier: Apache-2.0
// The built-in profiles as they are shipped: a host that does what one asks for is ready, and not without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/readiness.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Profile BuiltIn(std::string_view name) {
  const absl::StatusOr<Profile> profile = LoadProfile(std::string(name));
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *profile : Profile{};
}

// As Microsoft asks for it: storage on a VLAN, told apart by the priority in its tag, a class for
// the heartbeat.
template <class Change>
Facts HostByPcp(Change change) {
  return WithVlan([&change](Port& port, UpperNetdev& vlan) {
    Netdev netdev = *port.netdev;
    Ets ets = *netdev.dcb.ets;
    ets.tsa[7] = Tsa::kEts;
    ets.tx_percent = {49, 0, 0, 50, 0, 0, 0, 1};
    ets.prio_tc[7] = 7;
    netdev.dcb.ets = ets;
    port.netdev = netdev;
    change(port, vlan);
  });
}

Readiness UpToHost(const std::vector<Finding>& findings) {
  return ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
}

TEST(DefaultProfile, FindsAGoodHostReady) {
  const Profile profile = BuiltIn(kDefaultProfileName);
  EXPECT_EQ(profile.name, "smb-direct-roce");
  const std::vector<Finding> findings = JudgeHost(HostByPcp([](Port&, UpperNetdev&) {}), profile);
  EXPECT_THAT(WorthSaying(findings), IsEmpty());
  EXPECT_EQ(UpToHost(findings), Readiness::kReady);
  EXPECT_EQ(Of(findings, "trust.mode").outcome, Outcome::kPass);
  EXPECT_EQ(Of(findings, "pfc.lossless-priority").outcome, Outcome::kPass);
  for (const std::string_view id : {"vlan.present", "vlan.id", "vlan.egress-map", "gid.vlan-match", "map.pcp",
                                    "pfc.not-heartbeat", "ets.three-classes", "ets.cluster-share"}) {
    EXPECT_EQ(Of(findings, id).outcome, Outcome::kPass) << id;
  }
  for (const std::string_view id : {"roce.tos", "map.dscp", "map.cnp-dscp"}) {
    EXPECT_EQ(Of(findings, id).outcome, Outcome::kNotApplicable) << id;
  }
}

TEST(DefaultProfile, FindsAHostWithOneWrongThingNotReady) {
  const Profile profile = BuiltIn(kDefaultProfileName);
  const auto in_dcb = [](Port& port, auto change) {
    Netdev netdev = *port.netdev;
    change(netdev);
    port.netdev = netdev;
  };
  struct Wrong {
    std::string_view red;
    Facts host;
  };
  const std::vector<Wrong> wrongs{
      {"trust.mode", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) { netdev.dcb.app = GoodDcb().app; });
       })},
      {"pfc.lossless-priority", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 0}; });
       })},
      {"ets.rdma-share", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) {
           Ets ets = *netdev.dcb.ets;
           ets.tx_percent[0] = 69;
           ets.tx_percent[3] = 30;
           netdev.dcb.ets = ets;
         });
       })},
      {"mtu.ethernet", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) { netdev.mtu_bytes = 1500; });
       })},
      {"link.speed", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) { netdev.speed_mbps = 1'000; });
       })},
      {"vlan.egress-map",
       HostByPcp([](Port&, UpperNetdev& vlan) { vlan.vlan_egress = std::vector<VlanPriority>{}; })},
      {"pfc.not-heartbeat", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 0x88}; });
       })},
      {"ets.three-classes", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) {
           Ets ets = *netdev.dcb.ets;
           ets.prio_tc[7] = 0;
           netdev.dcb.ets = ets;
         });
       })},
      {"ets.cluster-share", HostByPcp([&](Port& port, UpperNetdev&) {
         in_dcb(port, [](Netdev& netdev) {
           Ets ets = *netdev.dcb.ets;
           ets.tx_percent = {30, 0, 0, 50, 0, 0, 0, 20};
           netdev.dcb.ets = ets;
         });
       })},
      {"vlan.present", HostByPcp([](Port& port, UpperNetdev& vlan) {
         Netdev netdev = *port.netdev;
         netdev.addresses = vlan.addresses;
         port.netdev = netdev;
         vlan.addresses = std::vector<IpAddress>{};
       })},
      {"gid.default-mode",
       HostByPcp([](Port& port, UpperNetdev&) { port.cm_default_mode = GidType::kRoceV1; })},
  };
  for (const Wrong& wrong : wrongs) {
    SCOPED_TRACE(wrong.red);
    const std::vector<Finding> findings = JudgeHost(wrong.host, profile);
    EXPECT_THAT(IdsWith(findings, Outcome::kFail), ElementsAre(std::string(wrong.red)));
    EXPECT_EQ(UpToHost(findings), Readiness::kNotReady);
  }
}

TEST(BuiltInProfiles, NeverFindADefaultFactsReady) {
  for (const std::string& name : BuiltInProfileNames()) {
    Facts host;
    host.ports = std::vector<Port>{Port{}};
    EXPECT_EQ(UpToHost(JudgeHost(host, BuiltIn(name))), Readiness::kUndetermined) << name;
  }
}

// Over TCP, without a word of DCB.
TEST(IwarpProfiles, FindAGoodHostReadyAndRoceNot) {
  const Facts iwarp = WithPort([](Port& port) {
    port.transport = Transport::kIwarp;
    port.gids = std::vector<Gid>{port.gids->front()};
    Netdev netdev = *port.netdev;
    netdev.dcb = Dcb{};
    port.netdev = netdev;
  });
  for (const std::string_view name : {"smb-direct-iwarp", "virtual-fabric-iwarp"}) {
    SCOPED_TRACE(name);
    const Profile profile = BuiltIn(name);
    const std::vector<Finding> findings = JudgeHost(iwarp, profile);
    EXPECT_THAT(WorthSaying(findings), IsEmpty());
    EXPECT_EQ(UpToHost(findings), Readiness::kReady);
    EXPECT_THAT(IdsWith(JudgeHost(GoodHost(), profile), Outcome::kFail), ElementsAre("inv.transport"));
  }
}

// They agree with the DCB NIC's profile in all that blocks; only the lossy one wants its PFC off.
TEST(VendorProfiles, FindAGoodHostReadyWhereTheyAskForWhatItHas) {
  for (const std::string_view name : {"nvidia-lossless", "broadcom-thor", "intel-e810", "nvme-roce"}) {
    SCOPED_TRACE(name);
    const std::vector<Finding> findings = JudgeHost(GoodHost(), BuiltIn(name));
    EXPECT_THAT(IdsWith(findings, Outcome::kFail), IsEmpty());
    EXPECT_EQ(UpToHost(findings), Readiness::kReady);
  }
  const std::vector<Finding> lossy = JudgeHost(GoodHost(), BuiltIn("nvidia-lossy"));
  EXPECT_THAT(IdsWith(lossy, Outcome::kFail), ElementsAre("pfc.off-when-lossy"));
  EXPECT_EQ(UpToHost(lossy), Readiness::kNotReady);
  EXPECT_THAT(IdsWith(JudgeHost(GoodHost(), BuiltIn("infiniband")), Outcome::kFail),
              testing::Contains("inv.transport"));
}

// Whatever the host lacks, one red line says it, and nothing of Ethernet is asked of the port.
TEST(InfinibandProfile, FindsAGoodHostReadyAndNamesTheFirstThingThatIsMissing) {
  const Profile profile = BuiltIn("infiniband");
  const std::vector<Finding> findings = JudgeHost(OnInfiniband(), profile);
  EXPECT_THAT(WorthSaying(findings), IsEmpty());
  EXPECT_EQ(UpToHost(findings), Readiness::kReady);
  for (const std::string_view id :
       {"ib.sm", "ib.lid", "ib.state-init", "ib.width", "ib.speed", "ib.mtu", "ib.pkey", "ib.symbol-errors",
        "ib.link-recovery", "link.state", "inv.transport"}) {
    EXPECT_EQ(Of(findings, id).outcome, Outcome::kPass) << id;
  }
  for (const std::string_view id : {"pfc.lossless-priority", "ets.map", "trust.mode", "dcbx.mode", "roce.tos",
                                    "gid.v2-present", "ip.address", "mtu.ethernet", "inv.netdev-mapping"}) {
    EXPECT_EQ(Of(findings, id).outcome, Outcome::kNotApplicable) << id;
  }

  const auto red = [&profile](const Facts& host) { return IdsWith(JudgeHost(host, profile), Outcome::kFail); };
  EXPECT_THAT(red(OnInfiniband([](Port& port) {
                port.ib.sm_lid = std::uint16_t{0};
                port.ib.lid = std::uint16_t{0};
                port.state = PortState::kInit;
              })),
              ElementsAre("ib.sm"));
  EXPECT_THAT(red(OnInfiniband([](Port& port) { port.state = PortState::kArmed; })),
              ElementsAre("ib.state-init"));
  EXPECT_THAT(red(OnInfiniband([](Port& port) {
                port.ib.sm_lid = std::uint16_t{0};
                port.ib.lid = std::uint16_t{0};
                port.state = PortState::kDown;
                port.phys_state = std::uint8_t{2};
              })),
              ElementsAre("link.state"));
  EXPECT_THAT(red(OnInfiniband([](Port& port) { port.ib.pkeys = std::vector<std::uint16_t>{}; })),
              ElementsAre("ib.pkey"));
}

TEST(SmbDirectProfiles, NameTheTransportOfAnInfinibandHostAndNothingElseOfIt) {
  for (const std::string_view name : {"smb-direct-roce", "smb-direct-iwarp"}) {
    const std::vector<Finding> findings = JudgeHost(OnInfiniband([](Port& port) {
                                                      port.ib.sm_lid = std::uint16_t{0};
                                                      port.state = PortState::kInit;
                                                    }),
                                                    BuiltIn(name));
    EXPECT_EQ(Of(findings, "inv.transport").outcome, Outcome::kFail) << name;
    EXPECT_EQ(Of(findings, "ib.sm").hidden_by, "inv.transport") << name;
    EXPECT_EQ(Of(findings, "link.state").hidden_by, "inv.transport") << name;
  }
}

// The DCB NIC's profile is met by the good host, and asks of it what the fabric's guests are set to.
TEST(VirtualFabricProfileAsShipped, FindsAGoodHostReady) {
  const std::vector<Finding> findings = JudgeHost(GoodHost(), BuiltIn("virtual-fabric"));
  EXPECT_THAT(WorthSaying(findings), IsEmpty());
  EXPECT_EQ(UpToHost(findings), Readiness::kReady);
}

}  // namespace
}  // namespace rdmaready
