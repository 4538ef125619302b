// SPDX-License-Identifier: Apache-2.0
// No live test beside work: one rule for loopback, peer tests, checks, probes, proofs and the agent's own
// tests.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "agent/agent.h"
#include "agent/link/pacer.h"
#include "agent/port/own_threads.h"
#include "agent/port/port_use.h"
#include "agent/port/use_watch.h"
#include "agent/request_cases.h"
#include "api/base/status.h"
#include "collectors/rdma/holders.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

// The second look forgives what a test that has just ended still has, and one burst of a counter.
constexpr std::array<milliseconds, 2> kLooks{milliseconds(100), milliseconds(400)};

Fact<std::vector<RdmaHolder>> HoldersOf(HostWorker& worker, const std::string& device) {
  using Holders = Fact<std::vector<RdmaHolder>>;
  absl::StatusOr<Holders> read =
      worker.Read<Holders>([device](HostReader& host) { return ReadHolders(host, device); });
  if (!read.ok()) return MissingFrom(read.status());
  return *std::move(read);
}

// With the users of the devices that share the port's NIC.
PortUse WithSharers(PortUse use, const PortAddress& port, const UseExceptions& own, HostWorker& worker) {
  for (const SharingPort& other : port.sharing) {
    use = WithSharing(use, other.device, UseByHolders(HoldersOf(worker, other.device), other.number, own));
  }
  return use;
}

absl::Status Refused(const PortAddress& port, const PortUse& use, bool in_production, bool allowed) {
  const std::string who =
      use.kind == PortUse::Kind::kUsed
          ? fmt::format("RDMA port {} is in use by {}", port.port, use.text)
          : fmt::format("whether others use RDMA port {} is not known: {}", port.port, use.text);
  const char* const remedy =
      in_production ? "root of this host has to start the agent with --allow-in-production"
      : allowed     ? "test when it is idle, or with --in-production, at 5 % of its rate"
                    : "test when it is idle, or with --in-production where root starts the agent with "
                      "--allow-in-production, at 5 % of its rate";
  static_assert(kInProductionPercent == 5);
  return absl::AbortedError(fmt::format("{}: nothing was sent; {}", who, remedy));
}

}  // namespace

std::string WhyGone(const Caller& caller) {
  const std::string why = caller.why_gone ? caller.why_gone() : "";
  return why.empty() ? "the caller gave up" : why;
}

void Agent::StopReading() {
  worker_.Stop();
  if (use_worker_) use_worker_->Stop();
  if (pressure_worker_) pressure_worker_->Stop();
}

PortUse Agent::OwnersOf(const PortAddress& port, UseExceptions own) {
  HostWorker& worker = use_worker_ ? *use_worker_ : worker_;
  own.process = ::getpid();
  own.threads = OwnThreads();
  PortUse use = WithSharers(UseByHolders(HoldersOf(worker, port.device), port.number, own), port, own, worker);
  use.port = port.port;
  return use;
}

PortUse Agent::UseNow(const PortAddress& port, const std::stop_token& cancel) {
  const auto use_until = [&](const CounterReading& before, const CounterReading& after) {
    const UseExceptions own{.process = ::getpid(), .threads = OwnThreads()};
    return WithSharers(UseOf(HoldersOf(worker_, port.device), port.number, own, before, after, port.rate_mbps),
                       port, own, worker_);
  };
  CounterReading before = CountersOf(port);
  PortUse use = use_until(before, before);
  if (use.kind == PortUse::Kind::kFree && !MovedUntil(before)) return use;
  for (const milliseconds look : kLooks) {
    if (!clock().SleepUntil(clock().Now() + look, cancel)) break;
    CounterReading after = CountersOf(port);
    use = use_until(before, after);
    if (use.kind == PortUse::Kind::kFree) break;
    before = std::move(after);
  }
  return use;
}

