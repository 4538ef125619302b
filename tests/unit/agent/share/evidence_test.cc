// SPDX-License-Identifier: Apache-2.0
#include "agent/share/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of a little-endian host, as every one that this project runs on.
constexpr std::string_view kTcp =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100000A:1D2E 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 382\n"
    "   1: 0100000A:9B5E 0200000A:01BD 01 00000000:00000000 00:00000000 00000000     0        0 508\n"
    "   2: 0100000A:9B5F 0200000A:01BD 06 00000000:00000000 00:00000000 00000000     0        0 509\n"
    "   3: 0100000A:9B60 0300000A:01BD 01 00000000:00000000 00:00000000 00000000     0        0 510\n"
    "   4: 0100000A:9B61 0200000A:1545 01 00000000:00000000 00:00000000 00000000     0        0 511\n";

TEST(EstablishedTo, CountsOnlyEstablishedConnectionsToThatServerAndPort) {
  EXPECT_THAT(EstablishedTo(kTcp, "10.0.0.2", 445), ElementsAre("0100000A:9B5E"));
  EXPECT_THAT(EstablishedTo(kTcp, "10.0.0.9", 445), IsEmpty());
  EXPECT_THAT(EstablishedTo(kTcp, "no address", 445), IsEmpty());
  EXPECT_THAT(EstablishedTo("", "10.0.0.2", 445), IsEmpty());
}

TEST(EstablishedTo, KnowsIpv6AndMappedAddresses) {
  constexpr std::string_view kTcp6 =
      " 0: 00000000000000000000000001000000:9B5E B80D0120000000000000000002000000:01BD 01 \n"
      " 1: 0000000000000000FFFF00000100000A:9B5F 0000000000000000FFFF00000200000A:01BD 01 \n";
  EXPECT_THAT(EstablishedTo(kTcp6, "2001:db8::2", 445), ElementsAre("00000000000000000000000001000000:9B5E"));
  EXPECT_THAT(EstablishedTo(kTcp6, "10.0.0.2", 445), ElementsAre("0000000000000000FFFF00000100000A:9B5F"));
}

TEST(MovedAtMostBytes, TakesAPacketForAFullOneAndAStepBackForNoAnswer) {
  const PortTraffic packets{PortTraffic::Unit::kPackets, 10};
  EXPECT_EQ(MovedAtMostBytes(packets, PortTraffic{PortTraffic::Unit::kPackets, 12}), 8192U);
  EXPECT_EQ(
      MovedAtMostBytes(PortTraffic{PortTraffic::Unit::kBytes, 1}, PortTraffic{PortTraffic::Unit::kBytes, 5}),
      4U);
  EXPECT_EQ(MovedAtMostBytes(packets, PortTraffic{PortTraffic::Unit::kPackets, 9}), std::nullopt);
  EXPECT_EQ(MovedAtMostBytes(packets, PortTraffic{PortTraffic::Unit::kBytes, 12}), std::nullopt);
  EXPECT_EQ(MovedAtMostBytes(std::nullopt, packets), std::nullopt);
}

}  // namespace
}  // namespace rdmaready
