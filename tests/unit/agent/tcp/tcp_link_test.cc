// SPDX-License-Identifier: Apache-2.0
// A TcpLink on this host's own address: who is admitted, what is marked, and how it ends.
#include "agent/tcp/tcp_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/link/failure.h"
#include "agent/link/socket_address.h"
#include "agent/tcp/frame.h"
#include "api/base/handle.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

constexpr Nonce kRight = {1, 2, 3};
constexpr Nonce kWrong = {9};
constexpr char kHere[] = "127.0.0.1";

Patience Long() { return {.deadline = steady_clock::now() + std::chrono::seconds(50)}; }
Patience Short() { return {.deadline = steady_clock::now() + milliseconds(100)}; }

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

// A socket that knows nothing of links.
UniqueFd PlainSocketTo(const Endpoint& endpoint) {
  const sockaddr_storage address = *ParseAddress(endpoint.address, endpoint.port);
  UniqueFd fd(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int connected = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(sockaddr_in));
  return connected == 0 ? std::move(fd) : UniqueFd();
}

void Say(const UniqueFd& socket, std::span<const std::byte> octets) {
  ASSERT_EQ(::send(socket.get(), octets.data(), octets.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(octets.size()));
}

// Both ends, connected.
struct Ends {
  TcpLink responder{};
  TcpLink initiator{};
  absl::Status accepted{};
  absl::Status connected{};

  explicit Ends(const LinkSettings& settings = {}) {
    const Endpoint endpoint = *responder.Listen(kHere, settings);
    const std::jthread other([&] { accepted = responder.Accept(kRight, Long()); });
    connected = initiator.Connect(endpoint, kRight, kHere, settings, Long());
  }
};

TEST(TcpLink, ListensOnAPortThatTheSystemChooses) {
  TcpLink first;
  TcpLink second;
  const auto one = first.Listen(kHere, {});
  const auto other = second.Listen(kHere, {});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->port, 0);
  EXPECT_NE(one->port, other->port);
  EXPECT_EQ(FailureOf(TcpLink().Listen("192.0.2.1", {}).status()).kind, FailureKind::kSetup);
}

TEST(TcpLink, AdmitsThePeerWithTheNonceBesideOthers) {
  TcpLink responder;
  const Endpoint endpoint = *responder.Listen(kHere, {});
  const UniqueFd silent = PlainSocketTo(endpoint);
  const UniqueFd wrong = PlainSocketTo(endpoint);
  const UniqueFd half = PlainSocketTo(endpoint);
  ASSERT_TRUE(silent && wrong && half);
  Say(wrong, GreetingOf(kWrong));
  Say(half, std::span<const std::byte>(GreetingOf(kRight)).first(kGreetingBytes - 1));
  TcpLink initiator;
  absl::Status accepted;
  {
    const std::jthread other([&] { accepted = responder.Accept(kRight, Long()); });
    EXPECT_TRUE(initiator.Connect(endpoint, kRight, kHere, {}, Long()).ok());
  }
  EXPECT_TRUE(accepted.ok()) << accepted;
  char nothing = 0;
  for (const UniqueFd* closed : {&silent, &wrong, &half})
    EXPECT_LE(::recv(closed->get(), &nothing, 1, 0), 0) << "it is closed, and heard nothing";
  EXPECT_FALSE(PlainSocketTo(endpoint)) << "the port is closed";
}

TEST(TcpLink, AdmitsThePeerWithTheNonceBehindASilentCrowd) {
  TcpLink responder;
  const Endpoint endpoint = *responder.Listen(kHere, {});
  std::vector<UniqueFd> crowd;
  for (std::size_t i = 0; i < kMostCallers; ++i) crowd.push_back(PlainSocketTo(endpoint));
  TcpLink initiator;
  absl::Status accepted;
  {
    const std::jthread other([&] { accepted = responder.Accept(kRight, Long()); });
    EXPECT_TRUE(initiator.Connect(endpoint, kRight, kHere, {}, Long()).ok());
  }
  EXPECT_TRUE(accepted.ok()) << accepted;
}

TEST(TcpLink, RejectsThePeerWithAnotherNonce) {
  TcpLink responder;
  const Endpoint endpoint = *responder.Listen(kHere, {});
  std::atomic<bool> over = false;
  Patience patience = Long();
  patience.interrupted = [&over] {
    return over ? MakeFailure(FailureKind::kCancelled, "over") : absl::OkStatus();
  };
  absl::Status accepted;
  TcpLink impostor;
  {
    const std::jthread other([&] { accepted = responder.Accept(kRight, patience); });
    const absl::Status status = impostor.Connect(endpoint, kWrong, kHere, {}, Long());
    EXPECT_EQ(FailureOf(status).kind, FailureKind::kRejected) << status;
    EXPECT_EQ(impostor.handshake().refusal, Refusal::kConsumer);
    over = true;
  }
  EXPECT_EQ(FailureOf(accepted).kind, FailureKind::kRejected);
  EXPECT_THAT(MessageOf(accepted),
              HasSubstr("1 connection without the right nonce rejected, the last from 127.0.0.1"));
}

