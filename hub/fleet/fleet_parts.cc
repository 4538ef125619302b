// SPDX-License-Identifier: Apache-2.0
// Answers of very many rows, a part at a time: what a part costs does not depend on how many there are.
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "api/base/status.h"
#include "hub/fleet/fleet_view.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kFewHosts = 32;          // are read one by one
constexpr std::size_t kLeastRead = 500;        // rows in one reading, where a filter may leave them out
constexpr std::size_t kMostRowsSeen = 50'000;  // for one part
constexpr std::size_t kPartOfAll = 4'000;

FindingPlace PlaceOf(const FleetFinding& row) {
  return {row.host, row.host_id, row.check, row.subject, row.profile};
}
FindingPlace PlaceOf(const FleetDifference& row) {
  return {row.host, row.host_id, row.check, row.subject, row.profile};
}
// Behind everything of it.
FindingPlace BehindHost(const std::string& name, const std::string& host_id) {
  return {name, host_id, std::string(1, std::numeric_limits<char>::max()), {}, {}};
}
ChangePlace PlaceOf(const FleetChange& row) { return {row.last_unix_ns, row.host_id, row.number}; }

bool IsOfAllHosts(const FleetFilter& filter) {
  return filter.hosts.empty() && filter.groups.empty() && filter.racks.empty() && filter.conditions.empty() &&
         filter.seen_groups.empty();
}

// Reads on after `place` until `most` rows are chosen. Who is asked for names none, or very few, of many rows
// gets a part that is short.
template <class Row, class Place, class ReadRows, class Choose>
absl::StatusOr<FleetPart<Row, Place>> Gather(Place place, std::size_t most, const ReadRows& read,
                                             const Choose& choose) {
  FleetPart<Row, Place> part;
  std::size_t seen = 0;
  while (true) {
    const std::size_t asked = std::max(most - part.rows.size(), kLeastRead) + 1;
    const Place from = place;
    std::size_t came = 0;
    bool more = false;
    RR_RETURN_IF_ERROR(read(from, asked, [&](Row&& row) {
      ++came;
      more = more || part.rows.size() == most;
      if (more) return;
      place = PlaceOf(row);
      if (choose(row)) part.rows.push_back(std::move(row));
    }));
    seen += came;
    if (!more && came < asked) return part;
    if (!more && seen < kMostRowsSeen) continue;
    part.next = std::move(place);
    return part;
  }
}

// What changed of each host in turn, its changes by number.
class DifferencesByHost {
 public:
  DifferencesByHost(FindingPlace after, std::size_t most) : after_(std::move(after)), most_(most) {}

  // `wanted`: it is of the answer.
  void Add(const FleetChange& change, bool wanted) {
    if (change.host_id != host_id_) EndHost();
    if (over()) return;
    host_id_ = change.host_id;
    host_ = change.host;
    ++seen_;
    if (!wanted) return;
    const auto [place, fresh] = of_host_.try_emplace({change.check, change.subject, change.profile});
    FleetDifference& difference = place->second;
    if (fresh) {
      difference = {.host_id = change.host_id,
                    .host = change.host,
                    .check = change.check,
                    .subject = change.subject,
                    .profile = change.profile,
                    .then = change.before};
    }
    difference.now = change.after;
    difference.observed = change.observed;
    difference.times += change.times;
  }

  void EndHost() {
    for (auto& [id, difference] : std::exchange(of_host_, {})) {
      const bool differs = difference.then != difference.now || difference.check.empty();
      FindingPlace place = PlaceOf(difference);
      if (!differs || place <= after_ || is_full()) continue;
      part_.rows.push_back(std::move(difference));
      if (is_full()) part_.next = std::move(place);
    }
    if (is_full() || seen_ < kMostRowsSeen || host_id_.empty()) return;
    part_.next = BehindHost(host_, host_id_);
  }

  // No further host is wanted.
  bool over() const { return part_.next.has_value(); }
  FleetPart<FleetDifference, FindingPlace> Take() && { return std::move(part_); }

 private:
  bool is_full() const { return part_.rows.size() >= most_; }

  const FindingPlace after_;
  const std::size_t most_;
  std::size_t seen_ = 0;
  std::string host_id_{};
  std::string host_{};
  std::map<std::tuple<std::string, std::string, std::string>, FleetDifference> of_host_{};
  FleetPart<FleetDifference, FindingPlace> part_{};
};

}  // namespace

// Which hosts a question is about.
struct FleetView::Chosen {
  bool all = false;
  bool of_role = false;                                  // the caller may see some only
  std::vector<FleetHost> hosts{};                        // by name, then by id; of `all` none
  std::unordered_map<std::string, std::string> names{};  // of them, by id

  bool Has(const std::string& host_id) const { return all || names.contains(host_id); }
  // In their order hosts can be read alone however many there are. Who may see only some is then not even shown
  // by an empty page that there are others.
  bool are_read_alone() const { return of_role || (!all && hosts.size() <= kFewHosts); }
  // Those from there on.
  std::span<const FleetHost> From(const FindingPlace& place) const {
    const auto first = std::ranges::partition_point(hosts, [&](const FleetHost& host) {
      return std::tie(host.name, host.host_id) < std::tie(place.host, place.host_id);
    });
    return {first, hosts.end()};
  }
};

