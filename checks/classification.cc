// SPDX-License-Identifier: Apache-2.0
// map.*, trust.*: by what the NIC finds the priority of a received frame.
#include <algorithm>
#include <array>

#include "checks/ethernet.h"
#include "checks/families.h"
#include "checks/names.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAppSource = "dcbnl APP table";

std::vector<std::uint8_t> PrioritiesFor(const std::vector<AppEntry>& app, std::uint8_t dscp) {
  std::vector<std::uint8_t> priorities;
  for (const AppEntry& row : app) {
    if (row.selector == AppSelector::kDscp && row.protocol == dscp) priorities.push_back(row.priority);
  }
  std::ranges::sort(priorities);
  return priorities;
}

// iproute2 adds the new row before it deletes the old one. ice refuses to map a DSCP twice: there the old ones
// go first.
std::string MapFix(const EthernetView& view) {
  const std::string netdev = NetdevWord(view.netdev);
  const unsigned dscp = *view.profile.dscp;
  const unsigned priority = *view.profile.rdma_priority;
  const Fact<std::vector<AppEntry>> app = DcbFact(view.netdev, &Dcb::app);
  const bool adds_only = view.netdev && view.netdev->driver == "ice";
  std::string command;
  bool mapped = false;
  if (adds_only && app) {
    for (const std::uint8_t old : PrioritiesFor(*app, *view.profile.dscp)) {
      if (old == priority) {
        mapped = true;
        continue;
      }
      command += Cat(command.empty() ? "" : "; ", "dcb app del dev ", netdev, " dscp-prio ", dscp, ":", old);
    }
    if (!mapped)
      command +=
          Cat(command.empty() ? "" : "; ", "dcb app add dev ", netdev, " dscp-prio ", dscp, ":", priority);
    return command;
  }
  return Cat("dcb app replace dev ", netdev, " dscp-prio ", dscp, ":", priority);
}

std::string MapNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  const Profile& profile = view.profile;
  if (profile.trust == Profile::Trust::kPcp)
    return Cat("profile ", profile.name, " classifies by PCP, not by DSCP");
  if (!profile.dscp || !profile.rdma_priority) return NotAsked(profile, "a DSCP");
  return {};
}

Verdict JudgeMap(const EthernetView& view) {
  const std::uint8_t dscp = *view.profile.dscp;
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("DSCP ", dscp, " to priority ", priority);
  const Fact<std::vector<AppEntry>> app = DcbFact(view.netdev, &Dcb::app);
  if (!app) return NoAnswer(app.missing(), expected, kAppSource);
  const std::vector<std::uint8_t> now = PrioritiesFor(*app, dscp);
  if (now.empty()) return Judged(false, Cat("no row for DSCP ", dscp), expected, kAppSource, MapFix(view));
  const std::string observed =
      Cat("DSCP ", dscp, now.size() == 1 ? " to priority " : " to priorities ", ListText(now));
  return Judged(now.size() == 1 && now.front() == priority, observed, expected, kAppSource, MapFix(view));
}

std::string TrustNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.trust == Profile::Trust::kAny ? NotAsked(view.profile, "a trust mode") : "";
}

