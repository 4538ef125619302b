// SPDX-License-Identifier: Apache-2.0
#include "checks/words/shared_cable.h"

#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/verdicts.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

// A second function of the first one's port, at another processor.
template <class Change>
Facts TwoFunctions(Change change) {
  Facts host = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.permanent_mac = std::string("0c:42:a1:00:00:10");
    port.netdev = netdev;
  });
  return WithSecond(std::move(host), [&change](Port& port) {
    PciFunction pci = *port.pci;
    pci.address = "0000:af:00.0";
    port.pci = pci;
    Netdev netdev = *port.netdev;
    change(port, netdev);
    port.netdev = netdev;
  });
}

template <class Change, class Last>
Facts TwoFunctions(Change change, Last last) {
  Facts host = TwoFunctions(change);
  std::vector<Port> ports = *host.ports;
  last(ports.back());
  host.ports = ports;
  return host;
}

Finding OfPort(const std::vector<Finding>& findings, std::string_view port) {
  for (const Finding& finding : findings) {
    if (finding.id == "inv.netdev-mapping" && finding.subject.starts_with(port)) return finding;
  }
  return {};
}

Facts SecondWithoutAddress() {
  return TwoFunctions([](Port& port, Netdev& netdev) {
    netdev.addresses = std::vector<IpAddress>{};
    port.gids = std::vector<Gid>{};
    port.subnets = std::vector<Subnet>{};
    port.neighbours = std::vector<Neighbour>{};
  });
}

TEST(SharedCable, IsOfTwoFunctionsWithOneAddressOfTheMaker) {
  const Facts host = SecondWithoutAddress();
  EXPECT_TRUE(ShareCable((*host.ports)[0], (*host.ports)[1]));
  EXPECT_EQ(CarriedOverOneCable(host, (*host.ports)[1]), "rxe0/1 dcb0");
  EXPECT_EQ(CarriedOverOneCable(host, (*host.ports)[0]), "");
  EXPECT_TRUE(IsSecondOnCable(host, (*host.ports)[1]));
  EXPECT_FALSE(IsSecondOnCable(host, (*host.ports)[0]));
}

TEST(SharedCable, IsNotOfTwoPortsOfOneAdapterNorOfOtherAddresses) {
  const Facts other =
      TwoFunctions([](Port&, Netdev& netdev) { netdev.permanent_mac = std::string("0c:42:a1:00:00:11"); });
  EXPECT_FALSE(ShareCable((*other.ports)[0], (*other.ports)[1]));
  const Facts one_slot = TwoFunctions([](Port& port, Netdev&) {
    PciFunction pci = *port.pci;
    pci.address = "0000:3b:00.1";
    port.pci = pci;
  });
  EXPECT_FALSE(ShareCable((*one_slot.ports)[0], (*one_slot.ports)[1]));
}

TEST(SharedCable, IsNotKnownWithoutTheAddressOfTheMaker) {
  const Facts bonded = TwoFunctions([](Port&, Netdev& netdev) {
    netdev.permanent_mac = Denied();
    netdev.master = "bond0";
  });
  EXPECT_FALSE(ShareCable((*bonded.ports)[0], (*bonded.ports)[1]));
}

// Linux 6.9 makes one interface for both functions. Another cause looks the same, so the port is still red.
TEST(SharedCable, IsNamedWhereOneInterfaceMayBeOfBothFunctions) {
  const auto without = [](PortState state) {
    return TwoFunctions([](Port&, Netdev&) {},
                        [state](Port& port) {
                          port.netdev =
                              Missing{.kind = Missing::Kind::kUnsupported, .detail = "port has no netdev"};
                          port.state = state;
                        });
  };
  const Finding finding = OfPort(JudgeHost(without(PortState::kDown), VirtualFabricProfile()), "rxe1/1");
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_NE(WhatToDo(finding).find("Socket Direct"), std::string::npos) << WhatToDo(finding);
  const Finding active = OfPort(JudgeHost(without(PortState::kActive), VirtualFabricProfile()), "rxe1/1");
  EXPECT_EQ(WhatToDo(active).find("Socket Direct"), std::string::npos);
}

TEST(SharedCable, IsOneRailAndNoDeadPort) {
  Profile profile = VirtualFabricProfile();
  profile.min_ports = std::uint8_t{2};
  const std::vector<Finding> findings = JudgeHost(SecondWithoutAddress(), profile);
  EXPECT_EQ(Of(findings, "inv.expected-count").outcome, Outcome::kFail);
  for (const Finding& finding : findings) {
    if (!finding.subject.starts_with("rxe1")) continue;
    EXPECT_FALSE(CallsForAction(finding.outcome)) << finding.id << ": " << finding.observed;
  }
}

}  // namespace
}  // namespace rdmaready
