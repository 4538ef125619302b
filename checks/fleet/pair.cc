// SPDX-License-Identifier: Apache-2.0
// Pair scope: two ports that will talk to each other agree. Who differs from the profile was already said per
// host; these speak up where each host is fine by itself, or where the profile is silent.
#include <algorithm>

#include "checks/dcb/trust.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/interruption.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string_view ProtocolName(Transport transport) {
  switch (transport) {
    case Transport::kUnknown:
      break;
    case Transport::kInfiniBand:
      return "InfiniBand";
    case Transport::kRoce:
      return "RoCE";
    case Transport::kIwarp:
      return "iWARP";
  }
  return "an unknown transport";
}

Fix RunOn(std::string_view host, const std::string& command) {
  return Fix(command).Caution(Cat("run it on ", Printable(host)));
}

// Raises the smaller one, on the host that has it.
Fix MtuFix(const PairView& view) {
  const bool from_smaller = *view.from_port.active_mtu_bytes < *view.to_port.active_mtu_bytes;
  const Port& small = from_smaller ? view.from_port : view.to_port;
  const Port& large = from_smaller ? view.to_port : view.from_port;
  const std::string mtu = large.netdev ? std::to_string(large.netdev->mtu_bytes) : "MTU";
  const std::string netdev = NetdevWord(small.netdev);
  return RunOn(from_smaller ? view.from_name : view.to_name, Cat("ip link set dev ", netdev, " mtu ", mtu))
      .Caution("some drivers stop traffic for a moment to take a new MTU")
      .CheckBy(Cat("ip link show dev ", netdev));
}

Verdict JudgeMtuPair(const PairView& view) {
  const bool iwarp = view.from_port.transport && *view.from_port.transport == Transport::kIwarp;
  if (iwarp) return NotApplicable("iWARP: TCP agrees on its segments by itself");
  constexpr std::string_view kSource = "verbs active MTU of both";
  constexpr std::string_view kExpected = "the same on both";
  const Fact<std::uint32_t>& from = view.from_port.active_mtu_bytes;
  const Fact<std::uint32_t>& to = view.to_port.active_mtu_bytes;
  if (!from) return NoAnswer(from.missing(), kExpected, kSource);
  if (!to) return NoAnswer(to.missing(), kExpected, kSource);
  if (*from == *to) return Judged(true, Cat("RoCE MTU ", *from, " on both"), kExpected, kSource);
  return Judged(false, Cat("RoCE MTU ", *from, " on ", view.from_name, ", ", *to, " on ", view.to_name),
                kExpected, kSource, MtuFix(view));
}

// The first Ethernet port of the RDMA port that is not known to pause what is wanted; the first of all when
// every one does.
NetdevRef OddEthernet(const Port& port, std::uint8_t wanted) {
  const std::vector<NetdevRef> ethernets = EthernetPortsOf(port);
  const auto odd = std::ranges::find_if(ethernets, [wanted](NetdevRef netdev) {
    const FactRef<Pfc> pfc = DcbFact(netdev, &Dcb::pfc);
    return !pfc || pfc->enabled != wanted;
  });
  return odd == ethernets.end() ? ethernets.front() : *odd;
}