TEST(TcpLink, SaysThatNobodyCame) {
  TcpLink responder;
  ASSERT_TRUE(responder.Listen(kHere, {}).ok());
  const absl::Status status = responder.Accept(kRight, Short());
  EXPECT_EQ(FailureOf(status).kind, FailureKind::kUnreachable);
  EXPECT_THAT(MessageOf(status), HasSubstr("nobody connected in time"));
}

TEST(TcpLink, CountsASilentConnectionAsRejected) {
  TcpLink responder;
  const Endpoint endpoint = *responder.Listen(kHere, {});
  const UniqueFd silent = PlainSocketTo(endpoint);
  EXPECT_EQ(FailureOf(responder.Accept(kRight, Short())).kind, FailureKind::kRejected);
}

TEST(TcpLink, StopsWaitingWhenInterrupted) {
  TcpLink responder;
  ASSERT_TRUE(responder.Listen(kHere, {}).ok());
  Patience patience = Long();
  patience.interrupted = [] { return MakeFailure(FailureKind::kCancelled, "enough"); };
  EXPECT_EQ(FailureOf(responder.Accept(kRight, patience)).kind, FailureKind::kCancelled);
  // Nobody answers there: the listener's queue is not taken from.
  TcpLink initiator;
  TcpLink quiet;
  const Endpoint endpoint = *quiet.Listen(kHere, {});
  EXPECT_EQ(FailureOf(initiator.Connect(endpoint, kRight, kHere, {}, patience)).kind, FailureKind::kCancelled);
}

TEST(TcpLink, SaysThatNobodyListensOrAnswers) {
  Endpoint endpoint;
  {
    TcpLink gone;
    endpoint = *gone.Listen(kHere, {});
  }
  TcpLink refused;
  EXPECT_EQ(FailureOf(refused.Connect(endpoint, kRight, kHere, {}, Long())).kind, FailureKind::kRejected);
  EXPECT_EQ(refused.handshake().refusal, Refusal::kNoListener);
  TcpLink quiet;
  TcpLink waiting;
  const absl::Status late = waiting.Connect(*quiet.Listen(kHere, {}), kRight, kHere, {}, Short());
  EXPECT_EQ(FailureOf(late).kind, FailureKind::kUnreachable) << late;
  EXPECT_EQ(waiting.handshake().refusal, Refusal::kNoAnswer);
}

TEST(TcpLink, RefusesWhatTcpDoesNotHave) {
  TcpLink link;
  EXPECT_EQ(FailureOf(link.Listen(kHere, {.connection = ConnectionKind::kVerbs}).status()).kind,
            FailureKind::kSetup);
  EXPECT_EQ(FailureOf(link.AcceptAnyone({}, Short())).kind, FailureKind::kSetup);
  EXPECT_FALSE(link.can_invalidate());
  std::array<std::byte, 8> memory{};
  const MemoryId id = *link.Register(memory, Access::kWindowedWrite);
  EXPECT_FALSE(link.MakeWindow(id).ok());
  EXPECT_FALSE(link.Bind({}, 0, 8).ok());
  const std::array<std::uint8_t, 3> few{};
  EXPECT_EQ(FailureOf(link.Connect({.address = kHere, .port = 9}, few, kHere, {}, Short())).kind,
            FailureKind::kSetup);
}

TEST(TcpLink, MarksItsTrafficAtBothEnds) {
  const Ends ends({.tos = 104});
  ASSERT_TRUE(ends.accepted.ok() && ends.connected.ok());
  for (const TcpLink* link : {&ends.responder, &ends.initiator}) {
    const LinkFacts facts = link->Describe();
    EXPECT_EQ(facts.transport, "tcp");
    EXPECT_EQ(facts.marking.traffic_class, 104);
    EXPECT_GT(facts.path_mtu_bytes.value_or(0), 0U);
    EXPECT_EQ(facts.local_gid, "");
  }
}

