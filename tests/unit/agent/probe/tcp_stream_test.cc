// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/tcp_stream.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>

#include "agent/link/failure.h"
#include "api/base/handle.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Listens on loopback; what connects waits in its backlog until it is taken.
struct Listener {
  Listener() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd.get(), generic, size), 0);
    EXPECT_EQ(::listen(fd.get(), 1), 0);
    EXPECT_EQ(::getsockname(fd.get(), generic, &size), 0);
    endpoint = {.address = "127.0.0.1", .port = ntohs(address.sin_port)};
  }
  UniqueFd fd;
  Endpoint endpoint{};
};

Patience For(milliseconds time) { return {.deadline = steady_clock::now() + time}; }

TEST(TcpStream, CarriesBytesBothWays) {
  Listener listener;
  const auto stream = ConnectTcp(listener.endpoint, For(seconds(60)));
  ASSERT_TRUE(stream.ok()) << stream.status();
  const UniqueFd other(::accept(listener.fd.get(), nullptr, nullptr));
  const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
  ASSERT_EQ((*stream)->Send(sent, For(seconds(60))), absl::OkStatus());
  std::array<std::byte, 3> there{};
  ASSERT_EQ(::recv(other.get(), there.data(), there.size(), MSG_WAITALL), 3);
  EXPECT_EQ(there, sent);
  ASSERT_EQ(::send(other.get(), sent.data(), 2, 0), 2);
  ASSERT_EQ(::send(other.get(), sent.data() + 2, 1, 0), 1);
  std::array<std::byte, 3> back{};
  ASSERT_EQ((*stream)->Receive(back, For(seconds(60))), absl::OkStatus());
  EXPECT_EQ(back, sent);
}

TEST(TcpStream, TellsAClosedPortFromAServerThatHangsUp) {
  Endpoint closed;
  {
    Listener listener;
    closed = listener.endpoint;
    const auto stream = ConnectTcp(listener.endpoint, For(seconds(60)));
    ASSERT_TRUE(stream.ok());
    { const UniqueFd other(::accept(listener.fd.get(), nullptr, nullptr)); }
    std::array<std::byte, 1> byte{};
    EXPECT_EQ(FailureOf((*stream)->Receive(byte, For(seconds(60)))).kind, FailureKind::kDisconnected);
  }
  EXPECT_EQ(FailureOf(ConnectTcp(closed, For(seconds(60))).status()).kind, FailureKind::kRejected);
}

TEST(TcpStream, WaitsNoLongerThanItsPatience) {
  Listener listener;
  const auto stream = ConnectTcp(listener.endpoint, For(seconds(60)));
  ASSERT_TRUE(stream.ok());
  std::array<std::byte, 1> byte{};
  FakeClock clock;
  int looks = 0;
  const Patience patience{.deadline = clock.Now() + seconds(60),
                          .interrupted =
                              [&] {
                                clock.Advance(seconds(20));
                                ++looks;
                                return absl::OkStatus();
                              },
                          .clock = &clock};
  EXPECT_EQ(FailureOf((*stream)->Receive(byte, patience)).kind, FailureKind::kStalled);
  EXPECT_EQ(looks, 3) << "nothing ever comes";
  const Patience gone{.deadline = steady_clock::now() + seconds(60),
                      .interrupted = [] { return absl::CancelledError("the caller gave up"); }};
  EXPECT_EQ(FailureOf((*stream)->Receive(byte, gone)).kind, FailureKind::kCancelled);
}

TEST(TcpStream, RefusesWhatIsNoAddress) {
  EXPECT_EQ(FailureOf(ConnectTcp({.address = "fs1", .port = 445}, For(seconds(1))).status()).kind,
            FailureKind::kSetup);
}

}  // namespace
}  // namespace rdmaready
