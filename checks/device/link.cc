// SPDX-License-Identifier: Apache-2.0
// link.*: is the port up, and as fast as it should be.
#include <algorithm>
#include <optional>

#include "api/base/text.h"
#include "checks/device/link_fix.h"
#include "checks/device/link_modes.h"
#include "checks/families.h"
#include "checks/spare.h"
#include "checks/words/ethernet.h"
#include "checks/words/names.h"
#include "checks/words/plane_device.h"
#include "checks/words/second_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kStateSource = "verbs port state, rtnetlink";
constexpr std::string_view kSpeedSource = "ethtool link modes";

std::string NetdevText(const Netdev& netdev) {
  if (!netdev.admin_up) return netdev.name + " is administratively down";
  if (!netdev.carrier) {
    const Fact<DownReason>& reason = netdev.link.down_reason;
    return netdev.name + " has no carrier" + (reason ? ": " + DownReasonText(*reason) : "");
  }
  return netdev.name + " up" + (netdev.speed_mbps ? " at " + SpeedText(*netdev.speed_mbps) : "");
}

// One of several Ethernet ports below the port's netdev: the others go on when it is down.
bool IsMember(const Port& port, NetdevRef ethernet) {
  return port.netdev && ethernet && ethernet->name != port.netdev->name;
}

// The members that are down, where the netdev itself is up.
std::string DeadMembers(const Port& port) {
  std::string names;
  for (NetdevRef ethernet : EthernetPortsOf(port)) {
    const bool dead = IsMember(port, ethernet) && !(ethernet->admin_up && ethernet->carrier);
    if (dead) names += Cat(names.empty() ? "" : ", ", ethernet->name);
  }
  return names;
}

// `observed` is what a port that is none would be told.
Verdict JudgeSpare(const Facts& host, const Port& port, const std::string& observed,
                   std::string_view expected) {
  constexpr std::size_t kRails = 3;  // beside it: two ports of one adapter, or two adapters, are no rails
  if (!port.pci && !NotOffered(port.pci)) return NoAnswer(port.pci.missing(), expected, kStateSource);
  if (IsVirtualFunction(port))
    return NotApplicable(Cat("spare: ", VirtualFunctionText(port), ", which nobody uses"));
  const Fact<std::size_t> equals = EqualsInUse(host, port);
  if (!equals) return NoAnswer(equals.missing(), expected, kStateSource);
  if (*equals >= kRails) {
    return Warned(Cat(observed, ": 1 of ", *equals + 1, " equal ports is down, the others carry RDMA"),
                  expected, kStateSource, LinkStateFix(host, port));
  }
  const Fact<bool> never = NeverHadLink(port);
  if (!never) return NoAnswer(never.missing(), expected, kStateSource);
  if (*never) {
    return NotApplicable(
        Cat("spare: ", observed, ", without a link since boot and without an address; other ports carry RDMA"));
  }
  const std::string text = Cat("spare: ", observed, ", without an address; other ports carry RDMA");
  if (IsInfiniBand(port)) {
    return Warned(
        text, expected, kStateSource,
        Fix("rdma link show {device}/{port}")
            .Because("nobody uses the port, or it lost its link", Certainty::kPossible)
            .Do("where it is to be used: look at its link, and at the port at the far end", StepSite::kPort));
  }
  return Warned(
      text, expected, kStateSource,
      Fix(Cat("ip -d link show dev ", NetdevWord(port.netdev)))
          .Because("the port lost its cable, or nobody uses it", Certainty::kPossible)
          .Do("where it is to be used: give {netdev} a cable, then an address", StepSite::kPort)
          .Or("name min_ports in the profile: then a port that a manager took the address from is red"));
}

