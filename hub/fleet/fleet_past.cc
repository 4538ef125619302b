// SPDX-License-Identifier: Apache-2.0
// What the live tests of a fleet's hosts showed last.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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

bool IsAsked(const PastFilter& filter, PastState state, const CaseBaseline& test) {
  if (!filter.states.empty() && std::ranges::find(filter.states, state) == filter.states.end()) return false;
  return IsChosen(filter.ports, test.port) && IsChosen(filter.cases, test.case_name);
}

// What is slower than before first, and of that what lost the most.
bool StandsBefore(const FleetPastTest& a, const FleetPastTest& b) {
  const bool slower = a.state == PastState::kSlower;
  if (slower != (b.state == PastState::kSlower)) return slower;
  if (slower) {
    const auto share = [](const CaseBaseline& test) {
      return static_cast<double>(test.last_bytes_per_s) / static_cast<double>(test.p10_bytes_per_s);
    };
    if (share(a.test) != share(b.test)) return share(a.test) < share(b.test);
  }
  const auto name = [](const FleetPastTest& row) {
    return std::tie(row.host, row.host_id, row.test.port, row.test.case_name, row.test.role, row.test.peer);
  };
  return name(a) < name(b);
}

// Counts all, and keeps the first ones of the order.
class FirstTests {
 public:
  explicit FirstTests(std::size_t most) : most_(most) {}

  void Add(FleetPastTest&& test) {
    ++of_;
    tests_.push_back(std::move(test));
    if (tests_.size() / 2 >= std::max(most_, kLeastCut)) Cut();
  }
  std::size_t of() const { return of_; }
  // Without so many at the front; in their order.
  std::vector<FleetPastTest> TakeFrom(std::size_t first) && {
    Cut();
    std::ranges::sort(tests_, StandsBefore);
    tests_.erase(tests_.begin(), PlaceAt(first));
    return std::move(tests_);
  }

 private:
  using Tests = std::vector<FleetPastTest>;
  Tests::iterator PlaceAt(std::size_t number) {
    return tests_.begin() + static_cast<Tests::difference_type>(std::min(number, tests_.size()));
  }
  void Cut() {
    const auto end = PlaceAt(most_);
    std::ranges::nth_element(tests_, end, StandsBefore);
    tests_.erase(end, tests_.end());
  }

  static constexpr std::size_t kLeastCut = 1000;
  const std::size_t most_;
  std::size_t of_ = 0;
  Tests tests_{};
};

}  // namespace

absl::StatusOr<PastPart> FleetView::Past(const PastFilter& filter, std::size_t first, std::size_t count,
                                         std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(filter.hosts, now_unix_ns));
  std::unordered_map<std::string, const FleetHost*> chosen;
  for (const FleetHost& host : hosts) {
    if (host.condition != HostCondition::kRevoked && !host.host_id.empty()) chosen.emplace(host.host_id, &host);
  }
  const std::size_t most_first = std::numeric_limits<std::size_t>::max() - count;
  FirstTests tests(std::min(first, most_first) + count);
  const auto take = [&](KeptTest&& kept) {
    const auto host = chosen.find(kept.host_id);
    if (host == chosen.end()) return;
    const PastState state = PastStateOf(kept.test, kept.software, now_unix_ns);
    if (!IsAsked(filter, state, kept.test)) return;
    tests.Add({.host_id = std::move(kept.host_id),
               .host = host->second->name,
               .group = host->second->group,
               .state = state,
               .test = std::move(kept.test)});
  };
  if (chosen.size() > kFewTestedHosts) {
    RR_RETURN_IF_ERROR(store_.Tests({}, take));
  } else {
    for (const auto& [host_id, host] : chosen) RR_RETURN_IF_ERROR(store_.Tests(host_id, take));
  }
  PastPart part{.of = tests.of()};
  part.tests = std::move(tests).TakeFrom(first);
  return part;
}

}  // namespace rdmaready::hub
