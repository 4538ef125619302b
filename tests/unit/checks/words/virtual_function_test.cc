// SPDX-License-Identifier: Apache-2.0
#include "checks/words/virtual_function.h"

#include <gtest/gtest.h>

#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

Port VirtualOf(Fact<PhysicalFunction> physical) {
  Port port = Hardware().ports->front();
  PciFunction pci = *port.pci;
  pci.virtual_function = true;
  pci.physical = std::move(physical);
  port.pci = pci;
  return port;
}

Port OfModel(std::uint16_t vendor, std::uint16_t device) {
  Port port = Hardware().ports->front();
  PciFunction pci = *port.pci;
  pci.vendor_id = vendor;
  pci.device_id = device;
  port.pci = pci;
  return port;
}

TEST(VirtualFunction, IsNamedByWhereItIsSet) {
  const Port third =
      VirtualOf(PhysicalFunction{.address = "0000:3b:00.0", .netdev = "ens1f0np0", .number = 3U});
  EXPECT_EQ(VirtualFunctionText(third), "virtual function 3 of ens1f0np0");
  EXPECT_EQ(VirtualFunctionWords(third), "ens1f0np0 vf 3");
  const Port unseen = VirtualOf(PhysicalFunction{.address = "0000:3b:00.0", .number = Denied()});
  EXPECT_EQ(VirtualFunctionText(unseen), "virtual function of 0000:3b:00.0");
  EXPECT_EQ(VirtualFunctionWords(unseen), "NETDEV vf NUMBER");
  const Port elsewhere = VirtualOf(Denied());
  EXPECT_EQ(VirtualFunctionText(elsewhere), "a virtual function");
  EXPECT_EQ(VirtualFunctionWords(elsewhere), "NETDEV vf NUMBER");
}

TEST(VirtualFunction, IsToldByItsNumberInAVirtualMachine) {
  for (const auto& [vendor, device] :
       {std::pair{0x15b3, 0x101e}, {0x8086, 0x1889}, {0x14e4, 0x1819}, {0x1dd8, 0x1003}})
    EXPECT_TRUE(
        IsVirtualFunction(OfModel(static_cast<std::uint16_t>(vendor), static_cast<std::uint16_t>(device))));
  EXPECT_FALSE(IsVirtualFunction(OfModel(0x15b3, 0x101d)));
  EXPECT_FALSE(IsVirtualFunction(OfModel(0x8086, 0x101e)));
  EXPECT_FALSE(IsVirtualFunction(GoodPort()));
}

TEST(VirtualFunction, IsLentWhereItsInterfaceIsElsewhere) {
  Port port = VirtualOf(Denied());
  EXPECT_FALSE(IsLent(port));
  port.netdev = Missing{.kind = Missing::Kind::kUnsupported, .detail = "none here"};
  EXPECT_TRUE(IsLent(port));
  port.transport = Transport::kInfiniBand;
  EXPECT_FALSE(IsLent(port));
  port.transport = Transport::kRoce;
  port.netdev = Denied();
  EXPECT_FALSE(IsLent(port));
}

TEST(VirtualFunction, IsPerhapsLentWhereItIsNotKnownToBeOneOrToHaveAnInterface) {
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "none here"};
  const auto unknown = [](const Port& port) { return !LentOf(port); };
  Port port = VirtualOf(Denied());
  EXPECT_FALSE(unknown(port));
  port.netdev = Denied();
  EXPECT_TRUE(unknown(port));
  port.netdev = none;
  port.transport = Denied();
  EXPECT_TRUE(unknown(port));
  Port physical = Hardware().ports->front();
  physical.netdev = none;
  EXPECT_FALSE(unknown(physical));
  EXPECT_FALSE(IsLent(physical));
  PciFunction unread = *physical.pci;
  unread.physical = Denied();
  physical.pci = unread;
  EXPECT_TRUE(unknown(physical));
  physical.pci = Denied();
  EXPECT_TRUE(unknown(physical));
}

TEST(OwnProtocol, IsThatOfADeviceWithoutTransportAndInterface) {
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "none here"};
  Port port = GoodPort();
  EXPECT_FALSE(HasOwnProtocol(port));
  port.transport = none;
  EXPECT_FALSE(HasOwnProtocol(port));
  port.netdev = none;
  EXPECT_TRUE(HasOwnProtocol(port));
  EXPECT_TRUE(OwnProtocolOf(port) && *OwnProtocolOf(port));
  port.transport = Denied();
  EXPECT_FALSE(OwnProtocolOf(port));
}

}  // namespace
}  // namespace rdmaready
