// SPDX-License-Identifier: Apache-2.0
#include "api/convert/records.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/convert/fleet.h"
#include "api/model/fields.h"
#include "api/model/profile.h"

namespace rdmaready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

Finding FullFinding() {
  return {.id = "pfc.lossless-priority",
          .title = "t",
          .scope = Scope::kPair,
          .rung = Rung::kPeer,
          .subject = "rxe0/1 dcb0",
          .outcome = Outcome::kNotApplicable,
          .blocking = true,
          .observed = "o",
          .expected = "e",
          .source = "s",
          .why = "w",
          .fix = "f",
          .hidden_by = "link.state",
          .duration_ns = 5,
          .remedy = Remedy{.cause = "c",
                           .certainty = Certainty::kLikely,
                           .cautions = {"ca"},
                           .steps = {{.site = StepSite::kSwitch, .action = "a"}, {.command = "f"}},
                           .alternatives = {"al"},
                           .check = "ch",
                           .owner = "lldpad"},
          .class_proof = ClassProof{.shares = {{.host = "a",
                                                .counter = "sent back",
                                                .priority = 3,
                                                .packets = 5,
                                                .all = 6,
                                                .expected = 7,
                                                .permille = 833,
                                                .foreign_permille = 0,
                                                .connection = ConnectionKind::kVerbs},
                                               {.host = "b"}}}};
}

TransferResult FullResult() {
  TransferResult result;
  result.case_name = "write-8k";
  result.operation = Operation::kRead;
  result.message_bytes = 8192;
  result.local_gid = "::ffff:10.0.0.1";
  result.remote_gid = "::ffff:10.0.0.2";
  result.transport = "roce-v2";
  result.messages = 1;
  result.bytes = 2;
  result.bytes_verified = 3;
  result.bytes_wrong = 4;
  result.first_wrong_offset = 0;
  result.elapsed_ns = 5;
  result.throughput_bytes_per_s = 6;
  result.worst_interval_bytes_per_s = 7;
  result.operations_per_s = 8;
  result.latency = {9, 10, 11, 12};
  result.cpu_initiator_ns = 13;
  result.cpu_responder_ns = 14;
  result.failure = {FailureKind::kCancelled, "x"};
  result.marking = {.tos = 106, .traffic_class = 107, .service_level = 0};
  result.depth = 15;
  result.qps = 16;
  result.busy_poll = true;
  result.unverified = true;
  result.bidirectional = true;
  std::vector<CounterChange> changes;
  for (int kind = 0; kind <= static_cast<int>(CounterChange::Kind::kGone); ++kind) {
    changes.push_back({"c" + std::to_string(kind), static_cast<CounterChange::Kind>(kind), 1ULL << (8 * kind)});
  }
  result.error_counters = changes;
  result.priority_packets =
      PriorityPackets{.sent = {1, 2, 3, 4, 5, 6, 7, 8}, .received = {9, 10, 11, 12, 13, 14, 15, 16}};
  result.foreign_permille = 17;
  result.tester_cpu = 18;
  result.tester_numa_node = 0;
  result.limit_bytes_per_s = 19;
  result.host_cpu = HostCpu{.busy_ns = 21, .measured_ns = 22, .idle_busy_ns = 23, .idle_ns = 24};
  result.numbered = NumberedIo{.issued = 31,
                               .answered = 32,
                               .reissued = 33,
                               .unconfirmed = 34,
                               .worst_answer_ns = 43,
                               .complete = true,
                               .log = {.arrived = 35,
                                       .doubled = 36,
                                       .late = 37,
                                       .wrong = 38,
                                       .looked = 39,
                                       .worst_stall_ns = 40,
                                       .stalls = {{.begin_ns = 41, .length_ns = 42}}}};
  result.counted_ns = 19;
  result.idle_packets =
      PriorityPackets{.sent = {8, 7, 6, 5, 4, 3, 2, 1}, .received = {16, 15, 14, 13, 12, 11, 10, 9}};
  result.idle_ns = 20;
  result.path_mtu_bytes = 1024;
  result.connection = ConnectionKind::kVerbs;
  result.interval_ms = 20;
  result.nic_counters = std::vector<NicChange>{
      {.netdev = "eth0",
       .counter = NicCounter::kDropReceived,
       .priority = 3,
       .change = {"rx_prio3_discards", CounterChange::Kind::kGrew, 7}},
      {.netdev = "eth0", .counter = NicCounter::kCrcErrors, .change = {"rx_crc_errors_phy", {}, 0}},
      {.netdev = "eth0",
       .counter = NicCounter::kDropSent,
       .change = {"tx_discards_phy", CounterChange::Kind::kGrew, 2}}};
  return result;
}

