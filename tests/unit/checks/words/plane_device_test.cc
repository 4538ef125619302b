// SPDX-License-Identifier: Apache-2.0
#include "checks/words/plane_device.h"

#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/verdicts.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

// A second device on the same PCI function, with that many ports.
Facts WithPlanes(std::uint32_t planes, std::string_view place = "0000:3b:00.0") {
  Facts host = OnInfiniband();
  std::vector<Port> ports = *host.ports;
  const Port whole = ports.front();
  for (std::uint32_t number = 1; number <= planes; ++number) {
    Port plane = whole;
    plane.device = "smi1";
    plane.number = number;
    plane.rate_mbps = 50'000;
    PciFunction pci = *plane.pci;
    pci.address = place;
    plane.pci = pci;
    ports.push_back(plane);
  }
  host.ports = ports;
  return host;
}

TEST(PlaneDevice, NamesTheDeviceWhosePlanesItHas) {
  const Facts host = WithPlanes(12);
  EXPECT_EQ(*PlanesOf(host, host.ports->front()), "");
  EXPECT_EQ(*PlanesOf(host, host.ports->back()), "mlx5_0");
}

TEST(PlaneDevice, IsNotADeviceInAnotherSlotOrOfEqualPorts) {
  const Facts apart = WithPlanes(4, "0000:5e:00.0");
  EXPECT_EQ(*PlanesOf(apart, apart.ports->back()), "");
  const Facts one = WithPlanes(1);
  EXPECT_EQ(*PlanesOf(one, one.ports->back()), "");
}

TEST(PlaneDevice, IsUnknownOnlyWhereNoPortOfTheDeviceNamesItsFunction) {
  Facts host = WithPlanes(4);
  std::vector<Port> ports = *host.ports;
  ports.back().pci = Denied();
  ports[1].transport = Denied();
  host.ports = ports;
  EXPECT_EQ(*PlanesOf(host, host.ports->back()), "mlx5_0");
  for (Port& port : ports) port.pci = Denied();
  host.ports = ports;
  EXPECT_FALSE(PlanesOf(host, host.ports->back()));
  EXPECT_EQ(*PlanesOf(host, host.ports->front()), "");
  for (const Finding& finding : JudgeHost(host, InfinibandProfile())) {
    const bool of_plane = finding.id == "link.state" && finding.subject.starts_with("smi1");
    EXPECT_FALSE(of_plane && finding.outcome == Outcome::kPass) << finding.subject;
  }
}

TEST(PlaneDevice, IsNotComparedWithItsPort) {
  for (const Finding& finding : JudgeHost(WithPlanes(4), InfinibandProfile())) {
    const bool of_planes = finding.subject.starts_with("smi1");
    EXPECT_NE(finding.outcome, Outcome::kFail) << finding.id << finding.observed;
    if (of_planes) {
      EXPECT_FALSE(CallsForAction(finding.outcome)) << finding.id << finding.observed;
    } else if (finding.id == "link.speed-consistent") {
      EXPECT_EQ(finding.outcome, Outcome::kPass);
    }
  }
}

TEST(PlaneDevice, MakesNoSpareOfAPortThatIsDown) {
  Facts host = WithPlanes(4);
  std::vector<Port> ports = *host.ports;
  ports.front().state = PortState::kDown;
  ports.front().phys_state = std::uint8_t{2};
  ports.front().ib.lid = std::uint16_t{0};
  ports.front().port_counters = std::vector<Counter>{};
  host.ports = ports;
  EXPECT_EQ(Of(JudgeHost(host, InfinibandProfile()), "link.state").outcome, Outcome::kFail);
}

}  // namespace
}  // namespace rdmaready
