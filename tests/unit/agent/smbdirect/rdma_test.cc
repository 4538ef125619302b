// SPDX-License-Identifier: Apache-2.0
// RDMA by buffer descriptors, [MS-SMBD] 3.1.4.5 and 3.1.4.6, and the depths that iWARP ends agree on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "agent/smbdirect/iwarp.h"
#include "agent/smbdirect/rdma_queue.h"
#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

using testing::ElementsAre;

const std::vector<BufferDescriptor> kBuffer = {
    {.address = 0x1000, .token = 1, .length_bytes = 100},
    {.address = 0x9000, .token = 2, .length_bytes = 0},
    {.address = 0x5000, .token = 3, .length_bytes = 50},
};

TEST(Cutting, FollowsTheDescriptors) {
  EXPECT_THAT(Cut(kBuffer, 0, 150), ElementsAre(Segment{0, 0x1000, 1, 100}, Segment{100, 0x5000, 3, 50}));
  EXPECT_THAT(Cut(kBuffer, 0, 100), ElementsAre(Segment{0, 0x1000, 1, 100}));
  EXPECT_THAT(Cut(kBuffer, 99, 2), ElementsAre(Segment{0, 0x1000 + 99, 1, 1}, Segment{1, 0x5000, 3, 1}));
  EXPECT_THAT(Cut(kBuffer, 100, 50), ElementsAre(Segment{0, 0x5000, 3, 50}));
  EXPECT_THAT(Cut(kBuffer, 149, 1), ElementsAre(Segment{0, 0x5000 + 49, 3, 1}));
}

TEST(Cutting, NeverLeavesTheBuffer) {
  EXPECT_TRUE(Cut(kBuffer, 0, 151).empty());
  EXPECT_TRUE(Cut(kBuffer, 150, 1).empty());
  EXPECT_TRUE(Cut(kBuffer, std::numeric_limits<std::uint64_t>::max(), 1).empty());
  EXPECT_TRUE(Cut(kBuffer, 1, std::numeric_limits<std::uint64_t>::max()).empty());
  EXPECT_TRUE(Cut({}, 0, 1).empty());
  const BufferDescriptor wraps{.address = ~std::uint64_t{0} - 4, .token = 1, .length_bytes = 6};
  EXPECT_TRUE(Cut({&wraps, 1}, 0, 1).empty());
}

class Rdma : public testing::Test {
 protected:
  explicit Rdma(const Settings& settings = {.max_writes_in_flight = 2}) : driver_(Role::kResponder, settings) {
    Agree(driver_);
    HandMade grant = HandMade::Of({});
    grant.header.credits_granted = 20;
    EXPECT_TRUE(driver_.Arrive(grant.Message(), kStart));
    while (!driver_.wire.empty()) Take(driver_);
  }
  Driver driver_;
  std::vector<std::byte> memory_ = Fill(150);
};

TEST_F(Rdma, WritesToEachDescriptorFromOneBuffer) {
  ASSERT_TRUE(driver_.Write(memory_, kBuffer, 0, 5).ok());
  ASSERT_EQ(driver_.writes.size(), 2u);
  EXPECT_EQ(driver_.writes[0].local.data(), memory_.data());
  EXPECT_EQ(driver_.writes[0].local.size(), 100u);
  EXPECT_EQ(driver_.writes[1].local.data(), memory_.data() + 100);
  EXPECT_EQ(driver_.writes[1].address, 0x5000u);
  EXPECT_EQ(driver_.writes[1].token, 3u);
  driver_.CompleteWrite();
  EXPECT_TRUE(driver_.moved.empty());
  driver_.CompleteWrite();
  EXPECT_THAT(driver_.moved, ElementsAre(5u));
}

TEST_F(Rdma, ReadsAreBoundedByTheDepth) {
  std::vector<std::byte> much(20 * 10);
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(driver_.Read(std::span(much).subspan(i * 10, 10), kBuffer, 0, i).ok());
  }
  EXPECT_EQ(driver_.reads.size(), 8u);
  for (std::size_t i = 0; i < 20; ++i) driver_.CompleteRead();
  EXPECT_EQ(driver_.reads.size(), 20u);
  EXPECT_EQ(driver_.moved.size(), 20u);
  EXPECT_EQ(driver_.moved.back(), 19u);
}

TEST_F(Rdma, AMessageWaitsForTheWritesBeforeItAndNoLonger) {
  for (std::uint64_t i = 0; i < 3; ++i)
    ASSERT_TRUE(driver_.Write(Bytes(memory_).first(10), kBuffer, 0, i).ok());
  const std::vector<std::byte> words = Fill(10);
  ASSERT_TRUE(driver_.Submit({.bytes = words, .cookie = 1}).ok());
  EXPECT_EQ(driver_.writes.size(), 2u) << "the depth";
  EXPECT_TRUE(driver_.wire.empty());
  driver_.CompleteWrite();
  EXPECT_EQ(driver_.writes.size(), 3u);
  EXPECT_EQ(driver_.wire.size(), 1u) << "posted behind the last write, complete or not";
}

