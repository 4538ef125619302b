// SPDX-License-Identifier: Apache-2.0
// The concrete ends of the seams, as far as they go without a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "agent/link/verbs_text.h"
#include "agent/transfer/local_channel.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(LocalChannel, BringsMessagesInOrder) {
  auto [a, b] = MakeLocalChannel();
  EXPECT_EQ(b->Poll(), PeerState::kQuiet);
  ASSERT_TRUE(a->Send({.kind = PeerMessageKind::kOffer}).ok());
  ASSERT_TRUE(a->Send({.kind = PeerMessageKind::kReady}).ok());
  EXPECT_EQ(b->Poll(), PeerState::kMessage);
  EXPECT_EQ(b->Receive(steady_clock::now())->kind, PeerMessageKind::kOffer);
  EXPECT_EQ(b->Receive(steady_clock::now())->kind, PeerMessageKind::kReady);
  EXPECT_EQ(b->Poll(), PeerState::kQuiet);
}

TEST(LocalChannel, TellsALateMessageFromAClosedChannel) {
  auto [a, b] = MakeLocalChannel();
  EXPECT_TRUE(absl::IsDeadlineExceeded(b->Receive(steady_clock::now() + milliseconds(5)).status()));
  a.reset();
  EXPECT_EQ(b->Poll(), PeerState::kClosed);
  EXPECT_EQ(FailureOf(b->Receive(steady_clock::now()).status()).kind, FailureKind::kPeerGone);
  EXPECT_EQ(FailureOf(b->Send({})).kind, FailureKind::kPeerGone);
}

TEST(LocalChannel, KeepsWhatWasSaidBeforeItClosed) {
  auto [a, b] = MakeLocalChannel();
  ASSERT_TRUE(a->Send({.kind = PeerMessageKind::kView}).ok());
  a.reset();
  EXPECT_EQ(b->Poll(), PeerState::kMessage);
  EXPECT_EQ(b->Receive(steady_clock::now())->kind, PeerMessageKind::kView);
  EXPECT_EQ(b->Poll(), PeerState::kClosed);
}

TEST(LocalChannel, WakesAReceiverOnAnotherThread) {
  auto [a, b] = MakeLocalChannel();
  PeerChannel& sender = *a;
  const std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(10));
    static_cast<void>(sender.Send({.kind = PeerMessageKind::kDone}));
  });
  EXPECT_EQ(b->Receive(steady_clock::now() + std::chrono::seconds(5))->kind, PeerMessageKind::kDone);
}

TEST(Arena, StartsPageAlignedAndZero) {
  const absl::StatusOr<Arena> arena = Arena::Make(10'000);
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ(arena->bytes().size(), 10'000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena->bytes().data()) % 4096, 0u);
  EXPECT_THAT(arena->bytes(), testing::Each(std::byte{0}));
}

TEST(VerbsText, ParsesBothAddressFamiliesAndRefusesNames) {
  EXPECT_EQ(ParseAddress("10.0.0.1", 7)->ss_family, AF_INET);
  EXPECT_EQ(ParseAddress("2001:db8::1", 7)->ss_family, AF_INET6);
  for (const char* bad : {"", "localhost", "10.0.0.256", "10.0.0.1:80"}) {
    EXPECT_EQ(FailureOf(ParseAddress(bad, 7).status()).kind, FailureKind::kSetup) << bad;
  }
}

TEST(VerbsText, WritesAnAddressBack) {
  for (const char* address : {"10.0.0.1", "2001:db8::1"}) {
    const sockaddr_storage storage = *ParseAddress(address, 7);
    EXPECT_EQ(AddressText(reinterpret_cast<const sockaddr*>(&storage)), address);
  }
  EXPECT_EQ(AddressText(nullptr), "?");
}

TEST(VerbsText, WritesGidsAsIpv6Addresses) {
  ibv_gid gid{};
  EXPECT_EQ(GidText(gid), "");
  gid.raw[0] = 0xfe;
  gid.raw[1] = 0x80;
  gid.raw[15] = 1;
  EXPECT_EQ(GidText(gid), "fe80::1");
}

TEST(VerbsText, NamesRejectReasonsAndErrnos) {
  EXPECT_EQ(RejectText(28), "reason 28: consumer defined");
  EXPECT_EQ(RejectText(8), "reason 8: nobody listens on that port");
  EXPECT_EQ(RejectText(-111), "Connection refused");
  EXPECT_EQ(EventStatusText(-110), "Connection timed out");
}

TEST(VerbsLink, FailsAsSetupWhereTheAddressIsNoDevices) {
  VerbsLink link;
  const absl::StatusOr<Endpoint> endpoint = link.Listen("192.0.2.1", {});
  EXPECT_EQ(FailureOf(endpoint.status()).kind, FailureKind::kSetup);
}

TEST(VerbsLink, RefusesToBeUsedBeforeItIsConnected) {
  VerbsLink link;
  std::array<Completion, 1> completions;
  std::array<std::byte, 8> memory{};
  EXPECT_EQ(FailureOf(link.Wait(completions, steady_clock::now()).status()).kind, FailureKind::kSetup);
  EXPECT_EQ(FailureOf(link.Register(memory, Access::kSendSource).status()).kind, FailureKind::kSetup);
  EXPECT_FALSE(link.can_invalidate());
  EXPECT_EQ(FailureOf(link.MakeWindow({}).status()).kind, FailureKind::kSetup);
  EXPECT_EQ(FailureOf(link.Bind({}, 0, 1).status()).kind, FailureKind::kSetup);
  EXPECT_EQ(FailureOf(link.Accept({}, {})).kind, FailureKind::kSetup);
  EXPECT_EQ(FailureOf(link.PostSend(0, {})).kind, FailureKind::kSetup);
  EXPECT_EQ(link.Describe().transport, "");
  link.Disconnect();
}

}  // namespace
}  // namespace rdmaready
