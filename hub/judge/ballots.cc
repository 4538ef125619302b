// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/ballots.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "checks/catalog.h"

namespace rdmaready::hub {
namespace {

using BallotName = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, bool, std::uint32_t, std::uint32_t>;
using SubnetName = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // group, profile, subnet

struct TupleHash {
  template <class... Parts>
  std::size_t operator()(const std::tuple<Parts...>& name) const {
    std::size_t hash = 0;
    const auto mix = [&](std::size_t part) { hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL; };
    std::apply([&](auto... parts) { (mix(static_cast<std::size_t>(parts)), ...); }, name);
    return hash ^ (hash >> 32);
  }
};

// What a check is compared among, by its index.
struct Among {
  bool agrees = false;  // it is an Agreement
  bool anywhere = false;
  bool of_board = false;
  bool in_subnet = false;  // ports of two subnets are not compared, whatever their names
};

const std::vector<Among>& AmongOf() {
  static const std::vector<Among> kAmong = [] {
    std::vector<Among> among;
    for (const Check& check : AllChecks()) {
      const auto* rule = std::get_if<Agreement>(&check.judge);
      const bool board = rule != nullptr && rule->among == Agreement::Among::kOneBoard;
      among.push_back({.agrees = rule != nullptr,
                       .anywhere = board,
                       .of_board = board || (rule != nullptr && rule->of_model),
                       .in_subnet = rule != nullptr && rule->among == Agreement::Among::kEachSubnet});
    }
    return among;
  }();
  return kAmong;
}

class BallotCount {
 public:
  explicit BallotCount(std::span<const BallotHost> hosts) : hosts_(hosts) {}

  Counted Count() && {
    for (const BallotHost& host : hosts_) See(host);
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      EachBallotOf(i, [this, i](std::size_t place, const Own& own) { Vote(place, own, i); });
    for (Open& open : open_) Decide(open);
    for (std::size_t i = 0; i < hosts_.size(); ++i) TellOdd(i);
    return Sorted();
  }

 private:
  struct Open {
    Ballot ballot{};
    std::vector<Ballot::Share> values{};
    std::unordered_map<std::uint32_t, std::size_t> value_places{};
    bool apart = false;  // some have another value, several or none that is known
  };

  // What one host has in one ballot.
  struct Own {
    std::vector<std::pair<const PaperPort*, const PaperVote*>> ports{};
  };

  struct Turnout {
    std::uint32_t votes = 0;
    std::uint32_t absent = 0;
  };

  static bool Votes(const BallotHost& host) {
    return host.part == BallotHost::Part::kVotes && host.paper != nullptr;
  }

  void See(const BallotHost& host) {
    if (host.part == BallotHost::Part::kExcused) return;
    Turnout& turnout = turnout_[host.group];
    ++(Votes(host) ? turnout.votes : turnout.absent);
    if (!Votes(host)) return;
    std::vector<SubnetName> own;
    for (const PaperPort& port : host.paper->ports) {
      const SubnetName name{host.group, port.profile, port.subnet};
      if (port.subnet != 0 && std::ranges::find(own, name) == own.end()) own.push_back(name);
    }
    for (const SubnetName& name : own) ++subnets_[name];
  }

  // False: it is compared with none.
  bool NameOf(const BallotHost& host, const PaperPort& port, const PaperVote& vote, BallotName& name) const {
    if (vote.check >= AmongOf().size()) return false;
    const Among& among = AmongOf()[vote.check];
    if (!among.agrees || (among.anywhere && port.board == 0)) return false;
    const auto subnet = subnets_.find({host.group, port.profile, port.subnet});
    const bool of_subnet = !among.anywhere && subnet != subnets_.end() && subnet->second >= kLeastVoters;
    if (among.in_subnet && !of_subnet) return false;
    const std::uint32_t by_name = among.anywhere ? 0 : port.name;
    name = {host.group,
            port.profile,
            vote.check,
            of_subnet,
            of_subnet ? port.subnet : by_name,
            among.of_board ? port.board : 0};
    return true;
  }