Verdict JudgeLinkState(const PortView& view) {
  const Port& port = view.port;
  const Fact<std::string> whole = PlanesOf(view.host, port);
  if (whole && !whole->empty())
    return NotApplicable(
        Cat("a plane of ", Printable(*whole), ", whose own port says whether there is a link"));
  if (IsLent(port))
    return NotApplicable(
        Cat(VirtualFunctionText(port), ", whose interface is elsewhere: its user sees the link"));
  const Fact<std::string> shared = PerhapsInterfaceOfBoth(view.host, port);
  if (shared && !shared->empty())
    return NotApplicable("perhaps the second function of a board: see inv.netdev-mapping");
  constexpr std::string_view kExpected = "active, interface up with carrier";
  if (const Fact<bool> lent = LentOf(port); !lent) return NoAnswer(lent.missing(), kExpected, kStateSource);
  if (!whole) return NoAnswer(whole.missing(), kExpected, kStateSource);
  if (!shared) return NoAnswer(shared.missing(), kExpected, kStateSource);
  const bool netdev_down = port.netdev && (!port.netdev->admin_up || !port.netdev->carrier);
  if (!netdev_down && !port.state) return NoAnswer(port.state.missing(), kExpected, kStateSource);
  if (!netdev_down && *port.state == PortState::kUnknown) {
    return Unclear("the port reports a state we do not know", kExpected, kStateSource);
  }
  const bool needs_netdev = !IsInfiniBand(port) && !HasOwnProtocol(port);
  const bool active = port.state && *port.state == PortState::kActive;
  if (active && needs_netdev && !port.netdev) {
    return NoAnswer(port.netdev.missing(), kExpected, kStateSource);
  }
  std::string observed = port.state ? Cat(PortName(port), " ", Name(*port.state)) : PortName(port);
  if (IsInfiniBand(port) && !active && port.phys_state && *port.phys_state != kPhysLinkUp)
    observed += Cat(", ", PhysText(*port.phys_state));
  if (const Fact<std::string> use = EarlierUse(port); IsInfiniBand(port) && !active && use && !use->empty())
    observed += Cat("; ", *use, ", so it was in use");
  if (port.netdev) observed += ", " + NetdevText(*port.netdev) + StackText(port);
  const std::string dead = DeadMembers(port);
  if (active && !netdev_down && !dead.empty()) {
    return Warned(Cat(observed, "; below it without carrier: ", dead), kExpected, kStateSource,
                  Fix(Cat("ip -d link show master ", NetdevWord(port.netdev)))
                      .Because("that member has no signal: the other one carries all")
                      .Do(Cat("look at the switch port of ", Printable(dead)), StepSite::kSwitch)
                      .Do(Cat("reseat the cable and the transceiver of ", Printable(dead)), StepSite::kPort)
                      .CheckBy(Cat("ip -br link show master ", NetdevWord(port.netdev))));
  }
  const bool good = active && !netdev_down;
  const Fact<bool> spare_of = SpareOf(view.host, port, view.profile);
  if (!good && !spare_of) return NoAnswer(spare_of.missing(), kExpected, kStateSource);
  if (!good && *spare_of) return JudgeSpare(view.host, port, observed, kExpected);
  return Judged(good, observed, kExpected, kStateSource, good ? Fix() : LinkStateFix(view.host, port));
}

// What the link could run at with its lanes; nothing where the other end does not tell its modes. Fewer lanes
// are link.lanes's.
std::optional<LinkMode> BestOfBoth(NetdevRef netdev) {
  const FactRef<LinkModes> modes = LinkFact(netdev, &EthernetLink::modes);
  if (!modes || modes->peer.empty()) return std::nullopt;
  const std::optional<LinkMode> best = FastestMode(*modes);
  const bool lost = best && modes->lanes > 0 && modes->lanes < best->lanes;
  return lost ? std::nullopt : best;
}

// Of InfiniBand, over all its lanes.
Verdict JudgeRate(const Fact<std::uint32_t>& rate_mbps, std::uint32_t wanted) {
  constexpr std::string_view kSource = "sysfs port rate";
  const std::string expected = "at least " + SpeedText(wanted);
  if (!rate_mbps) return NoAnswer(rate_mbps.missing(), expected, kSource);
  return Judged(*rate_mbps >= wanted, SpeedText(*rate_mbps), expected, kSource, SlowInfiniBandFix());
}

