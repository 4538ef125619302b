// SPDX-License-Identifier: Apache-2.0
// map.*, trust.*: by what the NIC finds the priority of a received frame.
#include <algorithm>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/dcb/trust.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/interruption.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDscpMapSource = "dcbnl APP table";
constexpr std::string_view kShowTrust = "dcb apptrust show dev {netdev}";
constexpr std::string_view kNeedsTrustTable = "the command needs iproute2 6.2 or newer";

// iproute2 adds the new row before it deletes the old one. ice refuses to map a DSCP twice: there the old ones
// go first.
Fix MapFix(const EthernetView& view) {
  const std::string netdev = NetdevWord(view.netdev);
  const unsigned dscp = *view.profile.dscp;
  const unsigned priority = *view.profile.rdma_priority;
  const FactRef<std::vector<AppEntry>> app = DcbFact(view.netdev, &Dcb::app);
  const bool adds_only = view.netdev && view.netdev->driver == "ice";
  std::string command;
  bool mapped = false;
  if (adds_only && app) {
    for (const std::uint8_t old : PrioritiesFor(*app, AppSelector::kDscp, *view.profile.dscp)) {
      if (old == priority) {
        mapped = true;
        continue;
      }
      command += Cat(command.empty() ? "" : "; ", "dcb app del dev ", netdev, " dscp-prio ", dscp, ":", old);
    }
    if (!mapped)
      command +=
          Cat(command.empty() ? "" : "; ", "dcb app add dev ", netdev, " dscp-prio ", dscp, ":", priority);
    return Fix(command).Caution(CostOfDscpRow(view.netdev));
  }
  return Fix(Cat("dcb app replace dev ", netdev, " dscp-prio ", dscp, ":", priority));
}

// The map that an mlx5 comes up with is not shown, and a row that was deleted leaves its DSCP at priority 0
// (mlx5e_dcbnl_ieee_delapp): where it would be right, that is not known.
Verdict JudgeFound(const EthernetView& view, const DscpPriorities& found, const std::string& expected) {
  using By = DscpPriorities::By;
  const unsigned dscp = *view.profile.dscp;
  const std::vector<std::uint8_t>& now = found.priorities;
  const bool right = now.size() == 1 && now.front() == *view.profile.rdma_priority;
  if (now.empty()) {
    const Fact<Profile::Trust> trust = TrustOf(view.netdev);
    const bool by_pcp = trust && *trust == Profile::Trust::kPcp;
    const std::string_view effect = by_pcp ? ": without one the NIC trusts PCP" : "";
    return Judged(false, Cat("no row for DSCP ", dscp, effect), expected, kDscpMapSource, MapFix(view));
  }
  if (found.by == By::kDefault) {
    const std::string observed =
        Cat("no row for DSCP ", dscp, ": the NIC's own map decides, which comes up with ", now.front(),
            " and is not shown");
    if (!right) return Judged(false, observed, expected, kDscpMapSource, MapFix(view));
    return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = observed}, expected, kDscpMapSource,
                    MapFix(view));
  }
  const bool own = found.by == By::kNicMap;
  const std::string observed =
      Cat("DSCP ", dscp, now.size() == 1 ? " to priority " : " to priorities ", ListText(now));
  const Fix fix = own ? Fix(Cat("mlnx_qos -i ", NetdevWord(view.netdev), " --dscp2prio set,", dscp, ",",
                                unsigned{*view.profile.rdma_priority}))
                            .CheckBy(Cat("mlnx_qos -i ", NetdevWord(view.netdev)))
                      : MapFix(view);
  return Judged(right, observed, expected, own ? "sysfs qos/dscp2prio" : kDscpMapSource, fix);
}

