// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/listening.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>

#include "api/base/clock.h"
#include "api/base/handle.h"
#include "api/client/tcp_probe.h"
#include "tests/support/eventually.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kFlood = 400;  // connections

absl::StatusOr<ListeningServer> ListenOn(const std::string& address, EventSink events = {}) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  return StartListening(
      builder,
      {.listen = {address}, .credentials = grpc::InsecureServerCredentials(), .events = std::move(events)});
}

bool Answers(const std::string& address, int which) {
  grpc::ChannelArguments own;
  own.SetInt("which", which);  // else gRPC shares one connection
  const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own);
  return channel->WaitForConnected(DeadlineIn(std::chrono::seconds(20)));
}

// This process may have so many descriptors more than it has, until the end of it.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    const UniqueFd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const ::rlimit few{.rlim_cur = static_cast<::rlim_t>(next.get() + more), .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  ::rlimit before_{};
};

// Another process that has connections and says nothing, until the end of it.
class Flood {
 public:
  explicit Flood(const std::string& address) {
    std::array<int, 2> told{};
    EXPECT_EQ(::pipe(told.data()), 0);
    const absl::StatusOr<SocketAddress> to = ParseIpTarget("ipv4:" + address);
    pid_ = ::fork();
    if (pid_ == 0) {
      for (int i = 0; i < kFlood; ++i) {
        const int fd = ::socket(to->storage.ss_family, SOCK_STREAM, 0);
        static_cast<void>(::connect(fd, reinterpret_cast<const ::sockaddr*>(&to->storage), to->size));
      }
      static_cast<void>(::write(told[1], "x", 1));
      while (true) ::pause();
    }
    const UniqueFd reading(told[0]);
    const UniqueFd writing(told[1]);
    char one = 0;
    EXPECT_EQ(::read(reading.get(), &one, 1), 1);
  }
  ~Flood() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  ::pid_t pid_ = 0;
};

TEST(Listening, WhoTookAllConnectionsLeavesAServerBehindThatHears) {
  std::atomic<int> full = 0;
  const absl::StatusOr<ListeningServer> server = ListenOn("127.0.0.1:0", [&full](const Event& event) {
    if (event.name == kConnectionsFullEvent) ++full;
  });
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string& address = server->addresses.front();
  ASSERT_TRUE(Answers(address, 1));
  const FewDescriptors few(100);
  {
    const Flood flood(address);
    EXPECT_TRUE(Eventually([&full] { return full > 0; }));
    EXPECT_EQ(full, 1) << "told once a minute";
    // What else the process opens finds room all the while.
    EXPECT_TRUE(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  }
  EXPECT_TRUE(Answers(address, 2));
}

TEST(Listening, AnAddressThatIsTakenIsSaidSo) {
  const absl::StatusOr<ListeningServer> first = ListenOn("[::1]:0");
  if (!first.ok()) GTEST_SKIP() << "no IPv6 here: " << first.status();
  EXPECT_THAT(first->addresses.front(), StartsWith("[::1]:"));
  const std::string address = first->addresses.front();
  const absl::Status second = ListenOn(address).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.message()),
              HasSubstr("listen on " + address + ": Address already in use (ss -ltnp 'sport = " +
                        address.substr(address.rfind(':')) + "' shows by which process)"));
}

TEST(Listening, OnlyAddressesOfTheNetworkAreListenedOn) {
  EXPECT_EQ(ListenOn("unix:/tmp/x").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ListenOn("0.0.0.0:0").status().code(), absl::StatusCode::kFailedPrecondition);
}

// gRPC sets this on its own listeners, and not on connections that it is given.
TEST(Listening, WhatNobodyTakesEndsAConnection) {
  const absl::StatusOr<TcpListener> listener = ListenTcp("ipv4:127.0.0.1:0", std::chrono::milliseconds(30'000));
  ASSERT_TRUE(listener.ok()) << listener.status();
  const absl::StatusOr<UniqueFd> caller =
      ConnectTcp(listener->address, RealClock().Now() + std::chrono::seconds(5));
  ASSERT_TRUE(caller.ok()) << caller.status();
  ASSERT_TRUE(WaitFor(listener->fd.get(), POLLIN, RealClock().Now() + std::chrono::seconds(5)));
  const UniqueFd accepted(::accept(listener->fd.get(), nullptr, nullptr));
  int value = 0;
  ::socklen_t size = sizeof(value);
  EXPECT_EQ(::getsockopt(accepted.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, &size), 0);
  EXPECT_EQ(value, 30'000);
  EXPECT_EQ(::getsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
  EXPECT_NE(value, 0);
}

// A door whose thread is held up by what gets its connections, as gRPC might do.
TEST(Listening, ADoorThatIsStuckIsNotAlive) {
  absl::StatusOr<TcpListener> listener = ListenTcp("ipv4:127.0.0.1:0", std::chrono::milliseconds(0));
  ASSERT_TRUE(listener.ok()) << listener.status();
  const std::string address = listener->address;
  std::vector<TcpListener> listeners;
  listeners.push_back(*std::move(listener));
  std::promise<void> stuck;
  std::promise<void> released;
  ListeningServer server;
  server.door = std::make_unique<TcpDoor>(
      std::move(listeners),
      [&](UniqueFd) {
        stuck.set_value();
        released.get_future().wait();
      },
      EventSink());
  const ProofOfLife proof = ProofOfListening(server);
  EXPECT_TRUE(proof.prove(std::chrono::seconds(20)).ok());
  const absl::StatusOr<UniqueFd> caller = ConnectTcp(address, RealClock().Now() + std::chrono::seconds(20));
  stuck.get_future().wait();
  EXPECT_FALSE(proof.prove(std::chrono::milliseconds(100)).ok());
  released.set_value();
  EXPECT_TRUE(proof.prove(std::chrono::seconds(20)).ok());
}

TEST(Listening, NobodyWaitsForAServerThatEnded) {
  absl::StatusOr<ListeningServer> server = ListenOn("127.0.0.1:0");
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string address = server->addresses.front();
  server->Shutdown(DeadlineIn({}));
  EXPECT_THAT(std::string(ProbeTcp("ipv4:" + address, RealClock().Now() + std::chrono::seconds(5)).message()),
              HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace rdmaready
