// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/agreement.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/fleet/votes.h"
#include "checks/placeholders.h"
#include "checks/spare.h"
#include "checks/stopwatch.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kTheSame = "the same on every host";
constexpr std::size_t kNamedOthers = 3;

// Ports of one key are compared. An empty key: of no group that is known, so compared with none.
std::string BoardKey(const Port& port) { return port.board ? *port.board : std::string(); }

std::vector<std::string> SubnetKeys(std::span<const Voter> ports) {
  std::vector<std::string> keys;
  std::map<std::string, std::set<std::string_view>> hosts;
  for (const Voter& voter : ports) {
    keys.push_back(SubnetKeyOf(*voter.port));
    if (!keys.back().empty()) hosts[keys.back()].insert(voter.host);
  }
  const bool shared = std::ranges::any_of(hosts, [](const auto& row) { return row.second.size() > 1; });
  // A routed fabric has a subnet a port: then everybody talks to everybody.
  if (!shared) std::ranges::fill(keys, "everywhere");
  return keys;
}

std::vector<std::string> KeysOf(Agreement::Among among, std::span<const Voter> ports) {
  if (among == Agreement::Among::kOneSubnet) return SubnetKeys(ports);
  std::vector<std::string> keys;
  for (const Voter& voter : ports) keys.push_back(BoardKey(*voter.port));
  return keys;
}

// Who has what, in one group of ports.
struct Ballot {
  std::map<std::string, std::vector<const Voter*>> by_value{};
  std::size_t votes = 0;
  std::set<std::string_view> hosts{};

  // Null when no value has more than half of the votes.
  const std::pair<const std::string, std::vector<const Voter*>>* Majority() const {
    const auto most = std::ranges::max_element(by_value, {}, [](const auto& row) { return row.second.size(); });
    return most != by_value.end() && 2 * most->second.size() > votes ? &*most : nullptr;
  }
};

std::string PortCountText(std::size_t count) { return Cat(count, count == 1 ? " port" : " ports"); }

// "PFC on 4 at b rxe0/1, PFC off at c rxe0/1 and 2 more ports".
std::string OthersText(const Ballot& ballot, const std::string& own) {
  std::string text;
  std::size_t named = 0;
  std::size_t left = 0;
  for (const auto& [value, voters] : ballot.by_value) {
    if (value == own) continue;
    if (named == kNamedOthers) {
      left += voters.size();
      continue;
    }
    ++named;
    const Voter& first = *voters.front();
    text += Cat(text.empty() ? "" : ", ", value, " at ", first.host, " ", PortName(*first.port));
    if (voters.size() > 1) text += Cat(" and ", PortCountText(voters.size() - 1), " more");
  }
  if (left > 0) text += Cat(", another at ", PortCountText(left));
  return text;
}

Verdict Tell(const Agreement& rule, const Ballot& ballot, const std::string& own, bool votes) {
  // Whatever the others have: its own findings explain it.
  if (!votes) return Judged(false, own, kTheSame, rule.source);
  if (ballot.hosts.size() < 2) {
    return NotApplicable(own + "; no port of another host to compare it with");
  }
  const auto* majority = ballot.Majority();
  if (ballot.by_value.size() == 1) {
    return Judged(true,
                  Cat(own, ", like all ", PortCountText(ballot.votes), " of ", ballot.hosts.size(), " hosts"),
                  kTheSame, rule.source);
  }
  if (majority == nullptr) {
    return Judged(false, Cat(own, "; ", OthersText(ballot, own)), kTheSame, rule.source);
  }
  const std::string share = Cat(majority->second.size(), " of ", PortCountText(ballot.votes));
  if (own == majority->first) {
    return Judged(true, Cat(own, ", like ", share), kTheSame, rule.source);
  }
  return Judged(false, Cat(own, "; ", majority->first, " at ", share),
                Cat(majority->first, ", like the others"), rule.source);
}

}  // namespace

std::vector<Verdict> Compare(const Agreement& rule, std::span<const Voter> ports, const Profile& profile) {
  const std::vector<std::string> keys = KeysOf(rule.among, ports);
  std::map<std::string, Ballot> ballots;
  std::vector<Verdict> verdicts(ports.size());
  std::vector<std::string> values(ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Fact<std::string> value = rule.value({*ports[i].facts, *ports[i].port, profile});
    if (!value) {
      verdicts[i] = NotOffered(value) ? NotApplicable(value.missing().detail)
                                      : NoAnswer(value.missing(), kTheSame, rule.source);
      continue;
    }
    values[i] = *value;
    if (!ports[i].votes || keys[i].empty()) continue;
    Ballot& ballot = ballots[keys[i]];
    ballot.by_value[*value].push_back(&ports[i]);
    ballot.hosts.insert(ports[i].host);
    ++ballot.votes;
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!values[i].empty()) verdicts[i] = Tell(rule, ballots[keys[i]], values[i], ports[i].votes);
  }
  return verdicts;
}

namespace {

// What is not known here is explained by what fails or is not known, not by what only warns.
bool Hides(const Finding& explanation, const Finding& finding) {
  if (!CallsForAction(finding.outcome)) return false;
  return finding.outcome != Outcome::kUnknown || explanation.outcome != Outcome::kWarn;
}

}  // namespace

std::vector<std::vector<Finding>> JudgeAgreement(std::span<const ComparedHost> hosts, const Profile& profile,
                                                 const NowNs& now) {
  std::vector<std::vector<Finding>> findings(hosts.size());
  std::vector<Voter> voters;
  std::vector<std::size_t> host_of;
  std::set<std::size_t> with_ports;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].facts == nullptr || !hosts[i].facts->ports) continue;
    for (const Port& port : *hosts[i].facts->ports) {
      if (IsSpare(*hosts[i].facts, port, profile)) continue;
      voters.push_back({hosts[i].name, hosts[i].facts, &port});
      host_of.push_back(i);
      with_ports.insert(i);
    }
  }
  if (with_ports.size() < 2) return findings;
  for (const Check& check : AllChecks()) {
    const auto* rule = std::get_if<Agreement>(&check.judge);
    if (rule == nullptr) continue;
    const Stopwatch watch(now);
    std::vector<Finding> begun;
    std::vector<const Finding*> explanations;
    for (std::size_t v = 0; v < voters.size(); ++v) {
      begun.push_back(Begin(check, profile, SubjectOf(*voters[v].port)));
      explanations.push_back(ExplanationOf(check, begun.back(), hosts[host_of[v]].findings));
      voters[v].votes = explanations.back() == nullptr;
    }
    const std::vector<Verdict> verdicts = Compare(*rule, voters, profile);
    for (std::size_t v = 0; v < voters.size(); ++v) {
      Finding& finding = begun[v];
      TakeVerdict(finding, check, verdicts[v]);
      if (explanations[v] != nullptr && Hides(*explanations[v], finding)) Hide(finding, *explanations[v], {});
      FillIn(finding, *voters[v].facts, voters[v].port, profile);
      finding.duration_ns = watch.ElapsedNs() / static_cast<std::int64_t>(voters.size());
      findings[host_of[v]].push_back(std::move(finding));
    }
  }
  return findings;
}

void AppendAgreement(std::vector<std::vector<Finding>> findings, Report& report) {
  for (std::size_t i = 0; i < findings.size() && i < report.hosts.size(); ++i) {
    std::vector<Finding>& of_host = report.hosts[i].findings;
    std::ranges::move(findings[i], std::back_inserter(of_host));
  }
}

}  // namespace rdmaready
