// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/rdma_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using wire::operator+;

TEST(RdmaDevice, IsDecoded) {
  const auto device = DecodeRdmaDevice(wire::Device(2, "mlx5_0", "roce", 1, "16.35.3006"));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(*device, (RdmaDevice{2, "mlx5_0", 1, 0x505400fffe000001, "roce", "16.35.3006"}));
}

TEST(RdmaDevice, MayHaveNeitherFirmwareNorProtocol) {
  const auto device = DecodeRdmaDevice(wire::Device(0, "rxe0", ""));
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(device->firmware, "");
  EXPECT_EQ(device->protocol, "");
}

TEST(RdmaDevice, ANameThatLeadsElsewhereIsAnError) {
  for (const char* name : {"", ".", "..", "../../etc", "a/b"}) {
    EXPECT_FALSE(DecodeRdmaDevice(wire::Device(0, name, "roce")).ok()) << name;
  }
}

TEST(RdmaDevice, MorePortsThanAByteCountsIsAnError) {
  EXPECT_TRUE(DecodeRdmaDevice(wire::Device(0, "a", "ib", 255)).ok());
  EXPECT_FALSE(DecodeRdmaDevice(wire::Device(0, "a", "ib", 4000000000U)).ok());
}

TEST(RdmaPort, NamesItsNetdevOnlyInOurNamespace) {
  EXPECT_EQ(DecodeRdmaPort(wire::Port(2, "rxe0", 1, 7))->ifindex, 7U);
  EXPECT_EQ(DecodeRdmaPort(wire::Port(2, "rxe0", 1, std::nullopt))->ifindex, std::nullopt);
}

TEST(RdmaPort, AnAnswerAboutAnotherPortIsAnError) {
  FakeHost host;
  host.Answer(wire::PortRequest(2, 1), wire::One(wire::Port(2, "rxe0", 2, 7)));
  EXPECT_FALSE(ReadRdmaPort(host, RdmaDevice{.index = 2, .name = "rxe0"}, 1).ok());
}

TEST(RdmaDevices, LeaveOutADeviceWhosePortsArePlanes) {
  constexpr int kDeviceType = 99;  // RDMA_NLDEV_ATTR_DEV_TYPE
  FakeHost host;
  host.Answer(wire::DevicesRequest(),
              std::vector<NetlinkMessage>{{0, wire::Device(0, "mlx5_0", "ib")},
                                          {0, wire::Device(1, "smi1", "", 4) + wire::U8(kDeviceType, 1)},
                                          {0, wire::Device(2, "next1", "ib") + wire::U8(kDeviceType, 2)}});
  const auto devices = ReadRdmaDevices(host);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[0].name, "mlx5_0");
  EXPECT_EQ((*devices)[1].name, "next1");
}

TEST(RdmaDevices, AreSortedAsAPersonWould) {
  FakeHost host;
  host.Answer(wire::DevicesRequest(), std::vector<NetlinkMessage>{{0, wire::Device(0, "rxe10", "roce")},
                                                                  {0, wire::Device(1, "rxe2", "roce")}});
  const auto devices = ReadRdmaDevices(host);
  ASSERT_TRUE(devices.ok());
  EXPECT_EQ((*devices)[0].name, "rxe2");
  EXPECT_EQ((*devices)[1].name, "rxe10");
}

TEST(NaturalOrder, IsAnOrder) {
  EXPECT_TRUE(NaturalLess("mlx5_0", "mlx5_1"));
  EXPECT_TRUE(NaturalLess("mlx5_9", "mlx5_10"));
  EXPECT_FALSE(NaturalLess("mlx5_10", "mlx5_9"));
  EXPECT_TRUE(NaturalLess("a", "a0"));
  EXPECT_FALSE(NaturalLess("a", "a"));
  EXPECT_TRUE(NaturalLess("a01", "a1"));
  EXPECT_FALSE(NaturalLess("a1", "a01"));
  EXPECT_TRUE(NaturalLess("a00", "a1"));
}

TEST(Transport, ComesFromNldev) {
  FakeHost host;
  EXPECT_EQ(*ReadTransport(host, {.name = "a", .protocol = "roce"}, 1), Transport::kRoce);
  EXPECT_EQ(*ReadTransport(host, {.name = "a", .protocol = "ib"}, 1), Transport::kInfiniBand);
  EXPECT_EQ(*ReadTransport(host, {.name = "a", .protocol = "iw"}, 1), Transport::kIwarp);
  EXPECT_EQ(ReadTransport(host, {.name = "a", .protocol = "usnic"}, 1).missing().kind,
            Missing::Kind::kUnsupported);
  EXPECT_EQ(*ReadTransport(host, {.name = "a", .protocol = "opa"}, 1), Transport::kInfiniBand);
  EXPECT_TRUE(host.asked.empty());
}

TEST(Transport, OfTheSecondPortComesFromItsLinkLayer) {
  FakeHost host;
  const RdmaDevice device{.name = "mlx4_0", .protocol = "ib"};
  EXPECT_EQ(*ReadTransport(host, device, 1), Transport::kInfiniBand);
  EXPECT_FALSE(ReadTransport(host, device, 2));
  host.files["/sys/class/infiniband/mlx4_0/ports/2/link_layer"] = "Ethernet\n";
  EXPECT_EQ(*ReadTransport(host, device, 2), Transport::kRoce);
}

