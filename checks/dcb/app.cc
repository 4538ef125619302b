// SPDX-License-Identifier: Apache-2.0
// app.*, map.*, rewr.*: what the APP and rewrite tables make of a packet's mark.
#include <algorithm>
#include <optional>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAppSource = "dcbnl APP table";
constexpr std::string_view kNeedsPcpRows = "the command needs iproute2 6.2 or newer";
constexpr std::string_view kNeedsRewrite = "the command needs iproute2 6.5 or newer";

using AppRows = std::vector<AppEntry>;

std::string AppNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  if (!view.profile.rdma_priority) return NotAsked(view.profile, "a priority");
  return kDemandsDcb.made_by(view.profile) ? "" : NotAsked(view.profile, "data centre bridging");
}

std::string UdpNotApplicable(const EthernetView& view) {
  if (std::string reason = AppNotApplicable(view); !reason.empty()) return reason;
  if (!view.netdev || TakesPriorityFromRows(view.netdev->driver)) return {};
  return Cat("driver ", view.netdev->driver, " does not take RoCE's priority from the APP table");
}

std::string SetUdpRow(const EthernetView& view) {
  return Cat("dcb app replace dev ", NetdevWord(view.netdev),
             " dgram-port-prio 4791:", unsigned{*view.profile.rdma_priority});
}

Verdict JudgeAppRoceUdp(const EthernetView& view) {
  if (std::string reason = UdpNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint8_t wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("UDP port 4791 to priority ", wanted);
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kDgram, kRoceV2UdpPort);
  if (now.empty() && HidesRowsOfFirmware(view.netdev->driver))
    return NoAnswer(RowOfFirmware(view.netdev->driver), expected, kAppSource,
                    LookAtFirmware(view.netdev, SetUdpRow(view)));
  const std::string observed =
      now.empty() ? std::string("no row for UDP port 4791") : Cat("UDP port 4791 to priority ", ListText(now));
  return Judged(now.size() == 1 && now.front() == wanted, observed, expected, kAppSource, SetUdpRow(view));
}

Fix CnpFix(const EthernetView& view, const Profile::Cnp& cnp) {
  const std::string netdev = NetdevWord(view.netdev);
  return cnp.priority ? Cat("dcb app replace dev ", netdev, " dscp-prio ", cnp.dscp, ":", *cnp.priority)
                      : Cat("dcb app del dev ", netdev, " dscp-prio ", cnp.dscp);
}

// In a lossless priority they wait behind the very pause that they are to end; in another one they are only
// later than they could be.
Verdict JudgeMapCnpDscp(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (view.profile.trust == Profile::Trust::kPcp)
    return NotApplicable(Cat("profile ", view.profile.name, " classifies by PCP, not by DSCP"));
  if (!view.profile.cnp) return NotApplicable(NotAsked(view.profile, "congestion notifications"));
  const Profile::Cnp& cnp = *view.profile.cnp;
  const std::string expected = cnp.priority ? Cat("DSCP ", cnp.dscp, " to priority ", *cnp.priority)
                                            : Cat("DSCP ", cnp.dscp, " to one that is not paused");
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  if (view.netdev->driver == "mlx4_en")
    return Warned("driver mlx4_en maps no DSCP", expected, kAppSource, NoDscpMapFix(view.netdev));
  if (IgnoresDscpRows(view.netdev->driver))
    return NoAnswer(RowOfFirmware(view.netdev->driver), expected, kAppSource, NoDscpMapFix(view.netdev));
  const Fact<DscpPriorities> found = PrioritiesOfDscp(*view.netdev, cnp.dscp);
  if (!found)
    return NoAnswer(found.missing(), expected, kAppSource, LookAtFirmware(view.netdev, CnpFix(view, cnp)));
  const std::vector<std::uint8_t>& now = found->priorities;
  const unsigned paused = view.profile.pfc ? BitmapOf(*view.profile.pfc) : 0U;
  const std::string_view how =
      found->by == DscpPriorities::By::kDefault ? " by the NIC's own map, as it comes up" : "";
  const std::string observed = now.empty() ? Cat("no row for DSCP ", cnp.dscp)
                                           : Cat("DSCP ", cnp.dscp, " to priority ", ListText(now), how);
  const Fix fix = CnpFix(view, cnp);
  if ((BitmapOf(now) & paused) != 0)
    return Judged(false, Cat(observed, ", which is paused"), expected, kAppSource, fix);
  const bool right = cnp.priority ? now.size() == 1 && now.front() == *cnp.priority : true;
  if (!right) return Warned(observed, expected, kAppSource, fix);
  return Judged(true, observed, expected, kAppSource);
}

