// SPDX-License-Identifier: Apache-2.0
// link.lanes, link.rate-match, link.eee, link.module: what a link that is up makes of what it has.
#include <algorithm>
#include <optional>
#include <string>

#include "api/base/text.h"
#include "checks/device/link_modes.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kModesSource = "ethtool link modes";
constexpr std::string_view kRateSource = "sysfs rate, ethtool link modes";
constexpr std::string_view kEeeSource = "ethtool EEE";
constexpr std::string_view kModuleSource = "hwmon temperatures, ethtool link state";

std::string NotEthernet(const Port& port) {
  return IsInfiniBand(port) ? "InfiniBand: its links are not read by ethtool" : "";
}

std::string LanesText(std::uint32_t lanes) { return Cat(lanes, lanes == 1 ? " lane" : " lanes"); }

std::string LanesNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  const Fact<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
  if (NotOffered(modes)) return modes.missing().detail;
  if (!modes) return {};
  if (modes->lanes == 0) return "the driver does not tell how many lanes are in use";
  return FastestMode(*modes) ? "" : "the driver names no mode to compare with";
}

// Fewer lanes at the full speed are a choice of the modules; fewer of them and slower, a loss.
Verdict JudgeLanes(const EthernetView& view) {
  const Fact<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
  if (!modes) return NoAnswer(modes.missing(), "all that both ends have", kModesSource);
  const Fact<std::uint32_t>& speed = view.netdev->speed_mbps;
  if (!speed) return NoAnswer(speed.missing(), "all that both ends have", kModesSource);
  const LinkMode best = FastestMode(*modes).value_or(LinkMode{});
  const bool lost = modes->lanes < best.lanes && *speed < best.speed_mbps;
  return Judged(!lost, Cat(LanesText(modes->lanes), " at ", SpeedText(*speed)),
                Cat(LanesText(best.lanes), " at ", SpeedText(best.speed_mbps)), kModesSource);
}

// That of the slowest Ethernet port below: the device of a bond names the rate of one port, not of all (mlx5,
// by mlx5_query_port_roce of 6.12). A member that is down has no speed.
Fact<std::uint32_t> SlowestSpeed(const Port& port) {
  Fact<std::uint32_t> slowest;
  for (const Fact<Netdev>& netdev : EthernetPortsOf(port)) {
    const Fact<std::uint32_t> speed = NetdevFact(netdev, &Netdev::speed_mbps);
    if (!slowest || (speed && *speed < *slowest)) slowest = speed;
  }
  return slowest;
}

std::string RateNotApplicable(const PortView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  if (NotOffered(view.port.rate_mbps)) return view.port.rate_mbps.missing().detail;
  return view.port.netdev && NotOffered(SlowestSpeed(view.port))
             ? "the interface names no speed to compare with"
             : "";
}

Verdict JudgeRate(const PortView& view) {
  const Fact<std::uint32_t> speed = SlowestSpeed(view.port);
  const std::string expected = speed ? "at least " + SpeedText(*speed) : "as fast as the interface";
  if (!view.port.rate_mbps) return NoAnswer(view.port.rate_mbps.missing(), expected, kRateSource);
  if (!speed) return NoAnswer(speed.missing(), expected, kRateSource);
  return Judged(*view.port.rate_mbps >= *speed, SpeedText(*view.port.rate_mbps), expected, kRateSource);
}

std::string EeeNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  const Fact<Eee> eee = LinkFact(view.netdev, &EthernetLink::eee);
  return NotOffered(eee) ? eee.missing().detail : "";
}

Verdict JudgeEee(const EthernetView& view) {
  const Fact<Eee> eee = LinkFact(view.netdev, &EthernetLink::eee);
  if (!eee) return NoAnswer(eee.missing(), "off", kEeeSource);
  const std::string observed = !eee->enabled ? "off" : eee->active ? "on, and in use" : "on, not in use";
  return Judged(!eee->enabled, observed, "off", kEeeSource);
}

std::string ModuleNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  const Fact<std::vector<Temperature>> heat = LinkFact(view.netdev, &EthernetLink::temperatures);
  const Fact<DownReason> reason = LinkFact(view.netdev, &EthernetLink::down_reason);
  return NotOffered(heat) && NotOffered(reason) ? heat.missing().detail : "";
}

std::string Degrees(std::int32_t thousandths) { return Cat(thousandths / 1000, " C"); }

Verdict JudgeModule(const EthernetView& view) {
  constexpr std::string_view kExpected = "there, and not too hot";
  const Fact<DownReason> reason = LinkFact(view.netdev, &EthernetLink::down_reason);
  if (reason && IsModuleFault(*reason)) {
    return Judged(
        false, DownReasonText(*reason), std::string(kExpected), kModuleSource,
        Cat("ethtool -m ", NetdevWord(view.netdev), "  # then reseat or replace the module or cable"));
  }
  const Fact<std::vector<Temperature>> heat = LinkFact(view.netdev, &EthernetLink::temperatures);
  if (!heat) return NoAnswer(heat.missing(), std::string(kExpected), kModuleSource);
  std::string warmest;
  std::int32_t most = 0;
  for (const Temperature& one : *heat) {
    const std::string name = one.label.empty() ? "sensor" : Printable(one.label);
    for (const auto& limit : {one.critical_mc, one.warn_mc}) {
      if (!limit || *limit <= 0 || one.now_mc < *limit) continue;
      return Judged(false, Cat(name, " at ", Degrees(one.now_mc), ", its limit is ", Degrees(*limit)),
                    std::string(kExpected), kModuleSource);
    }
    if (warmest.empty() || one.now_mc > most) warmest = Cat(name, " at ", Degrees(one.now_mc));
    most = std::max(most, one.now_mc);
  }
  return Judged(true, warmest, std::string(kExpected), kModuleSource);
}

}  // namespace

Check LinkLanes() {
  return {.id = "link.lanes",
          .title = "The link uses all its lanes",
          .why = "A link that lost lanes goes on at a part of its speed, and says nothing",
          .fix = "ethtool {netdev}  # then reseat or replace the cable or the transceiver",
          .depends_on = {"link.state", "link.speed"},
          .rule = Rule<EthernetView>{LanesNotApplicable, JudgeLanes}};
}

Check LinkRateMatch() {
  return {
      .id = "link.rate-match",
      .title = "The RDMA stack reckons with the link's real speed",
      .why = "Who paces by the rate, or picks a path by it, takes the driver's: 1 Gb/s where it does not know",
      .fix = "ethtool -i {netdev}  # this driver does not know the speed of its link: update it",
      .depends_on = {"link.state"},
      .rule = Rule<PortView>{RateNotApplicable, JudgeRate}};
}

Check LinkEee() {
  return {.id = "link.eee",
          .title = "Energy-efficient Ethernet is off",
          .why = "A link that sleeps between frames wakes too late for RDMA's latency",
          .fix = "ethtool --set-eee {netdev} eee off",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{EeeNotApplicable, JudgeEee}};
}

Check LinkModule() {
  return {.id = "link.module",
          .title = "The NIC and its transceiver are in order and not too hot",
          .why = "Heat damages bits, then the link; a transceiver at its limit switches itself off",
          .fix = "sensors  # improve the air flow; a module alone that is hot: replace it",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{ModuleNotApplicable, JudgeModule}};
}

}  // namespace rdmaready
