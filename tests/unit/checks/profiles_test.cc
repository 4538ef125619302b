// SPDX-License-Identifier: Apache-2.0
// The built-in profiles as they are shipped: a host that does what one asks for is ready, and not without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/readiness.h"
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

// Told apart by the priority in the VLAN tag: no DSCP row, so that the driver trusts PCP; no ToS is set.
template <class Change>
Facts HostByPcp(Change change) {
  return WithPort([&change](Port& port) {
    port.cm_default_tos = std::uint8_t{0};
    Netdev netdev = *port.netdev;
    netdev.dcb.app = std::vector<AppEntry>{};
    port.netdev = netdev;
    change(port);
  });
}

Readiness UpToHost(const std::vector<Finding>& findings) {
  return ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
}

TEST(DefaultProfile, FindsAGoodHostReady) {
  const Profile profile = BuiltIn(kDefaultProfileName);
  EXPECT_EQ(profile.name, "smb-direct-roce");
  const std::vector<Finding> findings = JudgeHost(HostByPcp([](Port&) {}), profile);
  EXPECT_THAT(WorthSaying(findings), IsEmpty());
  EXPECT_EQ(UpToHost(findings), Readiness::kReady);
  EXPECT_EQ(Of(findings, "trust.mode").outcome, Outcome::kPass);
  EXPECT_EQ(Of(findings, "pfc.lossless-priority").outcome, Outcome::kPass);
  EXPECT_THAT(IdsWith(findings, Outcome::kNotApplicable), ElementsAre("roce.tos", "map.dscp"));
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
      {"trust.mode",
       HostByPcp([&](Port& port) { in_dcb(port, [](Netdev& netdev) { netdev.dcb.app = GoodDcb().app; }); })},
      {"pfc.lossless-priority", HostByPcp([&](Port& port) {
         in_dcb(port, [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8, .enabled = 0}; });
       })},
      {"ets.rdma-share", HostByPcp([&](Port& port) {
         in_dcb(port, [](Netdev& netdev) {
           Ets ets = *netdev.dcb.ets;
           ets.tx_percent[0] = 70;
           ets.tx_percent[3] = 30;
           netdev.dcb.ets = ets;
         });
       })},
      {"mtu.ethernet",
       HostByPcp([&](Port& port) { in_dcb(port, [](Netdev& netdev) { netdev.mtu_bytes = 1500; }); })},
      {"link.speed",
       HostByPcp([&](Port& port) { in_dcb(port, [](Netdev& netdev) { netdev.speed_mbps = 1'000; }); })},
      {"gid.default-mode", HostByPcp([](Port& port) { port.cm_default_mode = GidType::kRoceV1; })},
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

}  // namespace
}  // namespace rdmaready
