// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/votes.h"

#include <utility>

#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/hiding.h"
#include "checks/spare.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {

const Finding* ExplanationOf(const Check& check, const Finding& begun, std::span<const Finding> findings) {
  Finding as_pair = begun;
  as_pair.scope = Scope::kPair;
  as_pair.outcome = Outcome::kWarn;
  return HidingFinding(check.depends_on, as_pair, {.findings = findings, .subject = begun.subject});
}

std::string SubnetKeyOf(const Port& port) {
  const std::vector<PlacedAddress> addresses = AddressesOf(port);
  return addresses.empty() ? std::string() : SubnetOf(addresses.front().ip);
}

std::vector<VotingPort> VotesOf(const Facts& facts, std::span<const Finding> findings, const Profile& profile) {
  std::vector<VotingPort> ports;
  if (!facts.ports) return ports;
  const std::vector<Finding> explaining = Explaining(findings);
  for (const Port& port : *facts.ports) {
    if (IsSpare(facts, port, profile)) continue;
    VotingPort& voting =
        ports.emplace_back(VotingPort{.subject = SubjectOf(port), .subnet = SubnetKeyOf(port)});
    if (port.board) voting.board = *port.board;
    for (const Check& check : AllChecks()) {
      const auto* rule = std::get_if<Agreement>(&check.judge);
      if (rule == nullptr) continue;
      const Fact<std::string> value = rule->value({facts, port, profile});
      if (NotOffered(value)) continue;
      if (ExplanationOf(check, Begin(check, profile, voting.subject), explaining) != nullptr) continue;
      const PortVote::Kind kind = value ? PortVote::Kind::kHas : PortVote::Kind::kUnknown;
      voting.votes.push_back({.check = &check, .kind = kind, .value = value ? *value : value.missing().detail});
    }
  }
  return ports;
}

}  // namespace rdmaready
