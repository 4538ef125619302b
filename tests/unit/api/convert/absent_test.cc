// SPDX-License-Identifier: Apache-2.0
// Every field of what a peer or a store sends is left out in turn: nothing looks better for it. The same of
// facts: facts_fields_test.cc, and of answers: probe_test.cc.
#include "api/convert/absent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/convert/records.h"
#include "tests/unit/api/convert/filled.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using testing::HasSubstr;

template <class Message>
Message MakeFilled() {
  Message message;
  Filled::Fill(message);
  return message;
}

std::string NamedIn(const FieldDescriptor& field) { return "\"" + std::string(field.name()) + "\""; }

// `read` is what came of a finding of that outcome without the field.
void ExpectNoBetter(const Finding& read, Outcome whole, const FieldDescriptor& field) {
  // Without it, a finding is under every profile.
  if (field.name() == "profile") {
    EXPECT_EQ(read.outcome, whole);
    return;
  }
  const std::string& owner = field.containing_type()->name();
  // Neither advice nor the shares behind a verdict decide one.
  const std::set<std::string> beside{"Remedy", "RemedyStep", "ClassProof", "ClassShare"};
  if (field.name() == "remedy" || field.name() == "class_proof" || beside.contains(owner)) {
    EXPECT_EQ(read.outcome, whole) << field.full_name();
    return;
  }
  EXPECT_FALSE(read.waived) << field.full_name();
  if (field.name() == "waived") {
    EXPECT_EQ(read.outcome, whole);
    return;
  }
  const bool still_fails = whole == Outcome::kFail && field.name() != "outcome";
  EXPECT_EQ(read.outcome, still_fails ? Outcome::kFail : Outcome::kUnknown) << field.full_name();
  EXPECT_TRUE(read.blocking) << field.full_name();
  EXPECT_THAT(read.observed, HasSubstr("does not say " + NamedIn(field)));
}

TEST(Absent, FieldsOfAFindingNeverMakeItPass) {
  int dropped = 0;
  for (const Outcome outcome : {Outcome::kPass, Outcome::kWarn, Outcome::kFail, Outcome::kNotApplicable}) {
    v1::Finding message = MakeFilled<v1::Finding>();
    message.set_outcome(static_cast<v1::Outcome>(outcome));
    ASSERT_EQ(FromProto(message).outcome, outcome);
    dropped += Filled::Drop(
        message, [&](const FieldDescriptor& field) { ExpectNoBetter(FromProto(message), outcome, field); });
  }
  RecordProperty("fields_left_out", dropped);
  EXPECT_EQ(dropped,
            4 * (v1::Finding::descriptor()->field_count() + v1::Waived::descriptor()->field_count() +
                 v1::Remedy::descriptor()->field_count() + v1::RemedyStep::descriptor()->field_count() +
                 v1::ClassProof::descriptor()->field_count() + v1::ClassShare::descriptor()->field_count()));
  v1::Finding advice = MakeFilled<v1::Finding>();
  advice.set_blocking(false);
  EXPECT_FALSE(FromProto(advice).blocking);
  advice.clear_blocking();
  EXPECT_TRUE(FromProto(advice).blocking);
}

TEST(Absent, FieldsOfAReportNeverMakeAHostReady) {
  v1::HostReport message = MakeFilled<v1::HostReport>();
  message.set_verdict(v1::READINESS_READY);
  message.mutable_findings(0)->set_outcome(v1::OUTCOME_PASS);
  message.mutable_ladder(0)->set_outcome(v1::RUNG_OUTCOME_PASS);
  const HostReport whole = FromProto(message);
  ASSERT_EQ(whole.verdict, Readiness::kReady);
  int dropped = 0;
  dropped += Filled::Drop(message, [&](const FieldDescriptor& field) {
    const HostReport read = FromProto(message);
    const std::string& owner = field.containing_type()->name();
    EXPECT_FALSE(read == whole) << field.full_name();
    const std::set<std::string> of_finding{"Finding",    "Waived",     "Remedy",
                                           "RemedyStep", "ClassProof", "ClassShare"};
    if (of_finding.contains(owner)) {
      ExpectNoBetter(read.findings.at(0), Outcome::kPass, field);
    } else if (owner == "RungResult") {
      const RungResult& rung = read.ladder.at(0);
      EXPECT_TRUE(rung.rung == Rung::kUnknown || rung.outcome == RungOutcome::kUnknown) << field.full_name();
    } else if (!field.is_repeated()) {
      EXPECT_EQ(read.verdict, Readiness::kUndetermined) << field.full_name();
      EXPECT_FALSE(read.error.empty()) << field.full_name();
    }
  });
  RecordProperty("fields_left_out", dropped);
  EXPECT_GT(dropped, 20);
}

