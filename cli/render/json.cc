// SPDX-License-Identifier: Apache-2.0
#include "cli/render/json.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>

#include "api/base/version.h"
#include "api/profile/profile_proto.h"
#include "checks/probe/answers.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "cli/render/facts_json.h"
#include "cli/render/remembered_json.h"

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;

// Plain ASCII: whatever bytes a host sent, they neither throw here nor reach a terminal as they are.
std::string Dump(const Json& json) { return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

Json ToJson(const Finding& finding) {
  Json json{{"id", finding.id},
            {"title", finding.title},
            {"scope", Name(finding.scope)},
            {"rung", Name(finding.rung)},
            {"subject", finding.subject},
            {"outcome", Name(finding.outcome)},
            {"blocking", finding.blocking},
            {"observed", finding.observed},
            {"expected", finding.expected},
            {"source", finding.source},
            {"why", finding.why},
            {"fix", finding.fix},
            {"hidden_by", finding.hidden_by},
            {"duration_ns", finding.duration_ns},
            {"profile", finding.profile}};
  if (const std::optional<Waived>& waived = finding.waived)
    json["waived"] = {{"reason", waived->reason}, {"who", waived->who}, {"until", waived->until}};
  return json;
}

Json ToJson(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(ToJson(finding));
  return list;
}

Json ToJson(const std::vector<ProfileRef>& profiles) {
  Json list = Json::array();
  for (const ProfileRef& profile : profiles)
    list.push_back({{"name", profile.name}, {"digest", profile.digest}});
  return list;
}

Json ToJson(const std::vector<JudgedPort>& ports) {
  Json list = Json::array();
  for (const JudgedPort& port : ports) list.push_back({{"subject", port.subject}, {"profile", port.profile}});
  return list;
}

Json ToJson(const HostReport& host, const HostNotes& notes) {
  Json ladder = Json::array();
  for (const Rung rung : kRungs) {
    ladder.push_back({{"rung", Name(rung)}, {"outcome", Name(OutcomeOn(host.ladder, rung))}});
  }
  Json json{{"host", host.host},
            {"agent_version", host.agent_version},
            {"kernel_release", host.kernel_release},
            {"verdict", Name(host.verdict)},
            {"error", host.error},
            {"profiles", ToJson(host.profiles)},
            {"ports", ToJson(host.ports)},
            {"store_error", notes.store_error},
            {"store_notice", notes.store_notice},
            {"standing", StandingToJson(notes.remembered.standing)},
            {"seen_before", SeenToJson(notes.remembered.seen)},
            {"ladder", std::move(ladder)},
            {"findings", ToJson(host.findings)}};
  if (!notes.group.empty()) json["group"] = notes.group;
  if (!notes.rack.empty()) json["rack"] = notes.rack;
  if (!notes.recorded_by.empty())
    json["recorded"] = {{"unix_ns", notes.recorded_unix_ns}, {"version", notes.recorded_by}};
  return json;
}

std::string_view LatencyMeaning(Operation operation) {
  switch (operation) {
    case Operation::kUnknown:
      return "unknown";
    case Operation::kSend:
      return "half-round-trip";
    case Operation::kWrite:
    case Operation::kRead:
      return "completion";
  }
  return "unknown";
}

std::string FailureText(const Failure& failure) {
  if (failure.kind == FailureKind::kNone) return {};
  return std::string(Name(failure.kind)) + (failure.detail.empty() ? "" : ": " + failure.detail);
}

Json ToJson(const std::optional<std::uint8_t>& octet) { return octet ? Json(*octet) : Json(nullptr); }

Json ToJson(const Marking& marking) {
  return {{"tos", ToJson(marking.tos)},
          {"traffic_class", ToJson(marking.traffic_class)},
          {"service_level", ToJson(marking.service_level)}};
}

// Counters that did not change are only counted.
Json ToJson(const EndCounters& end) {
  Json changes = Json::array();
  if (end.changes) {
    for (const CounterChange& change : *end.changes) {
      if (change.kind == CounterChange::Kind::kUnchanged) continue;
      changes.push_back({{"name", change.name}, {"kind", Name(change.kind)}, {"by", change.by}});
    }
  }
  Json json{{"host", end.host}, {"port", end.port}, {"watched", nullptr}, {"unknown", ""}};
  if (end.changes) {
    json["watched"] = end.changes->size();
  } else {
    const Missing& why = end.changes.missing();
    json["unknown"] = std::string(Name(why.kind)) + (why.detail.empty() ? "" : ": " + why.detail);
  }
  json["changes"] = std::move(changes);
  json["foreign_permille"] = end.foreign_permille ? Json(*end.foreign_permille) : Json();
  return json;
}

Json ToJson(const TransferRow& row) {
  const TransferResult& result = row.result;
  Json json{{"case", result.case_name},
            {"operation", Name(result.operation)},
            {"message_bytes", result.message_bytes},
            {"from", row.from},
            {"to", row.to},
            {"subject", row.subject},
            {"transport", result.transport},
            {"local_gid", result.local_gid},
            {"remote_gid", result.remote_gid},
            {"messages", result.messages},
            {"bytes", result.bytes},
            {"bytes_verified", result.bytes_verified},
            {"bytes_wrong", result.bytes_wrong},
            {"first_wrong_offset", nullptr},
            {"failure", FailureText(result.failure)},
            {"elapsed_ns", result.elapsed_ns},
            {"throughput_bytes_per_s", result.throughput_bytes_per_s},
            {"worst_interval_bytes_per_s", result.worst_interval_bytes_per_s},
            {"operations_per_s", result.operations_per_s},
            {"latency_ns",
             {{"p50", result.latency.p50_ns},
              {"p99", result.latency.p99_ns},
              {"p999", result.latency.p999_ns},
              {"max", result.latency.max_ns}}},
            {"latency_is", LatencyMeaning(result.operation)},
            {"verified", !result.unverified},
            {"busy_poll", result.busy_poll},
            {"qps", result.qps},
            {"depth", result.depth},
            {"bidirectional", result.bidirectional},
            {"marking", ToJson(result.marking)},
            {"marking_is", MarkingText(result, row.software)},
            {"cpu_ns_initiator", result.cpu_initiator_ns},
            {"cpu_ns_responder", result.cpu_responder_ns},
            {"error_counters", Json::array()},
            {"findings", ToJson(row.findings)}};
  json["tester_cpu"] = result.tester_cpu ? Json(*result.tester_cpu) : Json();
  json["tester_numa_node"] = result.tester_numa_node ? Json(*result.tester_numa_node) : Json();
  if (result.first_wrong_offset) json["first_wrong_offset"] = *result.first_wrong_offset;
  for (const EndCounters& end : row.counters) json["error_counters"].push_back(ToJson(end));
  return json;
}

Json Keys(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back({{"id", finding.id}, {"subject", finding.subject}});
  return list;
}

// In a list of runs; one run is shown in full.
void LeaveTextsOut(Json& report) {
  for (Json& finding : report["findings"]) {
    for (const char* key : {"title", "expected", "source", "why", "fix"}) finding.erase(key);
  }
}

Json ToJson(const RunRecord& run, const RunChanges& changes, bool with_texts) {
  Json json{{"run_id", run.run_id},
            {"started_unix_ns", run.started_unix_ns},
            {"duration_ns", run.duration_ns},
            {"level", Name(run.level)}};
  Json report = ToJson(run.report, HostNotes{});
  report.erase("host");  // the agent does not know what its caller calls it
  // It was stored, and is itself what is remembered.
  for (const char* key : {"store_error", "store_notice", "seen_before"}) report.erase(key);
  if (!with_texts) LeaveTextsOut(report);
  json.update(report);
  json["kind"] = run.kind;
  json["digest"] = run.digest;
  json["as_in_run_id"] = run.as_in_run_id;
  json["as_in_unix_ns"] = run.as_in_unix_ns;
  json["standing"] = StandingToJson(changes.standing);
  json["newly_failing"] = Keys(changes.newly_failing);
  json["newly_passing"] = Keys(changes.newly_passing);
  return json;
}

Json ToJson(const TransferRecord& transfer) {
  Json json{{"run_id", transfer.run_id},
            {"started_unix_ns", transfer.started_unix_ns},
            {"port", transfer.port},
            {"role", transfer.role},
            {"peer", transfer.peer}};
  Json result = ToJson(TransferRow{.result = transfer.result,
                                   .counters = {{.port = transfer.port,
                                                 .changes = transfer.result.error_counters,
                                                 .foreign_permille = transfer.result.foreign_permille}}});
  for (const char* key : {"from", "to", "subject", "findings"}) result.erase(key);
  for (const char* key : {"host", "port"}) result["error_counters"][0].erase(key);  // the record's own
  json.update(result);
  return json;
}

Json ToJson(const HostHistory& host, bool with_texts) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < host.history.runs.size(); ++i) {
    runs.push_back(
        ToJson(host.history.runs[i], i < host.changes.size() ? host.changes[i] : RunChanges{}, with_texts));
  }
  Json transfers = Json::array();
  for (const TransferRecord& transfer : host.history.transfers) transfers.push_back(ToJson(transfer));
  Json events = Json::array();
  for (const StoreEvent& event : host.history.events) {
    events.push_back({{"unix_ns", event.unix_ns}, {"text", event.text}});
  }
  return {{"host", host.host},
          {"error", host.error},
          {"runs", std::move(runs)},
          {"transfers", std::move(transfers)},
          {"store_events", std::move(events)},
          {"audit_head", host.audit_head}};
}

