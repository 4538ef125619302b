// SPDX-License-Identifier: Apache-2.0
// Two edges over a link in memory that ends the connection, as devices do here, when a receive is missing.
#include "agent/smbdirect_link/edge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "agent/link/failure.h"
#include "tests/unit/agent/link/memory_link.h"

namespace rdmaready::smbdirect {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;

constexpr std::uint32_t kMemoryBytes = 1'048'576;

struct End {
  End(MemoryFabric& fabric, rdmaready::Role link_role, Role role, const Settings& settings)
      : link(fabric, link_role),
        edge(role, settings, link,
             {.established = [this](const Agreement& agreement) { agreements.push_back(agreement); },
              .invalidated = [this](std::uint32_t key) { invalidated.push_back(key); },
              .deliver =
                  [this](Bytes message) {
                    delivered.emplace_back(message.begin(), message.end());
                    if (on_deliver) on_deliver();
                  },
              .submitted = [this](std::uint64_t cookie) { submitted.push_back(cookie); },
              .moved = [this](std::uint64_t cookie) { moved.push_back(cookie); }}) {}

  // Memory that may be sent from and read into, with a content of its own.
  Buffer& Lend(Access access, std::byte first) {
    buffers.push_back(*Buffer::Make(link, kMemoryBytes, 1, access));
    Buffer& buffer = *buffers.back();
    for (std::size_t i = 0; i < buffer.all().size(); ++i) {
      buffer.all()[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i * 7 + i / 251);
    }
    edge.Lend(buffer);
    return buffer;
  }

  MemoryLink link;
  std::vector<std::unique_ptr<Buffer>> buffers{};
  std::function<void()> on_deliver{};
  std::vector<Agreement> agreements{};
  std::vector<std::uint32_t> invalidated{};
  std::vector<std::vector<std::byte>> delivered{};
  std::vector<std::uint64_t> submitted{};
  std::vector<std::uint64_t> moved{};
  Edge edge;
};

class EdgeTest : public testing::Test {
 protected:
  void Connect(const Settings& settings = {}, const Settings* responder_settings = nullptr) {
    const Settings& theirs = responder_settings != nullptr ? *responder_settings : settings;
    initiator.emplace(fabric, rdmaready::Role::kInitiator, Role::kInitiator, settings);
    responder.emplace(fabric, rdmaready::Role::kResponder, Role::kResponder, theirs);
    const auto settings_of = [](End& end, const Settings& of) {
      LinkSettings link = Edge::SettingsOf(of);
      link.before_connected = [&end] { return end.edge.Prepare(); };
      return link;
    };
    const Patience patience{.deadline = steady_clock::now() + std::chrono::seconds(60)};
    ASSERT_TRUE(responder->link.Listen("here", settings_of(*responder, theirs)).ok());
    const std::jthread other([&] { EXPECT_EQ(responder->link.Accept({}, patience), absl::OkStatus()); });
    ASSERT_EQ(initiator->link.Connect({}, Nonce{}, "here", settings_of(*initiator, settings), patience),
              absl::OkStatus());
  }

  void Establish(const Settings& settings = {}) {
    ASSERT_NO_FATAL_FAILURE(Connect(settings));
    ASSERT_EQ(responder->edge.Start(), absl::OkStatus());
    ASSERT_EQ(initiator->edge.Start(), absl::OkStatus());
    ASSERT_TRUE(RunUntil([&] {
      return initiator->edge.connection().established() && responder->edge.connection().send_credits() > 0;
    }));
  }

  // Both ends in turn; false when `done` did not come within a minute.
  bool RunUntil(const std::function<bool()>& done) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(60);
    while (!done() && steady_clock::now() < deadline) {
      initiator_status = initiator->edge.Step(steady_clock::now());
      responder_status = responder->edge.Step(steady_clock::now());
    }
    return done();
  }

