// SPDX-License-Identifier: Apache-2.0
// What callers can keep from each other.

#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

absl::Status TestAll(ServedAgent& agent) {
  return agent.Client("b")->TestLoopback({.device = "rxe0", .number = 1}, {}, "b", "run-b", {}, {});
}

// In this process a message is taken when it is read, and not before: this caller is as slow as can be.
TEST_F(ServiceTest, WhoDoesNotReadWhatItIsToldKeepsThePortFromNobody) {
  ServedAgent agent(BothEnds(), locks_);
  const auto stub = v1::Agent::NewStub(agent.Channel());
  grpc::ClientContext context;
  v1::TestLoopbackRequest request;
  request.mutable_port()->set_device("rxe0");
  request.mutable_port()->set_number(1);
  const auto reader = stub->TestLoopback(&context, request);
  ASSERT_TRUE(Eventually([&] { return agent.store.Kept() > 0; })) << "its test has begun";
  absl::Status other;
  Eventually([&] {
    other = TestAll(agent);
    return !absl::IsResourceExhausted(other);
  });
  EXPECT_TRUE(other.ok()) << other;
  context.TryCancel();
  for (v1::TransferEvent event; reader->Read(&event);) {
  }
  static_cast<void>(reader->Finish());
}

}  // namespace
}  // namespace rdmaready
