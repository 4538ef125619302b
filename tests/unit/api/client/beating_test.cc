// SPDX-License-Identifier: Apache-2.0
#include "api/client/beating.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/base/clock.h"
#include "api/base/version.h"
#include "api/client/address.h"
#include "api/client/agent_client.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/eventually.h"

namespace rdmaready {
namespace {

// An agent whose answers come when the test says so.
class SlowAgent {
 public:
  Beating::Say Says() {
    return [this](grpc::ClientContext&, const std::string& word, std::function<void()> done) {
      const std::lock_guard lock(mutex_);
      words_.push_back(word);
      waiting_.push_back(std::move(done));
    };
  }
  void Answer() {
    std::vector<std::function<void()>> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
    }
    for (const std::function<void()>& done : waiting) done();
  }
  std::vector<std::string> words() {
    const std::lock_guard lock(mutex_);
    return words_;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<std::string> words_{};
  std::vector<std::function<void()>> waiting_{};
};

TEST(Beating, DoesNotWaitForTheAnswerToTheBeatBefore) {
  SlowAgent agent;
  std::optional<Beating> beating(std::in_place, agent.Says(), true);
  const std::string word = beating->word();
  EXPECT_TRUE(Eventually([&] { return agent.words().size() >= 4; })) << "none of them was answered";
  const std::jthread answering([&](const std::stop_token& done) {
    while (!done.stop_requested()) {
      agent.Answer();
      std::this_thread::yield();
    }
  });
  const std::size_t before = agent.words().size();
  EXPECT_TRUE(Eventually([&] { return agent.words().size() > before; }));
  beating.reset();
  for (const std::string& said : agent.words()) EXPECT_EQ(said, word);
}

TEST(Beating, SaysNothingToAnAgentThatDoesNotListen) {
  SlowAgent agent;
  {
    const Beating beating(agent.Says(), false);
    EXPECT_EQ(beating.word(), "");
  }
  EXPECT_TRUE(agent.words().empty());
}

// An agent that answers no beat before it has heard three. Its loopback test lasts until then.
class SlowlyAnsweringAgent final : public v1::Agent::Service {
 public:
  SlowlyAnsweringAgent() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~SlowlyAnsweringAgent() override { server_->Shutdown(DeadlineIn({})); }

  static constexpr int kBeats = 3;

  int port() const { return port_; }
  int most_at_once() const { return most_; }

  grpc::Status GetVersion(grpc::ServerContext* context, const v1::GetVersionRequest* request,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_limits_tests(true);
    if (request->beat().empty()) return grpc::Status::OK;
    ++beats_;
    const int running = ++running_;
    if (running > most_) most_ = running;
    EXPECT_TRUE(Eventually([&] { return beats_ >= kBeats || context->IsCancelled(); }));
    --running_;
    return grpc::Status::OK;
  }
  grpc::Status TestLoopback(grpc::ServerContext*, const v1::TestLoopbackRequest* request,
                            grpc::ServerWriter<v1::TransferEvent>*) override {
    const bool heard = !request->beat().empty() && Eventually([this] { return beats_ >= kBeats; });
    return heard ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, "no beats");
  }

 private:
  std::atomic<int> beats_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<int> most_ = 0;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(Beating, GoesOnWhileNoBeatIsAnswered) {
  SlowlyAnsweringAgent agent;
  const absl::StatusOr<HostAddress> address = ParseHostAddress("127.0.0.1:" + std::to_string(agent.port()));
  ASSERT_TRUE(address.ok()) << address.status();
  const auto client = AgentClient::Connect(*address, ClientOptions{});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ((*client)->TestLoopback({}, {}, "a test", "run-7", {}, {}), absl::OkStatus());
  EXPECT_GE(agent.most_at_once(), SlowlyAnsweringAgent::kBeats);
}

}  // namespace
}  // namespace rdmaready
