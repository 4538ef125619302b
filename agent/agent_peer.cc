// SPDX-License-Identifier: Apache-2.0
// One end of a transfer between two agents, by way of a caller whom neither believes what the other said.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "agent/agent_events.h"
#include "agent/link/failure.h"
#include "agent/port/peer_subnets.h"
#include "agent/port/pressure_meter.h"
#include "agent/tcp/tcp_link.h"
#include "agent/trust/signed_channel.h"
#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// Also where it was never connected: nobody takes it for a result of RDMA.
void IsOfTcp(LiveTest& live) {
  for (TransferResult* result : {&live.result, live.reverse ? &*live.reverse : nullptr}) {
    if (result == nullptr) continue;
    result->transport = kTcpTransport;
    result->connection.reset();
  }
}

}  // namespace

absl::StatusOr<PeerTicket> Agent::AdmitPeer(const PeerRequest& request, const Caller& asked_by) {
  const Caller caller = WithRunId(asked_by);
  const TransferCase* test = FindCase(request.case_name);
  if (test == nullptr) return absl::NotFoundError("no test case '" + request.case_name + "'");
  RR_ASSIGN_OR_RETURN(TransferCase custom, Customized(*test, request.options, config_.transfer));
  if (caller.may_test) RR_RETURN_IF_ERROR(caller.may_test());
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  RR_ASSIGN_OR_RETURN(PortAddress port,
                      ChoosePort(facts, request.port.device, request.port.number, request.port.address));
  RR_ASSIGN_OR_RETURN(PortShare share, TakeSharedPort(port, caller, request, custom));
  RR_ASSIGN_OR_RETURN(PortPass pass, AdmitUse(port, request.options.in_production, {}));
  if (share.idle != nullptr) share.idle->Look([&] { return LookForTraffic(port); });
  LimitTo(request.options.max_bytes_per_s, pass);
  return PeerTicket{request,          caller,          std::move(port),   custom,
                    std::move(share), std::move(pass), OwnSubnets(facts), clock().Now()};
}

absl::StatusOr<PortShare> Agent::TakeSharedPort(const PortAddress& port, const Caller& caller,
                                                const PeerRequest& request, const TransferCase& test) {
  const std::string what = "test peer " + request.peer_name;
  const TransferOptions& options = request.options;
  if (!options.stress) {
    RR_ASSIGN_OR_RETURN(PortLock lock, TakePort(port, caller, what));
    return PortShare{.lock = std::make_shared<const PortLock>(std::move(lock))};
  }
  const StressLimits& limits = config_.stress;
  if (!limits.allowed) return StressIsOff();
  if (options.in_production) return absl::InvalidArgumentError("a stress test is never made in production");
  const StressPart part{.who = caller.who,
                        .run_id = caller.run_id,
                        .duration = test.duration,
                        .bytes_per_s = options.max_bytes_per_s,
                        .priority = options.stress_priority};
  return stress_ports_.Join(port.lock, part, limits, [&]() -> absl::StatusOr<StressHold> {
    RR_ASSIGN_OR_RETURN(PortLock lock, TakePort(port, caller, what));
    const bool may_pause = config_.pauser != nullptr && config_.pauser->IsThere().ok();
    return StressHold{std::move(lock),
                      std::make_shared<PressureMeter>(PressureOf(port, options.stress_priority), clock()),
                      may_pause ? std::make_shared<IdleTraffic>() : nullptr};
  });
}

// Of the lanes of one test: the first refusal.
class Agent::PeerGuard {
 public:
  explicit PeerGuard(std::vector<Prefix> prefixes) : prefixes_(std::move(prefixes)) {}

  absl::Status operator()(const std::string& address) {
    const absl::Status may = MayConnect(address, prefixes_);
    if (may.ok()) return may;
    const std::lock_guard lock(mutex_);
    refused_.Update(may);
    return MakeFailure(FailureKind::kSetup, Message(may));
  }
  absl::Status refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

 private:
  const std::vector<Prefix> prefixes_;
  std::mutex mutex_;
  absl::Status refused_ = absl::OkStatus();
};

// With TLS the other end signs what it offers, and configured peers hold as well; without TLS an offer is only
// as good as the address in it.
std::unique_ptr<Agent::PeerGuard> Agent::GuardOf(const PeerTicket& ticket) const {
  if (Signs() && config_.peers.empty()) return nullptr;
  std::vector<Prefix> prefixes = config_.peers;
  if (!Signs()) std::ranges::copy(ticket.own_subnets, std::back_inserter(prefixes));
  return std::make_unique<PeerGuard>(std::move(prefixes));
}

