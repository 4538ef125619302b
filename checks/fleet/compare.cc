// SPDX-License-Identifier: Apache-2.0
// Compare: who has what, among the ports that matter to each other.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checks/fleet/agreement.h"
#include "checks/fleet/between.h"
#include "checks/fleet/votes.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kTheSame = "the same on every host";
constexpr std::size_t kNamedOthers = 3;

// The value of one port, as a member of one group of ports. An empty key: of no group that is known.
struct Entry {
  std::size_t voter = 0;
  std::string key{};
  Fact<std::string> value{};
  std::optional<PlacedAddress> address{};
};

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

// One for each address of the port; without any, one that says why.
void AddEachSubnet(const Agreement& rule, const PortView& view, std::size_t voter, std::deque<Entry>& entries) {
  const std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  if (addresses.empty()) entries.push_back({.voter = voter, .value = rule.value(view)});
  for (const PlacedAddress& address : addresses) {
    entries.push_back({.voter = voter,
                       .key = SubnetOf(address.ip),
                       .value = rule.value_at(view, address),
                       .address = address});
  }
}

std::deque<Entry> EntriesOf(const Agreement& rule, std::span<const Voter> ports, const Profile& profile) {
  std::deque<Entry> entries;
  const bool each = rule.among == Agreement::Among::kEachSubnet;
  const std::vector<std::string> keys = each ? std::vector<std::string>() : KeysOf(rule.among, ports);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortView view{*ports[i].facts, *ports[i].port, profile};
    if (each) {
      AddEachSubnet(rule, view, i, entries);
    } else {
      entries.push_back({.voter = i, .key = keys[i], .value = rule.value(view)});
    }
  }
  return entries;
}

// The values in one group of ports, with the ports that have them. Each host has one vote, however many ports
// it has; a host whose own ports differ has none.
struct Ballot {
  std::map<std::string, std::vector<const Entry*>> by_value{};
  std::size_t ports = 0;
  std::map<std::string_view, std::set<std::string_view>> by_host{};  // the values of each host

  void Add(std::string_view host, const Entry& entry) {
    const auto row = by_value.try_emplace(*entry.value).first;
    row->second.push_back(&entry);
    by_host[host].insert(row->first);
    ++ports;
  }

  std::size_t VotesFor(const std::string& value) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        by_host, [&value](const auto& row) { return row.second.size() == 1 && row.second.contains(value); }));
  }

  // Null when no value has the votes of more than half of the hosts.
  const std::pair<const std::string, std::vector<const Entry*>>* Majority() const {
    const auto found = std::ranges::find_if(
        by_value, [this](const auto& row) { return 2 * VotesFor(row.first) > by_host.size(); });
    return found == by_value.end() ? nullptr : &*found;
  }

  // A port of every host has it: rails that differ from each other, alike on all hosts.
  bool IsEverywhere(const std::string& value) const {
    return std::ranges::all_of(by_host, [&value](const auto& row) { return row.second.contains(value); });
  }
};

std::string PortCountText(std::size_t count) { return Cat(count, count == 1 ? " port" : " ports"); }

class Comparison {
 public:
  Comparison(const Agreement& rule, std::span<const Voter> ports, const Profile& profile)
      : rule_(rule), ports_(ports), entries_(EntriesOf(rule, ports, profile)) {
    for (const Entry& entry : entries_) {
      if (!entry.value || entry.key.empty() || !ports_[entry.voter].votes) continue;
      ballots_[entry.key].Add(ports_[entry.voter].host, entry);
    }
  }

  Compared Result() const {
    Compared compared{.verdicts = std::vector<Verdict>(ports_.size())};
    std::vector<bool> said(ports_.size(), false);
    for (const Entry& entry : entries_) {
      Verdict verdict = VerdictOf(entry);
      Verdict& of_port = compared.verdicts[entry.voter];
      if (!said[entry.voter] || Weight(verdict.outcome) > Weight(of_port.outcome)) of_port = std::move(verdict);
      said[entry.voter] = true;
    }
    for (const auto& [key, ballot] : ballots_) {
      if (std::optional<Between> between = BetweenTwo(ballot)) compared.between.push_back(*std::move(between));
    }
    return compared;
  }

 private:
  static int Weight(Outcome outcome) {
    switch (outcome) {
      case Outcome::kFail:
        return 4;
      case Outcome::kWarn:
        return 3;
      case Outcome::kUnknown:
        return 2;
      case Outcome::kPass:
        return 1;
      case Outcome::kNotApplicable:
        return 0;
    }
    return 0;
  }

  std::string Place(const Entry& entry) const {
    const Voter& voter = ports_[entry.voter];
    return Cat(voter.host, " ", PortName(*voter.port));
  }

