// SPDX-License-Identifier: Apache-2.0
// What a reader is told of hosts that were compared.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "api/base/status.h"
#include "checks/catalog.h"
#include "hub/fleet/fleet_view.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostOddNames = 5;
constexpr std::size_t kMostOddOnes = 20;
constexpr std::size_t kFewOddHosts = 500;  // are read one by one

// Findings of one kind, with the hosts that have them.
class OddKinds {
 public:
  void Add(const FleetFinding& finding, const FleetHost& host) {
    OddOnes& kind = kinds_[{host.group, finding.check, finding.observed}];
    if (last_[&kind] == &host) return;  // another port of it
    last_[&kind] = &host;
    if (kind.hosts++ == 0) {
      kind.check = finding.check;
      kind.group = host.group;
      kind.observed = finding.observed;
      kind.expected = finding.expected;
      if (const Check* check = FindCheck(finding.check)) kind.title = std::string(check->title);
    }
    if (kind.names.size() < kMostOddNames) kind.names.push_back(host.name);
  }

  std::vector<OddOnes> Most() && {
    std::vector<OddOnes> kinds;
    for (auto& [name, kind] : kinds_) kinds.push_back(std::move(kind));
    std::ranges::stable_sort(kinds, std::greater(), &OddOnes::hosts);
    if (kinds.size() > kMostOddOnes) kinds.resize(kMostOddOnes);
    return kinds;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, OddOnes> kinds_{};
  std::unordered_map<const OddOnes*, const FleetHost*> last_{};
};

}  // namespace

// As they are kept: what is waived has no finding.
absl::StatusOr<std::vector<OddOnes>> FleetView::OddOnesOf(const std::vector<FleetHost>& hosts,
                                                          std::int64_t now_unix_ns) const {
  const std::vector<std::string> odd = agreement_.OddHosts();
  std::unordered_map<std::string_view, const FleetHost*> chosen;
  for (const FleetHost& host : hosts) {
    const bool heard = host.condition != HostCondition::kSilent && host.condition != HostCondition::kRevoked &&
                       host.trouble.empty() && host.maintenance_until_unix_ns <= now_unix_ns;
    if (heard && std::ranges::binary_search(odd, host.host_id)) chosen.emplace(host.host_id, &host);
  }
  OddKinds kinds;
  const auto take = [&](FleetFinding&& finding) {
    const auto host = chosen.find(finding.host_id);
    if (host != chosen.end() && finding.over_unix_ns == 0 && IsOfFleet(finding.check))
      kinds.Add(finding, *host->second);
  };
  if (chosen.size() > kFewOddHosts) {
    RR_RETURN_IF_ERROR(store_.Findings({}, take));
  } else {
    for (const FleetHost& host : hosts) {
      if (chosen.contains(host.host_id)) RR_RETURN_IF_ERROR(store_.Findings(host.host_id, take));
    }
  }
  return std::move(kinds).Most();
}

absl::StatusOr<FleetView::UsualValues> FleetView::Usual(const FleetFilter& filter,
                                                        std::int64_t now_unix_ns) const {
  FleetFilter of_hosts = filter;
  of_hosts.checks.clear();
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(of_hosts, now_unix_ns));
  std::set<std::pair<std::string, std::string>> chosen;  // group and profile
  for (const FleetHost& host : hosts) {
    for (const std::string& profile : host.profiles) chosen.emplace(host.group, profile);
  }
  const std::shared_ptr<const FleetAgreement::Usual> last = agreement_.Last();
  UsualValues usual{.complete = last->complete};
  for (const UsualValue& value : last->values) {
    if (chosen.contains({value.group, value.profile}) && IsChosen(filter.checks, value.check))
      usual.values.push_back(value);
  }
  return usual;
}

}  // namespace rdmaready::hub