// Not kPermissionDenied: the caller may test, it is the other end that is refused.
absl::Status Agent::RefusedPeer(const PeerTicket& ticket, const absl::Status& why) const {
  TellOfRefusedPeer(config_.events, ticket.caller, ticket.request.peer_name, Message(why));
  return absl::FailedPreconditionError(Message(why));
}

absl::StatusOr<LiveTest> Agent::RunPeer(const PeerTicket& ticket, PeerChannel& channel,
                                        const std::stop_token& cancel) {
  const ProvingKey proof{.change_id = ticket.caller.run_id, .who = ticket.caller.who};
  // A test over TCP proves nothing of a change to RDMA.
  const bool over_tcp = ticket.request.options.over_tcp;
  const std::optional<std::string> peer = over_tcp ? std::nullopt : proving_.PeerFor(proof);
  if (!Signs()) return RunPeerOver(ticket, channel, peer.has_value(), cancel);
  const bool initiator = ticket.request.role == PeerRequest::Role::kInitiator;
  Clock& engines = RealClock();  // which the deadlines of `channel` are by
  SignedChannel with_signatures(initiator ? Role::kInitiator : Role::kResponder, channel, engines);
  const bool stress = ticket.request.options.stress;
  const TimePoint deadline = engines.Now() + (stress ? SetUpLeft(ticket) : ticket.test.deadline);
  const absl::Status greeted = with_signatures.Greet(config_.trust, deadline, cancel);
  if (absl::IsPermissionDenied(greeted) || absl::IsFailedPrecondition(greeted))
    return RefusedPeer(ticket, greeted);
  // What else went wrong is a result, as it is without signatures: the engine meets it again.
  const bool proves = peer && (!greeted.ok() || with_signatures.IsPeer(*peer));
  if (peer && !proves) proving_.TestedWithOther(proof, with_signatures.peer());
  return RunPeerOver(ticket, with_signatures, proves, cancel);
}

PacketReading Agent::PacketsOf(const PortAddress& port) {
  absl::StatusOr<PacketReading> read = worker_.Read<PacketReading>(
      [nics = port.nics, &by = clock()](HostReader& host) { return ReadPackets(host, nics, by); });
  if (read.ok()) return *std::move(read);
  const Missing missing = MissingFrom(read.status());
  return {.nics = missing, .packets = missing, .when = clock().Now()};
}

bool Agent::WaitIdle(std::chrono::milliseconds longest, PeerChannel& channel,
                     const std::stop_token& cancel) const {
  constexpr std::chrono::milliseconds kLook{100};
  for (const Clock::TimePoint end = clock().Now() + longest; clock().Now() < end;) {
    if (channel.Poll() == PeerState::kClosed) return false;
    if (!clock().SleepUntil(std::min<Clock::TimePoint>(clock().Now() + kLook, end), cancel)) return false;
  }
  return longest.count() > 0;
}

// Each end does so by itself: nothing of the test is on the wire until both have ended it, since the responder
// offers after it and the initiator connects after it.
std::pair<PacketReading, PacketReading> Agent::IdleBeforeTest(const PeerTicket& ticket, PeerChannel& channel,
                                                              CpuWatch& cpu, const std::stop_token& cancel) {
  PacketReading idle = PacketsOf(ticket.port);
  auto longest = IdleBefore(ticket.test, ticket.request.options, idle.packets);
  if (cpu.wanted()) longest = std::max(longest, ticket.test.duration);
  cpu.Idle();
  if (!WaitIdle(longest, channel, cancel)) return {idle, idle};
  cpu.EndOfIdle();
  return {std::move(idle), PacketsOf(ticket.port)};
}

CpuWatch::Reader Agent::CpuReader() {
  return [this] {
    return worker_.Begin<CpuReading>([&by = clock()](HostReader& host) {
      return CpuReading{.ticks = ReadCpuTicks(host), .when = by.Now()};
    });
  };
}

std::chrono::milliseconds Agent::SetUpLeft(const PeerTicket& ticket) const {
  Clock::TimePoint until = ticket.admitted + kStressSetUp;
  if (ticket.share.until) until = std::min(until, *ticket.share.until);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock().Now());
  return std::max(left, std::chrono::milliseconds(1));
}