// Those whose absence says something: it reads as just that, and all else is kept.
void ExpectLost(const TransferResult& read, TransferResult whole, const FieldDescriptor& field) {
  const std::string name(field.name());
  if (name == "first_wrong_offset") whole.first_wrong_offset.reset();
  if (name == "asked_tos") whole.marking.tos.reset();
  if (name == "traffic_class") whole.marking.traffic_class.reset();
  if (name == "service_level") whole.marking.service_level.reset();
  if (name == "error_counters") whole.error_counters = Missing();
  if (name == "priority_packets") whole.priority_packets = Missing();
  if (name == "foreign_permille") whole.foreign_permille.reset();
  if (name == "tester_cpu") whole.tester_cpu.reset();
  if (name == "tester_numa_node") whole.tester_numa_node.reset();
  if (name == "limit_bytes_per_s") whole.limit_bytes_per_s.reset();
  if (name == "counted_ns") whole.counted_ns.reset();
  if (name == "idle_packets") whole.idle_packets = Missing();
  if (name == "idle_ns") whole.idle_ns.reset();
  if (name == "connection") whole.connection.reset();
  if (name == "path_mtu_bytes") whole.path_mtu_bytes.reset();
  if (name == "nic_counters") whole.nic_counters = Missing();
  if (name == "interval_bytes") whole.interval_bytes.clear();
  if (name == "interval_ms") whole.interval_ms.reset();
  if (name == "host_cpu") whole.host_cpu.reset();
  if (name == "numbered") whole.numbered.reset();
  if (name == "members") whole.members.clear();
  if (name == "pressure") whole.pressure.clear();
  EXPECT_TRUE(read == whole) << field.full_name();
}

int DropFromTransfer(v1::TransferResult message) {
  const TransferResult whole = FromProto(message);
  const std::set<std::string> of_counters{"CounterChangesFact", "CounterChanges", "CounterChange",
                                          "NicChangesFact",     "NicChanges",     "NicChange"};
  return Filled::Drop(message, [&](const FieldDescriptor& field) {
    const TransferResult read = FromProto(message);
    const std::string owner(field.containing_type()->name());
    EXPECT_FALSE(read == whole) << field.full_name();
    if (of_counters.contains(owner)) {
      const bool may_be_absent = field.is_repeated() || field.name() == "priority";
      EXPECT_TRUE(!read.error_counters || !read.nic_counters || may_be_absent) << field.full_name();
    } else if (owner == "PressureSample") {
      EXPECT_LE(read.pressure.at(0).idle_permille, whole.pressure.at(0).idle_permille) << field.full_name();
    } else if (owner.starts_with("PriorityPackets")) {
      EXPECT_FALSE(read.priority_packets && read.idle_packets) << field.full_name();
    } else if (owner == "TransferResult" && !convert::IsAlwaysSaid(field)) {
      ExpectLost(read, whole, field);
    } else if (owner == "NumberedLogView" && field.is_repeated()) {
      EXPECT_TRUE(read.numbered && read.numbered->log.stalls.empty());
    } else if (whole.failure.kind == FailureKind::kNone || field.name() == "failure" ||
               field.name() == "kind") {
      EXPECT_EQ(read.failure.kind, FailureKind::kUnknown) << field.full_name();
      EXPECT_THAT(read.failure.detail, HasSubstr("does not say " + NamedIn(field)));
    } else {
      EXPECT_EQ(read.failure.kind, whole.failure.kind) << field.full_name();
    }
  });
}