  // "PFC on 4 at b rxe0/1, PFC off at c rxe0/1 and 2 more ports".
  std::string OthersText(const Ballot& ballot, const std::string& own) const {
    std::string text;
    std::size_t named = 0;
    std::size_t left = 0;
    for (const auto& [value, entries] : ballot.by_value) {
      if (value == own) continue;
      if (named == kNamedOthers) {
        left += entries.size();
        continue;
      }
      ++named;
      text += Cat(text.empty() ? "" : ", ", value, " at ", Place(*entries.front()));
      if (entries.size() > 1) text += Cat(" and ", PortCountText(entries.size() - 1), " more");
    }
    if (left > 0) text += Cat(", another at ", PortCountText(left));
    return text;
  }

  Verdict VerdictOf(const Entry& entry) const {
    const Fact<std::string>& value = entry.value;
    if (!value) {
      return NotOffered(value) ? NotApplicable(value.missing().detail)
                               : NoAnswer(value.missing(), kTheSame, rule_.source);
    }
    const auto ballot = ballots_.find(entry.key);
    // Its own findings explain it.
    if (!ports_[entry.voter].votes) return Judged(false, *value, kTheSame, rule_.source);
    if (ballot == ballots_.end() || ballot->second.by_host.size() < 2) {
      return NotApplicable(*value + "; no port of another host to compare it with");
    }
    return Tell(ballot->second, entry);
  }

  Verdict Differs(std::string observed, std::string_view expected, const Entry& entry,
                  const std::pair<const std::string, std::vector<const Entry*>>* other) const {
    const bool meant = !rule_.may_differ.empty() &&
                       (*entry.value == rule_.may_differ || (other && other->first == rule_.may_differ));
    Fix fix = other == nullptr || rule_.align == nullptr
                  ? Fix()
                  : rule_.align(EndOf(entry), EndOf(*other->second.front()));
    return meant ? Warned(std::move(observed), expected, rule_.source, std::move(fix))
                 : Judged(false, std::move(observed), expected, rule_.source, std::move(fix));
  }

  Verdict Tell(const Ballot& ballot, const Entry& entry) const {
    const std::string& own = *entry.value;
    const auto* majority = ballot.Majority();
    if (ballot.by_value.size() == 1) {
      return Judged(
          true, Cat(own, ", like all ", PortCountText(ballot.ports), " of ", ballot.by_host.size(), " hosts"),
          kTheSame, rule_.source);
    }
    if (ballot.IsEverywhere(own)) {
      return Judged(true, Cat(own, ", as on a port of all ", ballot.by_host.size(), " hosts"), kTheSame,
                    rule_.source);
    }
    if (majority == nullptr) {
      const auto other =
          std::ranges::find_if(ballot.by_value, [&](const auto& row) { return row.first != own; });
      return Differs(Cat(own, "; ", OthersText(ballot, own)), kTheSame, entry,
                     ballot.by_value.size() == 2 ? &*other : nullptr);
    }
    const std::string share = Cat(ballot.VotesFor(majority->first), " of ", ballot.by_host.size(), " hosts");
    if (own == majority->first) {
      return Judged(true, Cat(own, ", like ", share), kTheSame, rule_.source);
    }
    return Differs(Cat(own, "; ", majority->first, " at ", share), Cat(majority->first, ", like the others"),
                   entry, majority);
  }

  DifferingEnd EndOf(const Entry& entry) const {
    const Voter& voter = ports_[entry.voter];
    return {*voter.facts, *voter.port, entry.address ? &*entry.address : nullptr};
  }

  // The values that only one of two hosts has: each host may be the one that is right.
  std::optional<Between> BetweenTwo(const Ballot& ballot) const {
    if (ballot.by_host.size() != 2 || ballot.by_value.size() < 2) return std::nullopt;
    Between between;
    std::map<std::string_view, const Entry*> first_of_host;
    for (const auto& [value, entries] : ballot.by_value) {
      if (ballot.IsEverywhere(value)) continue;
      for (const Entry* entry : entries) {
        between.about.push_back(entry->voter);
        const auto [first, fresh] = first_of_host.emplace(ports_[entry->voter].host, entry);
        if (!fresh && entry->voter < first->second->voter) first->second = entry;
      }
    }
    if (first_of_host.size() < 2) return std::nullopt;
    const Entry* a = first_of_host.begin()->second;
    const Entry* b = first_of_host.rbegin()->second;
    if (b->voter < a->voter) std::swap(a, b);
    between.first = a->voter;
    between.second = b->voter;
    const std::size_t more = between.about.size() - 2;
    const bool meant = *a->value == rule_.may_differ || *b->value == rule_.may_differ;
    between.verdict = DifferenceBetween({ports_[a->voter].host, EndOf(*a), *a->value},
                                        {ports_[b->voter].host, EndOf(*b), *b->value}, rule_, more);
    if (meant && !rule_.may_differ.empty()) between.verdict.outcome = Outcome::kWarn;
    return between;
  }

  const Agreement& rule_;
  std::span<const Voter> ports_;
  std::deque<Entry> entries_;
  std::map<std::string, Ballot> ballots_{};
};

}  // namespace

Compared Compare(const Agreement& rule, std::span<const Voter> ports, const Profile& profile) {
  return Comparison(rule, ports, profile).Result();
}

}  // namespace rdmaready