// A software device has no speed of its own: when its interface names none either, there is nothing to judge.
// Where the interface does name one (a configured speed), it is what the administrator promises, and judged
// like any other.
Verdict JudgeLinkSpeed(const EthernetView& view) {
  const Port& port = view.port;
  if (!view.profile.min_speed_mbps && !BestOfBoth(view.netdev)) {
    // The profile alone says which speed InfiniBand needs.
    const FactRef<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
    if (!IsInfiniBand(port) && !modes && !NotOffered(modes))
      return NoAnswer(modes.missing(), "as fast as both ends can", kSpeedSource);
    return NotApplicable(NotAsked(view.profile, "a minimum speed"));
  }
  NetdevRef netdev = view.netdev;
  const bool unsupported =
      netdev && !netdev->speed_mbps && netdev->speed_mbps.missing().kind == Missing::Kind::kUnsupported;
  if (port.software && *port.software && unsupported)
    return NotApplicable("software device: functional verdict only");
  if (IsMember(port, netdev) && !netdev->carrier)
    return NotApplicable("a member without carrier: see link.state");
  const std::optional<LinkMode> best = BestOfBoth(view.netdev);
  const std::uint32_t wanted = view.profile.min_speed_mbps.value_or(0);
  const std::string expected = "at least " + SpeedText(wanted > 0 ? wanted : best->speed_mbps);
  if (IsInfiniBand(port)) return JudgeRate(port.rate_mbps, wanted);
  if (!view.netdev) return NoAnswer(view.netdev.missing(), expected, kSpeedSource);
  const Fact<std::uint32_t>& speed = view.netdev->speed_mbps;
  if (!speed) return NoAnswer(speed.missing(), expected, kSpeedSource);
  const Fix fix = FasterFix(view.netdev, wanted > 0 ? wanted : best->speed_mbps);
  if (*speed >= wanted && best && *speed < best->speed_mbps) {
    return Warned(Cat(SpeedText(*speed), ", both ends have ", SpeedText(best->speed_mbps)), expected,
                  kSpeedSource, fix);
  }
  return Judged(*speed >= wanted, SpeedText(*speed), expected, kSpeedSource, fix);
}

Verdict JudgeLinkPhysState(const PortView& view) {
  constexpr std::string_view kSource = "verbs physical port state";
  const Fact<std::uint8_t>& state = view.port.phys_state;
  if (!state) return NoAnswer(state.missing(), "link up", kSource);
  return Judged(*state == kPhysLinkUp, PhysText(*state), "link up", kSource);
}

Fix DuplexFix(std::string_view how) {
  return Fix(Cat("ethtool -s ", how))
      .Because("one end negotiates and the other one is set by hand")
      .Caution("the link goes down for a moment")
      .Do("set the same at the switch port of {netdev}", StepSite::kSwitch)
      .CheckBy("ethtool {netdev}");
}

Verdict JudgeLinkDuplex(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: its links are always duplex");
  if (HasOwnProtocol(view.port))
    return NotApplicable("neither InfiniBand, RoCE nor iWARP: it has no interface");
  const FactRef<Duplex> duplex = NetdevFact(view.netdev, &Netdev::duplex);
  if (NotOffered(duplex) && IsSoftware(view.port))
    return NotApplicable("software device: its interface has no duplex");
  constexpr std::string_view kSource = "ethtool link modes";
  if (!duplex) return NoAnswer(duplex.missing(), "full duplex", kSource);
  switch (*duplex) {
    case Duplex::kUnknown:
      return Unclear("the driver does not say which duplex", "full duplex", kSource);
    case Duplex::kHalf:
      return Judged(false, "half duplex", "full duplex", kSource,
                    Negotiates(view.netdev) ? DuplexFix(Cat(NetdevWord(view.netdev), " autoneg on")) : Fix());
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
    if (IsInfiniBand(port) != infiniband || IsPlane(host, port)) continue;
    if (infiniband && port.rate_mbps) fastest = std::max(fastest, *port.rate_mbps);
    if (infiniband) continue;
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      if (netdev && netdev->speed_mbps) fastest = std::max(fastest, *netdev->speed_mbps);
    }
  }
  return fastest;
}

// Why the speed of some other port is not known: it may be the fastest.
std::optional<Missing> SpeedGap(const Facts& host, bool infiniband) {
  if (!host.ports) return host.ports.missing();
  for (const Port& port : *host.ports) {
    if (!port.transport && !NotOffered(port.transport)) return port.transport.missing();
    const Fact<std::string> whole = PlanesOf(host, port);
    if (!whole) return whole.missing();
    if (IsInfiniBand(port) != infiniband || !whole->empty()) continue;
    if (infiniband && !port.rate_mbps && !NotOffered(port.rate_mbps)) return port.rate_mbps.missing();
    if (infiniband) continue;
    for (const NetdevRef netdev : EthernetPortsOf(port)) {
      if (netdev && netdev->carrier && !netdev->speed_mbps && !NotOffered(netdev->speed_mbps))
        return netdev->speed_mbps.missing();
    }
  }
  return std::nullopt;
}