Verdict JudgeMapDscp(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  const Profile& profile = view.profile;
  if (profile.trust == Profile::Trust::kPcp)
    return NotApplicable(Cat("profile ", profile.name, " classifies by PCP, not by DSCP"));
  if (!profile.dscp || !profile.rdma_priority) return NotApplicable(NotAsked(profile, "a DSCP"));
  const std::uint8_t dscp = *view.profile.dscp;
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("DSCP ", dscp, " to priority ", priority);
  if (!view.netdev) return NoAnswer(view.netdev.missing(), expected, kDscpMapSource);
  const FactRef<std::vector<AppEntry>> app = DcbFact(view.netdev, &Dcb::app);
  if (app && view.netdev->driver == "mlx4_en") {
    const bool row = !PrioritiesFor(*app, AppSelector::kDscp, dscp).empty();
    return Judged(false, Cat("driver mlx4_en maps no DSCP", row ? "; the row is the kernel's only" : ""),
                  expected, kDscpMapSource, NoDscpMapFix(view.netdev));
  }
  if (app && IgnoresDscpRows(view.netdev->driver))
    return NoAnswer(RowOfFirmware(view.netdev->driver), expected, kDscpMapSource, NoDscpMapFix(view.netdev));
  const Fact<DscpPriorities> found = PrioritiesOfDscp(*view.netdev, dscp);
  if (!found)
    return NoAnswer(found.missing(), expected, kDscpMapSource, LookAtFirmware(view.netdev, MapFix(view)));
  return JudgeFound(view, *found, expected);
}

std::string TrustNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  return view.profile.trust == Profile::Trust::kAny ? NotAsked(view.profile, "a trust mode") : "";
}

Fix TrustFix(const EthernetView& view) {
  const std::string netdev = NetdevWord(view.netdev);
  const std::string& driver = view.netdev->driver;
  if (view.netdev->dcb.nic_trust) {
    return Fix(Cat("mlnx_qos -i ", netdev, " --trust ", Name(view.profile.trust)))
        .CheckBy(Cat("mlnx_qos -i ", netdev));
  }
  if (view.profile.trust != Profile::Trust::kDscp) {
    return Fix(Cat("dcb app flush dev ", netdev, " dscp-prio"))
        .Because(Cat("its DSCP rows make ", driver, " trust DSCP"), Certainty::kCertain)
        .Caution("the command deletes all DSCP rows of the port");
  }
  if (IgnoresDscpRows(driver)) return NoDscpMapFix(view.netdev);
  if (!TrustFollowsRows(*view.netdev)) {
    return Fix(Cat("dcb dcbx set dev ", netdev, " host ieee"))
        .Caution("the LLDP agent of the firmware must be off before")
        .Do("add the DSCP rows after it");
  }
  return Fix(Cat("dcb app replace dev ", netdev, " dscp-prio ", unsigned{view.profile.dscp.value_or(0)}, ":",
                 unsigned{view.profile.rdma_priority.value_or(0)}))
      .Because(Cat("driver ", driver, " trusts DSCP as soon as it has a row of DSCP"), Certainty::kCertain);
}

// By the driver's own rule.
Verdict JudgeTrustByRule(const EthernetView& view, Profile::Trust now) {
  return Judged(now == view.profile.trust, Cat(Name(now), ", ", TrustReason(*view.netdev)),
                std::string(Name(view.profile.trust)), kDscpMapSource, TrustFix(view));
}

constexpr std::string_view kTableSource = "dcbnl APP trust table";

std::string TableText(const std::vector<AppSelector>& table) {
  if (table.empty()) return "nothing";
  std::string text;
  for (const AppSelector selector : table) {
    const std::string_view word = selector == AppSelector::kDscp  ? "dscp"
                                  : selector == AppSelector::kPcp ? "pcp"
                                                                  : "other";
    text += Cat(text.empty() ? "" : ", then ", word);
  }
  return text;
}

