// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "checks/host_parts.h"
#include "checks/judge.h"

namespace rdmaready::drift {
namespace {

constexpr std::size_t kMostChecksTold = 16;

std::string Joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : std::string(between)) + text;
  return all;
}

std::string WriterText(const DriftEvent& event) {
  if (event.own) return event.change_id.empty() ? "by rdmaready" : "by rdmaready, change " + event.change_id;
  if (!event.suspects.empty()) return "by " + Joined(event.suspects, " or ") + "?";
  return event.announced ? "writer not known" : "not announced, writer not known";
}

bool IsAbout(const Port& port, const std::string& where) {
  if (where == "host" || PortName(port) == where) return true;
  if (port.netdev && port.netdev->name == where) return true;
  if (port.lowers && std::ranges::find(*port.lowers, where, &Netdev::name) != port.lowers->end()) return true;
  return port.uppers && std::ranges::find(*port.uppers, where, &UpperNetdev::name) != port.uppers->end();
}

std::vector<std::string> PortsAbout(const Facts& facts, const std::string& where) {
  std::vector<std::string> ports;
  if (!facts.ports) return ports;
  for (const Port& port : *facts.ports) {
    if (IsAbout(port, where)) ports.push_back(PortName(port));
  }
  return ports;
}

using Outcomes = std::map<std::tuple<std::string, std::string, std::string>, Outcome>;

Outcomes OutcomesOf(const Facts& facts, std::span<const Profile> profiles,
                    const std::vector<std::string>& ports) {
  Outcomes outcomes;
  const absl::StatusOr<HostParts> parts = HostParts::Divide(facts, profiles, ports);
  if (!parts.ok()) return outcomes;
  for (const Finding& finding : JudgeHost(*parts))
    outcomes[{finding.id, finding.subject, finding.profile}] = finding.outcome;
  return outcomes;
}

bool IsWell(Outcome outcome) { return outcome == Outcome::kPass || outcome == Outcome::kNotApplicable; }
bool IsUnwell(Outcome outcome) { return outcome == Outcome::kFail || outcome == Outcome::kWarn; }

// What RDMA makes of addresses is not read again with the netdev, and changes a little later.
bool IsReadAgain(const std::string& id, const DriftEvent& event) {
  return !event.announced || !id.starts_with("gid.");
}

void Append(const std::string& id, std::vector<std::string>& ids) {
  if (ids.size() < kMostChecksTold && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

}  // namespace

std::string TextOf(const DriftEvent& event) {
  std::string text;
  for (std::size_t i = 0; i < std::min(event.changes.size(), kMostTold); ++i)
    text += (i == 0 ? "" : "; ") + TextOf(event.changes[i]);
  if (event.changes.size() > kMostTold) text += fmt::format("; {} more", event.changes.size() - kMostTold);
  text = event.where + ": " + text + ", " + WriterText(event);
  if (!event.worse.empty()) text += "; not well now: " + Joined(event.worse, " ");
  if (!event.better.empty()) text += "; well again: " + Joined(event.better, " ");
  return text;
}

void JudgeDrift(const Facts& before, const Facts& after, std::span<const Profile> profiles, DriftEvent& event) {
  const std::vector<std::string> ports = PortsAbout(after, event.where);
  if (ports.empty()) return;
  const Outcomes then = OutcomesOf(before, profiles, ports);
  for (const auto& [what, outcome] : OutcomesOf(after, profiles, ports)) {
    const auto old = then.find(what);
    if (old == then.end() || !IsReadAgain(std::get<0>(what), event)) continue;
    if (IsWell(old->second) && IsUnwell(outcome)) Append(std::get<0>(what), event.worse);
    if (IsUnwell(old->second) && IsWell(outcome)) Append(std::get<0>(what), event.better);
  }
}

}  // namespace rdmaready::drift