  FailureKind InitiatorsKind() const { return FailureOf(initiator_status).kind; }
  FailureKind RespondersKind() const { return FailureOf(responder_status).kind; }

  MemoryFabric fabric{};
  std::optional<End> initiator{};
  std::optional<End> responder{};
  absl::Status initiator_status{};
  absl::Status responder_status{};
};

TEST_F(EdgeTest, Negotiates) {
  Establish();
  ASSERT_EQ(initiator->agreements.size(), 1u);
  ASSERT_EQ(responder->agreements.size(), 1u);
  EXPECT_EQ(initiator->agreements[0].max_send_bytes, 1'364u);
}

TEST_F(EdgeTest, CarriesFragmentedMessagesBothWays) {
  Establish();
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  Buffer& theirs = responder->Lend(Access::kSendSource, std::byte{99});
  ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all(), .cookie = 5}), absl::OkStatus());
  ASSERT_EQ(responder->edge.Submit({.bytes = theirs.all().first(200'001), .cookie = 6}), absl::OkStatus());
  ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all().subspan(17, 1), .cookie = 7}), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] {
    return responder->delivered.size() == 2 && initiator->delivered.size() == 1 &&
           initiator->submitted.size() == 2;
  }));
  ASSERT_EQ(responder->delivered.size(), 2u);
  EXPECT_TRUE(std::ranges::equal(responder->delivered[0], ours.all()));
  EXPECT_THAT(responder->delivered[1], ElementsAre(ours.all()[17]));
  ASSERT_EQ(initiator->delivered.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(initiator->delivered[0], theirs.all().first(200'001)));
  EXPECT_THAT(initiator->submitted, ElementsAre(5, 7));
}

TEST_F(EdgeTest, AnswersWithinADelivery) {
  Establish();
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  Buffer& theirs = responder->Lend(Access::kSendSource, std::byte{2});
  responder->on_deliver = [&] {
    ASSERT_EQ(responder->edge.Submit({.bytes = theirs.all().first(3'000), .cookie = 1}), absl::OkStatus());
  };
  ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all().first(5'000), .cookie = 1}), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return initiator->delivered.size() == 1; }));
  EXPECT_EQ(initiator->delivered[0].size(), 3'000u);
}

TEST_F(EdgeTest, NeverMissesAReceiveWithOneCredit) {
  Establish({.receive_credit_max = 1, .send_credit_target = 1});
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  Buffer& theirs = responder->Lend(Access::kSendSource, std::byte{2});
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all().subspan(i, 5'000), .cookie = i}), absl::OkStatus());
    ASSERT_EQ(responder->edge.Submit({.bytes = theirs.all().subspan(i, 4'000), .cookie = i}), absl::OkStatus());
  }
  ASSERT_TRUE(RunUntil([&] { return initiator->delivered.size() == 20 && responder->delivered.size() == 20; }))
      << initiator_status << responder_status;
  EXPECT_TRUE(std::ranges::equal(responder->delivered[19], ours.all().subspan(19, 5'000)));
  EXPECT_TRUE(std::ranges::equal(initiator->delivered[19], theirs.all().subspan(19, 4'000)));
}

// What is posted together is signaled once.
TEST_F(EdgeTest, SignalsOnlyTheLastOfAChain) {
  Establish();
  const std::uint64_t posted = fabric.Posted(rdmaready::Role::kInitiator, Work::kSend);
  const std::uint64_t signaled = fabric.Signaled(rdmaready::Role::kInitiator);
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all().first(100 * 1'340), .cookie = 1}), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return initiator->submitted.size() == 1; }));
  EXPECT_EQ(fabric.Posted(rdmaready::Role::kInitiator, Work::kSend) - posted, 100u);
  EXPECT_THAT(fabric.Signaled(rdmaready::Role::kInitiator) - signaled, Lt(12u));
}

std::vector<BufferDescriptor> Describe(const Buffer& buffer, std::uint32_t first_bytes) {
  const RemoteMemory memory = buffer.remote();
  return {{.address = memory.address, .token = memory.rkey, .length_bytes = first_bytes},
          {.address = memory.address + first_bytes,
           .token = memory.rkey,
           .length_bytes = static_cast<std::uint32_t>(memory.length_bytes) - first_bytes}};
}

TEST_F(EdgeTest, WritesToAndReadsFromSeveralDescriptors) {
  Establish();
  Buffer& target = initiator->Lend(Access::kRemoteWrite, std::byte{1});
  Buffer& source = initiator->Lend(Access::kRemoteRead, std::byte{2});
  Buffer& out = responder->Lend(Access::kSendSource, std::byte{3});
  Buffer& in = responder->Lend(Access::kReadDestination, std::byte{4});
  ASSERT_EQ(responder->edge.WriteToPeer(out.all(), Describe(target, 333'333), 0, 21), absl::OkStatus());
  ASSERT_EQ(responder->edge.ReadFromPeer(in.all(), Describe(source, 1), 0, 22), absl::OkStatus());
  ASSERT_EQ(responder->edge.Submit({.bytes = out.all().first(8), .cookie = 23}), absl::OkStatus());
  bool arrived_behind = false;
  initiator->on_deliver = [&] { arrived_behind = std::ranges::equal(target.all(), out.all()); };
  ASSERT_TRUE(RunUntil([&] { return responder->moved.size() == 2 && !initiator->delivered.empty(); }));
  EXPECT_TRUE(arrived_behind);
  EXPECT_TRUE(std::ranges::equal(in.all(), source.all()));
  EXPECT_THAT(responder->moved, ElementsAre(21, 22));
}

TEST_F(EdgeTest, RefusesWhatItCannotSend) {
  Establish();
  const std::vector<std::byte> foreign(100);
  EXPECT_TRUE(absl::IsInvalidArgument(initiator->edge.Submit({.bytes = foreign})));
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  const Bytes beyond(ours.all().data() + 1, ours.all().size());
  EXPECT_TRUE(absl::IsInvalidArgument(initiator->edge.Submit({.bytes = beyond})));
  EXPECT_EQ(initiator->edge.Step(steady_clock::now()), absl::OkStatus());
}

TEST_F(EdgeTest, RefusesToInvalidateWhereTheDeviceCannot) {
  fabric.cannot_invalidate = rdmaready::Role::kResponder;
  Establish();
  Buffer& ours = responder->Lend(Access::kSendSource, std::byte{1});
  EXPECT_TRUE(absl::IsInvalidArgument(responder->edge.Submit({.bytes = ours.all(), .invalidate = 1})));
  EXPECT_EQ(responder->edge.Step(steady_clock::now()), absl::OkStatus());
  EXPECT_EQ(responder->edge.Submit({.bytes = ours.all().first(8)}), absl::OkStatus());
  EXPECT_TRUE(RunUntil([&] { return !initiator->delivered.empty(); }));
}

// A window that the responder writes through and then takes away with its answer.
class EdgeWindowTest : public EdgeTest {
 protected:
  void Show() {
    Establish();
    target = &initiator->Lend(Access::kWindowedWrite, std::byte{1});
    out = &responder->Lend(Access::kSendSource, std::byte{9});
    window = *initiator->link.MakeWindow(target->slice(0).memory);
    shown = *initiator->link.Bind(window, 1'000, 8'192);
  }
  absl::Status WriteBy(std::uint32_t key) {
    const std::array buffer{BufferDescriptor{.address = shown.address, .token = key, .length_bytes = 8'192}};
    return responder->edge.WriteToPeer(out->all().first(8'192), buffer, 0, 1);
  }
  absl::Status Answer(std::size_t bytes) {
    return responder->edge.Submit({.bytes = out->all().first(bytes), .invalidate = shown.rkey});
  }

  Buffer* target = nullptr;
  Buffer* out = nullptr;
  WindowId window{};
  RemoteMemory shown{};
};

TEST_F(EdgeWindowTest, TellsTheWindowThatAnAnswerTookAway) {
  Show();
  ASSERT_EQ(WriteBy(shown.rkey), absl::OkStatus());
  ASSERT_EQ(Answer(5'000), absl::OkStatus());  // in fragments: told once, before the delivery of the whole
  bool told_before = false;
  initiator->on_deliver = [&] { told_before = initiator->invalidated.size() == 1; };
  ASSERT_TRUE(RunUntil([&] { return !initiator->delivered.empty(); })) << responder_status;
  EXPECT_TRUE(told_before);
  EXPECT_THAT(initiator->invalidated, ElementsAre(shown.rkey));
  EXPECT_TRUE(std::ranges::equal(target->all().subspan(1'000, 8'192), out->all().first(8'192)));
  ASSERT_EQ(responder->edge.Submit({.bytes = out->all().first(1)}), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return initiator->delivered.size() == 2; }));
  EXPECT_THAT(initiator->invalidated, ElementsAre(shown.rkey));
}

TEST_F(EdgeWindowTest, IsWrittenAgainOnlyByTheKeyOfANewBinding) {
  Show();
  EXPECT_FALSE(initiator->link.Bind(window, 0, 1).ok());  // bound
  ASSERT_EQ(Answer(1), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !initiator->delivered.empty(); }));
  const std::uint32_t dead = shown.rkey;
  EXPECT_FALSE(initiator->link.Bind(window, kMemoryBytes, 1).ok());  // behind the memory
  shown = *initiator->link.Bind(window, 1'000, 8'192);
  EXPECT_NE(shown.rkey, dead);
  ASSERT_EQ(WriteBy(shown.rkey), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !responder->moved.empty(); }));
  ASSERT_EQ(WriteBy(dead), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !responder_status.ok(); }));
  EXPECT_EQ(RespondersKind(), FailureKind::kCompletion);
  EXPECT_THAT(std::string(responder_status.message()), HasSubstr("remote access error"));
}

TEST_F(EdgeWindowTest, EndsWhenThePeerTakesAwayWhatItWasNotShown) {
  Show();
  shown.rkey += 0x100;
  ASSERT_EQ(Answer(1), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !initiator_status.ok() && !responder_status.ok(); }));
  EXPECT_EQ(InitiatorsKind(), FailureKind::kCompletion);
  EXPECT_EQ(RespondersKind(), FailureKind::kCompletion);
  EXPECT_TRUE(initiator->invalidated.empty());
  EXPECT_TRUE(initiator->delivered.empty());
}

TEST_F(EdgeWindowTest, IsGoneWithItsMemory) {
  Show();
  initiator->buffers.clear();
  ASSERT_EQ(WriteBy(shown.rkey), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !responder_status.ok(); }));
  EXPECT_EQ(RespondersKind(), FailureKind::kCompletion);
}

TEST_F(EdgeTest, TellsThatThePeerLeft) {
  Establish();
  responder->edge.Close();
  ASSERT_TRUE(RunUntil([&] { return !initiator_status.ok() && !responder_status.ok(); }));
  EXPECT_EQ(InitiatorsKind(), FailureKind::kDisconnected);
  EXPECT_THAT(std::string(initiator_status.message()), HasSubstr("the peer closed the connection"));
  EXPECT_EQ(RespondersKind(), FailureKind::kDisconnected);
}

TEST_F(EdgeTest, TellsWhatTheDeviceSaid) {
  fabric.faults.push_back(
      {.kind = Fault::Kind::kError, .from = rdmaready::Role::kInitiator, .work = Work::kSend, .number = 4});
  Establish();
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  ASSERT_EQ(initiator->edge.Submit({.bytes = ours.all().first(20'000), .cookie = 1}), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !initiator_status.ok(); }));
  EXPECT_EQ(InitiatorsKind(), FailureKind::kCompletion);
  EXPECT_THAT(std::string(initiator_status.message()), HasSubstr("transport retry counter exceeded"));
  EXPECT_TRUE(absl::IsFailedPrecondition(initiator->edge.Submit({.bytes = ours.all().first(1)})));
}

TEST_F(EdgeTest, EndsWhenThePeerBreaksTheProtocol) {
  // The second send is the first of data; byte 12 is its DataOffset.
  fabric.faults.push_back({.kind = Fault::Kind::kCorrupt,
                           .from = rdmaready::Role::kInitiator,
                           .work = Work::kSend,
                           .number = 1,
                           .offset = 13});
  ASSERT_NO_FATAL_FAILURE(Connect());
  ASSERT_EQ(responder->edge.Start(), absl::OkStatus());
  ASSERT_EQ(initiator->edge.Start(), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return initiator->edge.connection().established(); }));
  Buffer& ours = initiator->Lend(Access::kSendSource, std::byte{1});
  static_cast<void>(initiator->edge.Submit({.bytes = ours.all().first(100), .cookie = 1}));
  ASSERT_TRUE(RunUntil([&] { return !responder_status.ok() && !initiator_status.ok(); }));
  EXPECT_EQ(RespondersKind(), FailureKind::kCorrupt) << responder_status;
  EXPECT_THAT(std::string(responder_status.message()), HasSubstr("SMB Direct: "));
  EXPECT_EQ(InitiatorsKind(), FailureKind::kDisconnected);
}

TEST_F(EdgeTest, HoldsTheTimeOfTheNegotiation) {
  const Settings impatient{.timers = {.negotiate_passive = milliseconds(20)}};
  ASSERT_NO_FATAL_FAILURE(Connect({}, &impatient));
  ASSERT_EQ(responder->edge.Start(), absl::OkStatus());
  const auto start = steady_clock::now();
  ASSERT_TRUE(RunUntil([&] { return !responder_status.ok(); }));
  EXPECT_GE(steady_clock::now() - start, milliseconds(20));
  EXPECT_EQ(RespondersKind(), FailureKind::kStalled);
}

TEST_F(EdgeTest, NamesTheStatusOfARefusal) {
  const Settings windows{.policy = WindowsPolicy()};
  ASSERT_NO_FATAL_FAILURE(Connect({.max_send_bytes = 8'192}, &windows));
  ASSERT_EQ(responder->edge.Start(), absl::OkStatus());
  ASSERT_EQ(initiator->edge.Start(), absl::OkStatus());
  ASSERT_TRUE(RunUntil([&] { return !initiator_status.ok(); }));
  EXPECT_EQ(InitiatorsKind(), FailureKind::kRejected);
  EXPECT_THAT(std::string(initiator_status.message()), HasSubstr("0xc000009a"));
}

TEST(EdgeWait, PassesOnThatWhoeverWaitsGaveUp) {
  MemoryFabric fabric;
  MemoryLink link(fabric, rdmaready::Role::kInitiator);
  bool gave_up = true;
  Edge edge(Role::kInitiator, {}, link, {},
            [&](std::span<Completion>, TimePoint) -> absl::StatusOr<std::size_t> {
              if (gave_up) return absl::OutOfRangeError("enough");
              return 0;
            });
  EXPECT_TRUE(absl::IsOutOfRange(edge.Step(steady_clock::now())));
  gave_up = false;
  EXPECT_EQ(edge.Step(steady_clock::now()), absl::OkStatus());
}

TEST_F(EdgeTest, GivesEveryRegistrationBack) {
  Establish();
  EXPECT_GT(fabric.Registered(), 0u);
  initiator.reset();
  responder.reset();
  EXPECT_EQ(fabric.Registered(), 0u);
}

}  // namespace
}  // namespace rdmaready::smbdirect