TEST_F(Rdma, AKeepaliveDoesNotWaitForWrites) {
  for (std::uint64_t i = 0; i < 3; ++i)
    ASSERT_TRUE(driver_.Write(Bytes(memory_).first(10), kBuffer, 0, i).ok());
  ASSERT_TRUE(driver_.Submit({.bytes = memory_, .cookie = 1}).ok());
  HandMade keepalive = HandMade::Of({});
  keepalive.header.flags = kFlagResponseRequested;
  ASSERT_TRUE(driver_.Arrive(keepalive.Message(), kStart));
  EXPECT_TRUE(Decoded(Take(driver_)).payload.empty());
}

TEST_F(Rdma, RefusesWhatThePeersBufferDoesNotHold) {
  std::vector<std::byte> more(151);
  EXPECT_EQ(driver_.Write(more, kBuffer, 0, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(driver_.Read(more, kBuffer, 0, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(driver_.Read(std::span(more).first(1), kBuffer, 150, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(driver_.Read({}, kBuffer, 0, 1).code(), absl::StatusCode::kInvalidArgument);
  const std::vector<BufferDescriptor> many(kMaxDescriptors + 1, kBuffer[0]);
  EXPECT_EQ(driver_.Write(memory_, many, 0, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(driver_.reads.empty() && driver_.writes.empty());
}

TEST(RdmaLimits, HoldForSizeDepthAndNumber) {
  Driver driver(Role::kResponder,
                {.max_read_write_bytes = 100, .max_writes_in_flight = 1, .max_queued_rdma = 2});
  std::vector<std::byte> memory(101);
  EXPECT_EQ(driver.Write(memory, kBuffer, 0, 1).code(), absl::StatusCode::kFailedPrecondition);
  driver.Connect(kStart, 0);  // no reads
  ASSERT_TRUE(driver.Arrive(Raw(Encode(GoodRequest())), kStart));
  EXPECT_EQ(driver.Write(memory, kBuffer, 0, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(driver.Read(std::span(memory).first(1), kBuffer, 0, 1).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(driver.Write(Bytes(memory).first(1), kBuffer, 0, 1).ok());
  EXPECT_TRUE(driver.Write(Bytes(memory).first(1), kBuffer, 0, 2).ok());
  EXPECT_EQ(driver.Write(Bytes(memory).first(1), kBuffer, 0, 3).code(), absl::StatusCode::kResourceExhausted);
  driver.CompleteWrite();
  EXPECT_TRUE(driver.Write(Bytes(memory).first(1), kBuffer, 0, 3).ok());
}

TEST(IwarpDepths, AreBigEndianAndTheOldOrderIsRecognised) {
  const auto current = EncodeDepths({.ird = 32, .ord = 1}, DepthsOrder::kBigEndian);
  EXPECT_EQ(current[3], std::byte{32});
  EXPECT_EQ(DecodeDepths(current), (PeerDepths{{32, 1}, DepthsOrder::kBigEndian}));
  const auto old = EncodeDepths({.ird = 32, .ord = 1}, DepthsOrder::kLittleEndian);
  EXPECT_EQ(old[0], std::byte{32});
  EXPECT_EQ(DecodeDepths(old), (PeerDepths{{32, 1}, DepthsOrder::kLittleEndian}));
}

TEST(IwarpDepths, ThatCannotBeAreNotTaken) {
  const auto whole = EncodeDepths({.ird = 1, .ord = 1}, DepthsOrder::kBigEndian);
  for (std::size_t size = 0; size < 8; ++size) EXPECT_FALSE(DecodeDepths(Bytes(whole).first(size)));
  EXPECT_FALSE(DecodeDepths(std::vector<std::byte>(196))) << "the fixed field of another transport";
  EXPECT_FALSE(DecodeDepths(EncodeDepths({.ird = 0, .ord = 1}, DepthsOrder::kBigEndian)));
  EXPECT_FALSE(DecodeDepths(EncodeDepths({.ird = 1, .ord = 0}, DepthsOrder::kBigEndian)));
  EXPECT_FALSE(DecodeDepths(EncodeDepths({.ird = 0x11223344, .ord = 1}, DepthsOrder::kBigEndian)));
  EXPECT_EQ(DecodeDepths(EncodeDepths({.ird = 1000, .ord = 256}, DepthsOrder::kBigEndian))->depths,
            (Depths{.ird = 255, .ord = 255}));
}

TEST(IwarpDepths, AreTheLeastOfBothEnds) {
  const Depths server{.ird = 1, .ord = 8};
  const Depths client{.ird = 32, .ord = 2};
  const auto reply = AcceptDepths(server, client);
  ASSERT_EQ(reply, (Depths{.ird = 8, .ord = 1})) << "as the client sees it";
  EXPECT_EQ(Turned(*reply), (Depths{.ird = 1, .ord = 8}));
  EXPECT_EQ(AdoptDepths(client, *reply), (Depths{.ird = 8, .ord = 1}));
  EXPECT_EQ(AdoptDepths(client, {.ird = 200, .ord = 200}), client);
  EXPECT_FALSE(AcceptDepths({.ird = 0, .ord = 8}, client));
  EXPECT_FALSE(AdoptDepths(client, {.ird = 1, .ord = 0}));
}

}  // namespace
}  // namespace rdmaready::smbdirect
