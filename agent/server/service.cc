// SPDX-License-Identifier: Apache-2.0
#include "agent/server/service.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "agent/agent.h"
#include "agent/request_check.h"
#include "agent/server/call_watch.h"
#include "agent/server/call_writer.h"
#include "agent/server/pass_caller.h"
#include "agent/server/profile_choice.h"
#include "agent/server/stream_channel.h"
#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/agent_client.h"
#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "api/profile/profile_proto.h"
#include "checks/live/transfer.h"
#include "checks/probe/probe.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using access::Ask;

constexpr std::size_t kPartBytes = std::size_t{256} << 10;  // of a file of a recording

grpc::Status Encode(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // What this agent may not do on its host is no refusal of the caller: that is the gate's to say.
  if (absl::IsPermissionDenied(status) && !access::IsRefusal(status))
    return {grpc::StatusCode::INTERNAL, Message(status)};
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

std::string StoreError(const absl::Status& stored) { return stored.ok() ? std::string() : Message(stored); }

absl::StatusOr<CheckOrder> Decode(const v1::CheckRequest& request, const Agent& agent) {
  CheckOrder order{.ports = {request.ports().begin(), request.ports().end()},
                   .level = request.level() == v1::RUNG_HOST ? Rung::kHost : Rung::kLoopback,
                   .watch = std::chrono::seconds(request.watch_seconds()),
                   .in_production = request.in_production()};
  RR_ASSIGN_OR_RETURN(order.profiles, ChosenProfiles(request.profiles(), agent));
  return order;
}

v1::CheckDone DoneOf(const CheckRun& run, const CheckOrder& order, std::uint32_t findings) {
  v1::CheckDone done;
  *done.mutable_report() = WithoutFindings(run.report);  // each was sent as it was made
  done.set_findings(findings);
  done.set_run_id(run.run_id);
  for (const Profile& profile : order.profiles) *done.add_profiles() = ToProto(profile);
  done.set_software_devices_only(AllSoftware(run.facts));
  done.set_store_error(StoreError(run.stored));
  *done.mutable_remembered() = ToProto(run.remembered);
  return done;
}

v1::LoggedEvent::Level ToProto(EventLevel level) {
  switch (level) {
    case EventLevel::kDebug:  // not kept
      return v1::LoggedEvent::LEVEL_UNKNOWN;
    case EventLevel::kInfo:
      return v1::LoggedEvent::LEVEL_INFO;
    case EventLevel::kWarning:
      return v1::LoggedEvent::LEVEL_WARNING;
    case EventLevel::kError:
      return v1::LoggedEvent::LEVEL_ERROR;
  }
  return v1::LoggedEvent::LEVEL_UNKNOWN;
}

// What outsiders put into values need not be UTF-8, and protobuf's text has to be.
v1::LoggedEvent ToProto(const KeptEvent& kept) {
  v1::LoggedEvent event;
  event.set_unix_ns(kept.unix_ns);
  event.set_level(ToProto(kept.level));
  event.set_name(kept.name);
  for (const auto& [key, value] : kept.fields) {
    v1::LoggedEvent::Field& field = *event.add_fields();
    field.set_key(key);
    field.set_value(Printable(value));
  }
  return event;
}

PortRequest Decode(const v1::PortChoice& port) { return {port.device(), port.number(), port.address()}; }

v1::TransferEvent Encode(const LiveTest& test) {
  v1::TransferEvent event;
  event.mutable_result()->set_port(test.port);
  *event.mutable_result()->mutable_result() = ToProto(test.result);
  event.mutable_result()->set_store_error(StoreError(test.stored));
  if (test.reverse) *event.mutable_result()->mutable_reverse() = ToProto(*test.reverse);
  if (test.past) *event.mutable_result()->mutable_past() = ToProto(*test.past);
  return event;
}

PeerRequest Decode(const v1::PeerTestRequest::Start& start) {
  PeerRequest request;
  request.role = start.role() == v1::PeerTestRequest::Start::ROLE_INITIATOR ? PeerRequest::Role::kInitiator
                                                                            : PeerRequest::Role::kResponder;
  request.port = Decode(start.port());
  request.case_name = start.case_name();
  request.peer_name = start.peer_name();
  request.options = FromProto(start.options());
  return request;
}

ProbeQuestion Decode(const v1::ProbeRequest& request) {
  return {.protocol = static_cast<Protocol>(request.protocol()),  // CheckRequest() took it
          .target = request.target(),
          .port_number = request.port_number(),
          .port = Decode(request.port()),
          .timeout = std::chrono::milliseconds(request.timeout_ms()),
          .prove = request.prove(),
          .volume = request.volume(),
          .credentials = {.user_name = request.credentials().user_name(),
                          .password = request.credentials().password(),
                          .domain = request.credentials().domain()},
          .in_production = request.in_production()};
}

grpc::ServerUnaryReactor* Finished(grpc::CallbackServerContext& context) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace

AgentService::AgentService(Agent& agent, const CallLimits& limits, std::shared_ptr<access::Gate> gate,
                           std::shared_ptr<const EventRing> events)
    : agent_(agent),
      limits_(limits),
      gate_(std::move(gate)),
      events_(std::move(events)),
      old_connections_(agent.clock()) {}

grpc::ServerUnaryReactor* AgentService::GetVersion(grpc::CallbackServerContext* context,
                                                   const v1::GetVersionRequest* request,
                                                   v1::GetVersionResponse* response) {
  if (!request->beat().empty()) beats_.Heard(request->beat());
  response->set_version(agent_.config().version);
  response->set_hostname(agent_.hostname());
  response->set_api_revision(kApiRevision);
  response->set_instance_id(agent_.config().instance_id);
  response->set_limits_tests(true);
  response->set_stress(agent_.config().stress.allowed);
  response->set_tcp_transfers(true);
  response->set_tcp_tests(true);
  response->set_numbered(true);
  return Finished(*context);
}

grpc::ServerUnaryReactor* AgentService::GetFacts(grpc::CallbackServerContext* context,
                                                 const v1::GetFactsRequest*, v1::GetFactsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  absl::StatusOr<access::Pass> admitted = gate_->Admit(*context, Ask::kGetFacts);
  if (!admitted.ok()) {
    reactor->Finish(Encode(admitted.status()));
    return reactor;
  }
  // Not here: these threads are few, and GetVersion needs one.
  const auto pass = std::make_shared<access::Pass>(*std::move(admitted));
  agent_.CollectThen([this, reactor, response, pass](const HostWorker::FactsOrWhy& facts) {
    if (!facts.ok()) return reactor->Finish(Encode(facts.status()));
    const auto answer = [reactor, response, pass, read = *facts](Fact<ApplyState> state) {
      Facts whole = *read;
      whole.apply_state = std::move(state);
      *response->mutable_facts() = ToProto(whole);
      reactor->Finish(grpc::Status::OK);
    };
    // Nor on the thread that reads the host: the applier may take its time.
    if (!aside_.Run([this, answer] { answer(agent_.ApplyStateNow()); }))
      answer(Missing{Missing::Kind::kFailed, "too many ask the applier at once"});
  });
  return reactor;
}

grpc::Status AgentService::GetRecording(grpc::ServerContext* context, const v1::GetRecordingRequest* request,
                                        grpc::ServerWriter<v1::RecordingPart>* writer) {
  const absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kGetRecording);
  if (!pass.ok()) return Encode(pass.status());
  const std::chrono::seconds lldp(request->lldp_seconds());
  if (lldp > limits_.lldp) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            fmt::format("listening for LLDP: at most {} s", limits_.lldp.count())};
  }
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  const absl::StatusOr<RecordingFiles> files = agent_.Record({.longest = lldp, .stop = watch.token()});
  if (!files.ok()) return Encode(files.status());
  for (const auto& [path, text] : *files) {
    std::size_t sent = 0;
    do {  // an empty file is a part too
      v1::RecordingPart part;
      part.set_path(path);
      part.set_data(text.substr(sent, kPartBytes));
      if (!watch.Within(limits_.stalled_write, [&] { return writer->Write(part); }))
        return {grpc::StatusCode::CANCELLED, "the caller went away"};
      sent += kPartBytes;
    } while (sent < text.size());
  }
  return grpc::Status::OK;
}