TEST(ReportConversion, KeepsEveryFieldOfTransferOptions) {
  const TransferOptions options{.busy_poll = true,
                                .verify = false,
                                .bidirectional = true,
                                .qps = 2,
                                .depth = 3,
                                .duration = std::chrono::milliseconds(4),
                                .max_bytes = 5,
                                .tos = 0,
                                .system_tos = true,
                                .connection = ConnectionKind::kVerbs,
                                .stress = true,
                                .max_bytes_per_s = 6,
                                .interval_ms = 20,
                                .over_tcp = true,
                                .measure_cpu = true,
                                .in_production = true};
  EXPECT_EQ(FromProto(ToProto(options)), options);
  EXPECT_EQ(FromProto(ToProto(TransferOptions{})), TransferOptions{});
}

TEST(ReportConversion, ReadsOptionsAndResultsOfAnOlderVersionAsWhatItDid) {
  EXPECT_EQ(FromProto(v1::TransferOptions()), TransferOptions{});
  EXPECT_EQ(FromProto(v1::TransferResult()).qps, 1u);
  EXPECT_FALSE(FromProto(v1::TransferResult()).unverified);
  EXPECT_EQ(FromProto(v1::PeerMessage()).lanes, 1u);
}

TEST(ReportConversion, KeepsEveryFieldOfAFinding) {
  EXPECT_EQ(FromProto(ToProto(FullFinding())), FullFinding());
}

TEST(ReportConversion, MakesTheRemedyOfAnOlderAgentFromItsFix) {
  v1::Finding message = ToProto(FullFinding());
  message.clear_remedy();
  message.set_fix("ip link set dev a up  # the link goes down");
  const Finding read = FromProto(message);
  EXPECT_EQ(read.fix, "ip link set dev a up");
  EXPECT_EQ(read.remedy,
            (Remedy{.cautions = {"the link goes down"}, .steps = {{.command = "ip link set dev a up"}}}));
  message.clear_fix();
  message.set_fix("");
  EXPECT_FALSE(FromProto(message).remedy.has_value());
}

TEST(ReportConversion, TakesARemedyWithTooManyStepsForAnAbsentOne) {
  v1::Finding message = ToProto(FullFinding());
  for (std::size_t i = 0; i < kMostRemedySteps; ++i) message.mutable_remedy()->add_steps()->set_command("x");
  const Finding read = FromProto(message);
  EXPECT_EQ(read.remedy, (Remedy{.steps = {{.command = "f"}}}));
  EXPECT_EQ(read.outcome, FullFinding().outcome);
}

TEST(ReportConversion, KeepsARemedyUpToItsLastByte) {
  Finding finding = FullFinding();
  finding.remedy->cause.resize(kMostRemedyBytes - BytesOf(*finding.remedy) + 1, 'c');
  EXPECT_EQ(FromProto(ToProto(finding)), finding);
  finding.remedy->cause += 'c';
  EXPECT_EQ(FromProto(ToProto(finding)).remedy, (Remedy{.steps = {{.command = "f"}}}));
}

// As an older caller reads it: the fix is a field of its own, and a newer field is not known.
TEST(ReportConversion, SaysTheFixBesideTheRemedy) {
  v1::Finding message = ToProto(FullFinding());
  EXPECT_EQ(message.fix(), "f");
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 1);
  EXPECT_EQ(FromProto(message), FullFinding());
}

TEST(FleetConversion, MakesTheRemedyOfAnOlderHubFromACommentInItsFix) {
  v1::FleetFinding message;
  message.set_fix("ip link set dev a up  # the link goes down");
  const FleetFinding older = FromProto(message);
  EXPECT_EQ(older.fix, "ip link set dev a up");
  EXPECT_EQ(older.remedy,
            (Remedy{.cautions = {"the link goes down"}, .steps = {{.command = "ip link set dev a up"}}}));
  message.set_fix("# reseat the cable");
  EXPECT_EQ(FromProto(message).remedy, (Remedy{.steps = {{.action = "reseat the cable"}}}));
}

