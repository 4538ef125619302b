// SPDX-License-Identifier: Apache-2.0
// ip.*: by which addresses the port is reached.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "checks/addresses.h"
#include "checks/families.h"
#include "checks/unclear.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "rtnetlink addresses";

std::string AddressNotApplicable(const PortView& view) {
  return IsInfiniBand(view.port) ? "InfiniBand: a port is reached by its LID" : "";
}

Verdict JudgeAddress(const PortView& view) {
  constexpr std::string_view kExpected = "an IP address";
  const Port& port = view.port;
  std::string observed;
  for (const PlacedAddress& placed : AddressesOf(port)) {
    observed += Cat(observed.empty() ? "" : ", ", placed.ip.address, "/", placed.ip.prefix_length);
    if (placed.upper != nullptr) observed += Cat(" on ", placed.netdev);
  }
  if (!observed.empty()) return Judged(true, observed, std::string(kExpected), kSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), std::string(kExpected), kSource);
  if (port.netdev && !port.uppers) return NoAnswer(port.uppers.missing(), std::string(kExpected), kSource);
  return Judged(false, "no address but link-local ones", std::string(kExpected), kSource);
}

bool SameSubnet(const IpAddress& a, const IpAddress& b) {
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<std::uint8_t, 16> x{};
    std::array<std::uint8_t, 16> y{};
    if (inet_pton(family, a.address.c_str(), x.data()) != 1) continue;
    if (inet_pton(family, b.address.c_str(), y.data()) != 1) return false;
    const unsigned bits = std::min(a.prefix_length, b.prefix_length);
    for (unsigned bit = 0; bit < bits; ++bit) {
      if (((x[bit / 8] ^ y[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
    }
    return true;
  }
  return false;
}

std::string SubnetsNotApplicable(const PortView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: a port is reached by its LID";
  return view.host.ports && view.host.ports->size() < 2
             ? "fewer than two RDMA ports: there is nothing to compare"
             : "";
}

// Only the ports before this one are looked at, so that two ports in one subnet are one finding.
Verdict JudgeSubnets(const PortView& view) {
  constexpr std::string_view kExpected = "a subnet of its own";
  const Port& port = view.port;
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), std::string(kExpected), kSource);
  const std::vector<PlacedAddress> own = AddressesOf(port);
  if (own.empty()) return Unclear("no address to compare", std::string(kExpected), kSource);
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), std::string(kExpected), kSource);
  for (const Port& other : *view.host.ports) {
    if (other.device == port.device && other.number == port.number) break;
    for (const PlacedAddress& theirs : AddressesOf(other)) {
      for (const PlacedAddress& ours : own) {
        // A bond or bridge over both ports has one address for both.
        if (ours.netdev == theirs.netdev || !SameSubnet(ours.ip, theirs.ip)) continue;
        return Judged(
            false, Cat(ours.ip.address, "/", ours.ip.prefix_length, " is in the subnet of ", PortName(other)),
            std::string(kExpected), kSource);
      }
    }
  }
  return Judged(true, Cat(own.front().ip.address, "/", own.front().ip.prefix_length), std::string(kExpected),
                kSource);
}

}  // namespace

Check IpUsable() {
  return {.id = "ip.address",
          .title = "The port has an IP address that peers can use",
          .why = "RDMA connections are made by IP address, also where no IP packet is sent",
          .fix =
              "ip address add ADDRESS dev {netdev}  # ADDRESS: this host's in the storage network, like "
              "10.0.0.1/24",
          .blocks_for = &kDemandsRdma,
          .depends_on = {"inv.netdev-mapping", "link.state"},
          .rule = Rule<PortView>{AddressNotApplicable, JudgeAddress}};
}

Check IpSubnets() {
  return {
      .id = "ip.subnets",
      .title = "Every RDMA port has a subnet of its own",
      .why =
          "With two ports in one subnet the kernel answers for one on the other, and traffic crosses between "
          "the switches",
      .fix =
          "ip address show dev {netdev}  # move it to a subnet and VLAN of its own, the same ones on every "
          "host",
      .depends_on = {"inv.netdev-mapping", "ip.address"},
      .rule = Rule<PortView>{SubnetsNotApplicable, JudgeSubnets}};
}

}  // namespace rdmaready