std::string AppRowText(const AppEntry& row) {
  switch (row.selector) {
    case AppSelector::kEthertype:
      return row.protocol == 0 ? std::string("the default") : Cat("EtherType ", row.protocol);
    case AppSelector::kStream:
      return Cat("TCP port ", row.protocol);
    case AppSelector::kDgram:
      return Cat("UDP port ", row.protocol);
    case AppSelector::kAny:
      return Cat("port ", row.protocol);
    case AppSelector::kDscp:
      return Cat("DSCP ", row.protocol);
    case AppSelector::kPcp:
      return Cat("PCP ", row.protocol);
    case AppSelector::kNone:
      break;
  }
  return Cat("protocol ", row.protocol);
}

// Takes every row of the protocol but one away: the planned one, else that of the lowest priority.
Fix KeepOne(const EthernetView& view, const AppEntry& row, std::span<const std::uint8_t> priorities) {
  const std::optional<std::uint8_t> planned = PlannedPriority(view.profile, row);
  const unsigned keep = planned.value_or(priorities.front());
  const bool unmarked = row.selector == AppSelector::kEthertype && row.protocol == 0;
  Fix fix(unmarked ? Cat("dcb app replace dev ", NetdevWord(view.netdev), " default-prio ", keep)
                   : Cat("dcb app replace dev ", NetdevWord(view.netdev), " ", AppKeyword(row.selector), " ",
                         row.protocol, ":", keep));
  if (planned) return fix;
  return std::move(fix).Or(
      Cat("keep priority ", unsigned{priorities.back()}, " instead: the profile names neither"));
}

Verdict JudgeMapDuplicates(const EthernetView& view) {
  if (std::string reason = AppNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "one priority for each protocol";
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), kExpected, kAppSource);
  for (const AppEntry& row : *rows) {
    const std::vector<std::uint8_t> priorities = PrioritiesFor(*rows, row.selector, row.protocol);
    if (priorities.size() < 2) continue;
    return Judged(false, Cat(AppRowText(row), " to priorities ", ListText(priorities)), kExpected, kAppSource,
                  KeepOne(view, row, priorities));
  }
  return Judged(true, Cat(rows->size(), rows->size() == 1 ? " row" : " rows", ", none twice"), kExpected,
                kAppSource);
}

Verdict JudgeMapDefaultPrio(const EthernetView& view) {
  if (std::string reason = AppNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "priority 0";
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), kExpected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kEthertype, 0);
  const std::string fix = Cat("dcb app replace dev ", NetdevWord(view.netdev), " default-prio 0");
  if (view.netdev->driver.empty()) return NoAnswer(UnknownDriver(), kExpected, kAppSource);
  if (now.empty() && view.netdev->driver == "qede")
    return NoAnswer(RowOfFirmware(view.netdev->driver), kExpected, kAppSource,
                    LookAtFirmware(view.netdev, fix));
  const bool zero = now.empty() || (now.size() == 1 && now.front() == 0);
  return Judged(
      zero, now.empty() ? "no default row: priority 0" : Cat("unmarked traffic to priority ", ListText(now)),
      kExpected, kAppSource, fix);
}

// Without a row a PCP means the priority of its number.
Verdict JudgeMapPcp(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsPcp.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "classification by PCP"));
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("PCP ", priority, " to priority ", priority);
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kPcp, priority);
  if (now.empty())
    return Judged(true, Cat("no row: PCP ", priority, " is priority ", priority), expected, kAppSource);
  return Judged(now.size() == 1 && now.front() == priority,
                Cat("PCP ", priority, " to priority ", ListText(now)), expected, kAppSource,
                Fix(Cat("dcb app replace dev ", NetdevWord(view.netdev), " pcp-prio ", priority, ":", priority))
                    .Caution(kNeedsPcpRows));
}

