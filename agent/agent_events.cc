// SPDX-License-Identifier: Apache-2.0
#include "agent/agent_events.h"

#include <utility>
#include <vector>

#include "api/base/status.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

using Fields = std::vector<Event::Field>;

Fields WhoAsked(const std::string& run_id, const Caller& caller) {
  Fields fields{{"run_id", run_id}, {"caller", caller.name}};
  if (!caller.origin.empty()) fields.push_back({"origin", caller.origin});
  return fields;
}

// A result that was not kept is worth a warning whatever it says.
EventLevel AddStored(const absl::Status& stored, Fields& fields) {
  if (stored.ok()) return EventLevel::kInfo;
  fields.push_back({"store_error", Message(stored)});
  return EventLevel::kWarning;
}

// What keeps the host from being ready: to be found in the log by its id, its device and its netdev.
void TellOfFindings(const EventSink& sink, const CheckRun& run) {
  for (const Finding& finding : run.report.findings) {
    if (!finding.blocking || finding.outcome != Outcome::kFail) continue;
    Fields fields{{"run_id", run.run_id}, {"check_id", finding.id}};
    // "mlx5_0/1 ens1f0"; a host or a server has no device.
    const std::size_t slash = finding.subject.find('/');
    const std::size_t blank = finding.subject.find(' ');
    if (finding.scope == Scope::kPort && slash != std::string::npos) {
      fields.push_back({"rdma_dev", finding.subject.substr(0, slash)});
      if (blank != std::string::npos) fields.push_back({"ifname", finding.subject.substr(blank + 1)});
    }
    fields.push_back({"subject", finding.subject});
    fields.push_back({"observed", finding.observed});
    Tell(sink, EventLevel::kWarning, "finding", std::move(fields));
  }
}

}  // namespace

void TellOfCheck(const EventSink& sink, const CheckRun& run, const Caller& caller, Rung level,
                 std::int64_t duration_ns) {
  if (!sink) return;
  Fields fields = WhoAsked(run.run_id, caller);
  fields.push_back({"level", std::string(Name(level))});
  fields.push_back({"profile", NamesOf(run.report.profiles)});
  fields.push_back({"outcome", std::string(Name(run.report.verdict))});
  fields.push_back({"duration_ms", duration_ns / kNsPerMs});
  const EventLevel how = AddStored(run.stored, fields);
  Tell(sink, how, "check", std::move(fields));
  TellOfFindings(sink, run);
}

void TellOfTest(const EventSink& sink, const LiveTest& test, const Caller& caller, const std::string& role,
                const std::string& host) {
  if (!sink) return;
  Fields fields = WhoAsked(caller.run_id, caller);
  fields.push_back({"role", role});
  if (!host.empty()) fields.push_back({"host", host});
  fields.push_back({"port", test.port});
  fields.push_back({"case", test.result.case_name});
  const bool reverse = test.reverse && test.result.failure.kind == FailureKind::kNone;
  const Failure& failure = reverse ? test.reverse->failure : test.result.failure;
  const bool failed = failure.kind != FailureKind::kNone;
  fields.push_back({"outcome", failed ? std::string(Name(failure.kind)) : "ok"});
  if (failed) fields.push_back({"reason", failure.detail});
  fields.push_back({"duration_ms", test.duration_ns / kNsPerMs});
  const EventLevel how = AddStored(test.stored, fields);
  Tell(sink, how, "test", std::move(fields));
}

void TellOfRefusedPeer(const EventSink& sink, const Caller& caller, const std::string& host,
                       const std::string& why) {
  if (!sink) return;
  Fields fields = WhoAsked(caller.run_id, caller);
  fields.push_back({"host", host});
  fields.push_back({"reason", why});
  Tell(sink, EventLevel::kWarning, "peer-refused", std::move(fields));
}

void TellOfProbe(const EventSink& sink, const ProbeRun& run, const Caller& caller, std::int64_t duration_ns) {
  if (!sink) return;
  Fields fields = WhoAsked(run.run_id, caller);
  fields.push_back({"protocol", std::string(Name(run.result.protocol))});
  fields.push_back({"target", run.result.target});
  if (!run.result.address.empty()) fields.push_back({"address", run.result.address});
  if (!run.result.local_port.empty()) fields.push_back({"port", run.result.local_port});
  fields.push_back({"outcome", std::string(Name(ReadinessOfProbe(run.findings)))});
  for (const ProbeStep& step : run.result.steps) {
    if (step.outcome == StepOutcome::kFailed)
      fields.push_back({"reason", step.name + ": " + step.failure.detail});
  }
  fields.push_back({"duration_ms", duration_ns / kNsPerMs});
  const EventLevel how = AddStored(run.stored, fields);
  Tell(sink, how, "probe", std::move(fields));
}

void TellOfChange(const EventSink& sink, const Change& change) {
  const std::string_view state = Name(change.state);
  Fields fields{{"change", change.id},
                {"requester", change.requester},
                {"outcome", std::string(state)},
                {"settings", static_cast<std::int64_t>(change.steps.size())}};
  if (!change.reason.empty()) fields.push_back({"reason", change.reason});
  EventLevel level = EventLevel::kInfo;
  if (change.state == ChangeState::kRolledBack) level = EventLevel::kWarning;
  if (change.state == ChangeState::kRollbackFailed) level = EventLevel::kError;
  Tell(sink, level, "change", std::move(fields));
}

void TellOfLeftovers(const EventSink& sink, const std::vector<nvme::Leftover>& leftovers) {
  for (const nvme::Leftover& leftover : leftovers) {
    Fields fields{{"controller", leftover.controller},
                  {"subsystem", leftover.subsystem_name},
                  {"outcome", leftover.removed.ok() ? "disconnected" : "still there"}};
    fields.push_back({"reason", leftover.removed.ok() ? "a proof that was ended by force left it"
                                                      : Message(leftover.removed)});
    Tell(sink, EventLevel::kWarning, "nvme-leftover", std::move(fields));
  }
}

}  // namespace rdmaready