  template <class Each>
  void EachBallotOf(std::size_t i, const Each& each) {
    const BallotHost& host = hosts_[i];
    if (!Votes(host)) return;
    own_.clear();
    for (const PaperPort& port : host.paper->ports) {
      for (const PaperVote& vote : port.votes) {
        BallotName name;
        if (!NameOf(host, port, vote, name)) continue;
        const auto [place, fresh] = places_.emplace(name, open_.size());
        if (fresh) Begin(name);
        auto own = std::ranges::find(own_, place->second, &std::pair<std::size_t, Own>::first);
        if (own == own_.end()) own = own_.insert(own, {place->second, Own{}});
        own->second.ports.emplace_back(&port, &vote);
      }
    }
    for (const auto& [place, own] : own_) each(place, own);
  }

  void Begin(const BallotName& name) {
    Ballot& ballot = open_.emplace_back().ballot;
    std::tie(ballot.group, ballot.profile, ballot.check, ballot.of_subnet, ballot.place, ballot.board) = name;
  }

  void Vote(std::size_t place, const Own& own, std::size_t host) {
    Open& open = open_[place];
    ++open.ballot.of;
    const PaperVote& first = *own.ports.front().second;
    const bool one = std::ranges::all_of(
        own.ports, [&](const auto& port) { return port.second->known && port.second->value == first.value; });
    if (!one) {
      open.apart = true;
      return;
    }
    const auto [value, fresh] = open.value_places.emplace(first.value, open.values.size());
    if (fresh) open.values.push_back({.value = first.value, .first = host});
    ++open.values[value->second].hosts;
  }

  void Decide(Open& open) const {
    Ballot& ballot = open.ballot;
    std::ranges::stable_sort(open.values, std::greater(), &Ballot::Share::hosts);
    const bool differ = open.apart || open.values.size() > 1;
    if (!open.values.empty()) {
      ballot.value = open.values.front().value;
      ballot.hosts = open.values.front().hosts;
      const std::size_t told = std::min(open.values.size(), kMostValuesTold + 1);
      ballot.others.assign(open.values.begin() + 1, open.values.begin() + static_cast<std::ptrdiff_t>(told));
    }
    const Turnout& turnout = turnout_.at(ballot.group);
    if (ballot.of < kLeastVoters) {
      ballot.state = ComparisonState::kTooFew;
    } else if (turnout.votes <= turnout.absent) {
      ballot.state = ComparisonState::kNoQuorum;
    } else if (2 * ballot.hosts <= ballot.of) {
      ballot.state = ComparisonState::kNoMajority;
    } else {
      ballot.state = differ ? ComparisonState::kOddOnes : ComparisonState::kAlike;
    }
  }

  void TellOdd(std::size_t i) {
    EachBallotOf(i, [&](std::size_t place, const Own& own) {
      const Ballot& ballot = open_[place].ballot;
      const bool decided = ballot.state == ComparisonState::kOddOnes;
      if (!decided && (ballot.state == ComparisonState::kAlike || !hosts_[i].was_odd)) return;
      for (const auto& [port, vote] : own.ports) {
        if (decided && vote->known && vote->value == ballot.value) continue;
        odd_.push_back(
            {.host = i, .ballot = place, .subject = port->subject, .known = vote->known, .value = vote->value});
      }
    });
  }

  Counted Sorted() {
    std::vector<std::size_t> order(open_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [this](std::size_t i) {
      const Ballot& one = open_[i].ballot;
      return std::tuple(one.group, one.profile, one.check, one.of_subnet, one.place, one.board);
    });
    std::vector<std::size_t> now(open_.size());
    Counted counted;
    for (const std::size_t i : order) {
      now[i] = counted.ballots.size();
      counted.ballots.push_back(std::move(open_[i].ballot));
    }
    for (OddPort& odd : odd_) odd.ballot = now[odd.ballot];
    counted.odd = std::move(odd_);
    return counted;
  }

  const std::span<const BallotHost> hosts_;
  std::unordered_map<std::uint32_t, Turnout> turnout_{};
  std::unordered_map<SubnetName, std::uint32_t, TupleHash> subnets_{};  // hosts that have it
  std::unordered_map<BallotName, std::size_t, TupleHash> places_{};
  std::vector<Open> open_{};
  std::vector<OddPort> odd_{};
  std::vector<std::pair<std::size_t, Own>> own_{};
};

}  // namespace

Counted CountBallots(std::span<const BallotHost> hosts) { return BallotCount(hosts).Count(); }

}  // namespace rdmaready::hub