TEST(Transport, OnOldKernelsComesFromSysfs) {
  FakeHost host;
  const RdmaDevice device{.name = "a"};
  EXPECT_EQ(ReadTransport(host, device, 1).missing().kind, Missing::Kind::kFailed);
  host.files["/sys/class/infiniband/a/node_type"] = "4: RNIC\n";
  EXPECT_EQ(*ReadTransport(host, device, 1), Transport::kIwarp);
  host.files["/sys/class/infiniband/a/node_type"] = "1: CA\n";
  host.files["/sys/class/infiniband/a/ports/1/link_layer"] = "Ethernet\n";
  EXPECT_EQ(*ReadTransport(host, device, 1), Transport::kRoce);
  host.files["/sys/class/infiniband/a/ports/1/link_layer"] = "InfiniBand\n";
  EXPECT_EQ(*ReadTransport(host, device, 1), Transport::kInfiniBand);
  host.files["/sys/class/infiniband/a/ports/1/link_layer"] = "Unspecified\n";
  EXPECT_THAT(ReadTransport(host, device, 1).missing().detail, HasSubstr("Unspecified"));
}

TEST(Software, IsADeviceWithoutABusOrWithAParent) {
  FakeHost host;
  const RdmaDevice device{.name = "a"};
  EXPECT_TRUE(*ReadSoftware(host, device));
  host.links["/sys/class/infiniband/a/device"] = "../../../0000:01:00.0";
  EXPECT_FALSE(*ReadSoftware(host, device));
  host.files["/sys/class/infiniband/a/parent"] = "eth0\n";
  EXPECT_TRUE(*ReadSoftware(host, device));
  host.links["/sys/class/infiniband/a/device"] = ErrnoStatus(EACCES, "read link");
  EXPECT_EQ(ReadSoftware(host, device).missing().kind, Missing::Kind::kDenied);
}

TEST(Firmware, ASoftwareDeviceHasNone) {
  const RdmaDevice bare{.name = "rxe0"};
  Netdev netdev;
  netdev.driver_info = DriverInfo{.driver = "dcbnic", .firmware = "9.9"};
  EXPECT_EQ(FirmwareOf(bare, true, netdev).missing(),
            (Missing{Missing::Kind::kUnsupported, "a software device has no firmware"}));
}

TEST(Firmware, ComesFromNldevElseFromTheDriverOfTheNetdev) {
  const RdmaDevice bare{.name = "mlx5_0"};
  EXPECT_EQ(FirmwareOf(bare, false, Missing{}).missing().detail, "the driver reports no firmware version");
  EXPECT_EQ(FirmwareOf(bare, false, Netdev{}).missing().detail, "the driver reports no firmware version");
  Netdev netdev;
  netdev.driver_info = DriverInfo{.driver = "mlx5_core", .firmware = "16.35.3006 (MT_0000000012)"};
  EXPECT_EQ(*FirmwareOf(bare, false, netdev), "16.35.3006 (MT_0000000012)");
  EXPECT_EQ(*FirmwareOf({.firmware = "16.35.3006"}, false, netdev), "16.35.3006");
  EXPECT_FALSE(FirmwareOf(bare, Missing{}, netdev)) << "a software device's netdev is another device";
}

TEST(Board, IsItsIdElseItsType) {
  FakeHost host;
  const RdmaDevice device{.name = "a"};
  EXPECT_EQ(ReadBoard(host, device, false).missing().detail, "the driver names no board");
  EXPECT_EQ(ReadBoard(host, device, true).missing().detail, "a software device has no board");
  host.files["/sys/class/infiniband/a/hca_type"] = "MT4119\n";
  EXPECT_EQ(*ReadBoard(host, device, false), "MT4119");
  host.files["/sys/class/infiniband/a/board_id"] = "\n";
  EXPECT_EQ(*ReadBoard(host, device, false), "MT4119");
  host.files["/sys/class/infiniband/a/board_id"] = "MT_0000000012\n";
  EXPECT_EQ(*ReadBoard(host, device, false), "MT_0000000012");
  host.files["/sys/class/infiniband/a/board_id"] = ErrnoStatus(EACCES, "open board_id");
  EXPECT_EQ(ReadBoard(host, device, false).missing().kind, Missing::Kind::kDenied);
}

TEST(PortStates, NumbersOutsideTheEnumAreMissing) {
  EXPECT_EQ(*PortStateOf(1), PortState::kDown);
  EXPECT_EQ(*PortStateOf(4), PortState::kActive);
  EXPECT_EQ(*PortStateOf(5), PortState::kActiveDefer);
  EXPECT_FALSE(PortStateOf(0));
  EXPECT_FALSE(PortStateOf(6));
}

TEST(Mtu, IsAnEnumAndNotBytes) {
  EXPECT_EQ(*MtuBytesOf(1), 256U);
  EXPECT_EQ(*MtuBytesOf(3), 1024U);
  EXPECT_EQ(*MtuBytesOf(5), 4096U);
  for (const std::uint32_t mtu : {0U, 6U, 1500U, 4294967295U}) EXPECT_FALSE(MtuBytesOf(mtu)) << mtu;
}

TEST(Rate, IsInMegabits) {
  EXPECT_EQ(*DecodeRate("25 Gb/sec (1X EDR)\n"), 25'000U);
  EXPECT_EQ(*DecodeRate("2.5 Gb/sec (1X SDR)\n"), 2'500U);
  EXPECT_EQ(*DecodeRate("10 Gb/sec (4X)\n"), 10'000U);  // old drivers name no speed
  for (const char* nonsense : {"", "25", "25 Mb/sec", "2.7 Gb/sec", "x Gb/sec", "999999999999 Gb/sec"})
    EXPECT_FALSE(DecodeRate(nonsense)) << nonsense;
}

}  // namespace
}  // namespace rdmaready