// A difference in a priority that the profile asks for breaks RDMA; one elsewhere only deserves a word.
Verdict JudgePfcBothDirections(const PairView& view) {
  if (std::string reason = NotRoce(view.from_port); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.pfc) return NotApplicable(NotAsked(view.profile, "PFC"));
  constexpr std::string_view kSource = "dcbnl IEEE PFC of both";
  constexpr std::string_view kExpected = "the same on both";
  const std::uint8_t wanted = BitmapOf(*view.profile.pfc);
  const NetdevRef from_netdev = OddEthernet(view.from_port, wanted);
  const NetdevRef to_netdev = OddEthernet(view.to_port, wanted);
  const FactRef<Pfc> from = DcbFact(from_netdev, &Dcb::pfc);
  const FactRef<Pfc> to = DcbFact(to_netdev, &Dcb::pfc);
  if (!from) return NoAnswer(from.missing(), kExpected, kSource);
  if (!to) return NoAnswer(to.missing(), kExpected, kSource);
  if (from->enabled == to->enabled)
    return Judged(true, PfcText(from->enabled) + " on both", kExpected, kSource);
  const std::string observed =
      Cat(PfcText(from->enabled), " at ", view.from_name, ", ", PfcText(to->enabled), " at ", view.to_name);
  const bool from_is_odd = from->enabled != wanted;
  const NetdevRef odd = from_is_odd ? from_netdev : to_netdev;
  std::string command = Cat("dcb pfc set dev ", NetdevWord(odd), " prio-pfc all:off");
  for (const std::uint8_t priority : PrioritiesOf(wanted)) command += Cat(" ", priority, ":on");
  const Fix fix = RunOn(from_is_odd ? view.from_name : view.to_name, command)
                      .Caution(CostOfPfc(odd))
                      .CheckBy(Cat("dcb pfc show dev ", NetdevWord(odd)));
  const unsigned differing = static_cast<unsigned>(from->enabled) ^ to->enabled;
  if ((differing & wanted) == 0) return Warned(observed, kExpected, kSource, fix);
  return Judged(false, observed, kExpected, kSource, fix);
}

Verdict JudgeIwPeerProtocol(const PairView& view) {
  const auto known = [](const Port& port) { return port.transport && *port.transport != Transport::kUnknown; };
  const auto iwarp = [](const Port& port) { return port.transport && *port.transport == Transport::kIwarp; };
  const bool all_known = known(view.from_port) && known(view.to_port);
  if (all_known && !iwarp(view.from_port) && !iwarp(view.to_port))
    return NotApplicable("neither port is iWARP");
  constexpr std::string_view kSource = "RDMA netlink of both";
  constexpr std::string_view kExpected = "the same protocol on both";
  for (const Port* port : {&view.from_port, &view.to_port}) {
    if (!port->transport) return NoAnswer(port->transport.missing(), kExpected, kSource);
    if (*port->transport == Transport::kUnknown) {
      return NoAnswer(
          {.kind = Missing::Kind::kUnsupported, .detail = "the device does not say which transport it speaks"},
          kExpected, kSource);
    }
  }
  const std::string_view from = ProtocolName(*view.from_port.transport);
  const std::string_view to = ProtocolName(*view.to_port.transport);
  if (from == to) return Judged(true, Cat(from, " on both"), kExpected, kSource);
  return Judged(
      false,
      Cat(view.from_name, " speaks ", from, ", ", view.to_name, " ", to, ": nothing is tested between them"),
      kExpected, kSource,
      Fix("rdma link show")
          .Caution("run the command on both hosts")
          .Do(Cat("take ", Printable(view.to_name), " out of this inventory"))
          .Or("switch the NIC's protocol with devlink dev param, where it has both"));
}

std::string TrustText(Profile::Trust trust) {
  return trust == Profile::Trust::kAny ? std::string("nothing") : std::string(Name(trust));
}

