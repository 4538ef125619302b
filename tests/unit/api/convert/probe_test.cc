// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "api/convert/message.h"
#include "api/convert/records.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

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

// Every field of the message, and of those in it, one value; never the default.
void Fill(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&message, field, true);
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection.SetUInt64(&message, field, 1000 + static_cast<std::uint64_t>(i));
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(&message, field, field->enum_type()->value_count() - 1);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        if (field->is_repeated()) {
          reflection.AddString(&message, field, field->name());
        } else {
          reflection.SetString(&message, field, field->name());
        }
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Fill(field->is_repeated() ? *reflection.AddMessage(&message, field)
                                  : *reflection.MutableMessage(&message, field));
        break;
      default:
        ADD_FAILURE() << field->full_name() << ": a type that no answer has";
    }
  }
}

// Calls `look` for each field that the message has, and those in it.
void EachField(Message& message, const std::function<void(Message&, const FieldDescriptor&)>& look) {
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      EachField(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, 0)
                                     : *reflection.MutableMessage(&message, field),
                look);
    }
    look(message, *field);
  }
}

std::string Text(const Message& message) { return message.DebugString(); }

v1::ProbeAnswers ThereAndBack(const v1::ProbeAnswers& message) {
  return convert::Written<v1::ProbeAnswers>(convert::ReadOrDefault<ProbeAnswers>(message));
}

TEST(ProbeConversion, KeepsEveryAnswer) {
  v1::ProbeAnswers filled;
  Fill(filled);
  EXPECT_EQ(Text(ThereAndBack(filled)), Text(filled));
}

TEST(ProbeConversion, ReadsWhatIsAbsentAsNotToldNeverAsZeroOrEmpty) {
  v1::ProbeAnswers filled;
  Fill(filled);
  int dropped = 0;
  EachField(filled, [&](Message& message, const FieldDescriptor& field) {
    const std::unique_ptr<Message> whole(message.New());
    whole->CopyFrom(message);
    message.GetReflection()->ClearField(&message, &field);
    EXPECT_EQ(Text(ThereAndBack(filled)), Text(filled)) << field.full_name();
    message.CopyFrom(*whole);
    ++dropped;
  });
  EXPECT_GT(dropped, 80);
}

}  // namespace
}  // namespace rdmaready
