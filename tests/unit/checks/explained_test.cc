// SPDX-License-Identifier: Apache-2.0
// Which findings of one host are a consequence of another one, and which have a repair of their own.
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Finding Said(const std::vector<Finding>& findings, std::string_view id) {
  for (const Finding& finding : findings) {
    if (finding.id == id) return finding;
  }
  return {};
}

Facts WithOnePort(Facts host, const Port& port) {
  host.ports = std::vector<Port>{port};
  return host;
}

TEST(Explained, ADownLinkOfAVirtualFunctionIsSaidByItsPolicyAlone) {
  const Facts physical = OnInfiniband();
  Port port = physical.ports->front();
  port.state = PortState::kDown;
  PciFunction pci = *port.pci;
  pci.virtual_function = true;
  pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = "ibp59s0", .number = std::uint32_t{3}};
  port.pci = pci;
  Profile profile{.name = "ib"};
  profile.transport = Profile::Transport::kInfiniBand;
  const std::vector<Finding> findings = JudgeHost(WithOnePort(physical, port), profile);
  EXPECT_EQ(Said(findings, "ib.vf-state").outcome, Outcome::kFail);
  EXPECT_TRUE(Said(findings, "ib.vf-state").blocking);
  EXPECT_EQ(Said(findings, "link.state").hidden_by, "ib.vf-state");
}

TEST(Explained, EachSwitchOfCongestionControlIsAFindingOfItsOwn) {
  const Facts host = WithHardware([](Port& port, PciFunction&) {
    port.congestion = CongestionControl{.source = "/sys/class/net/dcb0/ecn",
                                        .notifies = std::uint8_t{0},
                                        .slows_down = std::uint8_t{0},
                                        .cnp_dscp = std::uint8_t{0},
                                        .cnp_priority = std::uint8_t{3}};
  });
  const Profile profile = Asking([](Profile& asking) {
    asking.ecn = Profile::Ecn{};
    asking.cnp = Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}};
    asking.advice = std::vector{Profile::Key::kCnp};
  });
  const std::vector<Finding> findings = JudgeHost(host, profile);
  for (const std::string_view id : {"ecn.np", "ecn.rp", "ecn.cnp-dscp", "ecn.cnp-prio"}) {
    EXPECT_EQ(Said(findings, id).outcome, Outcome::kWarn) << id << Said(findings, id).observed;
  }
}

TEST(Explained, UnknownSwitchesOfCongestionControlAreSaidOnce) {
  const Facts host = WithHardware([](Port& port, PciFunction&) { port.congestion = Denied(); });
  const Profile profile = Asking([](Profile& asking) { asking.ecn = Profile::Ecn{}; });
  const std::vector<Finding> findings = JudgeHost(host, profile);
  EXPECT_EQ(Said(findings, "ecn.np").outcome, Outcome::kUnknown);
  EXPECT_EQ(Said(findings, "ecn.rp").hidden_by, "ecn.np");
}

TEST(Explained, AFailureTakesOverTheAdviceThatItFollowsFrom) {
  Port port = GoodPort();
  Netdev netdev = *port.netdev;
  netdev.mtu_bytes = 1500;
  port.netdev = netdev;
  port.active_mtu_bytes = std::uint32_t{1024};
  const Profile profile = Asking([](Profile& asking) {
    asking.mtu_bytes = std::uint32_t{9000};
    asking.roce_mtu_bytes = std::uint32_t{4096};
    asking.advice = std::vector{Profile::Key::kMtuBytes};
  });
  const std::vector<Finding> findings = JudgeHost(WithOnePort(GoodHost(), port), profile);
  const Finding failure = Said(findings, "mtu.roce-active");
  EXPECT_EQ(failure.outcome, Outcome::kFail);
  EXPECT_NE(failure.observed.find("; mtu.ethernet: MTU 1500"), std::string::npos) << failure.observed;
  EXPECT_NE(failure.fix.find("mtu 9000"), std::string::npos) << failure.fix;
  EXPECT_EQ(Said(findings, "mtu.ethernet").hidden_by, "mtu.roce-active");
}

// The card trained to a lower speed, and its slot has too few lanes at any speed.
TEST(Explained, ASlotThatIsTooNarrowIsSaidBesideALostSpeed) {
  const Facts host = WithHardware([](Port& port, PciFunction& pci) {
    Netdev netdev = *port.netdev;
    netdev.speed_mbps = std::uint32_t{100'000};
    port.netdev = netdev;
    std::vector<PciHop> path = *pci.path;
    path.front().max = {.speed_mtps = 16'000, .width = 16};
    path.front().current = {.speed_mtps = 8'000, .width = 4};
    for (std::size_t i = 1; i < path.size(); ++i) {
      path[i].max = {.speed_mtps = 16'000, .width = 4};
      path[i].current = path.front().current;
    }
    pci.path = path;
  });
  Profile profile = VirtualFabricProfile();
  profile.min_speed_mbps.reset();
  const std::vector<Finding> findings = JudgeHost(host, profile);
  EXPECT_EQ(Said(findings, "pcie.speed").outcome, Outcome::kWarn) << Said(findings, "pcie.speed").observed;
  EXPECT_EQ(Said(findings, "pcie.bandwidth").outcome, Outcome::kWarn)
      << Said(findings, "pcie.bandwidth").observed;
}

}  // namespace
}  // namespace rdmaready