// protobuf's own JSON, with what is false, zero or empty; what it cannot write (text that is not UTF-8) is said
// in its place.
Json FromMessage(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) return {{"error", "the message does not fit into JSON"}};
  return Json::parse(text, nullptr, false);
}

}  // namespace

std::string CheckJson(const CheckSummary& run) {
  const Report& report = run.report;
  Json hosts = Json::array();
  for (std::size_t i = 0; i < report.hosts.size(); ++i) {
    hosts.push_back(ToJson(report.hosts[i], i < run.notes.size() ? run.notes[i] : HostNotes{}));
  }
  Json pairs = Json::array();
  for (const PairReport& pair : report.pairs) {
    pairs.push_back({{"from", pair.from}, {"to", pair.to}, {"findings", ToJson(pair.findings)}});
  }
  return Dump({{"schema", "rdmaready.v1.Check"},
               {"version", report.version},
               {"run_id", report.run_id},
               {"started_unix_ns", report.started_unix_ns},
               {"duration_ns", report.duration_ns},
               {"verdict", Name(report.verdict)},
               {"waived", WaivedOf(report)},
               {"level", Name(report.level)},
               {"profiles", ToJson(report.profiles)},
               {"hosts", std::move(hosts)},
               {"pairs", std::move(pairs)}});
}

