// SPDX-License-Identifier: Apache-2.0
#include "checks/words/second_function.h"

#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/verdicts.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSecond = "0000:af:00.0";

// A second function of the board, at another processor, as mlx5 of Linux 6.9 shows it.
template <class Change>
Facts TwoFunctions(Change change) {
  Facts host = WithSecond(WithHardware([](Port&, PciFunction&) {}), [&change](Port& port) {
    PciFunction pci = *port.pci;
    pci.address = kSecond;
    port.pci = pci;
    port.netdev = Missing{.kind = Missing::Kind::kUnsupported, .detail = "port has no netdev"};
    port.lowers = Missing{.kind = Missing::Kind::kUnsupported, .detail = "port has no netdev"};
    port.state = PortState::kDown;
    change(port);
  });
  PciDevice device;
  device.address = kSecond;
  device.driver = "mlx5_core";
  host.pci_devices = std::vector<PciDevice>{device};
  return host;
}

Facts TwoFunctions() {
  return TwoFunctions([](Port&) {});
}

std::string SharedBySecond(const Facts& host) { return *PerhapsInterfaceOfBoth(host, host.ports->back()); }

TEST(SecondFunction, MayShareTheInterfaceOfItsBoard) {
  const Facts host = TwoFunctions();
  EXPECT_EQ(SharedBySecond(host), host.ports->front().netdev->name);
  EXPECT_EQ(*PerhapsInterfaceOfBoth(host, host.ports->front()), "");
}

TEST(SecondFunction, IsNotAPortWithALinkNorOfAnotherBoardSlotOrDriver) {
  EXPECT_EQ(SharedBySecond(TwoFunctions([](Port& port) { port.state = PortState::kActive; })), "");
  const Facts unknown = TwoFunctions([](Port& port) { port.state = Denied(); });
  EXPECT_FALSE(PerhapsInterfaceOfBoth(unknown, unknown.ports->back()));
  EXPECT_EQ(SharedBySecond(TwoFunctions([](Port& port) { port.board = std::string("MT_0000000008"); })), "");
  EXPECT_EQ(SharedBySecond(TwoFunctions([](Port& port) {
              PciFunction pci = *port.pci;
              pci.address = "0000:3b:00.1";
              port.pci = pci;
            })),
            "");
  Facts other = TwoFunctions();
  std::vector<PciDevice> devices = *other.pci_devices;
  devices.front().driver = "ice";
  other.pci_devices = devices;
  EXPECT_EQ(SharedBySecond(other), "");
}

TEST(SecondFunction, WarnsOfItsMissingInterfaceAndOfNothingElse) {
  for (const Finding& finding : JudgeHost(TwoFunctions(), VirtualFabricProfile())) {
    if (!finding.subject.starts_with("rxe1")) continue;
    if (finding.id == "inv.netdev-mapping") {
      EXPECT_EQ(finding.outcome, Outcome::kWarn) << finding.observed;
      EXPECT_NE(finding.observed.find("Socket Direct"), std::string::npos) << finding.observed;
    } else {
      EXPECT_FALSE(CallsForAction(finding.outcome)) << finding.id << ": " << finding.observed;
    }
  }
}

}  // namespace
}  // namespace rdmaready
