// SPDX-License-Identifier: Apache-2.0
#include "checks/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/check.h"
#include "checks/readiness.h"
#include "checks/words/words.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<Finding> JudgeGoodPair(const Facts& a, const Facts& b,
                                   const Profile& profile = VirtualFabricProfile()) {
  const std::vector<Finding> of_a = JudgeHost(a, profile);
  const std::vector<Finding> of_b = JudgeHost(b, profile);
  const PairSide from{.name = "a", .host = a, .port = a.ports->front(), .findings = of_a};
  const PairSide to{.name = "b", .host = b, .port = b.ports->front(), .findings = of_b};
  return JudgePair(from, to, profile);
}

Readiness HostReadiness(const Facts& host, const Profile& profile = VirtualFabricProfile()) {
  const std::vector<Finding> findings = JudgeHost(host, profile);
  return ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
}

TEST(JudgeHost, FindsTheGoodHostReadyWithoutAWord) {
  const std::vector<Finding> findings = JudgeHost(GoodHost(), VirtualFabricProfile());
  EXPECT_THAT(WorthSaying(findings), IsEmpty());
  EXPECT_EQ(HostReadiness(GoodHost()), Readiness::kReady);
  for (const Finding& finding : findings) {
    EXPECT_TRUE(finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable) << finding.id;
    EXPECT_TRUE(finding.hidden_by.empty()) << finding.id;
    EXPECT_FALSE(finding.observed.empty()) << finding.id;
  }
}

TEST(JudgeHost, NeverFindsADefaultFactsReady) {
  Facts host;
  EXPECT_EQ(HostReadiness(host), Readiness::kUndetermined);
  host.ports = std::vector<Port>{Port{}};
  EXPECT_EQ(HostReadiness(host), Readiness::kUndetermined);
  EXPECT_EQ(HostReadiness(host, Profile{.name = "asks-nothing"}), Readiness::kUndetermined);
  host.ports = std::vector<Port>{GoodPort(), Port{}};
  EXPECT_NE(HostReadiness(host), Readiness::kReady);
}

TEST(JudgeHost, NeverFindsAHostReadyThatLacksOneAnswer) {
  const std::vector<void (*)(Port&)> gaps{[](Port& port) { port.transport = Missing{}; },
                                          [](Port& port) { port.state = Missing{}; },
                                          [](Port& port) { port.active_mtu_bytes = Missing{}; },
                                          [](Port& port) { port.gids = Missing{}; },
                                          [](Port& port) { port.cm_default_mode = Missing{}; },
                                          [](Port& port) { port.cm_default_tos = Missing{}; },
                                          [](Port& port) { port.netdev = Missing{}; }};
  for (const auto gap : gaps) EXPECT_EQ(HostReadiness(WithPort(gap)), Readiness::kUndetermined);
  const std::vector<void (*)(Dcb&)> dcb_gaps{
      [](Dcb& dcb) { dcb.ets = Missing{}; },
      [](Dcb& dcb) { dcb.pfc = Missing{}; },
      [](Dcb& dcb) { dcb.app = Missing{}; },
      [](Dcb& dcb) { dcb.dcbx = Missing{}; },
  };
  for (const auto gap : dcb_gaps) EXPECT_EQ(HostReadiness(WithDcb(gap)), Readiness::kUndetermined);
  Facts host = GoodHost();
  host.memlock = Missing{};
  EXPECT_EQ(HostReadiness(host), Readiness::kUndetermined);
}

struct WrongThing {
  std::string_view name;
  Facts host;
  std::string_view red;
  Profile profile = VirtualFabricProfile();
};