std::string TransfersJson(const TransferRun& run) {
  Json results = Json::array();
  for (const TransferRow& row : run.rows) results.push_back(ToJson(row));
  return Dump({{"schema", "rdmaready.v1.Transfer"},
               {"run_id", run.run_id},
               {"error", run.error},
               {"store_errors", run.store_errors},
               {"results", std::move(results)}});
}

std::string ProbeJson(const ProbeSummary& run) {
  const ProbeResult& result = run.answer.result;
  Json steps = Json::array();
  for (const ProbeStep& step : result.steps) {
    steps.push_back({{"step", step.name},
                     {"outcome", Name(step.outcome)},
                     {"failure", FailureText(step.failure)},
                     {"duration_ns", step.duration_ns}});
  }
  Json values = Json::object();
  for (const AnswerText& answer : AnswerTexts(result.answers)) values[answer.name] = answer.text;
  Json transfers = Json::array();
  for (const TransferResult& transfer : result.transfers)
    transfers.push_back(ToJson(TransferRow{.result = transfer}));
  return Dump({{"schema", "rdmaready.v1.Probe"},
               {"version", kVersion},
               {"run_id", run.answer.run_id},
               {"verdict", Name(ReadinessOfProbe(run.answer.findings))},
               {"protocol", Name(result.protocol)},
               {"target", result.target},
               {"from", run.host},
               {"address", result.address},
               {"port_number", result.port_number},
               {"local_port", result.local_port},
               {"transport", result.transport},
               {"steps", std::move(steps)},
               {"values", std::move(values)},
               {"transfers", std::move(transfers)},
               {"store_error", run.answer.store_error},
               {"store_notice", run.answer.store_notice},
               {"findings", ToJson(run.answer.findings)}});
}

std::string FactsJson(const FactsRun& run) {
  Json hosts = Json::array();
  for (const HostFacts& host : run.hosts) {
    if (host.error.empty()) {
      hosts.push_back({{"host", host.host}, {"facts", FactsToJson(host.facts)}});
    } else {
      hosts.push_back({{"host", host.host}, {"error", host.error}});
    }
  }
  return Dump({{"schema", "rdmaready.v1.Facts"}, {"hosts", std::move(hosts)}});
}