absl::StatusOr<PortPass> Agent::AdmitUse(const PortAddress& port, bool in_production,
                                         const std::stop_token& cancel) {
  PortPass pass{.watched = !in_production};
  if (in_production) {
    if (!port.rate_mbps) {
      return absl::AbortedError(fmt::format(
          "the rate of RDMA port {} is not known, so a test in production has no limit: {}. Nothing was "
          "sent",
          port.port, port.rate_mbps.missing().detail));
    }
    pass.pacer = std::make_shared<Pacer>(ShareOf(*port.rate_mbps));
    pass.reverse_pacer = std::make_shared<Pacer>(ShareOf(*port.rate_mbps));
    if (config_.allow_in_production) return pass;
  }
  const PortUse use = UseNow(port, cancel);
  if (cancel.stop_requested()) return absl::CancelledError("the caller gave up");
  if (use.kind != PortUse::Kind::kFree) return Refused(port, use, in_production, config_.allow_in_production);
  pass.watched = true;  // also in production, where the agent does not allow a test beside others
  return pass;
}

// The caller may lower what a test moves, never raise it.
void Agent::LimitTo(std::uint64_t bytes_per_s, PortPass& pass) {
  if (bytes_per_s == 0) return;
  for (std::shared_ptr<Pacer>* const pacer : {&pass.pacer, &pass.reverse_pacer}) {
    if (*pacer == nullptr) {
      *pacer = std::make_shared<Pacer>(bytes_per_s);
    } else {
      (*pacer)->LowerTo(bytes_per_s);
    }
  }
}

std::optional<WatchEnd> Agent::EndOf(const PortShare& share) {
  if (!share.until) return std::nullopt;
  return WatchEnd{*share.until,
                  "the time of the stress test on this port is over (--stress-max-run, --stress-max-hour)"};
}

UseWatch Agent::WatchUse(const PortAddress& port, const PortPass& pass, const std::stop_token& cancel,
                         std::optional<WatchEnd> end) {
  std::function<PortUse()> look;
  if (pass.watched) look = [this, port] { return OwnersOf(port); };
  return UseWatch(std::move(look), clock(), cancel, std::move(end));
}

absl::Status Agent::CanProveOn(const PortAddress& port, const Caller& caller, const std::stop_token& stop) {
  // A test of another caller is over before the proof, or the proof waits for it.
  const absl::StatusOr<PortLock> lock = TakePort(port, caller, "proof of a change");
  if (absl::IsResourceExhausted(lock.status())) return absl::OkStatus();
  if (!lock.ok()) return lock.status();
  const absl::Status may = AdmitUse(port, false, stop).status();
  if (!absl::IsAborted(may)) return may;
  return absl::FailedPreconditionError(fmt::format(
      "the change could not be proven: {}. Nothing was changed; --no-proof applies it without a proof",
      Message(may)));
}

absl::Status Agent::TestIdleLoopback(
    const std::vector<std::string>& names, const TransferOptions& options, const Caller& asked_by,
    const std::function<void(const std::string& port, const std::string& why)>& left_out,
    std::stop_token cancel) {
  const Caller caller = WithRunId(asked_by);
  RR_ASSIGN_OR_RETURN(const std::vector<TransferCase> cases, ChooseCases(names, options, config_.transfer));
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  if (!facts.ports) return PortsUnknown(facts);
  for (const Port& port : *facts.ports) {
    const absl::StatusOr<PortAddress> chosen = ChoosePort(facts, port.device, port.number, "");
    std::string why = chosen.ok() ? "" : Message(chosen.status());
    if (why.empty() && LiveTestRunning()) why = "a live test is running";
    if (why.empty()) why = Message(RunLoopbacks(*chosen, cases, options, "scheduled test", caller, {}, cancel));
    if (cancel.stop_requested()) return absl::CancelledError("the agent is ending");
    if (!why.empty()) left_out(PortName(port), why);
  }
  return absl::OkStatus();
}

}  // namespace rdmaready
