// SPDX-License-Identifier: Apache-2.0
#include "agent/request_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using testing::HasSubstr;

// Calls `seen` with `root` when each enum in it, however deep, stands at 77, one after the other.
void ForEachStrangeEnum(ProtoMessage& root, ProtoMessage& at, int depth,
                        const std::function<void(const FieldDescriptor&)>& seen) {
  const Descriptor& type = *at.GetDescriptor();
  const google::protobuf::Reflection& reflection = *at.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      if (field->is_repeated()) {
        reflection.AddEnumValue(&at, field, 77);
      } else {
        reflection.SetEnumValue(&at, field, 77);
      }
      seen(*field);
      reflection.ClearField(&at, field);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && depth > 0) {
      ProtoMessage* inner =
          field->is_repeated() ? reflection.AddMessage(&at, field) : reflection.MutableMessage(&at, field);
      ForEachStrangeEnum(root, *inner, depth - 1, seen);
      reflection.ClearField(&at, field);
    }
  }
}

TEST(CheckRequest, RefusesANumberThatItsEnumDoesNotNameWhereverItStands) {
  int met = 0;
  v1::CheckRequest check;
  v1::TestLoopbackRequest loopback;
  v1::PeerTestRequest::Start peer;
  v1::ProbeRequest probe;
  v1::ListHistoryRequest history;
  for (ProtoMessage* request :
       std::initializer_list<ProtoMessage*>{&check, &loopback, &peer, &probe, &history}) {
    EXPECT_TRUE(CheckRequest(*request).ok());
    ForEachStrangeEnum(*request, *request, 3, [&](const FieldDescriptor& field) {
      ++met;
      const absl::Status status = CheckRequest(*request);
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << field.full_name();
      EXPECT_THAT(std::string(status.message()), HasSubstr(field.name() + ": 77 is no value of "));
    });
  }
  EXPECT_GE(met, 4);  // a level, a role, a protocol, a kind
}

TEST(CheckRequest, TakesEveryNamedLevel) {
  for (int level = v1::Rung_MIN; level <= v1::Rung_MAX; ++level) {
    v1::CheckRequest check;
    check.set_level(static_cast<v1::Rung>(level));
    EXPECT_TRUE(CheckRequest(check).ok()) << level;
  }
}

TEST(CheckRequest, TakesARunIdThatCanBePrintedOnly) {
  v1::CheckRequest check;
  for (const char* fine : {"", "20260101T000000-1234", "after the firmware update", "Prüfung 7"}) {
    check.set_run_id(fine);
    EXPECT_TRUE(CheckRequest(check).ok()) << fine;
  }
  for (const char* bad : {"a\tb", "a\n", "\x1b[2J", "a\x7f"}) {
    check.set_run_id(bad);
    const absl::Status status = CheckRequest(check);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bad;
    EXPECT_EQ(status.message().find_first_of("\t\n\x1b\x7f"), std::string::npos);
  }
}

TEST(CheckRequest, RefusesNamesThatFillLocks) {
  v1::PeerTestRequest::Start start;
  start.set_peer_name(std::string(128, 'x'));
  EXPECT_TRUE(CheckRequest(start).ok());
  start.set_peer_name(std::string(129, 'x'));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckRequest(start)));
}

}  // namespace
}  // namespace rdmaready