// Nothing says that the command is all that is to be done.
TEST(FleetConversion, MakesNoRemedyOfAFixAlone) {
  v1::FleetFinding message;
  message.set_fix("ip link set dev a up");
  EXPECT_EQ(FromProto(message).fix, "ip link set dev a up");
  EXPECT_FALSE(FromProto(message).remedy.has_value());
}

TEST(FleetConversion, TakesARemedyOverTheLimitsForAnAbsentOne) {
  FleetFinding finding{.check = "link.state", .fix = "f", .remedy = FullFinding().remedy};
  EXPECT_EQ(FromProto(ToProto(finding)), finding);
  finding.remedy->cause.resize(kMostRemedyBytes, 'c');
  EXPECT_FALSE(FromProto(ToProto(finding)).remedy.has_value());
}

TEST(ReportConversion, TakesARemedyWithoutStepsForAnAbsentOne) {
  v1::Finding message = ToProto(FullFinding());
  message.mutable_remedy()->clear_steps();
  EXPECT_EQ(FromProto(message).remedy, (Remedy{.steps = {{.command = "f"}}}));
  message.set_fix("");
  EXPECT_FALSE(FromProto(message).remedy.has_value());
}

TEST(ReportConversion, KeepsEveryFieldOfAHostReport) {
  const HostReport report{.host = "a",
                          .agent_version = "1",
                          .kernel_release = "6",
                          .error = "e",
                          .verdict = Readiness::kNotReady,
                          .ladder = {{Rung::kPeer, RungOutcome::kUnknown}},
                          .findings = {FullFinding()}};
  EXPECT_EQ(FromProto(ToProto(report)), report);
}

TEST(ReportConversion, KeepsEveryFieldOfATransfer) {
  EXPECT_EQ(FromProto(ToProto(FullResult())), FullResult());
}

TEST(ReportConversion, KeepsWhyErrorCountersAreNotKnownAndThatAnOlderAgentDoesNotTellThem) {
  TransferResult result = FullResult();
  result.error_counters = Missing{Missing::Kind::kDenied, "read x: Permission denied"};
  EXPECT_EQ(FromProto(ToProto(result)), result);
  result.error_counters = std::vector<CounterChange>{};
  EXPECT_EQ(FromProto(ToProto(result)), result) << "none to watch is not unknown";
  EXPECT_EQ(FromProto(v1::TransferResult()).error_counters, CounterChanges{});
}

