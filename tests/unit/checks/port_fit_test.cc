// SPDX-License-Identifier: Apache-2.0
#include "checks/port_fit.h"

#include <gtest/gtest.h>

#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using Answer = PortFit::Answer;
using Selector = Profile::PortSelector;

PortFit Fit(const Port& port, std::vector<Selector> ports) {
  Profile profile = VirtualFabricProfile();
  profile.ports = std::move(ports);
  return FitOf(port, profile);
}

Port OnHardware() {
  return HardwareNic([](Port& port, PciFunction& pci) {
           pci.address = "0000:3b:00.1";
           port.uppers = std::vector<UpperNetdev>{
               {.name = "dcb0.711",
                .kind = "vlan",
                .vlan_id = std::uint16_t{711},
                .addresses = std::vector<IpAddress>{{.address = "10.7.1.2", .prefix_length = 24}}}};
         })
      .ports->front();
}

TEST(PortFit, IsYesWhereAllThatOneSelectorSaysIsTrue) {
  const Port port = OnHardware();
  for (const Selector& selector : std::vector<Selector>{{.device = "rxe*"},
                                                        {.device = "rxe0/1"},
                                                        {.netdev = "dcb[0-3]"},
                                                        {.netdev = "dcb0.711"},
                                                        {.driver = "mlx5_core"},
                                                        {.pci = "0000:3b:00.*"},
                                                        {.transport = Profile::Transport::kRoceV2},
                                                        {.subnet = "10.7.0.0/16"},
                                                        {.vlan = std::uint16_t{711}},
                                                        {.driver = "mlx5_core", .subnet = "10.7.0.0/16"}}) {
    EXPECT_EQ(Fit(port, {selector}).answer, Answer::kYes)
        << selector.device << selector.netdev << selector.driver << selector.pci << selector.subnet;
    EXPECT_EQ(Fit(port, {{.device = "other"}, selector}).answer, Answer::kYes);
  }
  EXPECT_EQ(Fit(port, {}).answer, Answer::kYes) << "a profile without selectors is for every port";
}

TEST(PortFit, IsNoWhereOneThingIsNotTrue) {
  const Port port = OnHardware();
  for (const Selector& selector : std::vector<Selector>{{.device = "mlx5_*"},
                                                        {.netdev = "dcb"},
                                                        {.driver = "bnxt_en"},
                                                        {.pci = "0000:3c:*"},
                                                        {.transport = Profile::Transport::kInfiniBand},
                                                        {.subnet = "10.8.0.0/16"},
                                                        {.subnet = "fd00::/8"},
                                                        {.vlan = std::uint16_t{712}},
                                                        {.driver = "mlx5_core", .subnet = "10.8.0.0/16"}}) {
    EXPECT_EQ(Fit(port, {selector}).answer, Answer::kNo)
        << selector.device << selector.netdev << selector.driver << selector.pci << selector.subnet;
  }
}

TEST(PortFit, IsUnknownWhereWhatDecidesCannotBeRead) {
  Port port = OnHardware();
  port.pci = Denied();
  port.transport = Denied();
  port.uppers = Denied();
  EXPECT_EQ(Fit(port, {{.pci = "*"}}), (PortFit{.unknown = "its PCI address"}));
  EXPECT_EQ(Fit(port, {{.transport = Profile::Transport::kRoceV2}}).answer, Answer::kUnknown);
  EXPECT_EQ(Fit(port, {{.vlan = std::uint16_t{711}}}).answer, Answer::kUnknown);
  EXPECT_EQ(Fit(port, {{.subnet = "10.7.0.0/16"}}).answer, Answer::kUnknown);
  EXPECT_EQ(Fit(port, {{.netdev = "ens*"}}).answer, Answer::kUnknown);
  // What is known not to fit settles it, and so does what is known to.
  EXPECT_EQ(Fit(port, {{.device = "mlx5_*", .pci = "*"}}).answer, Answer::kNo);
  EXPECT_EQ(Fit(port, {{.pci = "*"}, {.netdev = "dcb0"}}).answer, Answer::kYes);
}

TEST(PortFit, OfAPortWithoutNetdevIsNoAndNotUnknown) {
  Port port = OnHardware();
  port.netdev = Missing{.kind = Missing::Kind::kUnsupported, .detail = "no netdev"};
  EXPECT_EQ(Fit(port, {{.netdev = "*"}}).answer, Answer::kNo);
  EXPECT_EQ(Fit(port, {{.vlan = std::uint16_t{711}}}).answer, Answer::kNo);
}

TEST(PortFit, KnowsThePortByThreeNames) {
  const Port port = OnHardware();
  EXPECT_TRUE(IsNamed(port, "rxe0"));
  EXPECT_TRUE(IsNamed(port, "rxe0/1"));
  EXPECT_TRUE(IsNamed(port, "dcb0"));
  EXPECT_FALSE(IsNamed(port, "rxe0/2"));
  EXPECT_FALSE(IsNamed(port, ""));
}

}  // namespace
}  // namespace rdmaready
