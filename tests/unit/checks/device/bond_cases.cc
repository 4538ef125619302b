// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// The port's netdev as a member of a bond or a bridge.
template <class Change>
Facts Member(std::string_view kind, Change change) {
  return WithPort([&](Port& port) {
    UpperNetdev master{
        .name = kind == "bond" ? "bond0" : "br0", .ifindex = 9, .kind = std::string(kind), .over = {"dcb0"}};
    if (kind == "bond") master.bond_mode = std::string("active-backup");
    master.addresses = std::vector<IpAddress>{};
    Netdev netdev = *port.netdev;
    netdev.master = master.name;
    change(netdev, master);
    port.netdev = netdev;
    port.uppers = std::vector<UpperNetdev>{master};
  });
}

}  // namespace

std::vector<CheckCase> BondCases() {
  const auto as_it_is = [](Netdev&, UpperNetdev&) {};
  const Facts bond = Member("bond", as_it_is);
  const Facts bridge = Member("bridge", as_it_is);
  Facts hard_bridge = Member("bridge", [](Netdev&, UpperNetdev& master) {
    master.addresses = std::vector<IpAddress>{{.address = "10.8.0.1", .prefix_length = 24}};
  });
  std::vector<Port> ports = *hard_bridge.ports;
  ports.front().software = false;
  hard_bridge.ports = ports;
  Facts nameless = bond;
  ports = *nameless.ports;
  ports.front().uppers = Denied();
  nameless.ports = ports;
  Facts lag = bond;
  ports = *lag.ports;
  Netdev other = *ports.front().netdev;
  other.name = "dcb1";
  ports.front().lowers = std::vector<Netdev>{*ports.front().netdev, other};
  lag.ports = ports;
  Facts unseen = bond;
  ports = *unseen.ports;
  ports.front().lowers = Denied();
  unseen.ports = ports;
  return {
      Passes("inv.bond", "active-backup", bond, "dcb0 is in bond0 (active-backup); judged here, at dcb0"),
      Passes("inv.bond", "one device for two members", lag, "judged here, at dcb0 and dcb1"),
      IsUnknown("inv.bond", "what shares the device is not known", unseen, "not permitted"),
      Fails("inv.bond", "round robin",
            Member("bond", [](Netdev&, UpperNetdev& master) { master.bond_mode = std::string("balance-rr"); }),
            "over several links", {.fix = "type bond mode active-backup"}),
      Fails("inv.bond", "ice", Member("bond", [](Netdev& netdev, UpperNetdev&) { netdev.driver = "ice"; }),
            "refuses DCB settings", {.fix = "ip link set dev dcb0 nomaster"}),
      Fails("inv.bond", "two ports in it", WithSecond(bond, [](Port&) {}), "together with rxe1/1",
            {.fix = "ip link set dev dcb0 nomaster"}),
      IsUnknown("inv.bond", "whether the other port is in it is not known",
                WithSecond(bond, [](Port& port) { port.netdev = Denied(); }), "not permitted"),
      IsUnknown("inv.bond", "mode not known",
                Member("bond", [](Netdev&, UpperNetdev& master) { master.bond_mode = Denied(); }),
                "not permitted"),
      IsUnknown("inv.bond", "what the master is, is not known", nameless, "not permitted"),
      DoesNotApply("inv.bond", "in a bridge", bridge, "dcb0 is in br0, a bridge"),
      DoesNotApply("inv.bond", "in nothing", GoodHost(), "dcb0 is in no bond"),
      Fails("inv.bridge", "software below a bridge", bridge, "dcb0 is a port of the bridge br0",
            {.fix = "ip link set dev dcb0 nomaster"}),
      Passes("inv.bridge", "hardware below a bridge with an address", hard_bridge, "br0"),
      IsUnknown("inv.bridge", "what the master is, is not known", nameless, "not permitted"),
      DoesNotApply("inv.bridge", "in a bond", bond, "dcb0 is in bond0, a bond"),
      DoesNotApply("inv.bridge", "in nothing", GoodHost(), "dcb0 is in no bridge")};
}

}  // namespace rdmaready