grpc::Status AgentService::Check(grpc::ServerContext* context, const v1::CheckRequest* request,
                                 grpc::ServerWriter<v1::CheckEvent>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return Encode(bad);
  if (request->level() != v1::RUNG_HOST && request->level() != v1::RUNG_LOOPBACK) {
    return {
        grpc::StatusCode::INVALID_ARGUMENT,
        "level: a host judges itself up to RUNG_HOST or RUNG_LOOPBACK, not " + v1::Rung_Name(request->level())};
  }
  absl::StatusOr<access::Pass> pass =
      gate_->Admit(*context, request->level() == v1::RUNG_HOST ? Ask::kCheckHost : Ask::kCheckLoopback);
  if (!pass.ok()) return Encode(pass.status());
  const absl::StatusOr<CheckOrder> order = Decode(*request, agent_);
  if (!order.ok()) return Encode(order.status());
  if (order->watch > limits_.lldp) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            fmt::format("watching the ports: at most {} s", limits_.lldp.count())};
  }
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  if (request->level() != v1::RUNG_HOST) watch.Expect(beats_.Begin(request->beat()));
  CallWriter<v1::CheckEvent> out(*context, watch, *writer, limits_.stalled_write);
  Watcher watcher;
  watcher.progress = [&](const std::string& what) {
    v1::CheckEvent event;
    event.set_progress(what);
    out.Send(std::move(event));
  };
  // Hundreds of them at once: they go with what is next told, in one packet instead of hundreds.
  std::uint32_t findings = 0;
  watcher.finding = [&](const Finding& finding) {
    ++findings;
    v1::CheckEvent event;
    *event.mutable_finding() = ToProto(finding);
    out.Send(std::move(event), grpc::WriteOptions().set_buffer_hint());
  };
  const Caller caller = CallerOf(*pass, request->caller(), request->run_id(), watch);
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, {}}); !begun.ok()) return Encode(begun);
  const absl::StatusOr<CheckRun> checked = agent_.Check(*order, caller, watcher, watch.token());
  if (!pass->End(checked.status()).ok()) return Encode(checked.status());
  const CheckRun& run = *checked;

  v1::CheckEvent event;
  *event.mutable_done() = DoneOf(run, *order, findings);
  if (request->with_facts()) *event.mutable_done()->mutable_facts() = ToProto(run.facts);
  event.mutable_done()->set_store_notice(agent_.TakeStoreNotice());
  out.Send(std::move(event));
  return grpc::Status::OK;
}

