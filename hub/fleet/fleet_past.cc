// SPDX-License-Identifier: Apache-2.0
// What the live tests of a fleet's hosts showed last.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "checks/live/own_past.h"
#include "hub/fleet/fleet_view.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kFewTestedHosts = 32;  // are read one by one
constexpr std::size_t kMostReadAlone = 300;  // for a page that few hosts should fill; then all at once

bool IsAsked(const PastFilter& filter, PastState state, const CaseBaseline& test) {
  if (!filter.states.empty() && std::ranges::find(filter.states, state) == filter.states.end()) return false;
  return IsChosen(filter.ports, test.port) && IsChosen(filter.cases, test.case_name);
}

// What is slower than before first, and of that what lost the most.
std::pair<bool, double> RankOf(const FleetPastTest& row) {
  if (row.state != PastState::kSlower) return {true, 0};
  return {false,
          static_cast<double>(row.test.last_bytes_per_s) / static_cast<double>(row.test.p10_bytes_per_s)};
}
std::pair<bool, double> RankOf(const PastPlace& place) { return {place.behind_slower, place.share}; }

auto NamesOf(const FleetPastTest& row) {
  return std::tie(row.host, row.host_id, row.test.port, row.test.case_name, row.test.role, row.test.peer);
}
auto NamesOf(const PastPlace& place) {
  return std::tie(place.host, place.host_id, place.port, place.case_name, place.role, place.peer);
}

// Of rows and places alike.
constexpr auto kStandsBefore = [](const auto& a, const auto& b) {
  const auto rank_a = RankOf(a), rank_b = RankOf(b);
  return rank_a != rank_b ? rank_a < rank_b : NamesOf(a) < NamesOf(b);
};

PastPlace PlaceOf(const FleetPastTest& row) {
  const auto [behind_slower, share] = RankOf(row);
  return {.behind_slower = behind_slower,
          .share = share,
          .host = row.host,
          .host_id = row.host_id,
          .port = row.test.port,
          .case_name = row.test.case_name,
          .role = row.test.role,
          .peer = row.test.peer};
}

// That may have some behind that place; of what is slower, all. They are by name, then by id.
std::span<const FleetHost> HostsFrom(std::span<const FleetHost> hosts, const PastPlace& after) {
  if (!after.behind_slower) return hosts;
  const auto first = std::ranges::partition_point(hosts, [&](const FleetHost& host) {
    return std::tie(host.name, host.host_id) < std::tie(after.host, after.host_id);
  });
  return {first, hosts.end()};
}

// Keeps the first ones of the order.
class FirstTests {
 public:
  explicit FirstTests(std::size_t most) : most_(most) {}

  void Add(FleetPastTest&& test) {
    tests_.push_back(std::move(test));
    if (tests_.size() / 2 >= std::max(most_, kLeastCut)) Cut();
  }
  bool are_full() const { return tests_.size() >= most_; }
  // In their order.
  std::vector<FleetPastTest> Take() && {
    Cut();
    std::ranges::sort(tests_, kStandsBefore);
    return std::move(tests_);
  }

 private:
  void Cut() {
    if (tests_.size() <= most_) return;
    const auto end = tests_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(tests_, end, kStandsBefore);
    tests_.erase(end, tests_.end());
  }

  static constexpr std::size_t kLeastCut = 1000;
  const std::size_t most_;
  std::vector<FleetPastTest> tests_{};
};

}  // namespace

// Which of them are slower is known when all were read; behind those they follow each other by host, and only
// the hosts of the part are read; all at once where a filter leaves out the tests of so many.
absl::StatusOr<PastPart> FleetView::Past(const PastFilter& filter, const PastPlace& after, std::size_t most,
                                         std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(std::vector<FleetHost> hosts, Hosts(filter.hosts, now_unix_ns));
  std::erase_if(hosts, [](const FleetHost& host) {
    return host.condition == HostCondition::kRevoked || host.host_id.empty();
  });
  PastPart part;
  FirstTests tests(most + 1);  // one more says whether there are more
  const auto take = [&](const FleetHost& host, KeptTest&& kept) {
    FleetPastTest row{.host_id = host.host_id,
                      .host = host.name,
                      .group = host.group,
                      .state = PastStateOf(kept.test, kept.software, now_unix_ns),
                      .test = std::move(kept.test)};
    if (!IsAsked(filter, row.state, row.test)) return;
    ++part.of;
    if (kStandsBefore(after, row)) tests.Add(std::move(row));
  };
  std::span<const FleetHost> left = HostsFrom(hosts, after);
  const std::size_t alone = std::min(left.size(), after.behind_slower              ? kMostReadAlone
                                                  : left.size() <= kFewTestedHosts ? kFewTestedHosts
                                                                                   : 0);
  for (const FleetHost& host : left.first(alone)) {
    if (after.behind_slower && tests.are_full()) break;
    RR_RETURN_IF_ERROR(store_.Tests(host.host_id, [&](KeptTest&& kept) { take(host, std::move(kept)); }));
  }
  left = left.subspan(alone);
  if (!left.empty() && !(after.behind_slower && tests.are_full())) {
    std::unordered_map<std::string, const FleetHost*> chosen;
    for (const FleetHost& host : left) chosen.emplace(host.host_id, &host);
    RR_RETURN_IF_ERROR(store_.Tests({}, [&](KeptTest&& kept) {
      const auto host = chosen.find(kept.host_id);
      if (host != chosen.end()) take(*host->second, std::move(kept));
    }));
  }
  part.rows = std::move(tests).Take();
  if (part.rows.size() > most) {
    part.rows.pop_back();
    part.next = PlaceOf(part.rows.back());
  }
  return part;
}

}  // namespace rdmaready::hub
