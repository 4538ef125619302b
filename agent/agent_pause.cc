// SPDX-License-Identifier: Apache-2.0
// Agent::SendPauses: who may have pauses sent, and on which interface.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostRequesterBytes = 256;

// Printable ASCII: who is written into the audit of the pauser.
std::string RequesterOf(const Caller& caller) {
  std::string text =
      SafeLine(fmt::format("{} {} run {}", caller.who, caller.name, caller.run_id), kMostRequesterBytes);
  std::ranges::replace_if(
      text, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return text;
}

absl::StatusOr<std::string> OneNetdevOf(const PortAddress& port) {
  if (!port.nics)
    return absl::FailedPreconditionError(port.port + ": which Ethernet port is under it is not known");
  if (port.nics->size() != 1)
    return absl::FailedPreconditionError(
        fmt::format("{} has {} Ethernet ports: pauses are sent on one", port.port, port.nics->size()));
  return port.nics->front().netdev;
}

}  // namespace

absl::StatusOr<PausesMade> Agent::SendPauses(const PauseQuestion& question, const Caller& caller,
                                             const std::stop_token& stop) {
  if (!config_.stress.allowed) return StressIsOff();
  if (config_.pauser == nullptr) {
    return absl::FailedPreconditionError(
        "this agent sends no pauses: root of this host may let rdmaready-pauser send them");
  }
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  RR_ASSIGN_OR_RETURN(const PortAddress port,
                      ChoosePort(facts, question.port.device, question.port.number, question.port.address));
  RR_ASSIGN_OR_RETURN(const std::string netdev, OneNetdevOf(port));
  // Kept while they are sent, also when the transfers end before.
  RR_ASSIGN_OR_RETURN(const PortShare share,
                      stress_ports_.Hold(port.lock, caller.who, caller.run_id, config_.stress));
  const UseWatch watch = WatchUse(port, {}, stop, EndOf(share));
  RR_ASSIGN_OR_RETURN(helper::PausesSent sent, config_.pauser->Pause({.netdev = netdev,
                                                                      .priority = question.priority,
                                                                      .burst = question.burst,
                                                                      .bursts = question.bursts,
                                                                      .gap = question.gap,
                                                                      .requester = RequesterOf(caller)},
                                                                     watch.token()));
  if (std::string why = watch.reason(); !why.empty()) sent.failure = std::move(why);
  return PausesMade{.netdev = netdev, .sent = std::move(sent)};
}

}  // namespace rdmaready
