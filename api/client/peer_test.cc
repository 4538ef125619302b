// SPDX-License-Identifier: Apache-2.0
#include "api/client/peer_test.h"

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/agent_wire.h"
#include "api/client/beating.h"
#include "api/convert/records.h"
#include "api/model/cases.h"

namespace rdmaready {

// A handful of messages for each queue pair, with certificates in two of them.
constexpr AnswerLimits kPeerLimits{.messages = 10'000, .octets = std::size_t{16} << 20, .elements = 100'000};

// Two streams and the two threads that carry messages across.
class PeerRelay {
 public:
  PeerRelay(AgentClient& from, AgentClient& to) : from_(from), to_(to) {}

  PeerAnswer Run(const PeerTest& test) {
    PeerAnswer refused;
    refused.from_status = from_.agent.KnowsInProduction(test.options.in_production);
    refused.to_status = to_.agent.KnowsInProduction(test.options.in_production);
    refused.from_status.Update(KnowsStress(from_.agent, test.options));
    refused.to_status.Update(KnowsStress(to_.agent, test.options));
    refused.from_status.Update(KnowsNumbered(from_.agent, test.options));
    refused.to_status.Update(KnowsNumbered(to_.agent, test.options));
    if (!refused.from_status.ok() || !refused.to_status.ok()) return NotMade(test, std::move(refused));
    from_.Open(test, v1::PeerTestRequest::Start::ROLE_INITIATOR, test.from_port, to_.agent.name());
    to_.Open(test, v1::PeerTestRequest::Start::ROLE_RESPONDER, test.to_port, from_.agent.name());
    {
      Start start{.at_start = test.at_start, .awaited = QueuePairsOf(test)};
      const std::jthread back([&] { Carry(to_, from_, start); });
      Start at_once;
      Carry(from_, to_, at_once);
    }
    PeerAnswer answer;
    answer.from_status = from_.Finish();
    answer.to_status = to_.Finish();
    answer.from_store_error = from_.store_error;
    answer.to_store_error = to_.store_error;
    answer.result = Result(test);
    if (test.patience.count() > 0) GiveUp(test, answer);
    for (const Side* side : {&from_, &to_}) {
      if (side->result) answer.counters.push_back(CountersOf(*side));
    }
    // Each direction as its own initiator tells it.
    answer.reverse = to_.reverse ? to_.reverse : from_.reverse;
    return answer;
  }

 private:
  static PeerAnswer NotMade(const PeerTest& test, PeerAnswer refused) {
    const absl::Status& why = refused.from_status.ok() ? refused.to_status : refused.from_status;
    refused.result.case_name = test.case_name;
    refused.result.failure = {FailureKind::kSetup, Message(why)};
    return refused;
  }

  // An agent that knows nothing of stress tests would make this one with the port to itself, at full speed.
  static absl::Status KnowsStress(AgentClient& agent, const TransferOptions& options) {
    if (!options.stress && !options.over_tcp && options.max_bytes_per_s == 0) return absl::OkStatus();
    RR_ASSIGN_OR_RETURN(const AgentVersion told, agent.GetVersion());
    const bool stress = options.stress || options.max_bytes_per_s > 0;
    const bool knows_tcp = stress ? told.tcp_transfers || !told.stress : told.tcp_tests;
    if (options.over_tcp && !knows_tcp)
      return absl::FailedPreconditionError("host " + agent.name() + ": its agent (" + told.version +
                                           ") has no tests over TCP: update it. Nothing was sent");
    if (told.stress || !stress) return absl::OkStatus();
    return absl::FailedPreconditionError(NoStress(agent.name()) + ". Nothing was sent");
  }

  static absl::Status KnowsNumbered(AgentClient& agent, const TransferOptions& options) {
    if (!options.numbered) return absl::OkStatus();
    RR_ASSIGN_OR_RETURN(const AgentVersion told, agent.GetVersion());
    if (told.numbered) return absl::OkStatus();
    return absl::FailedPreconditionError("host " + agent.name() + ": its agent (" + told.version +
                                         ") has no numbered writes: update it. Nothing was sent");
  }

  // No agent failed where only the caller's patience ended.
  static void GiveUp(const PeerTest& test, PeerAnswer& answer) {
    if (!absl::IsDeadlineExceeded(answer.from_status) && !absl::IsDeadlineExceeded(answer.to_status)) return;
    answer.from_status = answer.to_status = absl::OkStatus();
    if (answer.result.failure.kind != FailureKind::kPeerGone) return;
    answer.result.failure = {FailureKind::kUnreachable,
                             "no connection within " + std::to_string(test.patience.count()) + " ms"};
  }

  struct Side {
    explicit Side(AgentClient& client) : agent(client) {}

    void Open(const PeerTest& test, v1::PeerTestRequest::Start::Role role, const PortSelection& port,
              const std::string& peer_name) {
      context.set_deadline(agent.Deadline(test.options, 1));
      if (test.patience.count() > 0) context.set_deadline(DeadlineIn(test.patience));
      stream = agent.wire_->stub->TestPeer(&context);
      v1::PeerTestRequest request;
      v1::PeerTestRequest::Start* start = request.mutable_start();
      start->set_role(role);
      start->mutable_port()->set_device(port.device);
      start->mutable_port()->set_number(port.number);
      start->mutable_port()->set_address(port.address);
      start->set_case_name(test.case_name);
      start->set_caller(test.caller);
      start->set_run_id(test.run_id);
      start->set_peer_name(peer_name);
      beating = test.options.stress
                    ? agent.wire_->SharedBeating()
                    : std::make_shared<Beating>(agent.wire_->Says(), agent.version_.limits_tests);
      start->set_beat(beating->word());
      *start->mutable_options() = ToProto(test.options);
      static_cast<void>(stream->Write(request));  // a broken stream shows in Finish()
    }

