// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/fleet_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "api/base/digest.h"
#include "checks/catalog.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostWordBytes = 512;
constexpr std::size_t kFewWords = 4096;  // are not gone through

std::uint16_t IndexOf(const Check& check) { return static_cast<std::uint16_t>(&check - AllChecks().data()); }

std::string OfGroup(const std::string& group) { return group.empty() ? "" : " of group " + group; }

bool IsSameFinding(const Finding& a, const Finding& b) {
  return a.id == b.id && a.subject == b.subject && a.profile == b.profile;
}

}  // namespace

std::string BoundedWord(const std::string& word) {
  if (word.size() <= kMostWordBytes) return word;
  return word.substr(0, kMostWordBytes - 20) + "..." + Sha256(word).value_or("").substr(0, 16);
}

// What one count sees: the hosts, and what is held for each.
struct FleetAgreement::Frame {
  std::span<const FleetHost> hosts{};
  std::vector<std::string> groups{};                   // by number
  std::vector<BallotHost> voters{};                    // of each host
  std::vector<std::shared_ptr<const Paper>> papers{};  // of each host
};

bool IsOfFleet(std::string_view check) {
  const Check* found = FindCheck(check);
  return found != nullptr && std::holds_alternative<Agreement>(found->judge);
}

void FleetAgreement::Restore(const FleetFinding& finding) {
  const Check* check = FindCheck(finding.check);
  if (check == nullptr || !IsOfFleet(finding.check) || finding.over_unix_ns != 0) return;
  Finding kept{.id = finding.check, .title = std::string(check->title)};
  kept.scope = Scope::kPort;
  kept.rung = Rung::kHost;
  kept.subject = finding.subject;
  kept.profile = finding.profile;
  kept.outcome = finding.outcome;
  kept.observed = finding.observed;
  kept.expected = finding.expected;
  SetRemedy(kept, RemedyOfFix(finding.fix));
  const std::lock_guard lock(mutex_);
  odd_[finding.host_id].push_back({.finding = std::move(kept)});
}

Paper FleetAgreement::PaperOf(std::span<const ProfileVotes> votes) {
  Paper paper;
  for (const ProfileVotes& one : votes) {
    for (const VotingPort& port : one.ports) {
      PaperPort& put = paper.ports.emplace_back();
      put.subject = words_.Put(BoundedWord(port.subject));
      put.name = words_.Put(BoundedWord(port.subject.substr(0, port.subject.find(' '))));
      put.profile = words_.Put(one.profile);
      put.subnet = words_.Put(port.subnet);
      put.board = words_.Put(BoundedWord(port.board));
      for (const PortVote& vote : port.votes)
        put.votes.push_back({.check = IndexOf(*vote.check),
                             .known = vote.kind == PortVote::Kind::kHas,
                             .value = words_.Put(BoundedWord(vote.value))});
    }
  }
  return paper;
}

void FleetAgreement::Put(const std::string& host_id, std::span<const ProfileVotes> votes, bool unless_there) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Paper>& paper = papers_[host_id];
  if (paper != nullptr && unless_there) return;
  Paper put = PaperOf(votes);
  if (paper != nullptr && *paper == put) return;
  paper = std::make_shared<const Paper>(std::move(put));
  changed_ = true;
}

bool FleetAgreement::Has(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  return papers_.contains(host_id);
}

bool FleetAgreement::Changed() const {
  const std::lock_guard lock(mutex_);
  return changed_;
}

// Words that no paper has any more are let go of.
void FleetAgreement::Shrink() {
  if (words_.size() < kFewWords || words_.size() < 2 * words_kept_) return;
  WordPool fresh;
  const auto move = [&](std::uint32_t& word) { word = fresh.Put(words_.At(word)); };
  for (auto& [id, paper] : papers_) {
    Paper moved = *paper;
    for (PaperPort& port : moved.ports) {
      for (std::uint32_t* word : {&port.subject, &port.name, &port.profile, &port.subnet, &port.board})
        move(*word);
      for (PaperVote& vote : port.votes) move(vote.value);
    }
    paper = std::make_shared<const Paper>(std::move(moved));
  }
  words_ = std::move(fresh);
  words_kept_ = words_.size();
}

