// SPDX-License-Identifier: Apache-2.0
// An agent and hubs of other revisions of Ingest: what the agent does about it.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <mutex>

#include "agent/report/report_client.h"
#include "api/base/clock.h"
#include "api/base/ingest_revision.h"
#include "api/base/version.h"
#include "api/client/report_channel.h"
#include "rdmaready/v1/ingest.grpc.pb.h"
#include "tests/support/eventually.h"

namespace rdmaready::hub {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WireRevision, OfOneReleaseEitherWayGoTogether) {
  for (const auto& [agent, hub] : {std::pair(1U, 1U), {1U, 2U}, {2U, 1U}, {7U, 8U}, {8U, 7U}, {8U, 8U}})
    EXPECT_THAT(WhyRevisionsDiffer(agent, hub), IsEmpty()) << agent << ", " << hub;
  EXPECT_THAT(WhyRevisionsDiffer(1, 3), AllOf(HasSubstr("the agent speaks revision 1"),
                                              HasSubstr("the hub revision 3"), HasSubstr("update the agent")));
  EXPECT_THAT(WhyRevisionsDiffer(9, 7), HasSubstr("update the hub"));
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(WhyRevisionsDiffer(kMost, 1), HasSubstr("update the hub"));
  EXPECT_THAT(WhyRevisionsDiffer(1, kMost), HasSubstr("update the agent"));
}

TEST(WireRevision, WhoNamesNoneIsOfTheFirst) {
  for (const std::uint32_t other : {0U, 1U, 2U}) {
    EXPECT_THAT(WhyRevisionsDiffer(0, other), IsEmpty()) << other;
    EXPECT_THAT(WhyRevisionsDiffer(other, 0), IsEmpty()) << other;
  }
  EXPECT_THAT(WhyRevisionsDiffer(0, 3), HasSubstr("the agent speaks revision 1 "));
  EXPECT_THAT(WhyRevisionsDiffer(3, 0), HasSubstr("the hub revision 1,"));
}

// A hub that says another revision, and looks at none.
class HubOfRevision final : public v1::Ingest::Service {
 public:
  explicit HubOfRevision(std::uint32_t revision) : revision_(revision) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~HubOfRevision() override { server_->Shutdown(DeadlineIn({})); }

  grpc::Status Attach(grpc::ServerContext*,
                      grpc::ServerReaderWriter<v1::FromHub, v1::FromAgent>* stream) override {
    ++streams_;
    v1::FromAgent message;
    if (!stream->Read(&message)) return grpc::Status::CANCELLED;
    said_ = message.hello().api_revision();
    if (!refuses_.empty()) return {grpc::StatusCode::FAILED_PRECONDITION, refuses_};
    v1::FromHub welcome;
    welcome.mutable_welcome()->set_api_revision(revision_);
    stream->Write(welcome);
    while (stream->Read(&message)) {
    }
    ++over_;
    return grpc::Status::OK;
  }

  void Refuse(const std::string& why) { refuses_ = why; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int streams() const { return streams_; }
  int over() const { return over_; }
  std::uint32_t said() const { return said_; }

 private:
  const std::uint32_t revision_;
  std::string refuses_{};
  std::atomic<int> streams_ = 0;
  std::atomic<int> over_ = 0;
  std::atomic<std::uint32_t> said_ = 0;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class AgentOfRevision {
 public:
  AgentOfRevision(const HubOfRevision& hub, std::uint32_t revision)
      : client_(std::make_shared<report::ReportClient>(
            report::ReportOptions{.host = {.host_id = "00000000-0000-4000-8000-000000000001",
                                           .hostname = "node1",
                                           .run_id = "r",
                                           .api_revision = revision},
                                  .channel = [address = hub.address()] { return ReportChannel(address, {}); },
                                  .events =
                                      [this](const Event& event) {
                                        const std::lock_guard lock(mutex_);
                                        events_.emplace_back(event.name);
                                      }})) {
    client_->Tick(RealClock().Now());
  }
  ~AgentOfRevision() { client_->StopAndWait(std::chrono::seconds(5)); }

  report::ReportClient& client() { return *client_; }
  std::vector<std::string> Events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  // That it was turned away for good, with these words.
  void ExpectRefused(const testing::Matcher<const std::string&>& words) {
    EXPECT_TRUE(Eventually([this] { return client_->Counts().refused == 1; }));
    EXPECT_FALSE(client_->connected());
    EXPECT_THAT(client_->trouble(), words);
    EXPECT_THAT(Events(), ElementsAre("hub-refused"));
    const Clock::TimePoint now = RealClock().Now();
    EXPECT_GT(client_->Tick(now) - now, std::chrono::minutes(8)) << "it stays away for ten minutes";
    EXPECT_EQ(client_->Counts().streams, 1u);
    EXPECT_EQ(client_->Counts().sent, 0u);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_{};
  std::shared_ptr<report::ReportClient> client_;
};

TEST(WireRevision, AnAgentTakesAWelcomeOfItsNeighbours) {
  for (const std::uint32_t revision : {0U, kIngestRevision, kIngestRevision + 1}) {
    HubOfRevision hub(revision);
    AgentOfRevision agent(hub, kIngestRevision);
    EXPECT_TRUE(Eventually([&] { return agent.client().connected(); })) << revision;
    EXPECT_EQ(hub.said(), kIngestRevision);
    EXPECT_THAT(agent.Events(), ElementsAre("hub"));
    EXPECT_EQ(agent.client().Counts().refused, 0u);
  }
}

TEST(WireRevision, AnAgentLeavesAHubThatIsTooNewOrTooOld) {
  {
    HubOfRevision hub(kIngestRevision + 2);
    AgentOfRevision agent(hub, kIngestRevision);
    agent.ExpectRefused(HasSubstr("update the agent"));
    EXPECT_TRUE(Eventually([&] { return hub.over() == 1; })) << "the stream is ended";
  }
  HubOfRevision hub(kIngestRevision);
  AgentOfRevision agent(hub, kIngestRevision + 2);
  agent.ExpectRefused(HasSubstr("update the hub"));
  EXPECT_EQ(hub.said(), kIngestRevision + 2);
}

TEST(WireRevision, AnAgentThatAHubTurnsAwayForItSaysWhy) {
  HubOfRevision hub(kIngestRevision);
  hub.Refuse("they may differ by one: update the agent");
  AgentOfRevision agent(hub, kIngestRevision);
  agent.ExpectRefused(testing::Eq("they may differ by one: update the agent"));
}

}  // namespace
}  // namespace rdmaready::hub
