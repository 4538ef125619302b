// SPDX-License-Identifier: Apache-2.0
// The agent as strangers meet it: a whole one, of this machine, on a unix socket.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <thread>

#include "agent/server/server.h"
#include "api/base/status.h"
#include "api/client/agent_client.h"
#include "api/profile/load.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Answers of grpc.health.v1, whose messages are small enough to be read by eye: field 1 is the status.
const std::string kServing("\x08\x01", 2);
const std::string kNotServing("\x08\x02", 2);

class EdgeTest : public testing::Test {
 protected:
  EdgeTest() {
    std::filesystem::create_directories(directory_);
    options_.default_profiles = {*LoadProfile("virtual-fabric")};
    options_.state_directory = directory_ + "/state";
    options_.listen = {"unix:" + directory_ + "/sock"};
  }
  ~EdgeTest() override {
    agent_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Start() {
    absl::StatusOr<std::unique_ptr<HostedAgent>> agent = HostedAgent::Start(options_);
    ASSERT_TRUE(agent.ok()) << agent.status();
    agent_ = *std::move(agent);
  }

  // Another connection each time.
  std::shared_ptr<grpc::Channel> Channel() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel("unix:" + directory_ + "/sock", grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  std::unique_ptr<v1::Agent::Stub> Stub() { return v1::Agent::NewStub(Channel()); }

  absl::StatusOr<AgentVersion> Version() {
    return AgentClient("a", Channel(), ClientOptions{.connect_timeout = std::chrono::seconds(60)}).GetVersion();
  }

  // Calls a method whose messages we have no code for: bytes in, bytes out.
  std::string Call(const std::string& method, const std::string& request, bool stream) {
    grpc::GenericStub stub(Channel());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    grpc::CompletionQueue queue;
    const grpc::Slice slice(request);
    const grpc::ByteBuffer bytes(&slice, 1);
    grpc::ByteBuffer answer;
    grpc::Status status;
    const auto wait = [&] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    if (stream) {
      const auto call = stub.PrepareCall(&context, method, &queue);
      call->StartCall(nullptr);
      if (!wait()) return "no call";
      call->Write(bytes, nullptr);
      if (!wait()) return "no write";
      call->Read(&answer, nullptr);
      if (!wait()) return "no answer";
      context.TryCancel();
      call->Finish(&status, nullptr);
      wait();
    } else {
      const auto call = stub.PrepareUnaryCall(&context, method, bytes, &queue);
      call->StartCall();
      call->Finish(&answer, &status, nullptr);
      wait();
      if (!status.ok()) return "status " + std::to_string(status.error_code());
    }
    grpc::Slice flat;
    return answer.DumpToSingleSlice(&flat).ok()
               ? std::string(reinterpret_cast<const char*>(flat.begin()), flat.size())
               : "no bytes";
  }

  std::string Health(const std::string& service) {
    const std::string request =
        service.empty() ? "" : std::string("\x0a") + static_cast<char>(service.size()) + service;
    return Call("/grpc.health.v1.Health/Check", request, false);
  }

  const std::string directory_ = testing::TempDir() + "edge " + std::to_string(::getpid());
  ServerOptions options_;
  std::unique_ptr<HostedAgent> agent_;
};

TEST_F(EdgeTest, IsHealthyAsLongAsItAnswers) {
  Start();
  EXPECT_EQ(Health(""), kServing);
  EXPECT_EQ(Health("rdmaready.v1.Agent"), kServing);
  EXPECT_EQ(Health("rdmaready.store"), kServing);
  EXPECT_EQ(Health("no.such"), "status 5");
}

TEST_F(EdgeTest, OfAStoreThatKeepsNothingSaysSoButStillAnswers) {
  std::ofstream(directory_ + "/file") << "";
  options_.state_directory = directory_ + "/file/below";
  options_.refuse_broken_store = false;
  Start();
  AgentClient client("a", Channel(), ClientOptions{});
  ASSERT_TRUE(client.Check({}, {}, {}).ok());
  EXPECT_EQ(Health("rdmaready.store"), kNotServing);
  EXPECT_EQ(Health(""), kServing);
  EXPECT_EQ(Health("rdmaready.v1.Agent"), kServing);
}

TEST_F(EdgeTest, TellsItsMethodsToWhoAsks) {
  Start();
  const std::string list_services("\x3a\x00", 2);
  const std::string answer =
      Call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", list_services, true);
  EXPECT_THAT(answer, HasSubstr("rdmaready.v1.Agent"));
  EXPECT_THAT(answer, HasSubstr("grpc.health.v1.Health"));
  const std::string symbol = "rdmaready.v1.Agent";
  const std::string describe = std::string("\x22") + static_cast<char>(symbol.size()) + symbol;
  EXPECT_THAT(Call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", describe, true),
              HasSubstr("GetVersionRequest"));
}

TEST_F(EdgeTest, GivesItsSocketToItsOwnerOnly) {
  const ::mode_t before = ::umask(0);
  Start();
  ::umask(before);
  struct ::stat info {};
  ASSERT_EQ(::stat((directory_ + "/sock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST_F(EdgeTest, HasAnIdOfItsOwn) {
  Start();
  const absl::StatusOr<AgentVersion> first = Version();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->instance_id.size(), 32u);
  EXPECT_EQ(Version()->instance_id, first->instance_id);
  agent_.reset();
  Start();
  EXPECT_NE(Version()->instance_id, first->instance_id);
}

TEST_F(EdgeTest, EndsAPeerTestThatNeverBegins) {
  options_.limits.first_message = milliseconds(200);
  Start();
  constexpr std::chrono::seconds kSoonEnough(5);
  std::chrono::steady_clock::duration took = kSoonEnough;
  // A busy machine may hold one up.
  for (int tries = 0; tries < 5 && took >= kSoonEnough; ++tries) {
    const auto started = std::chrono::steady_clock::now();
    const auto stub = Stub();
    grpc::ClientContext context;
    const auto stream = stub->TestPeer(&context);
    v1::TransferEvent event;
    EXPECT_FALSE(stream->Read(&event));
    EXPECT_FALSE(stream->Finish().ok());
    took = std::chrono::steady_clock::now() - started;
  }
  EXPECT_LT(took, kSoonEnough);
}

// Each holds a thread of the agent until it is ended; what is beyond the limit is told so at once.
TEST_F(EdgeTest, OutlivesCallersWhoOpenAHundredStreamsAndSayNothing) {
  options_.limits.first_message = milliseconds(1500);
  Start();
  constexpr int kConnections = 5;
  constexpr int kStreams = 20;
  std::vector<std::unique_ptr<v1::Agent::Stub>> stubs;
  for (int i = 0; i < kConnections; ++i) stubs.push_back(Stub());
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReaderWriter<v1::PeerTestRequest, v1::TransferEvent>>> streams;
  for (int i = 0; i < kConnections * kStreams; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stubs[static_cast<std::size_t>(i % kConnections)]->TestPeer(contexts.back().get()));
  }
  int refused = 0;
  for (const auto& stream : streams) {
    v1::TransferEvent event;
    while (stream->Read(&event)) {
    }
    if (stream->Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) ++refused;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, kConnections * kStreams) << "some were served";
  EXPECT_TRUE(Version().ok()) << "and then it is there for others";
}

TEST_F(EdgeTest, TakesNoRequestOfAMegabyte) {
  Start();
  const auto stub = Stub();
  grpc::ClientContext context;
  v1::CheckRequest request;
  request.set_caller(std::string(1 << 20, 'x'));
  const auto reader = stub->Check(&context, request);
  v1::CheckEvent event;
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Version().ok());
}

class Recorder {
 public:
  EventSink Sink() {
    return [this](const Event& event) {
      if (event.name == "finding") return;  // part of a check, which is told by itself
      const std::lock_guard lock(mutex_);
      for (const Event::Field& field : event.fields) {
        const auto* text = std::get_if<std::string>(&field.value);
        if (event.name == "check" && field.key == "caller") callers_.push_back(text == nullptr ? "" : *text);
      }
      seen_.release();
    };
  }
  bool AwaitEvent() { return seen_.try_acquire_for(std::chrono::seconds(20)); }
  std::vector<std::string> callers() {
    const std::lock_guard lock(mutex_);
    return callers_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> callers_;
  std::counting_semaphore<> seen_{0};
};

TEST_F(EdgeTest, ChecksItsHostByItselfAndStopsQuickly) {
  Recorder log;
  options_.check_interval = milliseconds(20);
  options_.events = log.Sink();
  Start();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(log.AwaitEvent());
  const auto stopped = std::chrono::steady_clock::now();
  agent_->Shutdown(milliseconds(500));
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, std::chrono::seconds(30));
  EXPECT_THAT(log.callers(), testing::SizeIs(testing::Ge(3u)));
  EXPECT_THAT(log.callers(), testing::Each("schedule"));
  const std::size_t made = log.callers().size();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(log.callers().size(), made) << "none after the end";
}

TEST_F(EdgeTest, MakesNoCheckThatNobodyAskedFor) {
  Recorder log;
  options_.events = log.Sink();
  Start();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(log.callers().empty());
}

}  // namespace
}  // namespace rdmaready
