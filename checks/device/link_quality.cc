// SPDX-License-Identifier: Apache-2.0
// link.*: what a link that is up may still lack.
#include <algorithm>

#include "api/base/text.h"
#include "checks/device/link_modes.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

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
      return Unclear("the driver does not say which duplex", "full duplex", kSource);
    case Duplex::kHalf:
      return Judged(false, "half duplex", "full duplex", kSource,
                    Negotiates(view.netdev)
                        ? Cat("ethtool -s ", NetdevWord(view.netdev), " autoneg on  # and at the switch port")
                        : std::string());
    case Duplex::kFull:
      return Judged(true, "full duplex", "full duplex", kSource);
  }
  return {};
}

// The fastest InfiniBand port of the host, or the fastest Ethernet port below an RDMA port; 0 when none says.
std::uint32_t FastestMbps(const Facts& host, bool infiniband) {
  std::uint32_t fastest = 0;
  if (!host.ports) return fastest;
  for (const Port& port : *host.ports) {
    if (IsInfiniBand(port) != infiniband) continue;
    if (infiniband && port.rate_mbps) fastest = std::max(fastest, *port.rate_mbps);
    if (infiniband) continue;
    for (const Netdev* netdev : KnownEthernetPortsOf(port)) {
      if (netdev->speed_mbps) fastest = std::max(fastest, *netdev->speed_mbps);
    }
  }
  return fastest;
}

std::string ConsistentNotApplicable(const EthernetView& view) {
  if (view.host.ports && view.host.ports->size() < 2)
    return "fewer than two RDMA ports: there is nothing to compare";
  const Fact<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  return NotOffered(speed) && IsSoftware(view.port) ? "software device: functional verdict only" : "";
}

Verdict JudgeConsistent(const EthernetView& view) {
  const bool infiniband = IsInfiniBand(view.port);
  const std::string_view source = infiniband ? "sysfs port rate" : "ethtool link modes";
  const std::uint32_t fastest = FastestMbps(view.host, infiniband);
  const std::string expected = fastest == 0 ? "as the other ports" : SpeedText(fastest);
  const Fact<std::uint32_t> speed =
      infiniband ? view.port.rate_mbps : NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (!speed) return NoAnswer(speed.missing(), expected, source);
  if (*speed == fastest) return Judged(true, SpeedText(*speed), expected, source);
  return Judged(false, Cat(SpeedText(*speed), ", another port has ", SpeedText(fastest)), expected, source,
                infiniband ? "iblinkinfo -l  # which end is the slower one: reseat the cable, then replace it"
                           : FasterFix(view.netdev, fastest));
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
