// SPDX-License-Identifier: Apache-2.0
#include "api/convert/probe.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(ProbeConversion, KeepsEveryField) {
  const ProbeResult result{.protocol = Protocol::kNfs,
                           .target = "server.example",
                           .address = "10.0.0.2",
                           .port_number = 20049,
                           .local_port = "rxe0/1",
                           .transport = "roce-v2",
                           .steps = {{.name = "rdma-connect",
                                      .outcome = StepOutcome::kFailed,
                                      .failure = {FailureKind::kRejected, "no"},
                                      .duration_ns = 5}},
                           .values = {{"nfs-versions", "4"}},
                           .transfers = {{.case_name = "share-write-512k", .bytes = 7}}};
  EXPECT_EQ(FromProto(ToProto(result)), result);
}

TEST(ProbeConversion, ReadsAStepOfANewerVersionAsNotReached) {
  v1::ProbeResult message;
  message.add_steps()->set_outcome(static_cast<v1::ProbeStep::Outcome>(77));
  EXPECT_EQ(FromProto(message).steps.front().outcome, StepOutcome::kNotReached);
}

}  // namespace
}  // namespace rdmaready
