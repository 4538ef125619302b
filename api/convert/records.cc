// SPDX-License-Identifier: Apache-2.0
#include "api/convert/records.h"

#include <algorithm>
#include <limits>

#include "api/convert/absent.h"
#include "api/convert/message.h"

namespace rdmaready {

using convert::ReadOrDefault;
using convert::Written;

v1::Finding ToProto(const Finding& finding) { return Written<v1::Finding>(finding); }

namespace {

// An older agent has no remedy: it is made from the fix. One without steps, or over the limits, counts as
// absent.
void ReadRemedy(Finding& finding) {
  if (finding.remedy && (finding.remedy->empty() || !IsWithinLimits(*finding.remedy))) finding.remedy.reset();
  if (!finding.remedy && !finding.fix.empty()) finding.remedy = RemedyOfFix(finding.fix);
  if (finding.remedy) finding.fix = FirstCommand(*finding.remedy);
}

}  // namespace

// What lacks a word is no proof, and no advice: it stands in the way.
Finding FromProto(const v1::Finding& message) {
  Finding finding;
  const auto lack = convert::ReadStruct(TypeOf<Finding>(), message, &finding);
  ReadRemedy(finding);
  if (!lack) return finding;
  finding.waived.reset();
  if (!message.has_blocking()) finding.blocking = true;
  if (finding.outcome != Outcome::kFail) finding.outcome = Outcome::kUnknown;
  finding.observed += (finding.observed.empty() ? "" : "; ") + lack->detail;
  return finding;
}

v1::HostReport ToProto(const HostReport& report) { return Written<v1::HostReport>(report); }

HostReport FromProto(const v1::HostReport& message) {
  HostReport report;
  convert::ReadStruct(TypeOf<HostReport>(), message, &report);
  report.findings.clear();
  for (const v1::Finding& finding : message.findings()) report.findings.push_back(FromProto(finding));
  // What a finding or a rung lacks stands with it.
  std::string unsaid = convert::Unsaid(message);
  for (const v1::ProfileRef& profile : message.profiles())
    unsaid = unsaid.empty() ? convert::Unsaid(profile) : unsaid;
  for (const v1::JudgedPort& port : message.ports()) unsaid = unsaid.empty() ? convert::Unsaid(port) : unsaid;
  if (!unsaid.empty()) {
    report.verdict = Readiness::kUndetermined;
    if (report.error.empty()) report.error = unsaid;
  }
  return report;
}

v1::HostReport WithoutFindings(const HostReport& report) {
  v1::HostReport message = ToProto(report);
  message.clear_findings();
  return message;
}

v1::TransferResult ToProto(const TransferResult& result) { return Written<v1::TransferResult>(result); }

TransferResult FromProto(const v1::TransferResult& message) {
  TransferResult result;
  const auto lack = convert::ReadStruct(TypeOf<TransferResult>(), message, &result);
  FailureKind& kind = result.failure.kind;
  // What a newer version tells is a failure, too.
  if (kind == FailureKind::kUnknown && message.failure().kind() != v1::Failure::KIND_UNKNOWN)
    kind = FailureKind::kPeerGone;
  if (lack && (kind == FailureKind::kNone || kind == FailureKind::kUnknown))
    result.failure = {FailureKind::kUnknown, lack->detail};
  // No test is longer than ten minutes; an agent may send lists of any length.
  constexpr std::size_t kMostIntervals = 6000;
  constexpr std::size_t kMostSamples = 2400;
  result.interval_bytes.resize(std::min(result.interval_bytes.size(), kMostIntervals));
  result.pressure.resize(std::min(result.pressure.size(), kMostSamples));
  return result;
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
  message.set_in_production(options.in_production);
  message.set_connection(static_cast<v1::ConnectionKind>(options.connection));
  message.set_stress(options.stress);
  if (options.stress_priority) message.set_stress_priority(*options.stress_priority);
  message.set_over_tcp(options.over_tcp);
  message.set_measure_cpu(options.measure_cpu);
  message.set_max_bytes_per_s(options.max_bytes_per_s);
  message.set_interval_ms(options.interval_ms);
  message.set_numbered(options.numbered);
  message.set_path_timeout_ms(options.path_timeout_ms);
  if (options.ack_timeout) message.set_ack_timeout(*options.ack_timeout);
  if (options.retries) message.set_retries(*options.retries);
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
  if (message.has_tos()) options.tos = static_cast<std::uint8_t>(std::min(message.tos(), 255u));
  options.system_tos = message.system_tos();
  options.in_production = message.in_production();
  options.stress = message.stress();
  if (message.has_stress_priority()) options.stress_priority = message.stress_priority();
  options.over_tcp = message.over_tcp();
  options.measure_cpu = message.measure_cpu();
  options.max_bytes_per_s = message.max_bytes_per_s();
  options.interval_ms = message.interval_ms();
  options.numbered = message.numbered();
  options.path_timeout_ms = message.path_timeout_ms();
  if (message.has_ack_timeout()) options.ack_timeout = message.ack_timeout();
  if (message.has_retries()) options.retries = message.retries();
  if (v1::ConnectionKind_IsValid(message.connection()))
    options.connection = static_cast<ConnectionKind>(message.connection());
  return options;
}

v1::PeerMessage ToProto(const PeerMessage& message) { return Written<v1::PeerMessage>(message); }
PeerMessage FromProto(const v1::PeerMessage& message) { return ReadOrDefault<PeerMessage>(message); }

v1::ProbeResult ToProto(const ProbeResult& result) { return Written<v1::ProbeResult>(result); }

ProbeResult FromProto(const v1::ProbeResult& message) {
  ProbeResult result;
  convert::ReadStruct(TypeOf<ProbeResult>(), message, &result);
  result.transfers.clear();
  for (const v1::TransferResult& transfer : message.transfers())
    result.transfers.push_back(FromProto(transfer));
  return result;
}

v1::Remembered ToProto(const Remembered& remembered) { return Written<v1::Remembered>(remembered); }
Remembered FromProto(const v1::Remembered& message) { return ReadOrDefault<Remembered>(message); }

v1::StoredRun ToProto(const RunRecord& record) { return Written<v1::StoredRun>(record); }

RunRecord FromProto(const v1::StoredRun& message) {
  RunRecord record;
  convert::ReadStruct(TypeOf<RunRecord>(), message, &record);
  record.report = FromProto(message.report());
  return record;
}

v1::StoredTransfer ToProto(const TransferRecord& record) { return Written<v1::StoredTransfer>(record); }

TransferRecord FromProto(const v1::StoredTransfer& message) {
  TransferRecord record;
  convert::ReadStruct(TypeOf<TransferRecord>(), message, &record);
  record.result = FromProto(message.result());
  return record;
}

v1::StoreEvent ToProto(const StoreEvent& event) { return Written<v1::StoreEvent>(event); }
StoreEvent FromProto(const v1::StoreEvent& message) { return ReadOrDefault<StoreEvent>(message); }

v1::CaseBaseline ToProto(const CaseBaseline& baseline) { return Written<v1::CaseBaseline>(baseline); }
CaseBaseline FromProto(const v1::CaseBaseline& message) { return ReadOrDefault<CaseBaseline>(message); }

v1::Plan ToProto(const Plan& plan) { return Written<v1::Plan>(plan); }

Plan FromProto(const v1::Plan& message) {
  Plan plan;
  convert::ReadStruct(TypeOf<Plan>(), message, &plan);
  // What was not said of a step must not read as an empty plan, which is a proof.
  if (const std::string unsaid = convert::Unsaid(message); !unsaid.empty()) plan.unknown.push_back(unsaid);
  return plan;
}

v1::Change ToProto(const Change& change) { return Written<v1::Change>(change); }

Change FromProto(const v1::Change& message) {
  Change change;
  const auto lack = convert::ReadStruct(TypeOf<Change>(), message, &change);
  const std::string unsaid = lack ? lack->detail : convert::Unsaid(message);
  if (unsaid.empty()) return change;
  change.state = ChangeState::kUnknown;
  if (change.reason.empty()) change.reason = unsaid;
  return change;
}

v1::ChangeProof ToProto(const ChangeProof& proof) { return Written<v1::ChangeProof>(proof); }

// Nothing is proven by a message that lacks a word.
ChangeProof FromProto(const v1::ChangeProof& message) {
  ChangeProof proof;
  if (convert::ReadStruct(TypeOf<ChangeProof>(), message, &proof) || !convert::Unsaid(message).empty())
    return {};
  return proof;
}

v1::SettingObject ToProto(const SettingObject& object) { return Written<v1::SettingObject>(object); }
SettingObject FromProto(const v1::SettingObject& message) { return ReadOrDefault<SettingObject>(message); }

v1::Setting ToProto(const Setting& setting) { return Written<v1::Setting>(setting); }
Setting FromProto(const v1::Setting& message) { return ReadOrDefault<Setting>(message); }

v1::ApplierStatus ToProto(const ApplierStatus& status) { return Written<v1::ApplierStatus>(status); }
ApplierStatus FromProto(const v1::ApplierStatus& message) { return ReadOrDefault<ApplierStatus>(message); }

v1::ListHistoryRequest ToProto(const HistoryQuery& query) {
  v1::ListHistoryRequest message;
  message.set_limit(static_cast<std::uint32_t>(std::max(query.limit, 1)));
  message.set_since_unix_ns(query.since_unix_ns);
  message.set_before_unix_ns(query.before_unix_ns);
  message.set_run_id(query.run_id);
  message.set_with_texts(query.with_texts);
  message.set_kind(static_cast<v1::ListHistoryRequest::Kind>(query.kind));
  return message;
}

HistoryQuery FromProto(const v1::ListHistoryRequest& message) {
  HistoryQuery query;
  if (message.limit() != 0)
    query.limit = static_cast<int>(std::min<std::uint32_t>(message.limit(), kMaxHistory));
  query.since_unix_ns = message.since_unix_ns();
  query.before_unix_ns = message.before_unix_ns();
  query.run_id = message.run_id();
  query.with_texts = message.with_texts();
  if (v1::ListHistoryRequest::Kind_IsValid(message.kind()))
    query.kind = static_cast<HistoryQuery::Kind>(message.kind());
  return query;
}

}  // namespace rdmaready