std::string RowsNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  if (!view.profile.rdma_priority) return NotAsked(view.profile, "a priority");
  return kDemandsDcb.made_by(view.profile) ? "" : NotAsked(view.profile, "data centre bridging");
}

std::string EthertypeNotApplicable(const EthernetView& view) {
  if (std::string reason = RowsNotApplicable(view); !reason.empty()) return reason;
  const Fact<GidType>& mode = view.port.cm_default_mode;
  if (mode && *mode == GidType::kRoceV2) return "RDMA-CM makes RoCE v2 connections";
  if (!view.netdev || TakesPriorityFromRows(view.netdev->driver)) return {};
  return Cat("driver ", view.netdev->driver, " does not take RoCE's priority from the APP table");
}

Verdict JudgeAppRoceEthertype(const EthernetView& view) {
  if (std::string reason = EthertypeNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("EtherType 0x8915 to priority ", wanted);
  if (!view.port.cm_default_mode)
    return NoAnswer(view.port.cm_default_mode.missing(), expected, "configfs rdma_cm");
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kEthertype, kRoceV1Ethertype);
  const std::string fix = Cat("dcb app replace dev ", NetdevWord(view.netdev), " ethtype-prio 0x8915:", wanted);
  if (now.empty() && HidesRowsOfFirmware(view.netdev->driver))
    return NoAnswer(RowOfFirmware(view.netdev->driver), expected, kAppSource, LookAtFirmware(view.netdev, fix));
  const std::string observed = now.empty() ? std::string("RoCE v1, and no row for its EtherType")
                                           : Cat("EtherType 0x8915 to priority ", ListText(now));
  return Judged(now.size() == 1 && now.front() == wanted, observed, expected, kAppSource, fix);
}

// What SMB falls back to when RDMA is lost has a place of its own, or takes all there is of the default class.
Verdict JudgeAppSmbPort(const EthernetView& view) {
  if (std::string reason = RowsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsSmb.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "a role of SMB"));
  if (view.netdev && TakesDscpRowsOnly(view.netdev->driver))
    return NotApplicable(Cat("driver ", view.netdev->driver, " has rows for DSCP only"));
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("TCP ports 445 and 5445 to priority ", wanted);
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  std::string lacking, fix;
  for (const std::uint16_t port : {kSmbPort, kSmbDirectPort}) {
    std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kStream, port);
    const std::vector<std::uint8_t> any = PrioritiesFor(*rows, AppSelector::kAny, port);
    now.insert(now.end(), any.begin(), any.end());
    if (std::ranges::find(now, wanted) != now.end()) continue;
    lacking += Cat(lacking.empty() ? "" : " and ", port);
    fix += Cat(fix.empty() ? "" : "; ", "dcb app replace dev ", NetdevWord(view.netdev), " stream-port-prio ",
               port, ":", wanted);
  }
  return Judged(lacking.empty(),
                lacking.empty() ? Cat("both to priority ", wanted) : Cat("no row to it for TCP port ", lacking),
                expected, kAppSource, fix);
}

// A row of RDMA's priority must say what RDMA is marked with already.
Verdict JudgeRewrConsistent(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.rdma_priority) return NotApplicable(NotAsked(view.profile, "a priority"));
  if (DriverLacks(view.netdev, DcbFact(view.netdev, &Dcb::rewrite)))
    return NotApplicable("the driver marks nothing anew");
  constexpr std::string_view kSource = "dcbnl rewrite table";
  const unsigned priority = *view.profile.rdma_priority;
  const bool by_dscp = view.profile.dscp && view.profile.trust != Profile::Trust::kPcp;
  const std::string expected =
      by_dscp ? Cat("DSCP ", *view.profile.dscp, " and PCP ", priority) : Cat("PCP ", priority);
  const FactRef<AppRows> rows = DcbFact(view.netdev, &Dcb::rewrite);
  if (!rows) return NoAnswer(rows.missing(), expected, kSource);
  for (const AppEntry& row : *rows) {
    if (row.priority != priority) continue;
    const bool dscp = row.selector == AppSelector::kDscp;
    if (!dscp && row.selector != AppSelector::kPcp) continue;
    if (dscp && (!by_dscp || row.protocol == *view.profile.dscp)) continue;
    if (!dscp && row.protocol == priority) continue;
    return Judged(false, Cat("priority ", priority, " leaves with ", dscp ? "DSCP " : "PCP ", row.protocol),
                  expected, kSource,
                  Fix(Cat("dcb rewr del dev ", NetdevWord(view.netdev), dscp ? " prio-dscp " : " prio-pcp ",
                          priority, ":", row.protocol))
                      .Caution(kNeedsRewrite));
  }
  return Judged(true, Cat("nothing changes the mark of priority ", priority), expected, kSource);
}

}  // namespace

