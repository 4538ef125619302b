// SPDX-License-Identifier: Apache-2.0
#include "checks/words/carrying_function.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checks/judge.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

// A physical function without an address, and a virtual one of it with the addresses `own`.
Facts WithFunctionOf(Fact<std::vector<IpAddress>> own) {
  Facts host = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{};
    port.netdev = netdev;
  });
  std::vector<Port> ports = *host.ports;
  Port function = ports.front();
  function.device = "rxe1";
  Netdev netdev = *function.netdev;
  netdev.name = "dcb0v0";
  netdev.addresses = std::move(own);
  function.netdev = netdev;
  PciFunction pci{.address = "0000:3b:00.2", .virtual_function = true};
  pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = "dcb0", .number = std::uint32_t{0}};
  function.pci = pci;
  ports.push_back(function);
  host.ports = ports;
  return host;
}

std::string ReasonOf(const Facts& host) {
  const Fact<std::string> reason = CarriedByFunction(host, host.ports->front());
  return reason ? *reason : "unknown: " + reason.missing().detail;
}

Outcome OutcomeOf(const Facts& host, std::string_view id, std::string_view subject) {
  const std::vector<Finding> findings = JudgeHost(host, VirtualFabricProfile());
  const auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.id == id && finding.subject.starts_with(subject);
  });
  return found == findings.end() ? Outcome::kUnknown : found->outcome;
}

TEST(CarryingFunction, ExcusesThePhysicalOneFromAnAddress) {
  const std::vector<IpAddress> address{{.address = "10.0.0.5", .prefix_length = 24}};
  const Facts host = WithFunctionOf(address);
  EXPECT_EQ(ReasonOf(host),
            "RDMA of this adapter goes by its virtual function rxe1/1 dcb0v0, which has the address");
  EXPECT_EQ(*CarriedByFunction(host, host.ports->back()), "");
  EXPECT_EQ(OutcomeOf(host, "ip.address", "rxe0/1"), Outcome::kNotApplicable);
  EXPECT_EQ(OutcomeOf(host, "roce.tos", "rxe0/1"), Outcome::kNotApplicable);
}

TEST(CarryingFunction, NeedsAnAddressThatIsKnown) {
  EXPECT_EQ(ReasonOf(WithFunctionOf(std::vector<IpAddress>{})), "");
  EXPECT_TRUE(ReasonOf(WithFunctionOf(Denied())).starts_with("unknown: "));
  EXPECT_EQ(ReasonOf(Hardware()), "");
}

TEST(Representor, IsJudgedForNothingButItsPlace) {
  const Facts host = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.driver_info = DriverInfo{.driver = "mlx5e_rep"};
    port.netdev = netdev;
  });
  EXPECT_TRUE(IsRepresentor(host.ports->front()));
  EXPECT_FALSE(IsRepresentor(Hardware().ports->front()));
  EXPECT_EQ(OutcomeOf(host, "pfc.lossless-priority", "rxe0/1"), Outcome::kNotApplicable);
}

}  // namespace
}  // namespace rdmaready