FleetAgreement::Frame FleetAgreement::FrameOf(std::span<const FleetHost> hosts) const {
  Frame frame{.hosts = hosts};
  std::map<std::string, std::uint32_t> groups;
  for (const FleetHost& host : hosts) {
    const auto [group, fresh] = groups.emplace(host.group, static_cast<std::uint32_t>(groups.size()));
    if (fresh) frame.groups.push_back(host.group);
    const auto paper = papers_.find(host.host_id);
    frame.papers.push_back(paper == papers_.end() ? nullptr : paper->second);
    BallotHost& voter = frame.voters.emplace_back(BallotHost{.group = group->second});
    voter.was_odd = odd_.contains(host.host_id);
    const bool judged = host.condition == HostCondition::kReady || host.condition == HostCondition::kNotReady ||
                        (host.condition == HostCondition::kUndetermined && host.trouble.empty());
    if (judged && frame.papers.back() != nullptr) {
      voter.part = BallotHost::Part::kVotes;
      voter.paper = frame.papers.back().get();
    }
  }
  return frame;
}

FleetAgreement::Odd FleetAgreement::OddFinding(const Frame& frame, const OddPort& port,
                                               const Ballot& ballot) const {
  const FleetHost& host = frame.hosts[port.host];
  const Check& check = AllChecks()[ballot.check];
  Odd odd{.value = words_.At(port.value), .usual = words_.At(ballot.value)};
  Finding& finding = odd.finding;
  finding.id = check.id;
  finding.title = check.title;
  finding.scope = Scope::kPort;
  finding.rung = Rung::kHost;
  finding.subject = words_.At(port.subject);
  finding.source = std::get<Agreement>(check.judge).source;
  finding.why = check.why;
  SetFix(finding, check.fix);
  if (host.profiles.size() > 1) finding.profile = words_.At(ballot.profile);
  const std::string of_group = OfGroup(host.group);
  if (ballot.state != ComparisonState::kOddOnes) {
    finding.outcome = Outcome::kUnknown;
    finding.observed = fmt::format("{}; no value is that of most hosts{} now", odd.value, of_group);
    finding.expected = "the same on most hosts" + of_group;
    return odd;
  }
  finding.outcome = port.known ? Outcome::kWarn : Outcome::kUnknown;
  finding.observed = port.known ? odd.value : "not known: " + odd.value;
  finding.expected = fmt::format("{}: {} of {} hosts{} have it", odd.usual, ballot.hosts, ballot.of, of_group);
  return odd;
}

std::map<std::string, FleetAgreement::OddOnesOfHost> FleetAgreement::NewOdd(const Frame& frame,
                                                                            const Counted& counted) {
  std::map<std::string, OddOnesOfHost> odd;
  // Who has no part keeps what it has.
  for (std::size_t i = 0; i < frame.hosts.size(); ++i) {
    const auto before = frame.voters[i].was_odd && frame.voters[i].part != BallotHost::Part::kVotes
                            ? odd_.find(frame.hosts[i].host_id)
                            : odd_.end();
    if (before != odd_.end()) odd.insert(*before);
  }
  std::set<std::string> suspects;
  for (const OddPort& port : counted.odd) {
    const Ballot& ballot = counted.ballots[port.ballot];
    const FleetHost& host = frame.hosts[port.host];
    Odd fresh = OddFinding(frame, port, ballot);
    const auto of_host = odd_.find(host.host_id);
    const Odd* before = nullptr;
    if (of_host != odd_.end()) {
      const auto found = std::ranges::find_if(
          of_host->second, [&](const Odd& old) { return IsSameFinding(old.finding, fresh.finding); });
      if (found != of_host->second.end()) before = &*found;
    }
    if (before != nullptr) {
      odd[host.host_id].push_back(ballot.state == ComparisonState::kNoQuorum ? *before : std::move(fresh));
    } else if (ballot.state == ComparisonState::kOddOnes) {
      std::string suspect = fmt::format("{}|{}|{}|{}|{}", host.host_id, ballot.check, fresh.finding.subject,
                                        fresh.value, fresh.usual);
      const bool again = suspects_.contains(suspect);
      if (again) odd[host.host_id].push_back(std::move(fresh));
      if (!again) suspects.insert(std::move(suspect));
    }
  }
  suspects_ = std::move(suspects);
  return odd;
}

