// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// A member of bond0.
Facts InBond(std::uint32_t own, std::uint32_t of_bond) {
  return WithPort([&](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.mtu_bytes = own;
    netdev.master = "bond0";
    port.netdev = netdev;
    port.uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .mtu_bytes = of_bond}};
  });
}

// A port of br0, which has the address.
Facts InBridge(std::uint32_t own, std::uint32_t of_bridge, const Fact<std::vector<IpAddress>>& addresses) {
  return WithPort([&](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.mtu_bytes = own;
    netdev.master = "br0";
    port.netdev = netdev;
    port.uppers = std::vector<UpperNetdev>{
        {.name = "br0", .kind = "bridge", .mtu_bytes = of_bridge, .addresses = addresses}};
  });
}

std::vector<CheckCase> MtuBasicsRows() {
  const std::vector<IpAddress> address{{.address = "10.0.0.1", .prefix_length = 24}};
  const Facts smaller = WithPort([](Port& port) { port.active_mtu_bytes = 1024; });
  return {Passes("mtu.ethernet", "good", GoodHost(), "MTU 9000"),
          Fails("mtu.ethernet", "1500", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; }), "MTU 1500",
                {.fix = "ip link set dev dcb0 mtu 9000"}),
          Fails("mtu.ethernet", "1500 in a bond that has more", InBond(1500, 9000),
                "and bond0 above it has 9000", {.fix = "ip link set dev bond0 mtu 9000"}),
          Passes("mtu.ethernet", "a good bond", InBond(9000, 9000), "MTU 9000"),
          Fails("mtu.ethernet", "a bridge with the address that has less", InBridge(9000, 1500, address),
                "MTU 9000, and br0 above it has 1500", {.fix = "ip link set dev br0 mtu 9000"}),
          Fails("mtu.ethernet", "both have less", InBridge(1500, 1500, address), "MTU 1500",
                {.fix = "ip link set dev dcb0 mtu 9000"}),
          Passes("mtu.ethernet", "a bridge without an address", InBridge(9000, 1500, std::vector<IpAddress>{}),
                 "and br0 above it has 1500"),
          Passes("mtu.ethernet", "a bridge that has as much", InBridge(9000, 9000, address), "MTU 9000"),
          IsUnknown("mtu.ethernet", "a bridge of unknown addresses", InBridge(9000, 1500, Denied()),
                    "not permitted"),
          IsUnknown("mtu.ethernet", "not filled in", WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 0; }),
                    "not collected"),
          DoesNotApply("mtu.ethernet", "not asked", GoodHost(), "does not ask",
                       {.profile = Without([](Profile& profile) { profile.mtu_bytes.reset(); })}),
          Passes("mtu.roce-active", "good", GoodHost(), "RoCE MTU 4096"),
          Fails("mtu.roce-active", "1024 in spite of a large MTU", smaller, "RoCE MTU 1024",
                {.fix = "ip link set dev dcb0 mtu 1500 && ip link set dev dcb0 mtu 9000"}),
          Passes("mtu.roce-active", "1500 where only the RoCE MTU is asked for",
                 WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; }), "RoCE MTU 4096",
                 {.profile = Without([](Profile& profile) { profile.mtu_bytes.reset(); })}),
          IsUnknown("mtu.roce-active", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }),
                    "not permitted"),
          Fails("mtu.roce-active", "larger than wanted", GoodHost(), "RoCE MTU 4096",
                {.fix = "correct roce_mtu_bytes",
                 .profile = Without([](Profile& profile) { profile.roce_mtu_bytes = 1024; })})};
}

std::vector<CheckCase> MtuNetRows() {
  const auto limited = [](std::uint32_t now, Fact<std::uint32_t> most) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.mtu_bytes = now;
      netdev.max_mtu_bytes = most;
    });
  };
  const auto vlan_mtu = [](std::uint32_t mtu) {
    return WithVlan([mtu](Port&, UpperNetdev& vlan) { vlan.mtu_bytes = mtu; });
  };
  const Facts uppers_unknown = WithPort([](Port& port) { port.uppers = Denied(); });
  return {
      Passes("mtu.max", "set already", limited(9000, Denied()), "MTU 9000 is set"),
      Passes("mtu.max", "room for it", limited(1500, 9978), "allows 9978"),
      Passes("mtu.max", "no limit", limited(1500, 0), "no limit"),
      Fails("mtu.max", "too little", limited(1500, 4000), "allows 4000 at most",
            {.fix = "ip -d link show dev dcb0"}),
      IsUnknown("mtu.max", "denied", limited(1500, Denied()), "not permitted"),
      IsUnknown("mtu.max", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), "not permitted"),
      DoesNotApply("mtu.max", "not asked", GoodHost(), "does not ask",
                   {.profile = Asking([](Profile& profile) { profile.mtu_bytes.reset(); })}),
      Passes("mtu.vlan", "good", OnVlan(), "dcb0.711 has MTU 9000"),
      Fails("mtu.vlan", "small", vlan_mtu(1500), "dcb0.711 has MTU 1500",
            {.fix = "ip link set dev dcb0.711 mtu 9000"}),
      IsUnknown("mtu.vlan", "not filled in", vlan_mtu(0), "not collected"),
      IsUnknown("mtu.vlan", "denied", uppers_unknown, "not permitted"),
      DoesNotApply("mtu.vlan", "small, but not for storage", vlan_mtu(1500), "no VLAN",
                   {.profile = OnlyVlan(712)}),
      Passes("mtu.vlan", "small for management beside storage", Converged(), "dcb0.711 has MTU 9000",
             {.profile = Tagged()}),
      IsUnknown("mtu.vlan", "which VLANs have an address is not known", UppersDenied(), "not permitted"),
      DoesNotApply("mtu.vlan", "no VLAN", GoodHost(), "no VLAN")};
}

}  // namespace

std::vector<CheckCase> MtuCases() { return Joined({MtuBasicsRows(), MtuNetRows()}); }

}  // namespace rdmaready
