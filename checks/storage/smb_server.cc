// SPDX-License-Identifier: Apache-2.0
// smb.* of an SMB server's RDMA ports: does it listen, and does it tell its clients of the
// address; iw.port-5445.
#include <algorithm>

#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr Profile::Role kServer = Profile::Role::kSmbServer;

// iWARP shares TCP's ports, and 445 is taken by SMB on TCP: MS-SMBD 1.9.
constexpr std::uint16_t kPort = 445;
constexpr std::uint16_t kIwarpPort = 5445;

std::string OwnerOf(const RdmaListener& listener) {
  if (!listener.kernel_name.empty()) return listener.kernel_name;
  return listener.pid == 0 ? std::string("a process") : Cat("process ", listener.pid);
}

std::string ListenersText(const std::vector<RdmaListener>& listeners) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < listeners.size() && i < kShown; ++i)
    text += Cat(i == 0 ? "" : ", ", OwnerOf(listeners[i]), " on ", listeners[i].port);
  if (listeners.size() > kShown) text += Cat(" and ", listeners.size() - kShown, " more");
  return text.empty() ? std::string("nobody") : text;
}

Verdict JudgeSmbListener(const PortView& view) {
  const Port& port = view.port;
  const RoleAnswer role = RoleOf(view.host, view.profile, kServer);
  if (!role.not_applicable.empty()) return NotApplicable(role.not_applicable);
  if (!port.transport) return NoAnswer(port.transport.missing(), "an SMB Direct listener", kListenersSource);
  const std::uint16_t wanted = *port.transport == Transport::kIwarp ? kIwarpPort : kPort;
  const std::string expected = Cat("a listener on RDMA port ", wanted);
  if (role.unknown) return NoAnswer(*role.unknown, expected, kListenersSource);
  if (!port.listeners) return NoAnswer(port.listeners.missing(), expected, kListenersSource);
  const auto found = std::ranges::find(*port.listeners, wanted, &RdmaListener::port);
  if (found != port.listeners->end())
    return Judged(true, Cat(OwnerOf(*found), " on ", wanted), expected, kListenersSource);
  return Judged(false, Cat("listening: ", ListenersText(*port.listeners)), expected, kListenersSource);
}

// Whether ksmbd tells its clients that the address can do RDMA: that of the device's own netdev always, that of
// a VLAN or a bridge right on it since Linux 6.18.
bool IsOffered(const PlacedAddress& placed, const Port& port, const KernelVersion& version) {
  if (placed.upper == nullptr) return true;
  const UpperNetdev& upper = *placed.upper;
  if (upper.kind != "vlan" && upper.kind != "bridge") return false;
  return version >= KernelVersion{6, 18} &&
         std::ranges::find(upper.over, port.netdev->name) != upper.over.end();
}

std::string PlaceText(const PlacedAddress& placed) {
  return placed.upper == nullptr ? Cat(placed.ip.address, " on ", placed.netdev)
                                 : Cat(placed.ip.address, " on ", placed.netdev, " (", placed.upper->kind, ")");
}

Verdict JudgeSmbServerAddress(const PortView& view) {
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: its addresses are on IPoIB interfaces");
  constexpr std::string_view kSource = "rtnetlink link and addresses, kernel release";
  const Port& port = view.port;
  const std::string expected =
      port.netdev ? Cat("an address on ", port.netdev->name, " itself") : "an address on the port";
  if (auto gap = RoleGap(view.host, view.profile, kServer, expected, kSource)) return *gap;
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), expected, kSource);
  const std::vector<PlacedAddress> addresses = AddressesOf(port);
  if (addresses.empty()) return Unclear("no address to judge", expected, kSource);
  const bool own =
      std::ranges::all_of(addresses, [](const PlacedAddress& one) { return one.upper == nullptr; });
  if (own) return Judged(true, PlaceText(addresses.front()), expected, kSource);
  const Fact<KernelVersion> version = VersionOf(view.host.kernel);
  if (!version) return NoAnswer(version.missing(), expected, kSource);
  std::string hidden;
  for (const PlacedAddress& placed : addresses) {
    if (!IsOffered(placed, port, *version)) hidden += Cat(hidden.empty() ? "" : ", ", PlaceText(placed));
  }
  if (hidden.empty()) return Judged(true, PlaceText(addresses.front()), expected, kSource);
  const std::string observed =
      Cat(hidden, ": not told to clients as RDMA by Linux ", version->major, ".", version->minor);
  const bool some = std::ranges::any_of(
      addresses, [&](const PlacedAddress& placed) { return IsOffered(placed, port, *version); });
  return some ? Warned(observed, expected, kSource) : Judged(false, observed, expected, kSource);
}