TEST(TcpLink, RegistersBeforeThePeerCanSend) {
  int calls = 0;
  LinkSettings settings;
  settings.before_connected = [&calls] {
    ++calls;
    return absl::OkStatus();
  };
  const Ends both(settings);
  EXPECT_TRUE(both.accepted.ok() && both.connected.ok());
  EXPECT_EQ(calls, 2);
}

TEST(TcpLink, ClosesAConnectionThatItCannotSetUp) {
  TcpLink responder;
  LinkSettings settings;
  settings.before_connected = [] { return MakeFailure(FailureKind::kSetup, "no memory"); };
  const Endpoint endpoint = *responder.Listen(kHere, settings);
  absl::Status accepted;
  TcpLink initiator;
  {
    const std::jthread other([&] { accepted = responder.Accept(kRight, Long()); });
    EXPECT_EQ(FailureOf(initiator.Connect(endpoint, kRight, kHere, {}, Long())).kind, FailureKind::kRejected);
  }
  EXPECT_EQ(MessageOf(accepted), "no memory");
}

TEST(TcpLink, WaitsUntilItsDeadline) {
  Ends ends;
  std::array<Completion, 1> completion;
  const TimePoint deadline = steady_clock::now() + milliseconds(30);
  const auto count = ends.initiator.Wait(completion, deadline);
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 0U);
  EXPECT_GE(steady_clock::now(), deadline);
}

TEST(TcpLink, TellsThePeerThatItIsOver) {
  Ends ends;
  ends.initiator.Disconnect();
  std::array<Completion, 1> completion;
  EXPECT_EQ(FailureOf(ends.responder.Wait(completion, Long().deadline).status()).kind,
            FailureKind::kDisconnected);
  EXPECT_EQ(FailureOf(ends.initiator.Wait(completion, Long().deadline).status()).kind,
            FailureKind::kDisconnected);
  EXPECT_EQ(ends.initiator.Describe().transport, "tcp") << "it still describes what was";
}

// More than the two kernels hold, so that octets are left at the end.
TEST(TcpLink, ResetsAConnectionThatHasMuchUnderWay) {
  Ends ends({.sends = 64});
  std::vector<std::byte> source(8U << 20);
  std::vector<std::byte> target(8U << 20);
  const RemoteMemory remote = ends.responder.Remote(*ends.responder.Register(target, Access::kRemoteWrite));
  const MemoryId memory = *ends.initiator.Register(source, Access::kSendSource);
  for (std::uint64_t id = 0; id < 8; ++id) {
    const WorkRequest request{.work = Work::kWrite,
                              .id = id,
                              .local = {.memory = memory, .length = 8U << 20},
                              .remote = {.address = remote.address, .rkey = remote.rkey}};
    ASSERT_TRUE(ends.initiator.Post({&request, 1}).ok());
  }
  ends.initiator.Disconnect();
  std::array<Completion, 1> completion;
  const absl::Status status = ends.responder.Wait(completion, Long().deadline).status();
  EXPECT_EQ(FailureOf(status).kind, FailureKind::kDisconnected);
  EXPECT_THAT(MessageOf(status), HasSubstr("reset"));
}

TEST(TcpLink, EndsOnAPeerThatBreaksTheProtocol) {
  TcpLink responder;
  const Endpoint endpoint = *responder.Listen(kHere, {});
  const UniqueFd peer = PlainSocketTo(endpoint);
  Say(peer, GreetingOf(kRight));
  ASSERT_TRUE(responder.Accept(kRight, Long()).ok());
  std::array<std::byte, 64> garbage{};
  garbage.fill(std::byte{0x47});
  Say(peer, garbage);
  std::array<Completion, 1> completion;
  const absl::Status status = responder.Wait(completion, Long().deadline).status();
  EXPECT_EQ(FailureOf(status).kind, FailureKind::kDisconnected);
  EXPECT_THAT(MessageOf(status), HasSubstr("broke the protocol"));
}

TEST(TcpLink, IsNotWelcomedByAnotherServer) {
  const sockaddr_storage address = *ParseAddress(kHere, 0);
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(sockaddr_in)), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
  const std::jthread other([&] {
    const UniqueFd client(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Say(client, std::as_bytes(std::span("220 smtp ready", 14)));
    std::array<std::byte, 64> said{};
    while (::recv(client.get(), said.data(), said.size(), 0) > 0) continue;
  });
  TcpLink link;
  const absl::Status status =
      link.Connect({.address = kHere, .port = ntohs(bound.sin_port)}, kRight, kHere, {}, Long());
  EXPECT_EQ(FailureOf(status).kind, FailureKind::kRejected);
  EXPECT_THAT(MessageOf(status), HasSubstr("not an end of a live test"));
}

}  // namespace
}  // namespace rdmaready