std::vector<WrongThing> WrongThings() {
  Facts no_rdma = GoodHost();
  no_rdma.ports = std::vector<Port>{};
  no_rdma.rdma_stack = RdmaStack::kAbsent;
  no_rdma.memlock = Memlock{.limit_bytes = 65536, .pid = 1};
  Facts memlock = GoodHost();
  memlock.memlock = Memlock{.limit_bytes = 65536, .pid = 1};
  const auto cable = [](Port& port) {
    port.state = PortState::kDown;
    port.gids = std::vector<Gid>{};
    Netdev netdev = *port.netdev;
    netdev.carrier = false;
    netdev.speed_mbps = Missing{.kind = Missing::Kind::kFailed, .detail = "speed unknown while link is down"};
    netdev.duplex = Duplex::kUnknown;
    port.phys_state = std::uint8_t{2};
    port.netdev = netdev;
  };
  const auto mtu = [](Port& port) {
    port.active_mtu_bytes = 1024;
    Netdev netdev = *port.netdev;
    netdev.mtu_bytes = 1500;
    port.netdev = netdev;
  };
  const auto no_dcb = [](Dcb& dcb) {
    const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "driver has no DCB (no dcbnl_ops)"};
    dcb = Dcb{.ets = none, .pfc = none, .app = none, .app_trust = none, .dcbx = none};
  };
  return {
      {"no RDMA", no_rdma, "inv.rdma-present"},
      {"memlock 64 KiB", memlock, "host.memlock"},
      {"cable pulled", WithPort(cable), "link.state"},
      {"no netdev",
       WithPort([](Port& port) { port.netdev = Missing{.kind = Missing::Kind::kUnsupported, .detail = ""}; }),
       "inv.netdev-mapping"},
      {"slow link", WithNetdev([](Netdev& netdev) { netdev.speed_mbps = 10'000; }), "link.speed"},
      {"MTU 1500", WithPort(mtu), "mtu.ethernet"},
      {"GID missed", WithPort([](Port& port) { port.gids = std::vector<Gid>{port.gids->front()}; }),
       "gid.v2-present"},
      {"RDMA-CM on RoCE v1", WithPort([](Port& port) { port.cm_default_mode = GidType::kRoceV1; }),
       "gid.default-mode"},
      {"ToS unset", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "roce.tos"},
      {"driver without DCB", WithDcb(no_dcb), "drv.dcb-capable"},
      {"PFC on 4", WithPfc(1U << 4), "pfc.lossless-priority"},
      {"PFC off", WithPfc(0), "pfc.lossless-priority"},
      {"PFC on all", WithPfc(0xff), "pfc.not-default"},
      {"PFC on 0 too", WithPfc(0x09), "pfc.not-default"},
      {"no lossless class at all", WithDcb([](Dcb& dcb) { dcb.pfc = Pfc{.capability = 0, .enabled = 0}; }),
       "pfc.lossless-priority"},
      {"ETS shares of 90 %", WithEts([](Ets& ets) { ets.tx_percent[0] = 40; }), "ets.sum"},
      {"one class", WithEts([](Ets& ets) {
         ets.traffic_classes = 1;
         ets.prio_tc = {};
       }),
       "ets.capacity"},
      {"RDMA in a class of the vendor's", WithEts([](Ets& ets) {
         ets.tsa[3] = Tsa::kVendor;
         ets.tx_percent = {100};
       }),
       "ets.tsa"},
      {"link-level pause", WithNetdev([](Netdev& netdev) { netdev.pause = Pause{.rx = true, .tx = true}; }),
       "pause.off-with-pfc"},
      {"an MTU that the driver cannot", WithPort([&mtu](Port& port) {
         mtu(port);
         Netdev netdev = *port.netdev;
         netdev.max_mtu_bytes = 1500;
         port.netdev = netdev;
       }),
       "mtu.max"},
      {"no address", WithPort([](Port& port) {
         port.gids = std::vector<Gid>{port.gids->front()};
         Netdev netdev = *port.netdev;
         netdev.addresses = std::vector<IpAddress>{};
         port.netdev = netdev;
       }),
       "ip.address"},
      {"ETS share moved", WithEts([](Ets& ets) {
         ets.tx_percent[0] = 90;
         ets.tx_percent[3] = 10;
       }),
       "ets.rdma-share"},
      {"RDMA in the default class", WithEts([](Ets& ets) { ets.prio_tc[3] = 0; }), "ets.map"},
      {"DSCP row gone", WithApp({}), "map.dscp"},
      {"DSCP row wrong", WithApp({{.selector = AppSelector::kDscp, .priority = 5, .protocol = 26}}),
       "map.dscp"},
      {"willing", WithEts([](Ets& ets) { ets.willing = true; }), "dcbx.willing"},
      {"firmware runs DCBX", WithDcb([](Dcb& dcb) { dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }),
       "dcbx.mode"},
      {"DSCP row under a PCP profile", GoodHost(), "trust.mode", PcpProfile()},
      {"iWARP port", WithPort([](Port& port) { port.transport = Transport::kIwarp; }), "inv.transport"},
      {"InfiniBand port", WithPort([](Port& port) { port.transport = Transport::kInfiniBand; }),
       "inv.transport"},
  };
}

TEST(JudgeHost, ShowsOneRedLineForOneWrongThing) {
  for (const WrongThing& wrong : WrongThings()) {
    SCOPED_TRACE(wrong.name);
    const std::vector<Finding> findings = JudgeHost(wrong.host, wrong.profile);
    EXPECT_THAT(IdsWith(findings, Outcome::kFail), ElementsAre(std::string(wrong.red)));
    EXPECT_THAT(IdsWith(findings, Outcome::kWarn), IsEmpty());
    EXPECT_EQ(HostReadiness(wrong.host, wrong.profile), Readiness::kNotReady);
    for (const Finding& finding : findings) {
      if (finding.hidden_by.empty()) continue;
      EXPECT_EQ(finding.hidden_by, wrong.red);
      EXPECT_EQ(finding.outcome, Outcome::kNotApplicable);
      EXPECT_THAT(finding.observed, HasSubstr("not judged: " + finding.hidden_by + " fails"));
    }
  }
}

TEST(JudgeHost, BeginsTheFixOfAKernelWithoutInfiniBandWithTheRemedy) {
  const auto fix_on = [](Fact<Kernel> kernel, Fact<Distribution> distribution = Missing{}) {
    Facts host = GoodHost();
    host.kernel = std::move(kernel);
    host.distribution = std::move(distribution);
    host.rdma_stack = RdmaStack::kAbsent;
    host.ports = std::vector<Port>{};
    return WhatToDo(Of(JudgeHost(host, VirtualFabricProfile()), "inv.rdma-present"));
  };
  const auto debian = [&](const char* release) { return fix_on(Kernel{.release = release}); };
  EXPECT_THAT(debian("6.12.117+deb12-cloud-amd64"),
              StartsWith("apt-get install linux-image-amd64; reboot  # "));
  EXPECT_THAT(debian("6.1.0-28-cloud-arm64"), StartsWith("apt-get install linux-image-arm64; reboot  # "));
  EXPECT_THAT(debian("6.1.0-28-cloud-amd64"), Not(HasSubstr("distribution")));
  for (const std::string& fix :
       {fix_on(Denied()), fix_on(Kernel{.release = "6.12.0"}), fix_on(Kernel{.release = "-amd64"}),
        fix_on(Kernel{.release = "6.12.0"}, Distribution{.id = "arch"})}) {
    EXPECT_THAT(fix, StartsWith("grep -H 'CONFIG_INFINIBAND[ =]' /boot/config-*  # "));
    for (const char* command : {"apt-get", "dnf", "zypper"}) EXPECT_THAT(fix, Not(HasSubstr(command)));
  }
}

// A container's distribution is that of its image, and says nothing of the kernel.
TEST(JudgeHost, NamesTheKernelOfTheDistributionThatItIsOf) {
  const auto fix_on = [](const char* release, const char* id) {
    Facts host = GoodHost();
    host.kernel = Kernel{.release = release};
    host.distribution = Distribution{.id = id};
    host.rdma_stack = RdmaStack::kAbsent;
    host.ports = std::vector<Port>{};
    return WhatToDo(Of(JudgeHost(host, VirtualFabricProfile()), "inv.rdma-present"));
  };
  EXPECT_THAT(fix_on("6.12.0", "debian"),
              StartsWith("apt-get install linux-image-$(dpkg --print-architecture); "));
  EXPECT_THAT(fix_on("6.1.0-28-cloud-amd64", "rhel"), StartsWith("apt-get install linux-image-amd64; "));
  EXPECT_THAT(fix_on("6.1.0-28-amd64", "ubuntu"), StartsWith("apt-get install linux-image-amd64; "));
  EXPECT_THAT(fix_on("5.14.0-503.el9.x86_64", "debian"), StartsWith("dnf install kernel; "));
  EXPECT_THAT(fix_on("6.4.0-150600.23-default", "sles"), StartsWith("zypper install kernel-default; "));
  EXPECT_THAT(fix_on("6.8.0-45-generic", "ubuntu"), StartsWith("apt-get install linux-generic; "));
  EXPECT_THAT(fix_on("6.8.0-1010-kvm", "ubuntu"), StartsWith("apt-get install linux-generic; "));
}

TEST(JudgePair, AddsNoRedLineToWhatAHostAlreadySays) {
  for (const WrongThing& wrong : WrongThings()) {
    if (!wrong.host.ports || wrong.host.ports->empty()) continue;
    SCOPED_TRACE(wrong.name);
    for (const auto& [a, b] : {std::pair(wrong.host, GoodHost()), std::pair(GoodHost(), wrong.host)}) {
      const std::vector<Finding> findings = JudgeGoodPair(a, b, wrong.profile);
      EXPECT_THAT(IdsWith(findings, Outcome::kFail), IsEmpty());
      EXPECT_THAT(IdsWith(findings, Outcome::kWarn), IsEmpty());
    }
  }
}

TEST(JudgePair, NamesTheHostWhoseFindingHidesIt) {
  const Finding pfc = Of(JudgeGoodPair(GoodHost(), WithPfc(1U << 4)), "pfc.both-directions");
  EXPECT_EQ(pfc.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(pfc.hidden_by, "pfc.lossless-priority");
  EXPECT_EQ(pfc.observed, "not judged: pfc.lossless-priority fails on b");
  EXPECT_EQ(pfc.subject, "rxe0/1 -> rxe0/1");
  EXPECT_EQ(pfc.rung, Rung::kPeer);
}

TEST(JudgePair, SaysAWarningOnlyOnce) {
  const std::vector<Finding> findings = JudgeGoodPair(GoodHost(), WithPfc(0x18));
  EXPECT_EQ(Of(findings, "pfc.both-directions").observed, "not judged: pfc.only-one warns on b");
}

TEST(JudgePair, FindsTwoHostsThatDifferWhereTheProfileIsSilent) {
  Profile profile = VirtualFabricProfile();
  profile.mtu_bytes.reset();
  profile.roce_mtu_bytes.reset();
  const Finding mtu =
      Of(JudgeGoodPair(GoodHost(), WithPort([](Port& port) { port.active_mtu_bytes = 1024; }), profile),
         "mtu.pair");
  EXPECT_EQ(mtu.outcome, Outcome::kFail);
  EXPECT_THAT(WhatToDo(mtu), testing::StartsWith("ip link set dev dcb0 mtu 9000  # run it on b"));
}

TEST(JudgeHost, HidesAnUnknownOnlyBehindAnUnknown) {
  // The state is not known, the speed is: it is judged.
  const auto findings = JudgeHost(WithPort([](Port& port) { port.state = Denied(); }), VirtualFabricProfile());
  EXPECT_EQ(IdsWith(findings, Outcome::kUnknown), std::vector<std::string>{"link.state"});
  EXPECT_EQ(Of(findings, "link.speed").outcome, Outcome::kPass);
}

TEST(JudgeHost, SaysOnceThatTheInterfaceIsNotKnown) {
  const auto findings = JudgeHost(WithPort([](Port& port) { port.netdev = Denied(); }), VirtualFabricProfile());
  EXPECT_EQ(IdsWith(findings, Outcome::kUnknown), std::vector<std::string>{"inv.netdev-mapping"});
  EXPECT_EQ(Of(findings, "pfc.only-one").hidden_by, "inv.netdev-mapping");
  EXPECT_EQ(Of(findings, "pfc.only-one").observed, "not judged: inv.netdev-mapping is not known");
}

TEST(JudgeHost, JudgesEveryPortByItself) {
  Facts host = GoodHost();
  Port second = GoodPort();
  second.device = "rxe1";
  second.state = PortState::kDown;
  host.ports = std::vector<Port>{GoodPort(), second};
  const std::vector<Finding> findings = JudgeHost(host, VirtualFabricProfile());
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), ElementsAre("link.state"));
  for (const Finding& finding : findings) {
    if (finding.id != "link.speed") continue;
    EXPECT_EQ(finding.hidden_by.empty(), finding.subject == "rxe0/1 dcb0");
  }
}

TEST(JudgeHost, LeavesIwarpWithoutRoceAndDcb) {
  Profile profile = VirtualFabricProfile();
  profile.transport = Profile::Transport::kIwarp;
  const auto findings = JudgeHost(WithPort([](Port& port) { port.transport = Transport::kIwarp; }), profile);
  for (const std::string_view id :
       {"mtu.roce-active", "gid.v2-present", "gid.default-mode", "roce.tos", "drv.dcb-capable",
        "pfc.lossless-priority", "ets.map", "map.dscp", "trust.mode"}) {
    const Finding finding = Of(findings, id);
    EXPECT_EQ(finding.outcome, Outcome::kNotApplicable) << id;
    EXPECT_THAT(finding.observed, HasSubstr("iWARP")) << id;
    EXPECT_TRUE(finding.hidden_by.empty()) << id;
  }
  EXPECT_THAT(IdsWith(findings, Outcome::kFail), IsEmpty());
}

TEST(JudgeHost, TakesItsDurationsFromTheClockItIsGiven) {
  std::int64_t now = 0;
  const auto findings = JudgeHost(GoodHost(), VirtualFabricProfile(), [&now] { return now += 5; });
  for (const Finding& finding : findings) EXPECT_EQ(finding.duration_ns, 5);
}

TEST(JudgeHost, KeepsAHostileNameFromBecomingACommandOrALine) {
  const auto findings = JudgeHost(WithNetdev([](Netdev& netdev) {
                                    netdev.name = "x;reboot\n'";
                                    netdev.mtu_bytes = 1500;
                                  }),
                                  VirtualFabricProfile());
  const Finding mtu = Of(findings, "mtu.ethernet");
  EXPECT_THAT(WhatToDo(mtu), HasSubstr("ip link set dev 'x;reboot '\\''' mtu 9000"));
  for (const Finding& finding : findings) {
    EXPECT_EQ((finding.observed + finding.fix + finding.subject).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace rdmaready
