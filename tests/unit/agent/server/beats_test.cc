// SPDX-License-Identifier: Apache-2.0
// Callers that say they are there: one that stops is missed, and no other.
#include "agent/server/beats.h"

#include <chrono>
#include <memory>
#include <thread>

#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

TEST(Beats, HearEachCallByItsOwnWord) {
  Beats beats;
  const std::function<bool()> one = beats.Begin("one");
  const std::function<bool()> other = beats.Begin("other");
  EXPECT_FALSE(one());
  beats.Heard("one");
  EXPECT_TRUE(one());
  EXPECT_FALSE(one());
  EXPECT_FALSE(other());
  beats.Heard("nobody");
  EXPECT_FALSE(other());
}

TEST(Beats, HearAllCallsOfOneWord) {
  Beats beats;
  const std::function<bool()> one = beats.Begin("word");
  const std::function<bool()> other = beats.Begin("word");
  beats.Heard("word");
  EXPECT_TRUE(one());
  EXPECT_TRUE(other());
}

TEST(Beats, ForgetACallThatHasEnded) {
  Beats beats;
  std::function<bool()> first = beats.Begin("word");
  const std::function<bool()> second = beats.Begin("word");  // another call by the same word
  first = nullptr;
  beats.Heard("word");
  EXPECT_TRUE(second());
}

TEST(Beats, CallersWithoutAWordAreNotExpectedToBeat) {
  Beats beats;
  EXPECT_FALSE(beats.Begin(""));
  EXPECT_FALSE(beats.Begin(std::string(65, 'x')));
}

class BeatingCaller : public ServiceTest {
 protected:
  // A loopback test of a caller who beats so often, and then no more; how it ended.
  grpc::Status Test(ServedAgent& agent, int beats, const std::string& word, std::uint32_t test_ms = 3'000) {
    const auto stub = v1::Agent::NewStub(agent.Channel());
    v1::TestLoopbackRequest request;
    request.add_cases("send-1k");
    request.mutable_options()->set_duration_ms(test_ms);
    request.set_beat(word);
    grpc::ClientContext context;
    const auto reader = stub->TestLoopback(&context, request);
    const std::jthread beating([&] {
      for (int i = 0; i < beats; ++i) {
        grpc::ClientContext one;
        v1::GetVersionRequest beat;
        v1::GetVersionResponse answer;
        beat.set_beat(word);
        static_cast<void>(stub->GetVersion(&one, beat, &answer));
        std::this_thread::sleep_for(milliseconds(50));
      }
    });
    for (v1::TransferEvent event; reader->Read(&event);) {
    }
    return reader->Finish();
  }
};

TEST_F(BeatingCaller, EndsTheTestWhenItFallsSilent) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  const grpc::Status ended = Test(agent, 10, "word");
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(ended.error_message(), testing::HasSubstr("did not hear its caller for 0.8 s"));
  EXPECT_TRUE(Eventually([&] { return agent.store.Kept() == 1; }));
  EXPECT_EQ(agent.store.transfers[0].result.failure,
            (Failure{FailureKind::kCancelled, "the agent did not hear its caller for 0.8 s"}));
  EXPECT_LT(agent.store.transfers[0].result.elapsed_ns, 3'000'000'000);
}

TEST_F(BeatingCaller, EndsTheTestWhenItAnnouncedBeatsAndNeverBeat) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  EXPECT_EQ(Test(agent, 0, "word", 20'000).error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(BeatingCaller, KeepsItsTestWhileItBeats) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  EXPECT_TRUE(Test(agent, 100, "word").ok());
}

TEST_F(BeatingCaller, KeepsItsTestWhenItAnnouncedNoBeats) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  EXPECT_TRUE(Test(agent, 0, "").ok());
  EXPECT_TRUE(Test(agent, 10, "").ok());
}

}  // namespace
}  // namespace rdmaready