std::shared_ptr<const FleetAgreement::Usual> FleetAgreement::UsualOf(const Frame& frame,
                                                                     const Counted& counted) const {
  auto usual = std::make_shared<Usual>();
  usual->complete = true;
  for (const Ballot& ballot : counted.ballots) {
    const Check& check = AllChecks()[ballot.check];
    UsualValue& row = usual->values.emplace_back();
    row.group = frame.groups[ballot.group];
    row.profile = words_.At(ballot.profile);
    row.check = check.id;
    row.title = check.title;
    if (ballot.place != 0) row.among = (ballot.of_subnet ? "subnet " : "ports ") + words_.At(ballot.place);
    row.model = words_.At(ballot.board);
    row.state = ballot.state;
    row.value = words_.At(ballot.value);
    row.hosts = ballot.hosts;
    row.of = ballot.of;
    for (const Ballot::Share& other : ballot.others)
      row.others.push_back({words_.At(other.value), other.hosts, frame.hosts[other.first].name});
  }
  std::ranges::stable_sort(usual->values, [](const UsualValue& a, const UsualValue& b) {
    return std::tie(a.group, a.profile, a.check, a.among, a.model) <
           std::tie(b.group, b.profile, b.check, b.among, b.model);
  });
  return usual;
}

std::vector<std::string> FleetAgreement::Count(std::span<const FleetHost> hosts, std::int64_t now_unix_ns) {
  Frame frame;
  {
    const std::lock_guard lock(mutex_);
    Shrink();
    frame = FrameOf(hosts);
    changed_ = false;
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const bool gone = hosts[i].condition == HostCondition::kRevoked;
    const bool excused = gone || hosts[i].unlisted || hosts[i].maintenance_until_unix_ns > now_unix_ns;
    if (excused) frame.voters[i].part = BallotHost::Part::kExcused;
  }
  const Counted counted = CountBallots(frame.voters);
  const std::lock_guard lock(mutex_);
  std::map<std::string, OddOnesOfHost> odd = NewOdd(frame, counted);
  if (!suspects_.empty()) changed_ = true;  // whether they stay is found by the next count
  std::vector<std::string> others;
  const auto is_there = [](const Odd& old, const OddOnesOfHost& now) {
    const bool restored = old.value.empty() && old.usual.empty();  // of which only the texts are known
    return std::ranges::any_of(now, [&](const Odd& one) {
      if (!IsSameFinding(old.finding, one.finding) || old.finding.outcome != one.finding.outcome) return false;
      return restored ? old.finding.observed == one.finding.observed
                      : old.value == one.value && old.usual == one.usual;
    });
  };
  for (const auto& entry : odd) {
    const auto before = odd_.find(entry.first);
    const bool same =
        before != odd_.end() && before->second.size() == entry.second.size() &&
        std::ranges::all_of(before->second, [&](const Odd& old) { return is_there(old, entry.second); });
    if (!same) others.push_back(entry.first);
  }
  for (const auto& [id, before] : odd_) {
    if (!odd.contains(id)) others.push_back(id);
  }
  odd_ = std::move(odd);
  last_ = UsualOf(frame, counted);
  return others;
}

std::vector<Finding> FleetAgreement::OddOf(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> findings;
  if (const auto odd = odd_.find(host_id); odd != odd_.end()) {
    for (const Odd& one : odd->second) findings.push_back(one.finding);
  }
  return findings;
}

std::vector<std::string> FleetAgreement::OddHosts() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, odd] : odd_) ids.push_back(id);
  return ids;
}

std::shared_ptr<const FleetAgreement::Usual> FleetAgreement::Last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace rdmaready::hub