// Drivers without a trust table whose rule is known: any DSCP row means trust DSCP, none means PCP.
bool TrustFollowsRows(std::string_view driver) {
  constexpr std::array<std::string_view, 3> kDrivers{"mlx5_core", "ice", "dcbnic"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

Verdict JudgeTrustByRows(const EthernetView& view, const std::vector<AppEntry>& app) {
  const bool by_dscp =
      std::ranges::any_of(app, [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
  const bool wants_dscp = view.profile.trust == Profile::Trust::kDscp;
  const std::string netdev = NetdevWord(view.netdev);
  std::string fix =
      Cat("dcb app flush dev ", netdev, " dscp-prio  # without DSCP rows ", view.netdev->driver, " trusts PCP");
  if (wants_dscp) {
    const unsigned dscp = view.profile.dscp.value_or(0);
    const unsigned priority = view.profile.rdma_priority.value_or(0);
    fix = Cat("dcb app replace dev ", netdev, " dscp-prio ", dscp, ":", priority, "  # with a DSCP row ",
              view.netdev->driver, " trusts DSCP");
  }
  return Judged(by_dscp == wants_dscp, by_dscp ? "dscp, by the DSCP rows" : "pcp, as there are no DSCP rows",
                std::string(Name(view.profile.trust)), kAppSource, fix);
}

Verdict JudgeTrustByTable(const EthernetView& view, const std::vector<AppSelector>& table) {
  constexpr std::string_view kSource = "dcbnl APP trust table";
  const bool wants_dscp = view.profile.trust == Profile::Trust::kDscp;
  const auto dscp = std::ranges::find(table, AppSelector::kDscp);
  const auto pcp = std::ranges::find(table, AppSelector::kPcp);
  const bool trusted = (wants_dscp ? dscp : pcp) != table.end();
  const bool first = wants_dscp ? dscp <= pcp : pcp <= dscp;
  std::string observed;
  for (const AppSelector selector : table) {
    const std::string_view word = selector == AppSelector::kDscp  ? "dscp"
                                  : selector == AppSelector::kPcp ? "pcp"
                                                                  : "other";
    observed += Cat(observed.empty() ? "" : ", then ", word);
  }
  if (table.empty()) observed = "nothing";
  const std::string fix = Cat("dcb apptrust set dev ", NetdevWord(view.netdev), " order ",
                              wants_dscp ? "dscp pcp" : "pcp", "  # needs iproute2 6.2 or newer");
  const std::string expected(Name(view.profile.trust));
  if (trusted && !first) return Warned(observed, expected + " first", kSource, fix);
  return Judged(trusted, observed, expected, kSource, fix);
}

Verdict JudgeTrust(const EthernetView& view) {
  const std::string expected(Name(view.profile.trust));
  const Fact<Netdev>& netdev = view.netdev;
  if (!netdev) return NoAnswer(netdev.missing(), expected, kAppSource);
  if (netdev->dcb.app_trust) return JudgeTrustByTable(view, *netdev->dcb.app_trust);
  if (TrustFollowsRows(netdev->driver)) {
    const Fact<std::vector<AppEntry>>& app = netdev->dcb.app;
    return app ? JudgeTrustByRows(view, *app) : NoAnswer(app.missing(), expected, kAppSource);
  }
  Missing why = netdev->dcb.app_trust.missing();
  if (why.kind == Missing::Kind::kUnsupported) {
    why.detail = Cat("driver ", netdev->driver.empty() ? "of " + netdev->name : netdev->driver,
                     " has no APP trust table, and its rule is not known");
  }
  return NoAnswer(
      why, expected, "dcbnl APP trust table",
      "ethtool -i {netdev}  # ask the NIC's own tool for the trust mode (mlnx_qos, niccli), and set trust: any "
      "in the profile");
}

// By what the NIC tells priorities apart first; kAny: by neither. Missing where the driver does not say.
Fact<Profile::Trust> TrustOf(const Fact<Netdev>& netdev) {
  if (!netdev) return netdev.missing();
  if (netdev->dcb.app_trust) {
    for (const AppSelector selector : *netdev->dcb.app_trust) {
      if (selector == AppSelector::kDscp) return Profile::Trust::kDscp;
      if (selector == AppSelector::kPcp) return Profile::Trust::kPcp;
    }
    return Profile::Trust::kAny;
  }
  if (!TrustFollowsRows(netdev->driver)) return netdev->dcb.app_trust.missing();
  if (!netdev->dcb.app) return netdev->dcb.app.missing();
  const bool by_dscp = std::ranges::any_of(
      *netdev->dcb.app, [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
  return by_dscp ? Profile::Trust::kDscp : Profile::Trust::kPcp;
}

std::string TrustText(Profile::Trust trust) {
  return trust == Profile::Trust::kAny ? std::string("nothing") : std::string(Name(trust));
}

std::string UniformNotApplicable(const PairView& view) {
  if (std::string reason = NotRoce(view.from_port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  for (const Port* port : {&view.from_port, &view.to_port}) {
    if (NotOffered(TrustOf(EthernetPortsOf(*port).front()))) return "a driver does not say what it trusts";
  }
  return {};
}

Verdict JudgeUniform(const PairView& view) {
  constexpr std::string_view kSource = "dcbnl APP table of both";
  constexpr std::string_view kExpected = "the same on both";
  const Fact<Profile::Trust> from = TrustOf(EthernetPortsOf(view.from_port).front());
  const Fact<Profile::Trust> to = TrustOf(EthernetPortsOf(view.to_port).front());
  if (!from) return NoAnswer(from.missing(), std::string(kExpected), kSource);
  if (!to) return NoAnswer(to.missing(), std::string(kExpected), kSource);
  if (*from == *to) return Judged(true, TrustText(*from) + " on both", std::string(kExpected), kSource);
  return Judged(false,
                Cat(TrustText(*from), " at ", view.from_name, ", ", TrustText(*to), " at ", view.to_name),
                std::string(kExpected), kSource);
}

}  // namespace

Check MapDscp() {
  return {.id = "map.dscp",
          .title = "The DSCP of RDMA traffic maps to the RDMA priority, and to no other",
          .why = "Marked traffic in the wrong class is dropped under load, as if it were not marked",
          .fix = "dcb app replace dev {netdev} dscp-prio {dscp}:{priority}",
          .blocks_for = &kDemandsDscp,
          .depends_on = {"drv.dcb-capable"},
          .rule = Rule<EthernetView>{MapNotApplicable, JudgeMap}};
}

Check TrustMode() {
  return {.id = "trust.mode",
          .title = "The NIC classifies received frames as the profile asks",
          .why =
              "A NIC that trusts PCP ignores the DSCP, and the other way round: RDMA then lands in the default "
              "class",
          .fix =
              "dcb app replace dev {netdev} dscp-prio {dscp}:{priority}  # most NICs trust DSCP as soon as "
              "they have a DSCP row",
          .blocks_for = &kDemandsTrust,
          .depends_on = {"drv.dcb-capable", "map.dscp"},
          .rule = Rule<EthernetView>{TrustNotApplicable, JudgeTrust}};
}

Check TrustUniform() {
  return {.id = "trust.uniform",
          .title = "Both ports classify received frames by the same mark",
          .why = "Where one end trusts DSCP and the other PCP, traffic is lossless one way only",
          .fix = "dcb app show dev {netdev}  # on both: make the one that differs trust what the other does",
          .depends_on = {"inv.transport", "drv.dcb-capable", "map.dscp", "trust.mode"},
          .rule = Rule<PairView>{UniformNotApplicable, JudgeUniform}};
}

}  // namespace rdmaready
