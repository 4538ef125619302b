// SPDX-License-Identifier: Apache-2.0
// Peer tests of agents that sign, of agents that do not, and of both with each other; where an agent connects.
#include "agent/port/peer_subnets.h"
#include "api/convert/records.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/made_pki.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class ServiceTrustTest : public ServiceTest {
 protected:
  ServiceTrustTest() {
    pki_.Write("roles.yaml", "agent: [\"DNS:*.agents.example\"]\n");
    std::filesystem::create_directories(locks_ + "/b");
  }

  PeerTrust Trust(const std::string& name, const std::string& names) {
    return {.files = pki_.Identity(name, {.names = names}), .roles_file = pki_.Path("roles.yaml")};
  }
  PeerTrust Agent(const std::string& name) { return Trust(name, "DNS:" + name + ".agents.example"); }

  std::unique_ptr<ServedAgent> Serve(Role role, PeerTrust trust, std::vector<Prefix> peers = {}) {
    return std::make_unique<ServedAgent>(OneEnd(role), role == Role::kInitiator ? locks_ : locks_ + "/b",
                                         CallLimits{}, HostNetwork(), nullptr, WorkerLimits{}, true, nullptr,
                                         std::move(trust), std::move(peers));
  }

  // What an initiator makes of an offer of that address.
  std::string Offered(ServedAgent& agent, const std::string& address) {
    const auto stub = v1::Agent::NewStub(agent.Channel());
    grpc::ClientContext context;
    const auto stream = stub->TestPeer(&context);
    v1::PeerTestRequest start;
    start.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_INITIATOR);
    start.mutable_start()->set_case_name("send-1k");
    start.mutable_start()->mutable_port()->set_device("rxe0");
    start.mutable_start()->mutable_port()->set_number(1);
    stream->Write(start);
    const TransferCase test = *FindCase("send-1k");
    v1::PeerTestRequest offer;
    *offer.mutable_peer() = ToProto(PeerMessage{.kind = PeerMessageKind::kOffer,
                                                .case_name = std::string(test.name),
                                                .message_bytes = test.message_bytes,
                                                .depth = test.depth,
                                                .endpoint = {.address = address, .port = 1}});
    stream->Write(offer);
    stream->WritesDone();
    std::string detail = "no result";
    for (v1::TransferEvent event; stream->Read(&event);) {
      if (event.has_result()) detail = FromProto(event.result().result()).failure.detail;
    }
    const grpc::Status status = stream->Finish();
    return status.ok() ? detail : status.error_message();
  }

  MadePki pki_{"service"};
};

TEST_F(ServiceTrustTest, TwoAgentsThatSignMoveBytesThroughTheRelay) {
  const auto a = Serve(Role::kInitiator, Agent("a"));
  const auto b = Serve(Role::kResponder, Agent("b"));
  const PeerAnswer answer = RunPeerTest(*a->Client("a"), *b->Client("b"), Send1k());
  EXPECT_TRUE(answer.from_status.ok()) << answer.from_status;
  EXPECT_TRUE(answer.to_status.ok()) << answer.to_status;
  EXPECT_EQ(answer.result.failure, Failure{}) << answer.result.failure.detail;
  EXPECT_GT(answer.result.messages, 0u);
  EXPECT_THAT(a->store.transfers, SizeIs(1));
  EXPECT_THAT(b->store.transfers, SizeIs(1));
}

TEST_F(ServiceTrustTest, SeveralQueuePairsBothWaysAreUnderOneGreeting) {
  std::array<MemoryFabric, 4> fabrics;
  const LinkMaker ends = [&](Role role, std::uint32_t number) {
    return std::make_unique<MemoryLink>(fabrics.at(number), role);
  };
  ServedAgent a(ends, locks_, {}, HostNetwork(), nullptr, {}, true, nullptr, Agent("a"));
  ServedAgent b(ends, locks_ + "/b", {}, HostNetwork(), nullptr, {}, true, nullptr, Agent("b"));
  PeerTest test = Send1k();
  test.case_name = "write-8k";
  test.options = {.bidirectional = true,
                  .qps = 2,
                  .depth = 8,
                  .duration = std::chrono::milliseconds(300),
                  .max_bytes = 1 << 20};
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
  ASSERT_TRUE(answer.reverse) << answer.from_status << answer.to_status;
  EXPECT_EQ(answer.result.failure, Failure{}) << answer.result.failure.detail;
  EXPECT_EQ(answer.reverse->failure, Failure{}) << answer.reverse->failure.detail;
}

TEST_F(ServiceTrustTest, WhoIsNoAgentIsRefusedByNameAndToldToTheLog) {
  const auto a = Serve(Role::kInitiator, Agent("a"));
  const auto mallory = Serve(Role::kResponder, Trust("mallory", "DNS:mallory.example"));
  const PeerAnswer answer = RunPeerTest(*a->Client("a"), *mallory->Client("b"), Send1k());
  EXPECT_EQ(answer.from_status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(answer.from_status.message()),
              HasSubstr("CN=mallory (DNS:mallory.example) has not the role agent"));
  EXPECT_THAT(a->Told("peer-refused", "reason"), HasSubstr("CN=mallory"));
  EXPECT_EQ(a->Told("peer-refused", "host"), "b");
  EXPECT_EQ(between_.Posted(Role::kInitiator, Work::kSend), 0u);
  EXPECT_THAT(a->store.transfers, SizeIs(0));
}

TEST_F(ServiceTrustTest, AnAgentThatSignsAndOneThatDoesNotRefuseEachOther) {
  const auto a = Serve(Role::kInitiator, Agent("a"));
  const auto b = Serve(Role::kResponder, {});
  const PeerAnswer answer = RunPeerTest(*a->Client("a"), *b->Client("b"), Send1k());
  EXPECT_EQ(answer.from_status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(answer.from_status.message()),
              HasSubstr("agents with TLS test with agents with TLS only"));
  EXPECT_EQ(between_.Posted(Role::kInitiator, Work::kSend), 0u);
}

TEST_F(ServiceTrustTest, AnAgentWhoseOwnFilesAreUnusableSaysSo) {
  PeerTrust broken = Agent("a");
  std::filesystem::remove(broken.files.key);
  const auto a = Serve(Role::kInitiator, broken);
  const auto b = Serve(Role::kResponder, Agent("b"));
  const PeerAnswer answer = RunPeerTest(*a->Client("a"), *b->Client("b"), Send1k());
  EXPECT_EQ(answer.from_status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(answer.from_status.message()),
              AllOf(HasSubstr("this agent cannot sign"), HasSubstr("a.key")));
}

TEST_F(ServiceTrustTest, WithoutTlsAnAgentConnectsToItsOwnSubnetsAndToConfiguredPeers) {
  const auto plain = Serve(Role::kInitiator, {});
  EXPECT_THAT(Offered(*plain, "192.168.77.1"),
              AllOf(HasSubstr("192.168.77.1, which is in no subnet of this host's RDMA ports"),
                    HasSubstr("--peers SUBNET")));
  const auto told = Serve(Role::kInitiator, {}, {*ParseSubnet("192.168.77.0/24")});
  EXPECT_THAT(Offered(*told, "192.168.77.1"), testing::Not(HasSubstr("--peers")));
  EXPECT_THAT(Offered(*told, "192.168.78.1"), HasSubstr("--peers SUBNET"));
}

}  // namespace
}  // namespace rdmaready
