// SPDX-License-Identifier: Apache-2.0
// link.*: what a link that is up may still lack.
#include <algorithm>

#include "api/base/text.h"
#include "checks/ethernet.h"
#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kLinkUp = 5;  // enum ib_port_phys_state

std::string PhysText(std::uint8_t state) {
  switch (state) {
    case 1:
      return "asleep";
    case 2:
      return "polling: no partner found";
    case 3:
      return "disabled";
    case 4:
      return "in training";
    case kLinkUp:
      return "link up";
    case 6:
      return "recovering from errors";
    default:
      return Cat("in state ", state);
  }
}

std::string NeverNotApplicable(const PortView&) { return {}; }

Verdict JudgePhys(const PortView& view) {
  constexpr std::string_view kSource = "verbs physical port state";
  const Fact<std::uint8_t>& state = view.port.phys_state;
  if (!state) return NoAnswer(state.missing(), "link up", kSource);
  return Judged(*state == kLinkUp, PhysText(*state), "link up", kSource);
}

std::string DuplexNotApplicable(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: its links are always duplex";
  const Fact<Duplex> duplex = NetdevFact(view.netdev, &Netdev::duplex);
  return NotOffered(duplex) && IsSoftware(view.port) ? "software device: its interface has no duplex" : "";
}

Verdict JudgeDuplex(const EthernetView& view) {
  constexpr std::string_view kSource = "ethtool link modes";
  const Fact<Duplex> duplex = NetdevFact(view.netdev, &Netdev::duplex);
  if (!duplex) return NoAnswer(duplex.missing(), "full duplex", kSource);
  switch (*duplex) {
    case Duplex::kUnknown:
      return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "the driver does not say which duplex"},
                      "full duplex", kSource);
    case Duplex::kHalf:
      return Judged(false, "half duplex", "full duplex", kSource);
    case Duplex::kFull:
      return Judged(true, "full duplex", "full duplex", kSource);
  }
  return {};
}

// The fastest Ethernet port below any RDMA port of the host; 0 when none says.
std::uint32_t FastestMbps(const Facts& host) {
  std::uint32_t fastest = 0;
  if (!host.ports) return fastest;
  for (const Port& port : *host.ports) {
    for (const Fact<Netdev>& netdev : EthernetPortsOf(port)) {
      if (netdev && netdev->speed_mbps) fastest = std::max(fastest, *netdev->speed_mbps);
    }
  }
  return fastest;
}

std::string ConsistentNotApplicable(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: the rate of a port is not read";
  if (view.host.ports && view.host.ports->size() < 2) return "fewer than two RDMA ports: there is nothing to compare";
  const Fact<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  return NotOffered(speed) && IsSoftware(view.port) ? "software device: functional verdict only" : "";
}

Verdict JudgeConsistent(const EthernetView& view) {
  constexpr std::string_view kSource = "ethtool link modes";
  const std::uint32_t fastest = FastestMbps(view.host);
  const std::string expected = fastest == 0 ? "as the other ports" : SpeedText(fastest);
  const Fact<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (!speed) return NoAnswer(speed.missing(), expected, kSource);
  if (*speed == fastest) return Judged(true, SpeedText(*speed), expected, kSource);
  return Judged(
      false, Cat(SpeedText(*speed), ", another port has ", SpeedText(fastest)), expected, kSource,
      Cat("ethtool -s ", NetdevWord(view.netdev), " speed ", fastest,
          " duplex full autoneg off  # if it stays lower: the cable, the transceiver, the switch port"));
}

}  // namespace

Check LinkPhysState() {
  return {
      .id = "link.phys-state",
      .title = "The RDMA port's physical link is up",
      .why = "A port that still trains or recovers loses frames, whatever its logical state says",
      .fix = "ip -s link show dev {netdev}  # errors that grow: the cable, the transceiver, the switch port",
      .depends_on = {"link.state"},
      .rule = Rule<PortView>{NeverNotApplicable, JudgePhys}};
}

Check LinkDuplex() {
  return {.id = "link.duplex",
          .title = "The link is full duplex",
          .why = "Half duplex has collisions, and no pause frames at all",
          .fix = "ethtool -s {netdev} duplex full autoneg off  # and the same at the switch port",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{DuplexNotApplicable, JudgeDuplex}};
}

Check LinkSpeedConsistent() {
  return {.id = "link.speed-consistent",
          .title = "All RDMA ports of the host run at one speed",
          .why = "SMB Multichannel and striped transfers wait for the slowest path",
          .fix = "ethtool {netdev}  # then the cable, the transceiver and the speed of the switch port",
          .depends_on = {"link.state", "link.speed"},
          .rule = Rule<EthernetView>{ConsistentNotApplicable, JudgeConsistent}};
}

}  // namespace rdmaready