absl::StatusOr<FleetView::Chosen> FleetView::ChosenBy(const FleetFilter& filter,
                                                      std::int64_t now_unix_ns) const {
  Chosen chosen{.all = IsOfAllHosts(filter), .of_role = !filter.seen_groups.empty()};
  if (chosen.all) return chosen;
  FleetFilter of_hosts = filter;
  of_hosts.checks.clear();  // what is over is asked for, too
  RR_ASSIGN_OR_RETURN(chosen.hosts, Hosts(of_hosts, now_unix_ns));
  std::erase_if(chosen.hosts, [](const FleetHost& host) { return host.host_id.empty(); });
  for (const FleetHost& host : chosen.hosts) chosen.names.emplace(host.host_id, host.name);
  return chosen;
}

absl::StatusOr<FindingsPart> FleetView::FindingsAfter(const FleetFilter& filter, const FindingPlace& after,
                                                      std::size_t most, std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const Chosen chosen, ChosenBy(filter, now_unix_ns));
  const auto choose = [&](const FleetFinding& finding) {
    return chosen.Has(finding.host_id) && IsChosen(filter.checks, finding.check);
  };
  if (!chosen.are_read_alone()) {
    return Gather<FleetFinding>(
        after, most,
        [&](const FindingPlace& place, std::size_t rows, const std::function<void(FleetFinding &&)>& each) {
          return store_.FindingsByName(place, rows, each);
        },
        choose);
  }
  FindingsPart part;
  std::size_t seen = 0;
  for (const FleetHost& host : chosen.From(after)) {
    RR_RETURN_IF_ERROR(store_.Findings(host.host_id, [&](FleetFinding&& finding) {
      ++seen;
      finding.host = host.name;
      if (!choose(finding) || PlaceOf(finding) <= after || part.next) return;
      if (part.rows.size() == most) {
        part.next = PlaceOf(part.rows.back());
      } else {
        part.rows.push_back(std::move(finding));
      }
    }));
    if (!part.next && seen >= kMostRowsSeen) part.next = BehindHost(host.name, host.host_id);
    if (part.next) break;
  }
  return part;
}

absl::StatusOr<ChangesPart> FleetView::ChangesAfter(const FleetFilter& filter, std::int64_t since_unix_ns,
                                                    const ChangePlace& after, std::size_t most,
                                                    std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const Chosen chosen, ChosenBy(filter, now_unix_ns));
  const auto choose = [&](FleetChange& change) {
    if (!IsChosen(filter.checks, change.check)) return false;
    change.host = chosen.all ? NameOf(change.host_id) : chosen.names.at(change.host_id);
    return true;
  };
  if (!chosen.all && chosen.hosts.empty()) return ChangesPart{};
  std::vector<std::string> ids;
  for (const FleetHost& host : chosen.hosts) ids.push_back(host.host_id);
  return Gather<FleetChange>(
      after, most,
      [&](const ChangePlace& place, std::size_t rows, const std::function<void(FleetChange &&)>& each) {
        return store_.NewestChanges(ids, since_unix_ns, place, rows, each);
      },
      choose);
}

absl::StatusOr<DifferencesPart> FleetView::DiffAfter(const FleetFilter& filter, std::int64_t at_unix_ns,
                                                     const FindingPlace& after, std::size_t most,
                                                     std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const Chosen chosen, ChosenBy(filter, now_unix_ns));
  DifferencesByHost differences(after, most);
  const auto add = [&](const FleetChange& change) {
    differences.Add(change, chosen.Has(change.host_id) && IsChosen(filter.checks, change.check));
  };
  if (chosen.are_read_alone()) {
    for (const FleetHost& host : chosen.From(after)) {
      RR_RETURN_IF_ERROR(store_.Changes(host.host_id, at_unix_ns, std::numeric_limits<std::int64_t>::max(),
                                        [&](FleetChange&& change) {
                                          change.host = host.name;
                                          add(change);
                                        }));
      differences.EndHost();
      if (differences.over()) break;
    }
    return std::move(differences).Take();
  }
  HostChangePlace place{.host = after.host, .host_id = after.host_id};
  while (!differences.over()) {
    std::size_t came = 0;
    const HostChangePlace from = place;
    RR_RETURN_IF_ERROR(store_.ChangesByName(at_unix_ns, from, kPartOfAll, [&](FleetChange&& change) {
      ++came;
      place = {change.host, change.host_id, change.number};
      add(change);
    }));
    if (came < kPartOfAll) break;
  }
  if (!differences.over()) differences.EndHost();
  return std::move(differences).Take();
}

absl::StatusOr<std::vector<FleetFinding>> FleetView::Findings(const FleetFilter& filter,
                                                              std::int64_t now_unix_ns) const {
  std::vector<FleetFinding> findings;
  for (std::optional<FindingPlace> place = FindingPlace(); place;) {
    RR_ASSIGN_OR_RETURN(FindingsPart part, FindingsAfter(filter, *place, kPartOfAll, now_unix_ns));
    std::ranges::move(part.rows, std::back_inserter(findings));
    place = std::move(part.next);
  }
  return findings;
}

absl::StatusOr<std::vector<FleetChange>> FleetView::Changes(const FleetFilter& filter,
                                                            std::int64_t since_unix_ns,
                                                            std::int64_t now_unix_ns) const {
  std::vector<FleetChange> changes;
  for (std::optional<ChangePlace> place = ChangePlace(); place;) {
    RR_ASSIGN_OR_RETURN(ChangesPart part, ChangesAfter(filter, since_unix_ns, *place, kPartOfAll, now_unix_ns));
    std::ranges::move(part.rows, std::back_inserter(changes));
    place = std::move(part.next);
  }
  return changes;
}

std::string FleetView::NameOf(const std::string& host_id) const {
  const std::optional<HostNow> now = book_.Find(host_id);
  return now ? now->name : std::string();
}

}  // namespace rdmaready::hub
