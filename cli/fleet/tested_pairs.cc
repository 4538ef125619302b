// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/tested_pairs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "checks/fleet/link_causes.h"
#include "checks/waiving.h"

namespace rdmaready {
namespace {

const Profile kNoProfile{};

}  // namespace

std::vector<JoinedPair> JoinPairs(std::vector<PairReport> pairs, Report& report) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < report.pairs.size(); ++i)
    known.emplace(std::pair(report.pairs[i].from, report.pairs[i].to), i);
  std::vector<JoinedPair> places;
  for (PairReport& pair : pairs) {
    const auto [place, fresh] = known.emplace(std::pair(pair.from, pair.to), report.pairs.size());
    if (fresh) report.pairs.push_back({.from = pair.from, .to = pair.to});
    std::vector<Finding>& findings = report.pairs[place->second].findings;
    places.push_back({place->second, findings.size()});
    std::ranges::move(pair.findings, std::back_inserter(findings));
  }
  return places;
}

std::optional<CauseEnd> CauseEndOf(std::string_view host, const Facts* facts, const PortSelection& port,
                                   std::span<const Finding> findings) {
  if (facts == nullptr || !facts->ports) return std::nullopt;
  const auto found = std::ranges::find_if(*facts->ports, [&port](const Port& one) {
    return one.device == port.device && one.number == port.number;
  });
  if (found == facts->ports->end()) return std::nullopt;
  return CauseEnd{host, facts, &*found, findings, port.address};
}

PairIndex::PairIndex(std::span<const PairReport> pairs) {
  for (const PairReport& pair : pairs)
    by_hosts_[std::minmax<std::string_view>(pair.from, pair.to)].push_back(&pair);
}

std::vector<Finding> PairIndex::Between(std::string_view a, std::string_view b, std::string_view subject,
                                        std::string_view back) const {
  std::vector<Finding> between;
  const auto found = by_hosts_.find(std::minmax(a, b));
  if (found == by_hosts_.end()) return between;
  for (const PairReport* pair : found->second) {
    std::ranges::copy_if(pair->findings, std::back_inserter(between), [&](const Finding& finding) {
      return finding.subject == subject || finding.subject == back;
    });
  }
  return between;
}

TestedWay WayOf(const PairJob& job, std::size_t first, std::size_t cases, const std::optional<CauseEnd>& from,
                const std::optional<CauseEnd>& to, const PairIndex& pairs) {
  TestedWay way{.pair = job.pair,
                .first = first,
                .failures = std::vector<Failure>(cases),
                .from = job.from,
                .to = job.to,
                .subject = job.place.subject,
                .back = job.back.subject};
  if (!from || !to) return way;
  const Profile& profile = job.profile == nullptr ? kNoProfile : *job.profile;
  way.causes = KnownCauses(*from, *to, pairs.Between(from->host, to->host, way.subject, way.back), profile);
  way.other_vlan = VlanBetween(*from, *to, profile);
  return way;
}

const KnownCause* CauseOf(const TestedWay& way, const Failure& failure) {
  if (way.route) return &*way.route;
  const auto found = std::ranges::find_if(
      way.causes, [&failure](const KnownCause& cause) { return Explains(cause.kind, failure); });
  return found == way.causes.end() ? nullptr : &*found;
}

void NoteFailure(const Failure& failure, std::size_t number, const std::optional<CauseEnd>& from,
                 const std::optional<CauseEnd>& to, const Profile& profile, TestedWay& way) {
  if (number < way.failures.size()) way.failures[number] = failure;
  if (!from || !to) return;
  if (!way.route) way.route = RouteCause(failure, *from, *to, profile);
  if (!way.no_way_back) way.no_way_back = NoWayBack(failure, *from, *to, profile);
}

void WaivePairs(std::span<const std::vector<Profile>> profiles, Report& report) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < report.hosts.size(); ++i) places.emplace(report.hosts[i].host, i);
  for (PairReport& pair : report.pairs) {
    const auto from = places.find(pair.from);
    const auto to = places.find(pair.to);
    if (from == places.end() || to == places.end()) continue;
    const std::array names{pair.from, pair.to};
    std::vector<Finding> by_other = pair.findings;
    Waive(profiles[to->second], names, report.started_unix_ns, by_other);
    for (std::size_t i = 0; i < by_other.size(); ++i) {
      if (by_other[i].waived)
        Waive(profiles[from->second], names, report.started_unix_ns, {&pair.findings[i], 1});
    }
  }
}

}  // namespace rdmaready