Verdict JudgeSmbInterfaces(const PortView& view) {
  const RoleAnswer role = RoleOf(view.host, view.profile, kServer);
  if (!role.not_applicable.empty()) return NotApplicable(role.not_applicable);
  if (view.host.ksmbd && view.host.ksmbd->interfaces.empty())
    return NotApplicable("ksmbd serves all interfaces");
  if (NotOffered(view.host.ksmbd)) return NotApplicable("no ksmbd.conf names interfaces");
  constexpr std::string_view kSource = "ksmbd.conf";
  const Port& port = view.port;
  const std::string expected =
      port.netdev ? Cat("interfaces with ", port.netdev->name) : "interfaces with the port's";
  if (role.unknown) return NoAnswer(*role.unknown, expected, kSource);
  if (!view.host.ksmbd) return NoAnswer(view.host.ksmbd.missing(), expected, kSource);
  if (!port.netdev) return NoAnswer(port.netdev.missing(), expected, kSource);
  const std::vector<std::string>& served = view.host.ksmbd->interfaces;
  const auto is_served = [&served](const std::string& name) {
    return std::ranges::find(served, name) != served.end();
  };
  bool found = is_served(port.netdev->name);
  for (const PlacedAddress& placed : AddressesOf(port)) found = found || is_served(placed.netdev);
  if (!found && !AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), expected, kSource);
  std::string names;
  for (const std::string& name : served) names += Cat(names.empty() ? "" : " ", name);
  return Judged(found, Cat("interfaces = ", names), expected, kSource);
}

// An iWARP listener may itself be seen among TCP's: it holds the port there.
Verdict JudgeIwPort5445(const PortView& view) {
  if (view.port.transport && *view.port.transport != Transport::kIwarp)
    return NotApplicable("not iWARP: its ports are not TCP's");
  constexpr std::string_view kExpected = "TCP port 5445 free for SMB Direct";
  constexpr std::string_view kSource = "/proc/net/tcp and RDMA netlink";
  if (auto gap = RoleGap(view.host, view.profile, kServer, kExpected, kSource)) return *gap;
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), kExpected, kSource);
  if (!view.port.listeners) return NoAnswer(view.port.listeners.missing(), kExpected, kSource);
  if (std::ranges::find(*view.port.listeners, kIwarpPort, &RdmaListener::port) != view.port.listeners->end())
    return Judged(true, "SMB Direct has it", kExpected, kSource);
  const Fact<std::vector<std::uint16_t>>& taken = view.host.tcp_listeners;
  if (!taken) return NoAnswer(taken.missing(), kExpected, kSource);
  const bool free = std::ranges::find(*taken, kIwarpPort) == taken->end();
  return Judged(free, free ? "free" : "a TCP listener has port 5445", kExpected, kSource);
}

Verdict JudgeSmbMultichannelPorts(const HostView& view) {
  if (!kDemandsSmb.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "a role of SMB"));
  constexpr std::string_view kExpected = "at least 2 RDMA ports";
  constexpr std::string_view kPortsSource = "RDMA netlink";
  const Fact<std::vector<Port>>& ports = view.host.ports;
  if (!ports) return NoAnswer(ports.missing(), kExpected, kPortsSource);
  return Judged(ports->size() >= 2, Cat(ports->size(), ports->size() == 1 ? " RDMA port" : " RDMA ports"),
                kExpected, kPortsSource);
}

}  // namespace

std::vector<Check> SmbServingChecks() {
  return {
      {.id = "smb.multichannel-ports",
       .title = "SMB Multichannel has a second RDMA port to go to",
       .why = "With a single port every fault of its cable, NIC or switch stops storage",
       .fix = Fix().Do("add a second port, in a subnet and at a switch of its own").CheckBy("rdma link show"),
       .depends_on = {"inv.rdma-present", "inv.expected-count"},
       .judge = JudgeSmbMultichannelPorts},
      {.id = "iw.port-5445",
       .title = "No TCP listener takes the port of SMB Direct over iWARP",
       .why = "iWARP connections are TCP connections: whoever listens on 5445 keeps the SMB server from it",
       .fix = Fix()
                  .Do("stop the program that has TCP port 5445, or give it another port")
                  .Do("restart ksmbd: all sessions of the server end")
                  .CheckBy("ss -ltnp sport = 5445"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIwPort5445},
      {.id = "smb.listener",
       .title = "The SMB server listens on the RDMA device",
       .why = "Without a listener every RDMA connection is refused, and clients stay on TCP",
       .fix = Fix("systemctl restart ksmbd")
                  .Because("ksmbd was started before the RDMA device was there")
                  .Caution("the restart ends all sessions of the server")
                  .CheckBy("rdma resource show cm_id link {device}"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present", "smb.server-built-in", "iw.port-5445"},
       .in_summary = 1,
       .judge = JudgeSmbListener},
      {.id = "smb.server-address",
       .title = "The SMB server's address is where clients are told of RDMA",
       .why = "ksmbd tells clients that an address can do RDMA by the interface that has it: on a bridge, bond "
              "or VLAN "
              "it may not know, and Windows clients then stay on TCP",
       .fix =
           Fix()
               .Caution(
                   "a member of a bridge or a bond uses no address of its own: remove the port from it first")
               .Do("put an address of the storage network on {netdev} itself")
               .Or("use Linux 6.18 or later, which knows VLANs and bridges right above the port")
               .CheckBy("ip address show dev {netdev}"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present", "inv.netdev-mapping", "ip.address", "smb.server-built-in"},
       .judge = JudgeSmbServerAddress},
      {.id = "smb.interfaces",
       .title = "The SMB server serves the RDMA port's interface",
       .why = "ksmbd tells its clients of the interfaces it is bound to, and of no others",
       .fix = Fix()
                  .Do("add {netdev} to interfaces in /etc/ksmbd/ksmbd.conf")
                  .Do("restart ksmbd: all sessions of the server end")
                  .CheckBy("grep -n interfaces /etc/ksmbd/ksmbd.conf"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present", "inv.netdev-mapping"},
       .judge = JudgeSmbInterfaces},
  };
}

}  // namespace rdmaready