TEST(ReportConversion, PacketsOfMorePrioritiesThanThereAreAreNotKnown) {
  v1::TransferResult message = ToProto(FullResult());
  message.mutable_priority_packets()->mutable_value()->add_sent(1);
  EXPECT_EQ(FromProto(message).priority_packets.missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(FromProto(v1::TransferResult()).priority_packets, Fact<PriorityPackets>{});
}

TEST(ReportConversion, ReadsAFailureOfANewerVersionAsAFailure) {
  v1::TransferResult message = ToProto(FullResult());
  message.mutable_failure()->set_kind(static_cast<v1::Failure::Kind>(77));
  EXPECT_EQ(FromProto(message).failure.kind, FailureKind::kPeerGone);
}

TEST(ReportConversion, ReadsARungOrScopeOfANewerVersionAsUnknown) {
  v1::Finding finding = ToProto(FullFinding());
  finding.set_rung(static_cast<v1::Rung>(77));
  finding.set_scope(static_cast<v1::Scope>(77));
  EXPECT_EQ(FromProto(finding).rung, Rung::kUnknown);
  EXPECT_EQ(FromProto(finding).scope, Scope::kUnknown);
}

TEST(ReportConversion, ReadsAnOutcomeOfANewerVersionAsUnknown) {
  v1::Finding finding = ToProto(FullFinding());
  finding.set_outcome(static_cast<v1::Outcome>(77));
  EXPECT_EQ(FromProto(finding).outcome, Outcome::kUnknown);
}

// The names that the struct lists and those of the message, here and within.
void ExpectSameFields(const TypeInfo& type, const Descriptor& message, std::set<std::string> apart = {}) {
  for (const FieldInfo& field : type.fields()) {
    const std::string name(field.name);
    const FieldDescriptor* slot = message.FindFieldByName(name);
    ASSERT_TRUE(slot != nullptr && apart.insert(name).second) << message.full_name() << "." << name;
    const TypeInfo* held = field.type;
    const Descriptor* part = slot->message_type();
    const bool fact = held->form == TypeInfo::Form::kFact;
    if (fact) part = part->FindFieldByName("value")->message_type();
    if (fact || held->form == TypeInfo::Form::kOptional) held = held->element;
    if (held->form == TypeInfo::Form::kList && part != nullptr && !slot->is_repeated()) {
      ASSERT_EQ(part->field_count(), 1) << part->full_name();
      part = part->field(0)->message_type();
    }
    while (held->element != nullptr) held = held->element;
    EXPECT_EQ(held->form == TypeInfo::Form::kStruct, part != nullptr) << slot->full_name();
    if (part != nullptr) ExpectSameFields(*held, *part);
  }
  EXPECT_EQ(static_cast<int>(apart.size()), message.field_count()) << message.full_name();
}

TEST(RecordsFields, AreThoseOfTheMessages) {
  ExpectSameFields(TypeOf<Finding>(), *v1::Finding::descriptor());
  ExpectSameFields(TypeOf<HostReport>(), *v1::HostReport::descriptor());
  ExpectSameFields(TypeOf<PeerMessage>(), *v1::PeerMessage::descriptor());
  ExpectSameFields(TypeOf<ProbeResult>(), *v1::ProbeResult::descriptor());
  ExpectSameFields(TypeOf<RunRecord>(), *v1::StoredRun::descriptor());
  ExpectSameFields(TypeOf<TransferRecord>(), *v1::StoredTransfer::descriptor());
  ExpectSameFields(TypeOf<StoreEvent>(), *v1::StoreEvent::descriptor());
  ExpectSameFields(TypeOf<CaseBaseline>(), *v1::CaseBaseline::descriptor());
  ExpectSameFields(TypeOf<Remembered>(), *v1::Remembered::descriptor());
  ExpectSameFields(TypeOf<FleetStatus>(), *v1::FleetStatus::descriptor());
  ExpectSameFields(TypeOf<FleetFinding>(), *v1::FleetFinding::descriptor());
  ExpectSameFields(TypeOf<FleetChange>(), *v1::FleetChange::descriptor());
  ExpectSameFields(TypeOf<FleetDifference>(), *v1::FleetDifference::descriptor());
  ExpectSameFields(TypeOf<UsualValue>(), *v1::UsualValue::descriptor());
  ExpectSameFields(TypeOf<Plan>(), *v1::Plan::descriptor());
  ExpectSameFields(TypeOf<Change>(), *v1::Change::descriptor());
  ExpectSameFields(TypeOf<ApplierStatus>(), *v1::ApplierStatus::descriptor());
  ExpectSameFields(TypeOf<Profile>(), *v1::Profile::descriptor(), {"ets"});
}

TEST(PeerMessageConversion, KeepsEveryField) {
  const PeerMessage message{.kind = PeerMessageKind::kResult,
                            .case_name = "c",
                            .message_bytes = 1,
                            .depth = 2,
                            .verify = false,
                            .endpoint = {"10.0.0.1", 65535},
                            .nonce = {1, 2, 3},
                            .memory = {4, 5, 6},
                            .counts = {7, 8, 9, 10, 11},
                            .result = FullResult()};
  EXPECT_EQ(FromProto(ToProto(message)), message);
}

TEST(PeerMessageConversion, MakesNothingOfAPortOrNonceThatCannotBe) {
  v1::PeerMessage port = ToProto(PeerMessage{.kind = PeerMessageKind::kOffer});
  port.set_endpoint_port(65536);
  EXPECT_EQ(FromProto(port).kind, PeerMessageKind::kUnknown);
  v1::PeerMessage nonce = ToProto(PeerMessage{.kind = PeerMessageKind::kOffer});
  nonce.set_nonce("short");
  EXPECT_EQ(FromProto(nonce).kind, PeerMessageKind::kUnknown);
}

TEST(Records, CutTheListsOfAResultAtTenMinutes) {
  v1::TransferResult message;
  message.mutable_failure()->set_kind(v1::Failure::KIND_NONE);
  for (int i = 0; i < 7000; ++i) {
    message.add_interval_bytes(1);
    message.add_pressure()->set_pauses(1);
  }
  const TransferResult result = FromProto(message);
  EXPECT_EQ(result.interval_bytes.size(), 6000U);
  EXPECT_EQ(result.pressure.size(), 2400U);
}

}  // namespace
}  // namespace rdmaready