std::string HistoryJson(const HistoryRun& run) {
  Json hosts = Json::array();
  for (const HostHistory& host : run.hosts) hosts.push_back(ToJson(host, run.with_texts));
  return Dump({{"schema", "rdmaready.v1.History"}, {"hosts", std::move(hosts)}});
}

std::string SavedJson(const SaveRun& run) {
  Json hosts = Json::array();
  for (const HostSave& host : run.hosts) {
    if (host.error.empty()) {
      hosts.push_back({{"host", host.host}, {"folder", host.folder}});
    } else {
      hosts.push_back({{"host", host.host}, {"error", host.error}});
    }
  }
  return Dump({{"schema", "rdmaready.v1.Saved"}, {"hosts", std::move(hosts)}});
}

std::string ProfileJson(const Profile& profile) {
  return Dump({{"schema", "rdmaready.v1.Profile"}, {"profile", FromMessage(ToProto(profile))}});
}

std::string ProfileCheckJson(const std::string& named, const ProfileReading& reading) {
  Json faults = Json::array();
  for (const YamlFault& fault : reading.faults) {
    faults.push_back({{"file", fault.file}, {"line", fault.line}, {"key", fault.key}, {"text", fault.text}});
  }
  Json json = {{"schema", "rdmaready.v1.ProfileCheck"},
               {"file", named},
               {"well_formed", reading.faults.empty()},
               {"faults", std::move(faults)}};
  if (reading.profile) json["profile"] = FromMessage(ToProto(*reading.profile));
  if (!reading.faults.empty()) {  // what every object of an error has
    json["status"] = static_cast<int>(ExitStatus::kUsage);
    json["error"] = reading.faults.front().Line();
  }
  return Dump(json);
}

std::string SwitchSideJson(const std::string& profile, const std::string& kind, const SwitchSide& side) {
  Json placeholders = Json::array();
  for (const Placeholder& one : side.placeholders)
    placeholders.push_back({{"name", one.name}, {"meaning", one.meaning}});
  return Dump({{"schema", "rdmaready.v1.SwitchSide"},
               {"profile", profile},
               {"switch", kind},
               {"placeholders", std::move(placeholders)},
               {"text", side.text}});
}

std::string VersionJson(std::string_view version) {
  return Dump({{"schema", "rdmaready.v1.Version"}, {"version", version}});
}

std::string ListJson(std::string_view schema, std::string_view field, const std::vector<std::string>& names) {
  return Dump({{"schema", schema}, {std::string(field), names}});
}

std::string CatalogueJson(const std::vector<Explanation>& catalogue) {
  Json ids = Json::array();
  Json rows = Json::array();
  for (const Explanation& entry : catalogue) {
    ids.push_back(entry.id);
    rows.push_back({{"id", entry.id},
                    {"family", entry.family},
                    {"scope", entry.scope},
                    {"severity", SeverityOf(entry)},
                    {"blocks_when", entry.blocks_when},
                    {"title", entry.title}});
  }
  return Dump({{"schema", "rdmaready.v1.Checks"}, {"checks", std::move(ids)}, {"catalogue", std::move(rows)}});
}

std::string ExplainJson(const std::vector<Explanation>& explanations) {
  const auto fill = [](Json& json, const Explanation& explanation) {
    json["id"] = explanation.id;
    json["family"] = explanation.family;
    json["title"] = explanation.title;
    json["why"] = explanation.why;
    json["fix"] = explanation.fix;
    json["severity"] = SeverityOf(explanation);
    json["blocking"] = explanation.blocking;
    json["blocks_when"] = explanation.blocks_when;
    json["scope"] = explanation.scope;
    if (!explanation.speed.empty()) json["speed"] = explanation.speed;
    json["depends_on"] = explanation.depends_on;
  };
  if (explanations.size() == 1) {
    Json json{{"schema", "rdmaready.v1.Explanation"}};
    fill(json, explanations.front());
    return Dump(json);
  }
  Json list = Json::array();
  for (const Explanation& explanation : explanations) fill(list.emplace_back(Json::object()), explanation);
  return Dump({{"schema", "rdmaready.v1.Explanations"}, {"explanations", std::move(list)}});
}

std::string ErrorJson(ExitStatus status, std::string_view host, std::string_view error) {
  return Dump({{"schema", "rdmaready.v1.Error"},
               {"status", static_cast<int>(status)},
               {"host", host},
               {"error", error}});
}

}  // namespace rdmaready
