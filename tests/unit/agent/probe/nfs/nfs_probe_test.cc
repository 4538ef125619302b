// SPDX-License-Identifier: Apache-2.0
// The walk towards an NFS server that is another thread.
#include "agent/probe/nfs/nfs_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/probe/nfs/nfs_wire.h"
#include "tests/unit/agent/probe/bytes.h"
#include "tests/unit/agent/probe/fake_server.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::size_t kVersionAt = 28 + 16;
constexpr std::size_t kProcedureAt = 28 + 20;

// An RPC reply to `call` whose words after the verifier are `rest`.
ServerMessage ReplyTo(Octets call, const std::vector<std::uint32_t>& rest) {
  std::vector<std::uint32_t> words = {GetBig<std::uint32_t>(call, 0), 1, 64, 0, 0, 0, 0,
                                      GetBig<std::uint32_t>(call, 0), 1, 0,  0, 0};
  words.insert(words.end(), rest.begin(), rest.end());
  ServerMessage message(words.size() * 4);
  for (std::size_t i = 0; i < words.size(); ++i) PutBig(message, i * 4, words[i]);
  return message;
}

// Version 4 up to minor 1 is served, or what `low` and `high` say.
FakeServer::Handler Serving(std::uint32_t low, std::uint32_t high) {
  return [=](FakeServer&, Octets call) -> std::vector<ServerMessage> {
    const auto version = GetBig<std::uint32_t>(call, kVersionAt);
    if (version < low || version > high) return {ReplyTo(call, {2, low, high})};
    if (GetBig<std::uint32_t>(call, kProcedureAt) == 0) return {ReplyTo(call, {0})};
    const auto minor = GetBig<std::uint32_t>(call, 28 + 44);
    return {ReplyTo(call, {0, minor <= 1 ? 0 : nfs::kMinorVersionMismatch, 0, 0})};
  };
}

TEST(NfsProbe, TellsTheVersionsAndWhatWasAgreedOn) {
  MemoryFabric fabric;
  FakeServer server(fabric, Hex("f6ab0e18 01 01 03 0f"), Serving(4, 4));
  const ProbeResult result = WalkTo(fabric, Protocol::kNfs);
  EXPECT_EQ(Done(result), "rdma-connect nfs-null nfs-versions");
  EXPECT_EQ(ValueOf(result, "nfs-versions"), "4.0 4.1");
  EXPECT_EQ(ValueOf(result, "nfs-newest-version"), "4.1");
  EXPECT_EQ(ValueOf(result, "nfs-credits"), "64");
  EXPECT_EQ(ValueOf(result, "nfs-server-receive"), "16384");
  EXPECT_EQ(ValueOf(result, "nfs-remote-invalidation"), "yes");
  EXPECT_THAT(ValueOf(result, "nfs-3-refused"), HasSubstr("PROG_MISMATCH): it serves versions 4 to 4"));
}

TEST(NfsProbe, ServerWithoutPrivateDataTakesTheLeast) {
  MemoryFabric fabric;
  FakeServer server(fabric, ServerMessage(196), Serving(3, 3));
  const ProbeResult result = WalkTo(fabric, Protocol::kNfs);
  EXPECT_EQ(Done(result), "rdma-connect nfs-null nfs-versions");
  EXPECT_EQ(ValueOf(result, "nfs-versions"), "3");
  EXPECT_EQ(ValueOf(result, "nfs-connect-data"), "no");
  EXPECT_EQ(ValueOf(result, "nfs-server-receive"), "1024");
}

TEST(NfsProbe, VersionThatNobodyUsesIsNamed) {
  MemoryFabric fabric;
  FakeServer server(fabric, {}, Serving(2, 2));
  const ProbeResult result = WalkTo(fabric, Protocol::kNfs);
  const ProbeStep& step = StepOf(result, "nfs-null");
  EXPECT_EQ(step.failure.kind, FailureKind::kRejected);
  EXPECT_THAT(step.failure.detail,
              HasSubstr("NULL of version 4: this version of NFS is not served (PROG_MISMATCH): it "
                        "serves versions 2 to 2"));
}

TEST(NfsProbe, TransportErrorIsNamed) {
  MemoryFabric fabric;
  FakeServer server(fabric, {}, [](FakeServer&, Octets call) -> std::vector<ServerMessage> {
    ServerMessage error = Hex("00000000 00000001 00000040 00000004 00000001 00000002 00000002");
    std::copy_n(call.begin(), 4, error.begin());
    return {error};
  });
  EXPECT_THAT(StepOf(WalkTo(fabric, Protocol::kNfs), "nfs-null").failure.detail, HasSubstr("ERR_VERS"));
}

TEST(NfsProbe, GarbageAndSilenceEndTheWalkInTime) {
  for (const bool silent : {false, true}) {
    MemoryFabric fabric;
    FakeServer server(fabric, {}, [=](FakeServer&, Octets) -> std::vector<ServerMessage> {
      if (silent) return {};
      return {ServerMessage(100, std::byte{0xff})};
    });
    const ProbeResult result = WalkTo(fabric, Protocol::kNfs, std::chrono::milliseconds(300));
    EXPECT_EQ(StepOf(result, "nfs-null").failure.kind, silent ? FailureKind::kStalled : FailureKind::kCorrupt);
  }
}

TEST(NfsProbe, RepliesToNobodysCallsAreNotWaitedThroughForEver) {
  MemoryFabric fabric;
  FakeServer server(fabric, {}, [](FakeServer&, Octets call) {
    ServerMessage other = ReplyTo(call, {0});
    other[0] ^= std::byte{0xff};
    other[28] ^= std::byte{0xff};
    return std::vector<ServerMessage>(24, other);
  });
  EXPECT_THAT(StepOf(WalkTo(fabric, Protocol::kNfs), "nfs-null").failure.detail,
              HasSubstr("only replies to other calls"));
}

TEST(NfsProbe, WhoRefusesTheConnectionIsNamed) {
  MemoryFabric fabric;
  fabric.refuses = Handshake{.refusal = Refusal::kNoListener, .reject_reason = 8};
  const ProbeResult result = WalkTo(fabric, Protocol::kNfs);
  EXPECT_EQ(Done(result), "");
  EXPECT_EQ(ValueOf(result, "rdma-refusal"), "no-listener");
  EXPECT_EQ(result.port_number, 20049u);
}

TEST(NfsProbe, SilentAddressIsAskedByTcpWhetherAnybodyIsThere) {
  MemoryFabric fabric;
  fabric.unreachable = true;
  const ProbeResult result = WalkTo(fabric, Protocol::kNfs);
  EXPECT_EQ(ValueOf(result, "rdma-refusal"), "no-answer");
  EXPECT_EQ(ValueOf(result, "tcp-answers"), "no");
}

}  // namespace
}  // namespace rdmaready