grpc::Status AgentService::TestLoopback(grpc::ServerContext* context, const v1::TestLoopbackRequest* request,
                                        grpc::ServerWriter<v1::TransferEvent>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return Encode(bad);
  absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kTestLoopback);
  if (!pass.ok()) return Encode(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  watch.Expect(beats_.Begin(request->beat()));
  CallWriter<v1::TransferEvent> out(*context, watch, *writer, limits_.stalled_write);
  Watcher watcher;
  watcher.progress = [&](const std::string& what) {
    v1::TransferEvent event;
    event.set_progress(what);
    out.Send(std::move(event));
  };
  watcher.transfer = [&](const LiveTest& test) { out.Send(Encode(test)); };
  const Caller caller = CallerOf(*pass, request->caller(), request->run_id(), watch);
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, request->port().device()}); !begun.ok())
    return Encode(begun);
  return Encode(
      pass->End(agent_.TestLoopback(Decode(request->port()), {request->cases().begin(), request->cases().end()},
                                    FromProto(request->options()), caller, watcher, watch.token())));
}

grpc::Status AgentService::TestPeer(grpc::ServerContext* context,
                                    grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) {
  std::optional<absl::StatusOr<access::Pass>> admitted(gate_->Admit(*context, Ask::kTestPeer));
  if (!admitted->ok()) return Encode(admitted->status());
  CallWatch watch(*context, limits_.peer_test, gate_->StillServed(*context), agent_.clock());
  v1::PeerTestRequest first;
  const bool read = watch.Within(limits_.first_message, [&] { return stream->Read(&first); });
  if (!read || !first.has_start()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "a peer test begins with `start`"};
  }
  const v1::PeerTestRequest::Start& start = first.start();
  if (absl::Status bad = CheckRequest(start); !bad.ok()) return Encode(bad);
  if (start.role() == v1::PeerTestRequest::Start::ROLE_UNKNOWN) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "a peer test needs a role"};
  }
  const PeerRequest request = Decode(start);
  if (request.options.stress) {
    admitted.reset();  // one call has one place in its caller's quota
    admitted.emplace(gate_->Admit(*context, Ask::kStress));
    if (!admitted->ok()) return Encode(admitted->status());
  }
  absl::StatusOr<access::Pass>& pass = *admitted;

  watch.Expect(beats_.Begin(start.beat()));
  const Caller caller = CallerOf(*pass, start.caller(), start.run_id(), watch);
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, start.peer_name()}); !begun.ok())
    return Encode(begun);
  absl::StatusOr<PeerTicket> ticket = agent_.AdmitPeer(request, caller);
  if (!ticket.ok()) return Encode(pass->End(ticket.status()));

  CallWriter<v1::TransferEvent> out(*context, watch, *stream, limits_.stalled_write);
  StreamChannel channel(*context, *stream, out, RealClock());  // as the engine goes by
  const absl::StatusOr<LiveTest> test = [&] {
    const PeerTicket held = *std::move(ticket);  // and the port with it: not while the caller reads the result
    return agent_.RunPeer(held, channel, watch.token());
  }();
  absl::Status bad = channel.Refusal();
  if (bad.ok()) bad = test.status();
  if (!pass->End(bad).ok()) {
    // Who relays closes its side when it has a result, and until then the call does not end: it gets one.
    if (!test.ok()) {
      LiveTest none;
      none.result.failure = {FailureKind::kSetup, Message(test.status())};
      out.Send(Encode(none));
    }
    return Encode(bad);
  }
  out.Send(Encode(*test));
  return grpc::Status::OK;
}