Verdict JudgeTrustUniform(const PairView& view) {
  if (std::string reason = NotRoce(view.from_port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  const Fact<Profile::Trust> from = TrustOf(EthernetPortsOf(view.from_port).front());
  const Fact<Profile::Trust> to = TrustOf(EthernetPortsOf(view.to_port).front());
  if (NotOffered(from) || NotOffered(to)) return NotApplicable("a driver does not say what it trusts");
  constexpr std::string_view kSource = "dcbnl APP table of both";
  constexpr std::string_view kExpected = "the same on both";
  if (!from) return NoAnswer(from.missing(), kExpected, kSource);
  if (!to) return NoAnswer(to.missing(), kExpected, kSource);
  if (*from == *to) return Judged(true, TrustText(*from) + " on both", kExpected, kSource);
  return Judged(false,
                Cat(TrustText(*from), " at ", view.from_name, ", ", TrustText(*to), " at ", view.to_name),
                kExpected, kSource);
}

Verdict JudgeDrvFwUniform(const PairView& view) {
  if (IsSoftware(view.from_port) || IsSoftware(view.to_port))
    return NotApplicable("a software device has no firmware");
  const Fact<std::string>& from_board = view.from_port.board;
  const Fact<std::string>& to_board = view.to_port.board;
  if (from_board && to_board && *from_board != *to_board)
    return NotApplicable(Cat("different boards: ", *from_board, " and ", *to_board));
  constexpr std::string_view kSource = "RDMA netlink of both";
  constexpr std::string_view kExpected = "the same on both";
  for (const Port* port : {&view.from_port, &view.to_port}) {
    if (!port->firmware) return NoAnswer(port->firmware.missing(), kExpected, kSource);
    if (!port->board) return NoAnswer(port->board.missing(), kExpected, kSource);
  }
  const std::string& from = *view.from_port.firmware;
  const std::string& to = *view.to_port.firmware;
  if (from == to) return Judged(true, Cat("firmware ", from, " on both"), kExpected, kSource);
  return Judged(false, Cat("firmware ", from, " at ", view.from_name, ", ", to, " at ", view.to_name),
                kExpected, kSource);
}

}  // namespace

std::vector<Check> PairChecks() {
  return {
      {.id = "iw.peer-protocol",
       .title = "An iWARP port has an iWARP port as its peer",
       .why =
           "iWARP and RoCE do not talk to each other: between such hosts storage falls back to TCP, silently",
       .fix = Fix("rdma link show")
                  .Caution("run the command on both hosts")
                  .Do("keep hosts of one protocol in one inventory")
                  .Or("switch the NIC's protocol with devlink dev param, where it has both"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.transport", "agree.transport"},
       .parts_hosts = true,
       .judge = JudgeIwPeerProtocol},
      {.id = "mtu.pair",
       .title = "Both ports have the same RoCE MTU",
       .why = "Messages larger than the smaller MTU are dropped, or the connection fails",
       .fix = Fix("ip link set dev {netdev} mtu {mtu}")
                  .Caution("run it on the host with the smaller MTU")
                  .CheckBy("ip link show dev {netdev}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.transport", "link.state", "mtu.ethernet", "mtu.roce-active", "agree.netdev-mtu",
                      "agree.mtu"},
       .judge = JudgeMtuPair},
      {.id = "pfc.both-directions",
       .title = "Both ports pause the same priorities",
       .why = "A pause that only one end knows protects one direction: the other loses frames under load",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on")
                  .Caution("run it on the host that differs")
                  .CheckBy("dcb pfc show dev {netdev}"),
       .blocks_for = &kDemandsPfc,
       .depends_on = {"inv.transport", "drv.dcb-capable", "pfc.lossless-priority", "pfc.only-one", "agree.pfc"},
       .judge = JudgePfcBothDirections},
      {.id = "trust.uniform",
       .title = "Both ports classify received frames by the same mark",
       .why = "Where one end trusts DSCP and the other PCP, traffic is lossless one way only",
       .fix = Fix("dcb app show dev {netdev}")
                  .Because("most NICs trust DSCP as soon as they have a row of it, and one end has none")
                  .Caution("run the command on both hosts")
                  .Do("make the one that differs trust the same mark as the other")
                  .CheckBy("dcb app show dev {netdev}"),
       .depends_on = {"inv.transport", "drv.dcb-capable", "map.dscp", "trust.mode"},
       .judge = JudgeTrustUniform},
      {.id = "drv.fw-uniform",
       .title = "NICs of one board have one firmware at both ends",
       .why = "Two firmware versions differ in pause and congestion behaviour: a fault shows on one end only",
       .fix =
           Fix("devlink dev info")
               .Caution(
                   "new firmware works after a reset of the NIC: its links go down, so drain the host before")
               .Do("compare both hosts, and bring the older firmware to that of the other")
               .CheckBy("devlink dev info"),
       .depends_on = {"inv.netdev-mapping", "agree.firmware"},
       .judge = JudgeDrvFwUniform},
  };
}

}  // namespace rdmaready
