// SPDX-License-Identifier: Apache-2.0
// What is wanted of the APP table: one setting, of all checks that look at a row of it.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/trust.h"
#include "checks/plan/profile_classes.h"
#include "checks/plan/wish.h"
#include "checks/plan/wish_words.h"

namespace rdmaready {
namespace {

// A table as it is changed, and what of it the driver would not take.
class RowEditor {
 public:
  RowEditor(const Netdev& netdev, std::vector<AppEntry> rows) : netdev_(netdev), rows_(std::move(rows)) {}

  // The protocol has that priority and no other.
  void Map(AppSelector selector, std::uint16_t protocol, std::uint8_t priority) {
    const AppEntry row{.selector = selector, .priority = priority, .protocol = protocol};
    const bool there = std::ranges::find(rows_, row) != rows_.end();
    if (!there && !TakesRow(netdev_, row)) {
      refused_.push_back(row);
      return;
    }
    std::erase_if(rows_, [&row](const AppEntry& other) {
      return other.selector == row.selector && other.protocol == row.protocol && other.priority != row.priority;
    });
    if (!there) rows_.push_back(row);
  }

  template <class IsIt>
  void Remove(IsIt is_it) {
    std::erase_if(rows_, is_it);
  }

  const std::vector<AppEntry>& rows() const { return rows_; }
  const std::vector<AppEntry>& refused() const { return refused_; }

 private:
  const Netdev& netdev_;
  std::vector<AppEntry> rows_;
  std::vector<AppEntry> refused_{};
};

bool IsDscpRow(const AppEntry& row) { return row.selector == AppSelector::kDscp; }

// The NIC's own map, or a driver that keeps no DSCP: what rows cannot mend, by the check that says so.
std::optional<Wish> BeyondRows(const EthernetView& view, const Faults& faults) {
  const Netdev& netdev = *view.netdev;
  const SettingObject object = ObjectOf(view, SettingKind::kApp);
  for (const std::string_view id : {"map.dscp", "trust.mode"}) {
    const Fault* fault = faults.Find(id);
    if (fault == nullptr) continue;
    const bool own = id == "map.dscp" ? bool{netdev.dcb.nic_dscp_map} : bool{netdev.dcb.nic_trust};
    if (own) {
      return Refused(object, "the DSCP of RDMA in the RDMA priority",
                     "the vendor's driver has a map of DSCP of its own, which dcbnl does not set", fault->fix);
    }
    if (IgnoresDscpRows(netdev.driver) && view.profile.trust != Profile::Trust::kPcp)
      return Refused(object, "the DSCP of RDMA in the RDMA priority",
                     Cat("driver ", netdev.driver, " gives the NIC no map of DSCP"), fault->fix);
  }
  return std::nullopt;
}

void MapDscp(const EthernetView& view, RowEditor& rows) {
  const auto map = DscpPrioritiesOf(view.profile);
  if (!map.empty()) rows.Map(AppSelector::kDscp, map.front().first, map.front().second);
}

// trust.mode of a driver that goes by its rows.
void FollowTrust(const EthernetView& view, const Faults& faults, RowEditor& rows) {
  if (!faults.IsWrong("trust.mode") || !TrustFollowsRows(*view.netdev)) return;
  const Profile& profile = view.profile;
  if (profile.trust == Profile::Trust::kPcp) rows.Remove(IsDscpRow);
  if (profile.trust == Profile::Trust::kDscp) MapDscp(view, rows);
}

void MapCnp(const EthernetView& view, const Faults& faults, RowEditor& rows) {
  if (!faults.IsWrong("map.cnp-dscp") || !view.profile.cnp) return;
  const Profile::Cnp& cnp = *view.profile.cnp;
  if (cnp.priority) {
    rows.Map(AppSelector::kDscp, cnp.dscp, *cnp.priority);
    return;
  }
  rows.Remove([&cnp](const AppEntry& row) { return IsDscpRow(row) && row.protocol == cnp.dscp; });
}

// Of each protocol the planned row, else that of the lowest priority.
void MapOnce(const EthernetView& view, const Faults& faults, RowEditor& rows) {
  if (!faults.IsWrong("map.duplicates")) return;
  const std::vector<AppEntry> before = rows.rows();
  for (const AppEntry& row : before) {
    const std::vector<std::uint8_t> priorities = PrioritiesFor(rows.rows(), row.selector, row.protocol);
    if (priorities.size() < 2) continue;
    rows.Map(row.selector, row.protocol, PlannedPriority(view.profile, row).value_or(priorities.front()));
  }
}

void MapProtocols(const EthernetView& view, const Faults& faults, RowEditor& rows) {
  const Profile& profile = view.profile;
  if (faults.Has("map.default-prio") && !view.netdev->driver.empty()) rows.Map(AppSelector::kEthertype, 0, 0);
  if (!profile.rdma_priority) return;
  const std::uint8_t rdma = *profile.rdma_priority;
  if (faults.Has("app.roce-udp")) rows.Map(AppSelector::kDgram, kRoceV2UdpPort, rdma);
  // RDMA-CM's mode is its own setting: of a host that is to speak RoCE v2 no EtherType needs a row.
  if (faults.Has("app.roce-ethertype") && profile.transport != Profile::Transport::kRoceV2)
    rows.Map(AppSelector::kEthertype, kRoceV1Ethertype, rdma);
  if (faults.IsWrong("map.pcp")) rows.Map(AppSelector::kPcp, rdma, rdma);
  if (!faults.IsWrong("app.smb-port")) return;
  for (const std::uint16_t port : {kSmbPort, kSmbDirectPort}) {
    const std::vector<std::uint8_t> any = PrioritiesFor(rows.rows(), AppSelector::kAny, port);
    if (std::ranges::find(any, rdma) == any.end()) rows.Map(AppSelector::kStream, port, rdma);
  }
}

Wishes AppWishes(const EthernetView& view, const Faults& faults) {
  if (!faults.Any()) return {};
  const FactRef<std::vector<AppEntry>> now = DcbFact(view.netdev, &Dcb::app);
  if (!now) return {WithoutFact(view, SettingKind::kApp, now, "APP table")};
  Wishes wishes;
  const SettingObject object = ObjectOf(view, SettingKind::kApp);
  const std::optional<Wish> beyond = BeyondRows(view, faults);
  if (beyond) wishes.push_back(*beyond);
  RowEditor rows(*view.netdev, *now);
  if (!beyond) {
    if (faults.Has("map.dscp")) MapDscp(view, rows);
    FollowTrust(view, faults, rows);
    MapCnp(view, faults, rows);
  }
  MapOnce(view, faults, rows);
  MapProtocols(view, faults, rows);
  if (!rows.refused().empty()) {
    wishes.push_back(Refused(object, Text(rows.refused()), "the driver takes no rows of that kind",
                             Cat("dcb app show dev ", NetdevWord(view.netdev))));
  }
  if (Text(rows.rows()) != Text(*now)) wishes.push_back(Wanted(object, Text(rows.rows())));
  return wishes;
}

}  // namespace

std::vector<Stage> AppStages() {
  return {
      {SettingKind::kApp, AppWishes},
  };
}

}  // namespace rdmaready
