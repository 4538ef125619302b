// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/mad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/support/mad_wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PortInfo, TellsWhatIsInUseEnabledAndSupported) {
  const absl::StatusOr<IbLink> link = DecodePortInfo(mad_wire::PortInfo());
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->lanes, 4);
  EXPECT_EQ(link->lanes_enabled, 4);
  EXPECT_EQ(link->lanes_supported, 4) << "2X is the highest bit, and not the most lanes";
  EXPECT_EQ(link->lane_mbps, 25'781U);
  EXPECT_EQ(link->lane_mbps_enabled, 53'125U);
  EXPECT_EQ(link->lane_mbps_supported, 53'125U);
  EXPECT_EQ(link->mtu_bytes, 2048U);
  EXPECT_EQ(link->mtu_bytes_supported, 4096U);
}

TEST(PortInfo, OfAnOlderPortHasNoExtendedSpeeds) {
  // The octets of the extended speeds are reserved without the capability: whatever stands there.
  const absl::StatusOr<IbLink> link = DecodePortInfo(
      mad_wire::Answer(0x81, 0x15, {{31, 0x01}, {32, 0x30}, {35, 0x13}, {62, 0xff}, {63, 0xff}}));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->lanes, 1);
  EXPECT_EQ(link->lane_mbps, 2'500U);
  EXPECT_EQ(link->lane_mbps_enabled, 5'000U);
  EXPECT_EQ(link->lane_mbps_supported, 5'000U);
}

TEST(PortInfo, OfXdrIsNotThatOfQdr) {
  // Octets 22 and 23 are CapabilityMask's lower half (bits 14 and 15), 60 and 61 CapabilityMask2 (bits 11, 12).
  const absl::StatusOr<IbLink> link = DecodePortInfo(mad_wire::Answer(
      0x81, 0x15, {{22, 0xc0}, {31, 0x02}, {32, 0x70}, {35, 0x47}, {56, 0x20}, {60, 0x18}, {61, 0x00}}));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->lane_mbps, 212'500U);
  EXPECT_EQ(link->lane_mbps_enabled, 212'500U);
}

TEST(PortInfo, ThatNamesTwoWidthsInUseTellsNone) {
  const absl::StatusOr<IbLink> link = DecodePortInfo(
      mad_wire::Answer(0x81, 0x15, {{22, 0x40}, {31, 0x03}, {35, 0x70}, {36, 0xf0}, {62, 0x30}}));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->lanes, 0);
  EXPECT_EQ(link->lane_mbps, 0U);
  EXPECT_EQ(link->mtu_bytes, 0U);
}

TEST(PortCounters, AreNamedAsSysfsNamesThem) {
  const absl::StatusOr<std::vector<Counter>> counters = DecodePortCounters(mad_wire::PortCounters());
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_THAT(
      *counters,
      ElementsAre(Counter{"symbol_error", 0x0102}, Counter{"link_error_recovery", 3}, Counter{"link_downed", 4},
                  Counter{"port_rcv_errors", 5}, Counter{"port_rcv_remote_physical_errors", 6},
                  Counter{"port_rcv_switch_relay_errors", 7}, Counter{"port_xmit_discards", 8},
                  Counter{"port_xmit_constraint_errors", 9}, Counter{"port_rcv_constraint_errors", 10},
                  Counter{"local_link_integrity_errors", 11}, Counter{"excessive_buffer_overrun_errors", 12},
                  Counter{"VL15_dropped", 13}, Counter{"port_xmit_data", 14}, Counter{"port_rcv_data", 15},
                  Counter{"port_xmit_packets", 16}, Counter{"port_rcv_packets", 17},
                  Counter{"port_xmit_wait", 0x80000012}));
}

TEST(PortCountersExtended, HaveSixtyFourBits) {
  const absl::StatusOr<std::vector<Counter>> counters =
      DecodePortCountersExtended(mad_wire::PortCountersExtended());
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_THAT(*counters,
              ElementsAre(Counter{"port_xmit_data", 0x0100000000000002}, Counter{"port_rcv_data", 3},
                          Counter{"port_xmit_packets", 4}, Counter{"port_rcv_packets", 5},
                          Counter{"unicast_xmit_packets", 6}, Counter{"unicast_rcv_packets", 7},
                          Counter{"multicast_xmit_packets", 8}, Counter{"multicast_rcv_packets", 9}));
}

TEST(Mad, AnswersToSomethingElseAreNotBelieved) {
  EXPECT_EQ(DecodePortInfo(mad_wire::PortCounters()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodePortCounters(mad_wire::PortCountersExtended()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodePortCountersExtended(mad_wire::PortInfo()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodePortInfo(PortInfoRequest(1)).status().code(), absl::StatusCode::kDataLoss) << "a question";
  mad_wire::Bytes cut = mad_wire::PortInfo();
  cut.pop_back();
  EXPECT_EQ(DecodePortInfo(cut).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Mad, AnAgentThatRefusesSaysWhy) {
  const absl::Status unknown = DecodePortCountersExtended(mad_wire::Answer(0x04, 0x1d, {}, 0x0c)).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(unknown), HasSubstr("method and attribute not supported"));
  const absl::Status modifier = DecodePortInfo(mad_wire::Answer(0x81, 0x15, {}, 0x1c)).status();
  EXPECT_EQ(modifier.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Message(modifier), HasSubstr("bad attribute or modifier"));
  EXPECT_EQ(DecodePortInfo(mad_wire::Answer(0x81, 0x15, {}, 1)).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(Mad, OurQuestionsOnlyAsk) {
  for (const std::vector<std::byte>& mad :
       {PortInfoRequest(1), PortCountersRequest(2), PortCountersExtendedRequest(3)}) {
    EXPECT_TRUE(CheckMadQuestion(mad).ok());
    EXPECT_EQ(DecodeMadHeader(mad)->method, kMadGet);
    std::vector<std::byte> set = mad;
    set[3] = std::byte{2};
    EXPECT_EQ(CheckMadQuestion(set).code(), absl::StatusCode::kInvalidArgument);
    set[3] = std::byte{5};  // Trap
    EXPECT_EQ(CheckMadQuestion(set).code(), absl::StatusCode::kInvalidArgument);
    std::vector<std::byte> foreign = mad;
    foreign[1] = std::byte{3};  // the subnet administrator's class
    EXPECT_EQ(CheckMadQuestion(foreign).code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(DecodeMadHeader(PortInfoRequest(7))->modifier, 7U);
  EXPECT_EQ(PortCountersRequest(7)[65], std::byte{7});
}

TEST(Mad, TheTransactionIsNobodysBusiness) {
  mad_wire::Bytes mad = mad_wire::PortInfo();
  for (std::size_t i = 8; i < 16; ++i) mad[i] = std::byte{0x5a};
  ClearTransaction(mad);
  EXPECT_EQ(mad, mad_wire::PortInfo());
}

}  // namespace
}  // namespace rdmaready