std::vector<Check> AppChecks() {
  return {
      {.id = "app.roce-udp",
       .title = "RoCE's UDP port maps to the RDMA priority where the driver asks for it",
       .why = "These drivers take RoCE's priority from that row: without it RDMA runs in the default class",
       .fix = Fix("dcb app replace dev {netdev} dgram-port-prio 4791:{priority}").CheckBy(kShowApp),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeAppRoceUdp},
      {.id = "app.roce-ethertype",
       .title = "RoCE v1's EtherType maps to the RDMA priority where the driver asks for it",
       .why = "These drivers take RoCE v1's priority from that row: without it RDMA runs in the default class",
       .fix = Fix("dcb app replace dev {netdev} ethtype-prio 0x8915:{priority}")
                  .Or("use RoCE v2 for RDMA-CM: then no row of this kind is needed")
                  .CheckBy(kShowApp),
       .depends_on = {"link.state", "drv.dcb-capable", "gid.default-mode"},
       .judge = JudgeAppRoceEthertype},
      {.id = "map.pcp",
       .title = "The RDMA priority of the VLAN tag is the RDMA priority of the NIC",
       .why = "A row that maps it elsewhere takes RDMA out of its lossless class at the receiver",
       .fix = Fix("dcb app replace dev {netdev} pcp-prio {priority}:{priority}")
                  .Caution(kNeedsPcpRows)
                  .CheckBy(kShowApp),
       .blocks_for = &kDemandsPcp,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeMapPcp},
      {.id = "map.cnp-dscp",
       .title = "Congestion notifications have a priority that is never paused",
       .why = "A notification that waits behind a pause arrives after the congestion it is to end",
       .fix = Fix("dcb app replace dev {netdev} dscp-prio 48:6")
                  .Do("48:6: the DSCP and priority of the profile's cnp")
                  .CheckBy(kShowApp),
       .blocks_for = &kDemandsCnp,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeMapCnpDscp},
      {.id = "map.default-prio",
       .title = "Unmarked traffic stays in priority 0",
       .why = "In another priority everything without a mark runs in a class that was meant for something else",
       .fix = Fix("dcb app replace dev {netdev} default-prio 0").CheckBy(kShowApp),
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeMapDefaultPrio},
      {.id = "map.duplicates",
       .title = "No protocol maps to two priorities",
       .why = "The kernel allows it; which one holds is each driver's own business",
       .fix = Fix("dcb app replace dev {netdev} dscp-prio {dscp}:{priority}").CheckBy(kShowApp),
       .depends_on = {"link.state", "drv.dcb-capable", "map.dscp", "app.roce-udp"},
       .judge = JudgeMapDuplicates},
      {.id = "app.smb-port",
       .title = "SMB that falls back to TCP keeps its priority",
       .why = "When RDMA is lost SMB goes on over TCP, silently: without a row it floods the default class",
       .fix = Fix("dcb app replace dev {netdev} stream-port-prio 445:{priority}").CheckBy(kShowApp),
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeAppSmbPort},
      {.id = "rewr.consistent",
       .title = "Nothing changes the mark of RDMA on its way out",
       .why = "A frame that leaves with another mark lands in another class, at the switch and at the receiver",
       .fix = Fix("dcb rewr show dev {netdev}").Caution(kNeedsRewrite).CheckBy("dcb rewr show dev {netdev}"),
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeRewrConsistent},
  };
}

}  // namespace rdmaready