Fix TableFix(const EthernetView& view) {
  const bool dscp = view.profile.trust == Profile::Trust::kDscp;
  return Fix(Cat("dcb apptrust set dev ", NetdevWord(view.netdev), " order ", dscp ? "dscp pcp" : "pcp"))
      .Caution(kNeedsTrustTable)
      .CheckBy(kShowTrust);
}

AppSelector WantedSelector(const Profile& profile) {
  return profile.trust == Profile::Trust::kDscp ? AppSelector::kDscp : AppSelector::kPcp;
}

// Which comes first is trust.apptrust-order's.
Verdict JudgeTrustByTable(const EthernetView& view, const std::vector<AppSelector>& table) {
  const bool trusted = std::ranges::find(table, WantedSelector(view.profile)) != table.end();
  return Judged(trusted, TableText(table), std::string(Name(view.profile.trust)), kTableSource, TableFix(view));
}

Verdict JudgeTrustMode(const EthernetView& view) {
  if (std::string reason = TrustNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::string expected(Name(view.profile.trust));
  NetdevRef netdev = view.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kDscpMapSource);
  if (netdev->dcb.app_trust) return JudgeTrustByTable(view, *netdev->dcb.app_trust);
  const Fact<Profile::Trust> now = TrustOf(netdev);
  if (now) return JudgeTrustByRule(view, *now);
  if (TrustFollowsRows(*netdev) && !netdev->dcb.app) return NoAnswer(now.missing(), expected, kDscpMapSource);
  return NoAnswer(now.missing(), expected, kTableSource,
                  Fix("ethtool -i {netdev}")
                      .Do("ask the NIC's own tool for the trust mode (mlnx_qos, niccli)")
                      .Do("write trust: any in the profile, where the answer is as wanted"));
}

Verdict JudgeTrustApptrustOrder(const EthernetView& view) {
  if (std::string reason = TrustNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  if (DriverLacks(view.netdev, DcbFact(view.netdev, &Dcb::app_trust)))
    return NotApplicable("the driver has no APP trust table");
  const std::string expected = Cat(Name(view.profile.trust), " first");
  const FactRef<std::vector<AppSelector>> table = DcbFact(view.netdev, &Dcb::app_trust);
  if (!table) return NoAnswer(table.missing(), expected, kTableSource);
  const bool first = !table->empty() && table->front() == WantedSelector(view.profile);
  return Judged(first, TableText(*table), expected, kTableSource, TableFix(view));
}

}  // namespace

std::vector<Check> ClassificationChecks() {
  return {
      {.id = "map.dscp",
       .title = "The DSCP of RDMA traffic maps to the RDMA priority, and to no other",
       .why = "Marked traffic in the wrong class is dropped under load, as if it were not marked",
       .fix = Fix("dcb app replace dev {netdev} dscp-prio {dscp}:{priority}").CheckBy(kShowApp),
       .blocks_for = &kDemandsDscp,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .in_summary = 3,
       .judge = JudgeMapDscp},
      {.id = "trust.mode",
       .title = "The NIC classifies received frames as the profile asks",
       .why = "A NIC that trusts PCP ignores the DSCP, and the other way round: RDMA then lands in the default "
              "class",
       .fix = Fix("dcb app replace dev {netdev} dscp-prio {dscp}:{priority}")
                  .Do("most NICs trust DSCP as soon as they have a row of it")
                  .CheckBy(kShowApp),
       .blocks_for = &kDemandsTrust,
       .depends_on = {"drv.dcb-capable", "map.dscp"},
       .judge = JudgeTrustMode},
      {.id = "trust.apptrust-order",
       .title = "The mark that the profile trusts comes first",
       .why = "A frame with both marks is told by the first of the order, and may land in the other's class",
       .fix = Fix("dcb apptrust set dev {netdev} order dscp pcp").Caution(kNeedsTrustTable).CheckBy(kShowTrust),
       .depends_on = {"drv.dcb-capable", "trust.mode"},
       .judge = JudgeTrustApptrustOrder},
  };
}

}  // namespace rdmaready
