// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/host_judge.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "checks/dcb/neighbours.h"
#include "checks/hiding.h"
#include "checks/host_parts.h"
#include "checks/judge.h"
#include "checks/placeholders.h"
#include "checks/readiness.h"
#include "checks/waiving.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready::hub {
namespace {

// By the subject of findings: of an RDMA port, and of each Ethernet port of it.
std::map<std::string, std::string> SwitchPortsOf(const Facts& facts) {
  std::map<std::string, std::string> heard;
  if (!facts.ports) return heard;
  for (const Port& port : *facts.ports) {
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      const Fact<LinkAgents> agents = AgentsOn(netdev);
      if (!agents || agents->peers.empty()) continue;
      const std::string text = AgentText(agents->peers.front());
      heard.emplace(SubjectOf(port, netdev), text);
      heard.emplace(SubjectOf(port), text);
    }
  }
  return heard;
}

void Count(const std::vector<Finding>& findings, FleetHost& host) {
  for (const Finding& finding : findings) {
    if (finding.waived) {
      ++host.waived;
      continue;
    }
    switch (finding.outcome) {
      case Outcome::kPass:
        ++host.passed;
        break;
      case Outcome::kWarn:
        ++host.warned;
        break;
      case Outcome::kFail:
        ++host.failed;
        break;
      case Outcome::kUnknown:
        ++host.unknown;
        break;
      case Outcome::kNotApplicable:
        break;
    }
  }
}

// Not in the middle of a character.
std::string Bounded(std::string text) {
  if (text.size() <= kMostTextBytes) return text;
  std::size_t end = kMostTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

FleetFinding Kept(const Finding& finding, const std::map<std::string, std::string>& switch_ports) {
  const auto heard = switch_ports.find(finding.subject);
  return {.check = finding.id,
          .subject = Bounded(finding.subject),
          .profile = finding.profile,
          .outcome = finding.outcome,
          .blocking = finding.blocking,
          .observed = Bounded(finding.observed),
          .expected = Bounded(finding.expected),
          .fix = Bounded(finding.fix),
          .switch_port = heard == switch_ports.end() ? std::string() : Bounded(heard->second)};
}

// Hundreds of hosts are judged at once, and their votes are kept.
void BoundWords(VotingPort& port) {
  for (std::string* word : {&port.subject, &port.subnet, &port.board}) *word = BoundedWord(*word);
  for (PortVote& vote : port.votes) vote.value = BoundedWord(vote.value);
}

std::vector<ProfileVotes> VotesUnder(const HostParts& parts, const std::vector<Finding>& findings) {
  std::vector<ProfileVotes> votes;
  const std::vector<Finding> explaining = Explaining(findings);
  for (const HostPart& part : parts.parts()) {
    if (!part.in_use || !part.judges_ports) continue;
    const std::string& profile = part.profile->name;
    std::vector<VotingPort> ports = VotesOf(*part.facts, FindingsUnder(profile, explaining), *part.profile);
    std::ranges::for_each(ports, BoundWords);
    if (!ports.empty()) votes.push_back({.profile = profile, .ports = std::move(ports)});
  }
  return votes;
}

// Of the port that the finding is about.
void FillFix(const HostParts& parts, Finding& finding) {
  for (const HostPart& part : parts.parts()) {
    if (!part.facts->ports || (!finding.profile.empty() && finding.profile != part.profile->name)) continue;
    for (const Port& port : *part.facts->ports) {
      if (SubjectOf(port) != finding.subject) continue;
      FillIn(finding, *part.facts, &port, *part.profile);
      return;
    }
  }
}

// Adds the findings that need more than the facts of this host, and waives.
void AddTheRest(const HostParts& parts, const HostRules& rules, const std::string& name,
                std::int64_t now_unix_ns, std::vector<Finding> of_fleet, const KnownPast& past,
                std::vector<Finding>& findings) {
  for (Finding& finding : of_fleet) {
    FillFix(parts, finding);
    findings.push_back(std::move(finding));
  }
  for (Finding& finding : JudgeOwnPasts(parts.host(), past, now_unix_ns))
    findings.push_back(std::move(finding));
  Waive(rules.profiles(), {&name, 1}, now_unix_ns, findings);
}

// Check, subject and profile, as they are kept.
using FindingName = std::tuple<std::string, std::string, std::string>;

}  // namespace

JudgedHost JudgeFacts(const Facts& facts, const HostRules& rules, const std::string& name,
                      std::int64_t now_unix_ns) {
  return JudgeInFleet(facts, rules, name, now_unix_ns, {}).host;
}

JudgedFacts JudgeInFleet(const Facts& facts, const HostRules& rules, const std::string& name,
                         std::int64_t now_unix_ns, std::vector<Finding> of_fleet, const KnownPast& past) {
  JudgedFacts result;
  JudgedHost& judged = result.host;
  judged.judged_by = rules.digest;
  FleetHost& host = judged.host;
  host.group = rules.group;
  host.rack = rules.rack;
  host.trouble = rules.trouble;
  if (facts.kernel) host.kernel_release = Bounded(facts.kernel->release);
  if (facts.ports) host.ports = static_cast<std::uint32_t>(facts.ports->size());
  if (!rules.trouble.empty()) return result;
  for (const Profile& profile : rules.profiles()) host.profiles.push_back(profile.name);
  const absl::StatusOr<HostParts> parts = HostParts::Divide(facts, rules.profiles());
  if (!parts.ok()) {
    host.trouble = Message(parts.status());
    return result;
  }
  std::vector<Finding> findings = JudgeHost(*parts, {}, now_unix_ns);
  result.votes = VotesUnder(*parts, findings);
  AddTheRest(*parts, rules, name, now_unix_ns, std::move(of_fleet), past, findings);
  host.last_verdict = ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
  Count(findings, host);
  if (const std::vector<const Finding*> worst = WorthSaying(findings); !worst.empty()) {
    host.first_check = worst.front()->id;
    host.first_observed = Bounded(Sentence(*worst.front()));
  }
  const std::map<std::string, std::string> switch_ports = SwitchPortsOf(facts);
  std::set<FindingName> once;  // two ports may have one name
  for (const Finding& finding : findings) {
    if (!CallsForAttention(finding) || judged.findings.size() >= kMostFindings) continue;
    FleetFinding kept = Kept(finding, switch_ports);
    if (once.emplace(kept.check, kept.subject, kept.profile).second) judged.findings.push_back(std::move(kept));
  }
  return result;
}

void PutRemedies(const Facts& facts, const HostRules& rules, const std::string& name, std::int64_t now_unix_ns,
                 std::vector<Finding> of_fleet, const KnownPast& past, std::span<FleetFinding> rows) {
  if (!rules.trouble.empty()) return;
  const absl::StatusOr<HostParts> parts = HostParts::Divide(facts, rules.profiles());
  if (!parts.ok()) return;
  std::vector<Finding> findings = JudgeHost(*parts, {}, now_unix_ns);
  AddTheRest(*parts, rules, name, now_unix_ns, std::move(of_fleet), past, findings);
  std::map<FindingName, const Finding*> by_name;
  for (const Finding& finding : findings)
    by_name.try_emplace({finding.id, Bounded(finding.subject), finding.profile}, &finding);
  for (FleetFinding& row : rows) {
    const auto found = by_name.find({row.check, row.subject, row.profile});
    if (row.over_unix_ns != 0 || found == by_name.end()) continue;
    const Finding& finding = *found->second;
    if (finding.outcome == row.outcome && finding.remedy && IsWithinLimits(*finding.remedy))
      row.remedy = finding.remedy;
  }
}

}  // namespace rdmaready::hub
