// SPDX-License-Identifier: Apache-2.0
// Byte for byte against RFC 8166, RFC 8797 and RFC 5531.
#include "agent/probe/nfs/nfs_wire.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/probe/bytes.h"

namespace rdmaready::nfs {
namespace {

constexpr std::string_view kHead =
    "00000007 00000001 00000040 00000000 00000000 00000000 00000000 00000007 00000001";

std::vector<std::byte> ReplyOf(std::string_view rest) { return Hex(std::string(kHead) + std::string(rest)); }

TEST(NfsWire, ConnectionOffersFourKibibytesBothWays) {
  const auto bytes = EncodeConnectPrivate();
  EXPECT_EQ(Sub(bytes, 0, 8), Hex("f6ab0e18 01 00 03 03"));
  EXPECT_EQ(DecodeConnectAccept(Hex("f6ab0e18 01 01 00 ff")),
            (ConnectAccept{.remote_invalidation = true, .send_bytes = 1024, .receive_bytes = 262'144}));
  EXPECT_FALSE(DecodeConnectAccept(Hex("00000000 01 00 03 03"))) << "zeros: the server sent none";
  EXPECT_FALSE(DecodeConnectAccept(Hex("f6ab0e18 02 00 03 03"))) << "a later version";
  EXPECT_FALSE(DecodeConnectAccept(Exact(Hex("f6ab0e18 01 00 03")).bytes()));
}

TEST(NfsWire, NullCallIsTheRfcs) {
  EXPECT_EQ(EncodeNull(7, 32, 4), Hex("00000007 00000001 00000020 00000000 00000000 00000000 00000000"
                                      "00000007 00000000 00000002 000186a3 00000004 00000000"
                                      "00000000 00000000 00000000 00000000"));
  const auto compound = EncodeEmptyCompound(7, 32, 2);
  EXPECT_EQ(Sub(compound, 44, 8), Hex("00000004 00000001"));
  EXPECT_EQ(Sub(compound, 68, 12), Hex("00000000 00000002 00000000"));
}

TEST(NfsWire, SuccessGrantsCreditsAndHoldsTheResults) {
  const auto bytes = ReplyOf("00000000 00000000 00000000 00000000 00002725");
  const auto reply = DecodeReply(bytes);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->id, 7u);
  EXPECT_EQ(reply->credits, 64u);
  EXPECT_EQ(reply->verdict, Verdict::kSuccess);
  EXPECT_EQ(DecodeCompoundStatus(reply->results), kMinorVersionMismatch);
  EXPECT_FALSE(DecodeCompoundStatus({}));
}

TEST(NfsWire, MismatchTellsWhatIsServed) {
  const auto bytes = ReplyOf("00000000 00000000 00000000 00000002 00000003 00000004");
  const auto reply = DecodeReply(bytes);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->verdict, Verdict::kProgramMismatch);
  EXPECT_EQ(ReplyText(*reply), "this version of NFS is not served (PROG_MISMATCH): it serves versions 3 to 4");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeReply(Exact(bytes, size).bytes())) << size;
}

TEST(NfsWire, VerifierIsSteppedOverAndBounded) {
  EXPECT_EQ(DecodeReply(ReplyOf("00000000 00000006 00000005 0102030405000000 00000001"))->verdict,
            Verdict::kProgramUnavailable);
  EXPECT_FALSE(DecodeReply(ReplyOf("00000000 00000006 00000191 00000000")));
  EXPECT_FALSE(DecodeReply(ReplyOf("00000000 00000006 ffffffff 00000000")));
}

TEST(NfsWire, DenialsAreNamed) {
  const auto mismatch = DecodeReply(ReplyOf("00000001 00000000 00000002 00000002"));
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->verdict, Verdict::kRpcMismatch);
  EXPECT_EQ(mismatch->low, 2u);
  const auto weak = DecodeReply(ReplyOf("00000001 00000001 00000005"));
  ASSERT_TRUE(weak);
  EXPECT_EQ(ReplyText(*weak), "authentication error 5 (AUTH_ERROR)");
  EXPECT_EQ(DecodeReply(ReplyOf("00000000 00000000 00000000 00000063"))->detail, 0x63u);
}

TEST(NfsWire, TransportErrorsAreNamed) {
  const auto version = DecodeReply(Hex("00000007 00000001 00000040 00000004 00000001 00000001 00000002"));
  ASSERT_TRUE(version);
  EXPECT_EQ(ReplyText(*version),
            "this version of RPC-over-RDMA is not served (ERR_VERS): it serves versions 1 to 2");
  EXPECT_EQ(DecodeReply(Hex("00000007 00000001 00000040 00000004 00000002"))->verdict, Verdict::kRdmaChunk);
  EXPECT_FALSE(DecodeReply(Hex("00000007 00000001 00000040 00000004")));
}

TEST(NfsWire, WhatIsNoReplyToUsIsRefused) {
  EXPECT_FALSE(DecodeReply(Hex("00000007 00000002 00000040 00000000"))) << "another version of the transport";
  EXPECT_FALSE(
      DecodeReply(Hex("00000007 00000001 00000040 00000000 00000000 00000001 00000000 00000007 00000001"
                      "00000000 00000000 00000000 00000000")))
      << "memory that was not offered";
  EXPECT_FALSE(
      DecodeReply(Hex("00000007 00000001 00000040 00000000 00000000 00000000 00000000 00000008 00000001"
                      "00000000 00000000 00000000 00000000")))
      << "two ids";
  EXPECT_FALSE(
      DecodeReply(Hex("00000007 00000001 00000040 00000000 00000000 00000000 00000000 00000007 00000000"
                      "00000000 00000000 00000000 00000000")))
      << "a call";
  EXPECT_FALSE(DecodeReply(ReplyOf("00000002"))) << "neither accepted nor denied";
}

}  // namespace
}  // namespace rdmaready::nfs
