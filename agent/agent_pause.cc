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
#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostRequesterBytes = 256;
constexpr std::size_t kMostRefusalBytes = 1024;

// Printable ASCII without quotes: who is written into the audit of the pauser.
std::string RequesterOf(const Caller& caller) {
  std::string text =
      SafeLine(fmt::format("{} {} run {}", caller.who, caller.name, caller.run_id), kMostRequesterBytes);
  std::ranges::replace_if(
      text, [](char letter) { return letter < ' ' || letter > '~' || letter == '"' || letter == '\\'; }, '?');
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

// The Ethernet port of that name under `port`; null: it is not among the facts.
const Netdev* NetdevOf(const Facts& facts, const PortAddress& port, const std::string& name) {
  for (const Port& one : *facts.ports) {
    if (one.device != port.device || one.number != port.number) continue;
    for (const NetdevRef netdev : EthernetPortsOf(one))
      if (netdev && netdev->name == name) return &*netdev;
  }
  return nullptr;
}

}  // namespace

std::string TextOf(const PauseQuestion& question) {
  return fmt::format("{}/{} priority={} bursts={} burst_ms={} gap_ms={}", question.port.device,
                     question.port.number, question.priority, question.bursts, question.burst.count(),
                     question.gap.count());
}

absl::Status Agent::LookForTraffic(const PortAddress& port) {
  RR_ASSIGN_OR_RETURN(const std::string netdev, OneNetdevOf(port));
  const auto read = [&]() -> Fact<NetdevBytes> {
    absl::StatusOr<Fact<NetdevBytes>> bytes = worker_.Read<Fact<NetdevBytes>>(
        [netdev, &by = clock()](HostReader& host) { return ReadNetdevBytes(host, netdev, by); });
    if (!bytes.ok()) return MissingFrom(bytes.status());
    return *std::move(bytes);
  };
  Fact<NetdevBytes> before = read();
  absl::Status found;
  for (int i = 0; i < kTrafficLooks; ++i) {
    clock().SleepUntil(clock().Now() + kTrafficLook, {});
    Fact<NetdevBytes> after = read();
    found = IsIdleBetween(netdev, port.rate_mbps, before, after);
    if (found.ok()) return found;
    before = std::move(after);
  }
  return found;
}

// A pauser that came during the test finds that nobody looked.
absl::Status Agent::WasIdle(const PortShare& share) const {
  if (share.idle != nullptr) return share.idle->found();
  const absl::Status there = config_.pauser->IsThere();
  return there.ok() ? IdleTraffic().found() : there;
}

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
  const Netdev* const link = NetdevOf(facts, port, netdev);
  if (link == nullptr) return absl::InternalError(port.port + ": its Ethernet port is not among the facts");
  const LinkPartner partner = PartnerBy(heard_.Of(*link, clock().Now()));
  if (partner.kind == LinkPartner::Kind::kOther) {
    return absl::FailedPreconditionError(
        SafeLine(fmt::format("send pauses on {}: by LLDP, {}, and pauses are for a cable between two hosts. "
                             "Nothing was sent",
                             netdev, partner.text),
                 kMostRefusalBytes));
  }
  // Kept while they are sent, also when the transfers end before.
  RR_ASSIGN_OR_RETURN(const PortShare share,
                      stress_ports_.Hold(port.lock, caller.who, caller.run_id, config_.stress));
  RR_RETURN_IF_ERROR(WasIdle(share));
  const UseWatch watch = WatchUse(port, {}, stop, EndOf(share));
  RR_ASSIGN_OR_RETURN(helper::PausesSent sent,
                      config_.pauser->Pause({.netdev = netdev,
                                             .priority = question.priority,
                                             .burst = question.burst,
                                             .bursts = question.bursts,
                                             .gap = question.gap,
                                             .station_heard = partner.kind == LinkPartner::Kind::kStation,
                                             .requester = RequesterOf(caller)},
                                            watch.token()));
  if (std::string why = watch.reason(); !why.empty()) sent.failure = std::move(why);
  return PausesMade{.netdev = netdev, .sent = std::move(sent)};
}

}  // namespace rdmaready
