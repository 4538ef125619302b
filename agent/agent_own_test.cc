// SPDX-License-Identifier: Apache-2.0
// Loopback tests through the ports that nobody uses.
#include <chrono>
#include <utility>

#include "agent/agent.h"
#include "agent/port/port_use.h"
#include "agent/request_cases.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kLookForUse{500};

}  // namespace

std::string Agent::InUse(const Port& port, const PortAddress& address) {
  if (LiveTestRunning()) return "a live test is running";
  const CounterReading before = CountersOf(address);
  clock().SleepUntil(clock().Now() + kLookForUse, {});
  return UseOf(port, before, CountersOf(address));
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
    std::string why = chosen.ok() ? InUse(port, *chosen) : Message(chosen.status());
    if (cancel.stop_requested()) return absl::CancelledError("the agent is ending");
    if (why.empty()) why = Message(RunLoopbacks(*chosen, cases, options, "scheduled test", caller, {}, cancel));
    if (!why.empty()) left_out(PortName(port), why);
  }
  return absl::OkStatus();
}

}  // namespace rdmaready
