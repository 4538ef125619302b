// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/infiniband.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "collectors/rdma/mad.h"
#include "tests/support/mad_wire.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kInfinibandPort = "/sys/class/infiniband/mlx5_0/ports/1/";
const RdmaDevice kInfinibandDevice{.index = 0, .name = "mlx5_0", .port_count = 1};

MadRequest MadQuestion(std::uint16_t lid, std::vector<std::byte> mad) {
  return {.device = "mlx5_0", .port = 1, .lid = lid, .mad = std::move(mad)};
}

FakeHost GoodInfinibandHost() {
  FakeHost host;
  const std::string port = kInfinibandPort;
  host.files[port + "lid"] = "0x4\n";
  host.files[port + "sm_lid"] = "0x1\n";
  host.directories[port + "pkeys"] = std::vector<std::string>{"0", "1", "10", "2"};
  host.files[port + "pkeys/0"] = "0xffff\n";
  host.files[port + "pkeys/1"] = "0x0000\n";
  host.files[port + "pkeys/2"] = "0x8001\n";
  host.files[port + "pkeys/10"] = "0x7002\n";
  host.mads[MadQuestion(0xffff, PortInfoRequest(1))] = mad_wire::PortInfo();
  host.mads[MadQuestion(4, PortCountersRequest(1))] = mad_wire::PortCounters();
  host.mads[MadQuestion(4, PortCountersExtendedRequest(1))] = mad_wire::PortCountersExtended();
  return host;
}

Infiniband ReadInfinibandOf(FakeHost& host) {
  return ReadInfiniband(host, kInfinibandDevice, 1, Transport::kInfiniBand);
}

TEST(DecodeHex16, TakesWhatSysfsWrites) {
  EXPECT_EQ(DecodeHex16("0x1\n"), 1);
  EXPECT_EQ(DecodeHex16("0xffff\n"), 0xffff);
  for (const char* text : {"", "0x", "1\n", "0x10000\n", "0x1 2\n", "x", "0x-1"})
    EXPECT_EQ(DecodeHex16(text), std::nullopt) << text;
}

TEST(ReadInfiniband, TellsEverythingOfAGoodPort) {
  FakeHost host = GoodInfinibandHost();
  const Infiniband ib = ReadInfinibandOf(host);
  EXPECT_EQ(*ib.lid, 4);
  EXPECT_EQ(*ib.sm_lid, 1);
  EXPECT_THAT(*ib.pkeys, ElementsAre(0xffff, 0x8001, 0x7002)) << "in the order of the slots";
  EXPECT_EQ(ib.link->lanes, 4);
  EXPECT_THAT(*ib.pma_counters, Contains(Counter{"symbol_error", 0x0102}));
  EXPECT_THAT(*ib.pma_counters, Contains(Counter{"port_xmit_data", 0x0100000000000002})) << "the wide one";
  EXPECT_THAT(*ib.pma_counters, Contains(Counter{"multicast_rcv_packets", 9}));
}

TEST(ReadInfiniband, AsksNothingOfAnotherTransport) {
  FakeHost host;
  for (const Transport transport : {Transport::kRoce, Transport::kIwarp}) {
    const Infiniband ib = ReadInfiniband(host, kInfinibandDevice, 1, transport);
    EXPECT_EQ(ib.lid.missing().kind, Missing::Kind::kUnsupported);
    EXPECT_EQ(ib.pma_counters.missing().detail, "not an InfiniBand port");
  }
  const Missing why{Missing::Kind::kDenied, "why"};
  EXPECT_EQ(ReadInfiniband(host, kInfinibandDevice, 1, why).link.missing(), why);
  EXPECT_THAT(host.asked, ElementsAre());
}

TEST(ReadInfiniband, WithoutALidAsksNoPerformanceAgent) {
  FakeHost host = GoodInfinibandHost();
  host.files[std::string(kInfinibandPort) + "lid"] = "0x0\n";
  const Infiniband ib = ReadInfinibandOf(host);
  EXPECT_TRUE(ib.link) << "PortInfo needs no LID";
  EXPECT_EQ(ib.pma_counters.missing().kind, Missing::Kind::kFailed);
  EXPECT_THAT(ib.pma_counters.missing().detail, HasSubstr("has no LID"));
}

TEST(ReadInfiniband, KeepsTheNarrowCountersOfAnAgentWithoutWideOnes) {
  FakeHost host = GoodInfinibandHost();
  host.mads[MadQuestion(4, PortCountersExtendedRequest(1))] = mad_wire::Answer(0x04, 0x1d, {}, 0x0c);
  EXPECT_THAT(*ReadInfinibandOf(host).pma_counters, Contains(Counter{"port_xmit_data", 14}));
}

TEST(ReadInfiniband, SaysWhyThereAreNoDatagramsAndAsksOnce) {
  for (const auto& [status, kind] :
       {std::pair{absl::UnimplementedError("ib_umad is not loaded"), Missing::Kind::kUnsupported},
        std::pair{ErrnoStatus(EACCES, "open umad of mlx5_0/1"), Missing::Kind::kDenied}}) {
    FakeHost host = GoodInfinibandHost();
    for (auto& [question, answer] : host.mads) answer = status;
    const Infiniband ib = ReadInfinibandOf(host);
    EXPECT_EQ(*ib.lid, 4) << "sysfs needs no datagrams";
    EXPECT_EQ(ib.link.missing().kind, kind);
    EXPECT_EQ(ib.pma_counters.missing().kind, kind);
    EXPECT_EQ(std::ranges::count(host.asked, "ask the management agent of mlx5_0/1"), 1);
  }
}

TEST(ReadInfiniband, NonsenseIsNotZero) {
  FakeHost host = GoodInfinibandHost();
  host.files[std::string(kInfinibandPort) + "sm_lid"] = "none\n";
  host.files[std::string(kInfinibandPort) + "pkeys/1"] = ErrnoStatus(EINVAL, "read pkeys/1");
  host.mads[MadQuestion(0xffff, PortInfoRequest(1))] = mad_wire::PortCounters();
  const Infiniband ib = ReadInfinibandOf(host);
  EXPECT_EQ(ib.sm_lid.missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(ib.pkeys.missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(ib.link.missing().kind, Missing::Kind::kFailed);
  EXPECT_TRUE(ib.pma_counters);
}

}  // namespace
}  // namespace rdmaready