Verdict JudgeLinkSpeedConsistent(const EthernetView& view) {
  if (view.host.ports && view.host.ports->size() < 2)
    return NotApplicable("fewer than two RDMA ports: there is nothing to compare");
  const FactRef<std::uint32_t> by_netdev = NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (NotOffered(by_netdev) && IsSoftware(view.port))
    return NotApplicable("software device: functional verdict only");
  const bool infiniband = IsInfiniBand(view.port);
  const std::string_view source = infiniband ? "sysfs port rate" : "ethtool link modes";
  const std::uint32_t fastest = FastestMbps(view.host, infiniband);
  const std::string expected = fastest == 0 ? "as the other ports" : SpeedText(fastest);
  const FactRef<std::uint32_t> speed = infiniband ? FactRef(view.port.rate_mbps) : by_netdev;
  if (!speed) return NoAnswer(speed.missing(), expected, source);
  if (*speed == fastest) {
    if (const std::optional<Missing> gap = SpeedGap(view.host, infiniband))
      return NoAnswer(*gap, expected, source);
    return Judged(true, SpeedText(*speed), expected, source);
  }
  return Judged(false, Cat(SpeedText(*speed), ", another port has ", SpeedText(fastest)), expected, source,
                infiniband ? SlowInfiniBandFix() : FasterFix(view.netdev, fastest));
}

}  // namespace

std::vector<Check> LinkChecks() {
  return {
      {.id = "link.state",
       .title = "The RDMA port is active and its interface has a carrier",
       .why = "No RDMA connection can be made over a port that is down",
       .fix = Fix("ip link set dev {netdev} up")
                  .Because("somebody took the interface down, or it has no signal")
                  .Do("look at the cable, the transceiver and the switch port of {netdev}", StepSite::kPort)
                  .CheckBy("rdma link show {device}/{port}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "inv.port-mode", "ib.vf-state", "ib.state-init"},
       .in_summary = 1,
       .judge = JudgeLinkState},
      {.id = "link.phys-state",
       .title = "The RDMA port's physical link is up",
       .why = "A port that still trains or recovers loses frames, whatever its logical state says",
       .fix =
           Fix("ip -s link show dev {netdev}")
               .Because(
                   "the link trains or recovers: a bad cable or transceiver, or another speed at the far end")
               .Do("where errors grow: replace the cable or the transceiver of {netdev}", StepSite::kPort)
               .CheckBy("rdma link show {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkPhysState},
      {.id = "link.speed",
       .title = "The link is as fast as the profile asks",
       .why =
           "One slow path holds back every stripe of the storage; Microsoft asks for 10 Gb/s and more for RDMA",
       .fix = Fix("ethtool {netdev}")
                  .Because("one end offers less, or the cable carries no more", Certainty::kPossible)
                  .Do("set the speed at the switch port of {netdev}", StepSite::kSwitch)
                  .Do("try another cable or transceiver", StepSite::kPort)
                  .CheckBy("ethtool {netdev}"),
       .blocks_for = &kDemandsSpeed,
       .depends_on = {"link.state"},
       .judge = JudgeLinkSpeed},
      {.id = "link.speed-consistent",
       .title = "All RDMA ports of the host run at one speed",
       .why = "SMB Multichannel and striped transfers wait for the slowest path",
       .fix = Fix("ethtool {netdev}")
                  .Because("one end offers less, or the cable carries no more", Certainty::kPossible)
                  .Do("set the speed at the switch port of {netdev}", StepSite::kSwitch)
                  .Do("try another cable or transceiver", StepSite::kPort)
                  .CheckBy("ethtool {netdev}"),
       .depends_on = {"link.state", "link.speed"},
       .judge = JudgeLinkSpeedConsistent},
      {.id = "link.duplex",
       .title = "The link is full duplex",
       .why = "Half duplex has collisions, and no pause frames at all",
       .fix = DuplexFix("{netdev} duplex full autoneg off"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkDuplex},
  };
}

}  // namespace rdmaready
