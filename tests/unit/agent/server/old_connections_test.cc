// SPDX-License-Identifier: Apache-2.0
#include "agent/server/old_connections.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "agent/server/service.h"
#include "api/base/handle.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/server/fake_configurer.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using access::Identity;
using access::Way;
using testing::HasSubstr;

TEST(OldConnections, APeersNameIsThatOfItsSocket) {
  EXPECT_EQ(TcpPeerOf("ipv4:10.0.0.7:40112"), "10.0.0.7:40112");
  EXPECT_EQ(TcpPeerOf("ipv6:%5B::1%5D:40112"), "[::1]:40112");
  EXPECT_EQ(TcpPeerOf("ipv6:[fd00::7]:1"), "[fd00::7]:1");
  EXPECT_EQ(TcpPeerOf("ipv6:%5Bfe80::1%25eth0%5D:9"), "[fe80::1]:9");
  EXPECT_EQ(TcpPeerOf("unix:/run/x"), "");
  EXPECT_EQ(TcpPeerOf("fd:4097"), "");
}

TEST(OldConnections, ALocalConnectionIsOldWhenItWasMadeBeforeTheMark) {
  FakeClock clock;
  OldConnections old(clock);
  const Clock::TimePoint before = clock.Now();
  old.Mark("a");
  const Clock::TimePoint after = clock.Now() + std::chrono::milliseconds(1);
  EXPECT_TRUE(old.IsOld("a", {.way = Way::kLocalSocket, .connected = before}, "fd:4097"));
  EXPECT_FALSE(old.IsOld("a", {.way = Way::kLocalSocket, .connected = after}, "fd:4097"));
  EXPECT_FALSE(old.IsOld("another change", {.way = Way::kLocalSocket, .connected = before}, "fd:4097"));
  EXPECT_TRUE(old.IsOld("a", {.way = Way::kInProcess}, ""));
}

TEST(OldConnections, OnlyTheLastChangesAreRemembered) {
  FakeClock clock;
  OldConnections old(clock);
  for (int i = 0; i < 20; ++i) old.Mark(std::to_string(i));
  EXPECT_TRUE(old.IsOld("19", {.way = Way::kInProcess}, ""));
  EXPECT_FALSE(old.IsOld("0", {.way = Way::kInProcess}, ""));
}

// The client, the wire and TCP are the real ones.
TEST_F(ServiceTest, OverTcpOnlyAConnectionThatIsNewerThanTheLastWriteConfirms) {
  const auto configurer = std::make_shared<FakeConfigurer>();
  ServedAgent host(BothEnds(), locks_, {}, HostNetwork(), nullptr, {}, true, nullptr, {}, {}, configurer);
  AgentService service(host.agent(), {},
                       std::make_shared<access::Gate>(access::GateOptions{.plain_role = access::Role::kApply}));
  for (const std::string address : {"127.0.0.1", "[::1]"}) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address + ":0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (server == nullptr || port == 0) continue;  // a host without IPv6
    const auto connect = [&](int which) {
      grpc::ChannelArguments own;
      own.SetInt("which", which);  // else gRPC shares one connection
      const auto channel = grpc::CreateCustomChannel(address + ":" + std::to_string(port),
                                                     grpc::InsecureChannelCredentials(), own);
      EXPECT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)));
      return AgentClient("a", channel, {});
    };
    AgentClient applying = connect(1);
    AgentClient idle = connect(2);  // it stood all the while, and nothing came by it
    ASSERT_TRUE(applying.Apply({}, {}).ok());
    AgentClient fresh = connect(3);
    for (AgentClient* old : {&applying, &idle}) {
      EXPECT_THAT(old->Confirm(kChangeId).status().message(), HasSubstr("older than the last write"))
          << address;
    }
    const absl::StatusOr<Change> confirmed = fresh.Confirm(kChangeId);
    EXPECT_TRUE(confirmed.ok()) << address << " " << confirmed.status();
    server->Shutdown();
  }
}

}  // namespace
}  // namespace rdmaready
