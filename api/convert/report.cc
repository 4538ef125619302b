// SPDX-License-Identifier: Apache-2.0
#include "api/convert/report.h"

#include <algorithm>
#include <limits>

#include "api/convert/absent.h"
#include "api/convert/fact.h"

namespace rdmaready {

using convert::Enumerator;

namespace {

// Out of range is no value of ours; the largest that is.
std::uint8_t Octet(std::uint32_t value) { return static_cast<std::uint8_t>(std::min(value, 255u)); }

void PutChanges(const std::vector<CounterChange>& from, v1::CounterChanges* to) {
  convert::PutList(from, to->mutable_changes(), [](const CounterChange& change, v1::CounterChange* out) {
    out->set_name(change.name);
    out->set_kind(static_cast<v1::CounterChange::Kind>(change.kind));
    out->set_by(change.by);
  });
}

CounterChanges GetChanges(const v1::CounterChanges& from) {
  for (const v1::CounterChange& row : from.changes()) {
    if (std::string unsaid = convert::Unsaid(row); !unsaid.empty()) return Missing{.detail = std::move(unsaid)};
  }
  return convert::GetList<CounterChange>(from.changes(), [](const v1::CounterChange& row) {
    return CounterChange{row.name(), Enumerator(row.kind(), CounterChange::Kind::kGone), row.by()};
  });
}

void PutPackets(const PriorityPackets& from, v1::PriorityPackets* to) {
  to->mutable_sent()->Assign(from.sent.begin(), from.sent.end());
  to->mutable_received()->Assign(from.received.begin(), from.received.end());
}

Fact<PriorityPackets> GetPackets(const v1::PriorityPackets& from) {
  PriorityPackets to;
  const auto same = [](std::uint64_t value) { return value; };
  const bool whole =
      convert::GetArray(from.sent(), &to.sent, same) && convert::GetArray(from.received(), &to.received, same);
  if (!whole) return convert::OutOfRange("packets of other than 8 priorities");
  return to;
}

Finding TakeFinding(const v1::Finding& message) {
  return {.id = message.id(),
          .title = message.title(),
          .scope = Enumerator(message.scope(), Scope::kTarget),
          .rung = Enumerator(message.rung(), Rung::kShare),
          .subject = message.subject(),
          .outcome = Enumerator(message.outcome(), Outcome::kNotApplicable),
          .blocking = message.blocking(),
          .observed = message.observed(),
          .expected = message.expected(),
          .source = message.source(),
          .why = message.why(),
          .fix = message.fix(),
          .hidden_by = message.hidden_by(),
          .duration_ns = message.duration_ns()};
}

}  // namespace

v1::Finding ToProto(const Finding& finding) {
  v1::Finding message;
  message.set_id(finding.id);
  message.set_title(finding.title);
  message.set_scope(static_cast<v1::Scope>(finding.scope));
  message.set_rung(static_cast<v1::Rung>(finding.rung));
  message.set_subject(finding.subject);
  message.set_outcome(static_cast<v1::Outcome>(finding.outcome));
  message.set_blocking(finding.blocking);
  message.set_observed(finding.observed);
  message.set_expected(finding.expected);
  message.set_source(finding.source);
  message.set_why(finding.why);
  message.set_fix(finding.fix);
  message.set_hidden_by(finding.hidden_by);
  message.set_duration_ns(finding.duration_ns);
  return message;
}

// What lacks a word is no proof, and no advice: it stands in the way.
Finding FromProto(const v1::Finding& message) {
  Finding finding = TakeFinding(message);
  const std::string unsaid = convert::Unsaid(message);
  if (unsaid.empty()) return finding;
  if (!message.has_blocking()) finding.blocking = true;
  if (finding.outcome != Outcome::kFail) finding.outcome = Outcome::kUnknown;
  finding.observed += (finding.observed.empty() ? "" : "; ") + unsaid;
  return finding;
}

v1::HostReport WithoutFindings(const HostReport& report) {
  v1::HostReport message;
  message.set_host(report.host);
  message.set_agent_version(report.agent_version);
  message.set_kernel_release(report.kernel_release);
  message.set_error(report.error);
  message.set_verdict(static_cast<v1::Readiness>(report.verdict));
  for (const RungResult& rung : report.ladder) {
    v1::RungResult* row = message.add_ladder();
    row->set_rung(static_cast<v1::Rung>(rung.rung));
    row->set_outcome(static_cast<v1::RungOutcome>(rung.outcome));
  }
  return message;
}

v1::HostReport ToProto(const HostReport& report) {
  v1::HostReport message = WithoutFindings(report);
  for (const Finding& finding : report.findings) *message.add_findings() = ToProto(finding);
  return message;
}

HostReport FromProto(const v1::HostReport& message) {
  HostReport report;
  report.host = message.host();
  report.agent_version = message.agent_version();
  report.kernel_release = message.kernel_release();
  report.error = message.error();
  report.verdict = Enumerator(message.verdict(), Readiness::kNotReady);
  if (const std::string unsaid = convert::Unsaid(message); !unsaid.empty()) {
    report.verdict = Readiness::kUndetermined;
    if (report.error.empty()) report.error = unsaid;
  }
  for (const v1::RungResult& row : message.ladder()) {
    report.ladder.push_back(
        {Enumerator(row.rung(), Rung::kShare), Enumerator(row.outcome(), RungOutcome::kFail)});
  }
  for (const v1::Finding& finding : message.findings()) report.findings.push_back(FromProto(finding));
  return report;
}

v1::Failure ToProto(const Failure& failure) {
  v1::Failure message;
  message.set_kind(static_cast<v1::Failure::Kind>(failure.kind));
  message.set_detail(failure.detail);
  return message;
}

Failure FromProto(const v1::Failure& message) {
  Failure failure{Enumerator(message.kind(), FailureKind::kCancelled), message.detail()};
  // A kind that this version does not know is still a failure.
  if (failure.kind == FailureKind::kUnknown && message.kind() != v1::Failure::KIND_UNKNOWN) {
    failure.kind = FailureKind::kPeerGone;
  }
  return failure;
}

v1::TransferResult ToProto(const TransferResult& result) {
  v1::TransferResult message;
  message.set_case_name(result.case_name);
  message.set_operation(static_cast<v1::Operation>(result.operation));
  message.set_message_bytes(result.message_bytes);
  message.set_local_gid(result.local_gid);
  message.set_remote_gid(result.remote_gid);
  message.set_transport(result.transport);
  message.set_messages(result.messages);
  message.set_bytes(result.bytes);
  message.set_bytes_verified(result.bytes_verified);
  message.set_bytes_wrong(result.bytes_wrong);
  if (result.first_wrong_offset) message.set_first_wrong_offset(*result.first_wrong_offset);
  message.set_elapsed_ns(result.elapsed_ns);
  message.set_throughput_bytes_per_s(result.throughput_bytes_per_s);
  message.set_worst_interval_bytes_per_s(result.worst_interval_bytes_per_s);
  message.set_operations_per_s(result.operations_per_s);
  v1::LatencySummary* latency = message.mutable_latency();
  latency->set_p50_ns(result.latency.p50_ns);
  latency->set_p99_ns(result.latency.p99_ns);
  latency->set_p999_ns(result.latency.p999_ns);
  latency->set_max_ns(result.latency.max_ns);
  message.set_cpu_initiator_ns(result.cpu_initiator_ns);
  message.set_cpu_responder_ns(result.cpu_responder_ns);
  *message.mutable_failure() = ToProto(result.failure);
  message.set_depth(result.depth);
  message.set_qps(result.qps);
  message.set_busy_poll(result.busy_poll);
  message.set_unverified(!result.verify);
  message.set_bidirectional(result.bidirectional);
  if (result.marking.tos) message.set_asked_tos(*result.marking.tos);
  if (result.marking.traffic_class) message.set_traffic_class(*result.marking.traffic_class);
  if (result.marking.service_level) message.set_service_level(*result.marking.service_level);
  convert::Put(result.error_counters, message.mutable_error_counters(), PutChanges);
  convert::Put(result.priority_packets, message.mutable_priority_packets(), PutPackets);
  return message;
}

v1::TransferOptions ToProto(const TransferOptions& options) {
  v1::TransferOptions message;
  message.set_busy_poll(options.busy_poll);
  message.set_unverified(!options.verify);
  message.set_bidirectional(options.bidirectional);
  message.set_qps(options.qps);
  message.set_depth(options.depth);
  message.set_duration_ms(static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(options.duration.count(), 0, std::numeric_limits<std::uint32_t>::max())));
  message.set_max_bytes(options.max_bytes);
  if (options.tos) message.set_tos(*options.tos);
  message.set_system_tos(options.system_tos);
  return message;
}