    void Write(const v1::PeerMessage& message) {
      const std::lock_guard lock(write_mutex);
      if (closed) return;
      v1::PeerTestRequest request;
      *request.mutable_peer() = message;
      static_cast<void>(stream->Write(request));
    }

    // The agent reads the end of its stream as "the other end is gone".
    void CloseWrites() {
      const std::lock_guard lock(write_mutex);
      if (!std::exchange(closed, true)) stream->WritesDone();
    }

    absl::Status Finish() {
      const absl::Status finished = agent.Explain(stream->Finish());
      return too_much.ok() ? finished : too_much;
    }

    AgentClient& agent;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<v1::PeerTestRequest, v1::TransferEvent>> stream;
    std::mutex write_mutex;
    bool closed = false;
    std::optional<TransferResult> result;
    std::optional<TransferResult> reverse;
    std::string port_name;  // as the agent calls it: "rxe0/1"
    std::string store_error;
    AnswerBounds bounds{kPeerLimits};
    absl::Status too_much = absl::OkStatus();
    std::shared_ptr<Beating> beating;
  };

  static EndCounters CountersOf(const Side& side) {
    const TransferResult& result = *side.result;
    return {.host = side.agent.name(),
            .port = side.port_name,
            .changes = result.error_counters,
            .packets = result.priority_packets,
            .foreign_permille = result.foreign_permille,
            .counted_ns = result.counted_ns,
            .idle_packets = result.idle_packets,
            .idle_ns = result.idle_ns,
            .path_mtu_bytes = result.path_mtu_bytes,
            .nic = result.nic_counters,
            .pressure = result.pressure,
            .host_cpu = result.host_cpu,
            .members = result.members};
  }

  // Agents with TLS sign what they say, and hide nothing of it.
  static bool IsReady(const v1::PeerMessage& message) {
    if (message.kind() == v1::PeerMessage::KIND_READY) return true;
    v1::PeerMessage signed_one;
    return message.kind() == v1::PeerMessage::KIND_SIGNED && signed_one.ParseFromString(message.body()) &&
           signed_one.kind() == v1::PeerMessage::KIND_READY;
  }

  // PeerTest::at_start, and the queue pairs of which the responder is not ready yet.
  struct Start {
    std::function<bool()> at_start{};
    std::uint32_t awaited = 0;
  };

  static std::uint32_t QueuePairsOf(const PeerTest& test) {
    const TransferCase* row = FindCase(test.case_name);
    return test.options.qps == 1 && row != nullptr ? row->connections : test.options.qps;
  }

  // An initiator begins when it has heard that the responder is ready on each queue pair. So the last of these
  // messages waits, when all queue pairs are connected. False: it is not to begin.
  static bool MayGoOn(const v1::PeerMessage& message, Start& start) {
    if (!start.at_start || !IsReady(message) || --start.awaited > 0) return true;
    return std::exchange(start.at_start, {})();
  }

  static void Carry(Side& source, Side& sink, Start& start) {
    for (v1::TransferEvent event; source.stream->Read(&event);) {
      source.too_much = source.agent.Take(source.bounds, event, source.context);
      if (!source.too_much.ok()) break;
      if (event.has_peer() && !MayGoOn(event.peer(), start)) {
        source.context.TryCancel();
        sink.context.TryCancel();
        break;
      }
      if (event.has_peer()) sink.Write(event.peer());
      if (event.has_result()) {
        source.result = FromProto(event.result().result());
        if (event.result().has_reverse()) source.reverse = FromProto(event.result().reverse());
        source.port_name = event.result().port();
        source.store_error = event.result().store_error();
        source.CloseWrites();  // it needs nothing more, and waits for this before it hangs up
      }
    }
    // Nothing more will come from this side, so the other need not wait for it.
    sink.CloseWrites();
  }

  // The initiator's view is the merged one; when its agent died, the responder's tells what happened.
  TransferResult Result(const PeerTest& test) const {
    if (from_.result) return *from_.result;
    TransferResult result = to_.result.value_or(TransferResult{});
    result.case_name = test.case_name;
    if (result.failure.kind == FailureKind::kNone) {
      result.failure = {FailureKind::kPeerGone, "the agent of " + from_.agent.name() + " gave no result"};
    }
    return result;
  }

  Side from_;
  Side to_;
};

std::string NoStress(const std::string& host) {
  return "host " + host +
         ": its agent takes no part in stress tests: root of that host has to start it with --allow-stress, "
         "which "
         "older agents do not have";
}

// As PortLock of the agent says it. A quota has the same code.
bool IsPortBusy(const absl::Status& refused) {
  return absl::IsResourceExhausted(refused) && Message(refused).find(" is busy: ") != std::string::npos;
}

PeerAnswer RunPeerTest(AgentClient& from, AgentClient& to, const PeerTest& test) {
  PeerRelay relay(from, to);
  return relay.Run(test);
}

}  // namespace rdmaready