grpc::Status AgentService::Probe(grpc::ServerContext* context, const v1::ProbeRequest* request,
                                 grpc::ServerWriter<v1::ProbeEvent>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return Encode(bad);
  absl::StatusOr<access::Pass> pass = gate_->Admit(*context, request->prove() ? Ask::kProbeProve : Ask::kProbe);
  if (!pass.ok()) return Encode(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  watch.Expect(beats_.Begin(request->beat()));
  CallWriter<v1::ProbeEvent> out(*context, watch, *writer, limits_.stalled_write);
  Watcher watcher;
  watcher.progress = [&](const std::string& step) {
    v1::ProbeEvent event;
    event.set_progress(step);
    out.Send(std::move(event));
  };
  const Caller caller = CallerOf(*pass, request->caller(), request->run_id(), watch);
  const std::string target = request->target() + (request->volume().empty() ? "" : " " + request->volume());
  if (absl::Status begun = pass->Begin({caller.run_id, caller.name, target}); !begun.ok()) return Encode(begun);
  const absl::StatusOr<ProbeRun> run = agent_.Probe(Decode(*request), caller, watcher, watch.token());
  const std::string_view verdict = run.ok() ? Name(ReadinessOfProbe(run->findings)) : "";
  if (!pass->End(run.status(), verdict).ok()) return Encode(run.status());
  v1::ProbeEvent event;
  v1::ProbeDone* done = event.mutable_done();
  *done->mutable_result() = ToProto(run->result);
  for (const Finding& finding : run->findings) *done->add_findings() = ToProto(finding);
  done->set_run_id(run->run_id);
  done->set_store_error(StoreError(run->stored));
  done->set_store_notice(agent_.TakeStoreNotice());
  out.Send(std::move(event));
  return grpc::Status::OK;
}

grpc::Status AgentService::ListHistory(grpc::ServerContext* context, const v1::ListHistoryRequest* request,
                                       grpc::ServerWriter<v1::HistoryEntry>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return Encode(bad);
  const absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kListHistory);
  if (!pass.ok()) return Encode(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  v1::HistoryEntry entry;
  const auto send = [&] { return watch.Within(limits_.stalled_write, [&] { return writer->Write(entry); }); };
  return Encode(agent_.Remember(FromProto(*request), {.run =
                                                          [&](const RunRecord& run) {
                                                            *entry.mutable_run() = ToProto(run);
                                                            return send();
                                                          },
                                                      .transfer =
                                                          [&](const TransferRecord& transfer) {
                                                            *entry.mutable_transfer() = ToProto(transfer);
                                                            return send();
                                                          },
                                                      .event =
                                                          [&](const StoreEvent& event) {
                                                            *entry.mutable_event() = ToProto(event);
                                                            return send();
                                                          }}));
}

grpc::Status AgentService::Baseline(grpc::ServerContext* context, const v1::BaselineRequest* request,
                                    grpc::ServerWriter<v1::CaseBaseline>* writer) {
  const absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kBaseline);
  if (!pass.ok()) return Encode(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  const absl::StatusOr<std::vector<CaseBaseline>> baselines =
      agent_.Baselines({.port = request->port(), .case_name = request->case_name()});
  if (!baselines.ok()) return Encode(baselines.status());
  for (const CaseBaseline& baseline : *baselines) {
    const v1::CaseBaseline message = ToProto(baseline);
    if (!watch.Within(limits_.stalled_write, [&] { return writer->Write(message); }))
      return {grpc::StatusCode::CANCELLED, "the caller went away"};
  }
  return grpc::Status::OK;
}

grpc::Status AgentService::GetEvents(grpc::ServerContext* context, const v1::GetEventsRequest* request,
                                     grpc::ServerWriter<v1::LoggedEvent>* writer) {
  if (absl::Status bad = CheckRequest(*request); !bad.ok()) return Encode(bad);
  const absl::StatusOr<access::Pass> pass = gate_->Admit(*context, Ask::kGetEvents);
  if (!pass.ok()) return Encode(pass.status());
  CallWatch watch(*context, limits_.any_call, gate_->StillServed(*context), agent_.clock());
  for (const KeptEvent& kept : events_->Kept()) {
    const v1::LoggedEvent event = ToProto(kept);
    if (!watch.Within(limits_.stalled_write, [&] { return writer->Write(event); }))
      return grpc::Status::CANCELLED;
  }
  return grpc::Status::OK;
}

}  // namespace rdmaready
