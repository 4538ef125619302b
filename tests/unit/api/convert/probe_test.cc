// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/convert/message.h"
#include "api/convert/records.h"
#include "tests/unit/api/convert/filled.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

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
                           .answers = {.nfs = {.versions = "4"}},
                           .transfers = {{.case_name = "share-write-512k", .bytes = 7}}};
  EXPECT_EQ(FromProto(ToProto(result)), result);
}

TEST(ProbeConversion, ReadsAStepOfANewerVersionAsNotReached) {
  v1::ProbeResult message;
  message.add_steps()->set_outcome(static_cast<v1::ProbeStep::Outcome>(77));
  EXPECT_EQ(FromProto(message).steps.front().outcome, StepOutcome::kNotReached);
}

TEST(ProbeConversion, ReadsAnEnumeratorOfANewerVersionAsNotTold) {
  v1::ProbeAnswers message;
  message.mutable_smb()->set_smb2_signing(static_cast<v1::SmbAnswers::Signing>(77));
  message.mutable_share()->set_share_connection(static_cast<v1::ShareAnswers::Connection>(-1));
  EXPECT_EQ(convert::ReadOrDefault<ProbeAnswers>(message), ProbeAnswers());
}

std::string Text(const Message& message) { return message.DebugString(); }

v1::ProbeAnswers ThereAndBack(const v1::ProbeAnswers& message) {
  return convert::Written<v1::ProbeAnswers>(convert::ReadOrDefault<ProbeAnswers>(message));
}

TEST(ProbeConversion, KeepsEveryAnswer) {
  v1::ProbeAnswers filled;
  Filled::Fill(filled);
  EXPECT_EQ(Text(ThereAndBack(filled)), Text(filled));
}

// A text or number that the wire gives to what is absent would be there in what is written anew; an enum has
// its unknown for that.
TEST(ProbeConversion, ReadsWhatIsAbsentAsNotToldNeverAsZeroOrEmpty) {
  v1::ProbeAnswers filled;
  Filled::Fill(filled);
  const int dropped = Filled::Drop(filled, [&](const FieldDescriptor& field) {
    EXPECT_TRUE(field.has_presence() || field.is_repeated() || field.enum_type() != nullptr)
        << field.full_name() << " cannot say that it is absent";
    EXPECT_EQ(Text(ThereAndBack(filled)), Text(filled)) << field.full_name();
  });
  RecordProperty("fields_left_out", dropped);
  EXPECT_GT(dropped, 80);
}

}  // namespace
}  // namespace rdmaready