std::function<std::optional<PressureReading>()> Agent::PressureOf(const PortAddress& port,
                                                                  std::optional<std::uint32_t> priority) {
  HostWorker& worker = pressure_worker_ ? *pressure_worker_ : worker_;
  const auto read = [nics = port.nics, device = port.device, number = port.number, priority](HostReader& host) {
    return ReadPressure(host, nics, device, number, priority);
  };
  return [&worker, read]() -> std::optional<PressureReading> {
    absl::StatusOr<PressureReading> reading = worker.Read<PressureReading>(read);
    return reading.ok() ? std::optional(*reading) : std::nullopt;
  };
}

LinkMaker Agent::LinksFor(const TransferOptions& options) const {
  if (!options.over_tcp) return make_link_;
  if (config_.make_tcp_link) return config_.make_tcp_link;
  return [](Role, std::uint32_t) { return std::make_unique<TcpLink>(); };
}

absl::StatusOr<LiveTest> Agent::RunPeerOver(const PeerTicket& ticket, PeerChannel& channel, bool proves,
                                            const std::stop_token& cancel) {
  const Counted running(live_tests_);
  const std::int64_t started = UnixNs(clock());
  const bool initiator = ticket.request.role == PeerRequest::Role::kInitiator;
  const UseWatch watch = WatchUse(ticket.port, ticket.pass, cancel, EndOf(ticket.share));
  CpuWatch cpu(ticket.request.options.measure_cpu ? CpuReader() : CpuWatch::Reader());
  const auto [idle, before] = IdleBeforeTest(ticket, channel, cpu, watch.token());
  RunOptions options = OptionsOf(ticket.request.options, QpsOf(ticket.test, ticket.request.options),
                                 ticket.port, ticket.pass, watch, ticket.caller);
  const std::unique_ptr<PeerGuard> guard = GuardOf(ticket);
  if (guard) options.may_connect = std::ref(*guard);
  if (ticket.request.options.stress && !ticket.request.options.ack_timeout)
    options.ack_timeout = StressAckTimeout(ticket.port.rate_mbps);
  if (ticket.request.options.numbered) {
    RR_ASSIGN_OR_RETURN(options.numbered, numbered_runs_.Join(NumberedPart{
                                              .who = ticket.caller.who,
                                              .run_id = ticket.caller.run_id,
                                              .is_initiator = initiator,
                                              .message_bytes = ticket.test.message_bytes,
                                              .most_writes = options.max_bytes / ticket.test.message_bytes,
                                              .duration = ticket.test.duration}));
  }
  PressureWatch pressure(ticket.share.meter);
  options.began = [&pressure, &cpu] {
    pressure.Begin();
    cpu.Begin();
  };
  const bool over_tcp = ticket.request.options.over_tcp;
  const LinkMaker make_link = LinksFor(ticket.request.options);
  LiveTest live = Run(ticket.port, [&] {
    if (ticket.request.options.stress) options.set_up_limit = SetUpLeft(ticket);
    BothWays both =
        RunEnd(initiator ? Role::kInitiator : Role::kResponder, ticket.test, make_link, channel, options);
    both.forward.host_cpu = cpu.End();
    return both;
  });
  if (over_tcp) IsOfTcp(live);
  // It was not tried: that says nothing of the way between the two hosts.
  if (guard && !guard->refused().ok()) return RefusedPeer(ticket, guard->refused());
  live.result.pressure = pressure.Take();
  NotePackets(idle, before, PacketsOf(ticket.port), live.result);
  live.duration_ns = UnixNs(clock()) - started;
  const std::string role = initiator ? "initiator" : "responder";
  Keep(live, {.run_id = ticket.caller.run_id,
              .started_unix_ns = started,
              .port = ticket.port.port,
              .role = role,
              .peer = ticket.request.peer_name});
  if (proves) {
    proving_.Tested({.change_id = ticket.caller.run_id, .who = ticket.caller.who},
                    initiator ? Role::kInitiator : Role::kResponder, live);
  }
  if (ticket.caller.tested) ticket.caller.tested(live);
  if (config_.on_tested && !over_tcp) config_.on_tested(live, false);
  TellOfTest(config_.events, live, ticket.caller, role, ticket.request.peer_name);
  return live;
}

}  // namespace rdmaready