TEST(Absent, FieldsOfATransferNeverMakeItAGoodOne) {
  v1::TransferResult message = MakeFilled<v1::TransferResult>();
  message.mutable_failure()->set_kind(v1::Failure::KIND_COMPLETION);
  int dropped = DropFromTransfer(message);
  message.mutable_failure()->set_kind(v1::Failure::KIND_NONE);
  dropped += DropFromTransfer(message);
  RecordProperty("fields_left_out", dropped);
  EXPECT_GT(dropped, 80);
}

TEST(Absent, FieldsOfAPeerMessageMakeItNoneOfTheProtocol) {
  v1::PeerMessage message = MakeFilled<v1::PeerMessage>();
  message.set_kind(v1::PeerMessage::KIND_RESULT);
  message.set_nonce(std::string(16, 'n'));
  message.mutable_result()->mutable_failure()->set_kind(v1::Failure::KIND_NONE);
  ASSERT_EQ(FromProto(message).kind, PeerMessageKind::kResult);
  const int dropped = Filled::Drop(message, [&](const FieldDescriptor& field) {
    const std::string owner(field.containing_type()->name());
    const bool of_a_fact =
        owner.starts_with("Counter") || owner.starts_with("PriorityPackets") || owner.starts_with("NicChange");
    // Its numbers are absent where nothing counts them.
    const bool of_a_sample = owner == "PressureSample" && !field.name().ends_with("_ms");
    if (of_a_fact || of_a_sample || !convert::IsAlwaysSaid(field)) return;
    EXPECT_EQ(FromProto(message).kind, PeerMessageKind::kUnknown) << field.full_name();
  });
  RecordProperty("fields_left_out", dropped);
  EXPECT_GT(dropped, 60);
}

TEST(Absent, FieldsOfAStoredRunAreSeen) {
  v1::StoredRun message = MakeFilled<v1::StoredRun>();
  message.mutable_report()->set_verdict(v1::READINESS_READY);
  message.mutable_report()->mutable_findings(0)->set_outcome(v1::OUTCOME_PASS);
  ASSERT_EQ(FromProto(message).report.verdict, Readiness::kReady);
  message.clear_level();
  EXPECT_EQ(FromProto(message).level, Rung::kUnknown);
  message.clear_report();
  EXPECT_EQ(FromProto(message).report.verdict, Readiness::kUndetermined);
  EXPECT_FALSE(FromProto(message).report.error.empty());
}

TEST(Absent, FieldsOfAProbeNeverMakeAStepOrATransferAGoodOne) {
  v1::ProbeResult message = MakeFilled<v1::ProbeResult>();
  message.mutable_steps(0)->set_outcome(v1::ProbeStep::OUTCOME_DONE);
  message.mutable_transfers(0)->mutable_failure()->set_kind(v1::Failure::KIND_NONE);
  const ProbeResult whole = FromProto(message);
  const int dropped = Filled::Drop(message, [&](const FieldDescriptor& field) {
    const ProbeResult read = FromProto(message);
    EXPECT_FALSE(read == whole) << field.full_name();
    const std::string owner(field.containing_type()->name());
    if (owner == "ProbeStep" && field.name() == "outcome") {
      EXPECT_EQ(read.steps.at(0).outcome, StepOutcome::kNotReached);
    }
    if (owner == "ProbeResult" && field.name() == "protocol") {
      EXPECT_EQ(read.protocol, Protocol::kUnknown);
    }
    if (owner == "TransferResult" && convert::IsAlwaysSaid(field)) {
      EXPECT_EQ(read.transfers.at(0).failure.kind, FailureKind::kUnknown) << field.full_name();
    }
  });
  RecordProperty("fields_left_out", dropped);
  EXPECT_GT(dropped, 150);
}

}  // namespace
}  // namespace rdmaready
