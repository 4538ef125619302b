// SPDX-License-Identifier: Apache-2.0
#include "api/client/agent_client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/address.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// An agent of another release: what it says of itself is all that both releases understand.
class OtherAgent final : public v1::Agent::Service {
 public:
  explicit OtherAgent(std::uint32_t revision) : revision_(revision) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~OtherAgent() override { server_->Shutdown(DeadlineIn({})); }

  absl::StatusOr<AgentVersion> Ask() {
    return AgentClient("storage1", server_->InProcessChannel({}), ClientOptions{}).GetVersion();
  }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_version("0.0.9");
    response->set_api_revision(revision_);
    return grpc::Status::OK;
  }

 private:
  std::uint32_t revision_;
  std::unique_ptr<grpc::Server> server_;
};

TEST(AgentClient, TakesAnAgentOfItsOwnRevision) {
  OtherAgent same(kApiRevision);
  const absl::StatusOr<AgentVersion> version = same.Ask();
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(version->version, "0.0.9");
}

TEST(AgentClient, SaysInOneLineThatAnAgentIsOfAnotherRevision) {
  for (const std::uint32_t revision : {0u, kApiRevision - 1, kApiRevision + 1}) {
    OtherAgent other(revision);
    const absl::Status status = other.Ask().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    const std::string text(status.message());
    EXPECT_THAT(text, HasSubstr("host storage1: incompatible version: the agent"));
    EXPECT_THAT(text, HasSubstr("(0.0.9) speaks revision " + std::to_string(revision)));
    EXPECT_THAT(text, HasSubstr(std::string("(") + kVersion + ") revision " + std::to_string(kApiRevision)));
    EXPECT_THAT(text, Not(HasSubstr("\n")));
  }
}

std::string WhyNotConnected(const std::string& host) {
  const absl::StatusOr<HostAddress> address = ParseHostAddress(host);
  return Message(AgentClient::Connect(*address, ClientOptions{}).status());
}

TEST(AgentClient, SaysHowToAskThisHostWhereNoAgentListensOnLoopback) {
  const std::string why = WhyNotConnected("127.9.8.7");
  if (!absl::StrContains(why, "Connection refused")) GTEST_SKIP() << "something listens here: " << why;
  EXPECT_EQ(
      why,
      "host 127.9.8.7: connect to 127.9.8.7:7471: Connection refused. An agent answers TCP only where its "
      "agent.yaml says so. Leave out the host, or name unix:/run/rdmaready/test.sock, and the command asks "
      "this host's agent by its local socket. For TCP write `listen: 127.9.8.7:7471` (and `plain_role: test` "
      "for live tests) into /etc/rdmaready/agent.yaml, then type: systemctl restart rdmaready-agent");
  // An address that names its port was configured: there is an agent to be started.
  const std::string named = WhyNotConnected("127.9.8.7:1");
  EXPECT_THAT(named,
              HasSubstr("systemctl start rdmaready-agent; one that runs needs `listen:` in its agent.yaml"));
  EXPECT_THAT(named, Not(HasSubstr("Leave out the host")));
}

TEST(AgentClient, NamesNoListenerForASocketOnWhichNobodyListens) {
  EXPECT_THAT(WhyNotConnected("unix:/nowhere/test.sock"), Not(HasSubstr("listen:")));
}

}  // namespace
}  // namespace rdmaready