TransferOptions FromProto(const v1::TransferOptions& message) {
  TransferOptions options;
  options.busy_poll = message.busy_poll();
  options.verify = !message.unverified();
  options.bidirectional = message.bidirectional();
  options.qps = std::max(message.qps(), 1u);
  options.depth = message.depth();
  options.duration = std::chrono::milliseconds(message.duration_ms());
  options.max_bytes = message.max_bytes();
  if (message.has_tos()) options.tos = Octet(message.tos());
  options.system_tos = message.system_tos();
  return options;
}

TransferResult FromProto(const v1::TransferResult& message) {
  TransferResult result;
  result.case_name = message.case_name();
  result.operation = Enumerator(message.operation(), Operation::kRead);
  result.message_bytes = message.message_bytes();
  result.local_gid = message.local_gid();
  result.remote_gid = message.remote_gid();
  result.transport = message.transport();
  result.messages = message.messages();
  result.bytes = message.bytes();
  result.bytes_verified = message.bytes_verified();
  result.bytes_wrong = message.bytes_wrong();
  if (message.has_first_wrong_offset()) result.first_wrong_offset = message.first_wrong_offset();
  result.elapsed_ns = message.elapsed_ns();
  result.throughput_bytes_per_s = message.throughput_bytes_per_s();
  result.worst_interval_bytes_per_s = message.worst_interval_bytes_per_s();
  result.operations_per_s = message.operations_per_s();
  result.latency = {.p50_ns = message.latency().p50_ns(),
                    .p99_ns = message.latency().p99_ns(),
                    .p999_ns = message.latency().p999_ns(),
                    .max_ns = message.latency().max_ns()};
  result.cpu_initiator_ns = message.cpu_initiator_ns();
  result.cpu_responder_ns = message.cpu_responder_ns();
  result.failure = FromProto(message.failure());
  const bool failed = result.failure.kind != FailureKind::kNone && result.failure.kind != FailureKind::kUnknown;
  if (std::string unsaid = convert::Unsaid(message); !unsaid.empty() && !failed) {
    result.failure = {FailureKind::kUnknown, std::move(unsaid)};
  }
  result.depth = message.depth();
  result.qps = std::max(message.qps(), 1u);
  result.busy_poll = message.busy_poll();
  result.verify = !message.unverified();
  result.bidirectional = message.bidirectional();
  if (message.has_asked_tos()) result.marking.tos = Octet(message.asked_tos());
  if (message.has_traffic_class()) result.marking.traffic_class = Octet(message.traffic_class());
  if (message.has_service_level()) result.marking.service_level = Octet(message.service_level());
  result.error_counters = convert::Get<std::vector<CounterChange>>(message.error_counters(), GetChanges);
  result.priority_packets = convert::Get<PriorityPackets>(message.priority_packets(), GetPackets);
  return result;
}

}  // namespace rdmaready
