// SPDX-License-Identifier: Apache-2.0
// What the kernel's IP stack makes of an RDMA port's addresses: its settings, its routes and
// the rules for them, its neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

struct IpAddress {
  std::string address{};  // "10.0.0.1", "fe80::1"
  std::uint8_t prefix_length = 0;

  void Fields(auto& list) { list.Setting("address", address, "prefix_length", prefix_length); }

  bool operator==(const IpAddress&) const = default;
};

// The settings of /proc/sys/net/ipv4/conf as they take effect on one interface. What counts of "all" and the
// interface's own value is what include/linux/inetdevice.h of the kernel says: the larger one of arp_ignore,
// arp_announce and rp_filter, either one of accept_local and arp_filter.
struct Ipv4Settings {
  std::uint32_t arp_ignore = 0;    // 0: answers for every address of the host; 1, 2: for its own ones only
  std::uint32_t arp_announce = 0;  // 2: asks with the address that fits best; 0: with any of the host
  std::uint32_t rp_filter = 0;     // 0 off, 1 strict, 2 loose
  bool accept_local = false;       // takes frames that come from an address of this host
  bool arp_filter = false;         // answers only where a route leads back by the same interface

  void Fields(auto& list) {
    list.Setting("arp_ignore", arp_ignore, "arp_announce", arp_announce, "rp_filter", rp_filter, "accept_local",
                 accept_local, "arp_filter", arp_filter);
  }

  bool operator==(const Ipv4Settings&) const = default;
};

// One variable as it was set, by its name of sysctl(8): "net.ipv4.conf.all.arp_ignore". A dot in an interface's
// name is a slash in it: "net.ipv4.conf.dcb0/711.arp_ignore". What takes effect is in Ipv4Settings.
struct Sysctl {
  std::string name{};
  std::uint32_t value = 0;

  void Fields(auto& list) { list.Setting("name", name, "value", value); }

  bool operator==(const Sysctl&) const = default;
};

// How the kernel would send to an address now (RTM_GETROUTE): nothing is sent to find out.
struct IpRoute {
  std::string netdev{};   // empty: nowhere, there is no route
  std::string gateway{};  // empty: it is on the link

  void Fields(auto& list) { list.State("netdev", netdev, "gateway", gateway); }

  bool operator==(const IpRoute&) const = default;
};

// Another interface of the host with an address in the same subnet.
struct SubnetSharer {
  std::string netdev{};
  std::string address{};
  Fact<Ipv4Settings> ipv4{};

  void Fields(auto& list) { list.Setting("netdev", netdev, "address", address, "ipv4", ipv4); }

  bool operator==(const SubnetSharer&) const = default;
};

// The subnet of one address by which an RDMA port is reached, on its netdev or on what is built on that.
struct Subnet {
  std::string netdev{};  // the one that has the address
  IpAddress own{};
  std::vector<SubnetSharer> shared_with{};  // interfaces that are down are left out
  std::string probe{};                      // a free address of the subnet; empty: it has none
  Fact<IpRoute> route{};                    // from `own` to `probe`

  void Fields(auto& list) {
    list.Setting("netdev", netdev, "own", own, "shared_with", shared_with, "probe", probe);
    list.State("route", route);
  }

  bool operator==(const Subnet&) const = default;
};

enum class NeighbourState {
  kUnknown,
  kIncomplete,  // asked for, no answer yet
  kReachable,
  kStale,  // it once answered; used as it is until it fails
  kDelay,
  kProbe,
  kFailed,  // asked for without success
  kPermanent,
};

// Who is at an address of the link (ARP, neighbour discovery).
struct Neighbour {
  std::string netdev{};
  std::string address{};
  std::string mac{};  // empty: not known
  NeighbourState state = NeighbourState::kUnknown;
  std::uint32_t age_s = 0;  // since the state was last set

  void Fields(auto& list) {
    list.State("netdev", netdev, "address", address, "mac", mac, "state", state);
    list.Reading("age_s", age_s);
  }

  bool operator==(const Neighbour&) const = default;
};

// A rule by which the kernel chooses the table of routes, other than those that every host has.
struct RoutingRule {
  bool ipv6 = false;
  std::uint32_t priority = 0;  // lower ones are asked first
  std::string selector{};      // for which packets, in the words of ip rule: "from 10.0.0.1"
  std::string action{};        // "lookup 1000", "prohibit"

  void Fields(auto& list) {
    list.Setting("ipv6", ipv6, "priority", priority, "selector", selector, "action", action);
  }

  bool operator==(const RoutingRule&) const = default;
};

}  // namespace rdmaready
