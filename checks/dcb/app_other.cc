// SPDX-License-Identifier: Apache-2.0
// app.roce-ethertype, app.smb-port, rewr.consistent: rows that only some drivers take, and marks on the way
// out.
#include <algorithm>

#include "checks/dcb/app_rows.h"
#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAppSource = "dcbnl APP table";

using Rows = std::vector<AppEntry>;

std::string RowsNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
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

Verdict JudgeEthertype(const EthernetView& view) {
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("EtherType 0x8915 to priority ", wanted);
  if (!view.port.cm_default_mode)
    return NoAnswer(view.port.cm_default_mode.missing(), expected, "configfs rdma_cm");
  const Fact<Rows> rows = DcbFact(view.netdev, &Dcb::app);
  if (!rows) return NoAnswer(rows.missing(), expected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*rows, AppSelector::kEthertype, kRoceV1Ethertype);
  const std::string fix = Cat("dcb app replace dev ", NetdevWord(view.netdev), " ethtype-prio 0x8915:", wanted);
  if (now.empty() && HidesRowsOfFirmware(view.netdev->driver))
    return NoAnswer(RowOfFirmware(view.netdev->driver), expected, kAppSource, fix);
  const std::string observed = now.empty() ? std::string("RoCE v1, and no row for its EtherType")
                                           : Cat("EtherType 0x8915 to priority ", ListText(now));
  return Judged(now.size() == 1 && now.front() == wanted, observed, expected, kAppSource, fix);
}

std::string SmbNotApplicable(const EthernetView& view) {
  if (std::string reason = RowsNotApplicable(view); !reason.empty()) return reason;
  if (!kDemandsSmb.made_by(view.profile)) return NotAsked(view.profile, "a role of SMB");
  if (view.netdev && TakesDscpRowsOnly(view.netdev->driver))
    return Cat("driver ", view.netdev->driver, " has rows for DSCP only");
  return {};
}

// What SMB falls back to when RDMA is lost has a place of its own, or takes all there is of the default class.
Verdict JudgeSmb(const EthernetView& view) {
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("TCP ports 445 and 5445 to priority ", wanted);
  const Fact<Rows> rows = DcbFact(view.netdev, &Dcb::app);
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

std::string RewriteNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!view.profile.rdma_priority) return NotAsked(view.profile, "a priority");
  return NotOffered(DcbFact(view.netdev, &Dcb::rewrite)) ? "the driver marks nothing anew" : "";
}

// A row of RDMA's priority must say what RDMA is marked with already.
Verdict JudgeRewrite(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl rewrite table";
  const unsigned priority = *view.profile.rdma_priority;
  const bool by_dscp = view.profile.dscp && view.profile.trust != Profile::Trust::kPcp;
  const std::string expected =
      by_dscp ? Cat("DSCP ", *view.profile.dscp, " and PCP ", priority) : Cat("PCP ", priority);
  const Fact<Rows> rows = DcbFact(view.netdev, &Dcb::rewrite);
  if (!rows) return NoAnswer(rows.missing(), expected, kSource);
  for (const AppEntry& row : *rows) {
    if (row.priority != priority) continue;
    const bool dscp = row.selector == AppSelector::kDscp;
    if (!dscp && row.selector != AppSelector::kPcp) continue;
    if (dscp && (!by_dscp || row.protocol == *view.profile.dscp)) continue;
    if (!dscp && row.protocol == priority) continue;
    return Judged(false, Cat("priority ", priority, " leaves with ", dscp ? "DSCP " : "PCP ", row.protocol),
                  expected, kSource,
                  Cat("dcb rewr del dev ", NetdevWord(view.netdev), dscp ? " prio-dscp " : " prio-pcp ",
                      priority, ":", row.protocol, "  # needs iproute2 6.5 or newer"));
  }
  return Judged(true, Cat("nothing changes the mark of priority ", priority), expected, kSource);
}

}  // namespace

Check AppRoceEthertype() {
  return {
      .id = "app.roce-ethertype",
      .title = "RoCE v1's EtherType maps to the RDMA priority where the driver asks for it",
      .why = "These drivers take RoCE v1's priority from that row: without it RDMA runs in the default class",
      .fix = "dcb app replace dev {netdev} ethtype-prio 0x8915:{priority}",
      .depends_on = {"link.state", "drv.dcb-capable", "gid.default-mode"},
      .rule = Rule<EthernetView>{EthertypeNotApplicable, JudgeEthertype}};
}

Check AppSmbPort() {
  return {.id = "app.smb-port",
          .title = "SMB that falls back to TCP keeps its priority",
          .why = "When RDMA is lost SMB goes on over TCP, silently: without a row it floods the default class",
          .fix = "dcb app replace dev {netdev} stream-port-prio 445:{priority}",
          .depends_on = {"link.state", "drv.dcb-capable"},
          .rule = Rule<EthernetView>{SmbNotApplicable, JudgeSmb}};
}

Check RewrConsistent() {
  return {
      .id = "rewr.consistent",
      .title = "Nothing changes the mark of RDMA on its way out",
      .why = "A frame that leaves with another mark lands in another class, at the switch and at the receiver",
      .fix = "dcb rewr show dev {netdev}  # needs iproute2 6.5 or newer",
      .depends_on = {"link.state", "drv.dcb-capable"},
      .rule = Rule<EthernetView>{RewriteNotApplicable, JudgeRewrite}};
}

}  // namespace rdmaready
