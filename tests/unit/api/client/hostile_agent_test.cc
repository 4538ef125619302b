// SPDX-License-Identifier: Apache-2.0
// An agent that wants to hurt who asks it: answers without end, of any size, of any depth. Each ends in one
// clear line, in little time and memory.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "api/base/clock.h"
#include "api/client/agent_client.h"
#include "api/client/answer_bounds.h"
#include "api/client/peer_test.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using std::chrono::steady_clock;
using ::testing::HasSubstr;

// Says what it is told to say, until it is told to stop or nobody listens.
class HostileAgent final : public v1::Agent::Service {
 public:
  HostileAgent() {
    grpc::ServerBuilder builder;
    builder.SetMaxSendMessageSize(-1);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~HostileAgent() override { server_->Shutdown(DeadlineIn({})); }

  std::unique_ptr<AgentClient> Client() {
    return *AgentClient::Connect(
        {.text = "evil", .host = "127.0.0.1", .port = static_cast<std::uint16_t>(port_)},
        ClientOptions{.call_timeout = std::chrono::seconds(60)});
  }

  std::function<v1::GetVersionResponse()> version = [] { return v1::GetVersionResponse(); };
  v1::GetFactsResponse facts{};
  bool compressed = false;
  v1::CheckEvent check{};
  v1::TransferEvent transfer{};
  v1::ProbeEvent probe{};
  v1::CaseBaseline baseline{};
  v1::HistoryEntry history{};
  std::uint64_t times = ~0ull;

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    *response = version();
    response->set_api_revision(kApiRevision);
    return grpc::Status::OK;
  }
  grpc::Status GetFacts(grpc::ServerContext* context, const v1::GetFactsRequest*,
                        v1::GetFactsResponse* response) override {
    if (compressed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    *response = facts;
    return grpc::Status::OK;
  }
  grpc::Status Check(grpc::ServerContext*, const v1::CheckRequest*,
                     grpc::ServerWriter<v1::CheckEvent>* writer) override {
    return Flood(*writer, check);
  }
  grpc::Status TestLoopback(grpc::ServerContext*, const v1::TestLoopbackRequest*,
                            grpc::ServerWriter<v1::TransferEvent>* writer) override {
    return Flood(*writer, transfer);
  }
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override {
    return Flood(*stream, transfer);
  }
  grpc::Status Probe(grpc::ServerContext*, const v1::ProbeRequest*,
                     grpc::ServerWriter<v1::ProbeEvent>* writer) override {
    return Flood(*writer, probe);
  }
  grpc::Status ListHistory(grpc::ServerContext*, const v1::ListHistoryRequest*,
                           grpc::ServerWriter<v1::HistoryEntry>* writer) override {
    return Flood(*writer, history);
  }
  grpc::Status Baseline(grpc::ServerContext*, const v1::BaselineRequest*,
                        grpc::ServerWriter<v1::CaseBaseline>* writer) override {
    return Flood(*writer, baseline);
  }

 private:
  template <class Writer, class Event>
  grpc::Status Flood(Writer& writer, const Event& event) const {
    for (std::uint64_t i = 0; i < times && writer.Write(event); ++i) {
    }
    return grpc::Status::OK;
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void ExpectTooMuch(const absl::Status& status, const std::string& words) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  const std::string text(status.message());
  EXPECT_THAT(text, HasSubstr("host evil: the agent sends more than this command takes: more than " + words));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

std::string Long() { return std::string((std::size_t{256} << 10) + 1, 'x'); }

TEST(HostileAgent, ThatReportsProgressForEverIsLeft) {
  HostileAgent agent;
  agent.check.set_progress("nearly there");
  agent.transfer.set_progress("nearly there");
  agent.probe.set_progress("nearly there");
  const auto client = agent.Client();
  ExpectTooMuch(client->Check({}, {}, {}).status(), "100000 messages");
  ExpectTooMuch(client->TestLoopback({}, {}, "", "", {}, {}), "100000 messages");
  ExpectTooMuch(client->Probe({}, {}).status(), "100000 messages");
}

TEST(HostileAgent, ThatHasFindingsTransfersOrRunsWithoutEndIsLeft) {
  HostileAgent agent;
  agent.check.mutable_finding()->set_observed(std::string(10'000, 'o'));
  agent.transfer.mutable_result()->set_port(std::string(10'000, 'p'));
  agent.history.mutable_run()->set_run_id(std::string(200'000, 'r'));
  const auto client = agent.Client();
  ExpectTooMuch(client->Check({}, {}, {}).status(), "64 MiB");
  ExpectTooMuch(client->TestLoopback({}, {}, "", "", {}, {}), "64 MiB");
  ExpectTooMuch(client->ListHistory({}).status(), "256 MiB");
}

TEST(HostileAgent, WithAnEndlessTextIsLeftAtOnce) {
  HostileAgent agent;
  agent.check.set_progress(Long());
  agent.transfer.mutable_result()->mutable_result()->mutable_failure()->set_detail(Long());
  agent.probe.mutable_done()->add_findings()->set_fix(Long());
  agent.history.mutable_event()->set_text(Long());
  agent.baseline.set_peer(Long());
  (*agent.facts.mutable_facts()->mutable_missing())["ports"].set_detail(Long());
  const auto client = agent.Client();
  ExpectTooMuch(client->Check({}, {}, {}).status(), "256 KiB in one text (progress)");
  ExpectTooMuch(client->TestLoopback({}, {}, "", "", {}, {}), "256 KiB in one text (detail)");
  ExpectTooMuch(client->Probe({}, {}).status(), "256 KiB in one text (fix)");
  ExpectTooMuch(client->ListHistory({}).status(), "256 KiB in one text (text)");
  ExpectTooMuch(client->Baseline({}).status(), "256 KiB in one text (peer)");
  ExpectTooMuch(client->GetFacts().status(), "256 KiB in one text (detail)");
}

TEST(HostileAgent, ThatFillsMemoryByEmptyElementsIsLeft) {
  HostileAgent agent;
  for (int i = 0; i < 300'000; ++i) agent.probe.mutable_done()->add_findings();
  agent.times = 1;
  ExpectTooMuch(agent.Client()->Probe({}, {}).status(), "250000 elements of lists");
}

TEST(HostileAgent, WithAMessageOfAnySizeIsLeftBeforeItIsRead) {
  for (const bool compressed : {false, true}) {
    HostileAgent agent;
    agent.compressed = compressed;
    (*agent.facts.mutable_facts()->mutable_missing())["ports"].set_detail(
        std::string(kMaxAnswerMessageOctets, 'x'));
    const absl::Status status = agent.Client()->GetFacts().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("more than this command takes"));
  }
}

TEST(HostileAgent, CallsItselfByNoEndlessName) {
  HostileAgent agent;
  const auto client = agent.Client();
  agent.version = [] {
    v1::GetVersionResponse response;
    response.set_hostname(std::string(300, 'h'));
    return response;
  };
  ExpectTooMuch(client->GetVersion().status(), "256 B in one text (hostname)");
}

TEST(HostileAgent, InAPeerTestFloodsNeitherTheCommandNorTheOtherEnd) {
  HostileAgent flood;
  HostileAgent quiet;
  flood.transfer.mutable_peer()->set_case_name("x");
  quiet.times = 0;
  const auto started = steady_clock::now();
  const auto from = flood.Client();
  const auto to = quiet.Client();
  const PeerAnswer answer = RunPeerTest(*from, *to, {.case_name = "send-1k"});
  ExpectTooMuch(answer.from_status, "10000 messages");
  EXPECT_EQ(answer.result.failure.kind, FailureKind::kPeerGone);
  EXPECT_LT(steady_clock::now() - started, std::chrono::seconds(20));
}

TEST(AnswerBounds, CountElementsAtAnyDepthAndOverAllMessages) {
  AnswerBounds bounds({.messages = 3, .octets = 1'000, .elements = 4, .text_octets = 10});
  v1::CheckEvent event;
  event.mutable_done()->mutable_report()->add_findings();
  event.mutable_done()->mutable_report()->add_ports();
  EXPECT_TRUE(bounds.Take(event).ok());
  EXPECT_TRUE(bounds.Take(event).ok());
  EXPECT_THAT(std::string(bounds.Take(event).message()), HasSubstr("more than 4 elements of lists"));
  AnswerBounds few({.messages = 1});
  EXPECT_TRUE(few.Take(event).ok());
  EXPECT_THAT(std::string(few.Take(event).message()), HasSubstr("more than 1 messages"));
}

}  // namespace
}  // namespace rdmaready
