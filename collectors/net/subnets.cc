// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/subnets.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/net/ipv4_settings.h"

namespace rdmaready {
namespace {

constexpr unsigned kMostProbes = 64;  // addresses looked at on either side of our own

struct Raw {
  int family = 0;
  std::size_t bytes = 0;
  std::array<std::uint8_t, 16> value{};

  bool operator==(const Raw&) const = default;
};

std::optional<Raw> Parse(const std::string& address) {
  Raw raw;
  if (::inet_pton(AF_INET, address.c_str(), raw.value.data()) == 1) {
    raw.family = AF_INET;
    raw.bytes = sizeof(in_addr);
    return raw;
  }
  if (::inet_pton(AF_INET6, address.c_str(), raw.value.data()) != 1) return std::nullopt;
  raw.family = AF_INET6;
  raw.bytes = sizeof(in6_addr);
  return raw;
}

std::string Text(const Raw& raw) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(raw.family, raw.value.data(), text.data(), text.size()) == nullptr ? "" : text.data();
}

bool SamePrefix(const Raw& a, const Raw& b, unsigned bits) {
  if (a.family != b.family) return false;
  for (unsigned bit = 0; bit < std::min<std::size_t>(bits, a.bytes * 8); ++bit) {
    if (((a.value[bit / 8] ^ b.value[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

// The next address in the direction; wraps around, which SamePrefix notices.
Raw Step(Raw raw, bool up) {
  for (std::size_t i = raw.bytes; i-- > 0;) {
    if (up ? ++raw.value[i] != 0 : raw.value[i]-- != 0) break;
  }
  return raw;
}

// Whether all bits after the prefix are `bit`.
bool HostBitsAre(const Raw& raw, unsigned prefix, bool bit) {
  for (unsigned at = prefix; at < raw.bytes * 8; ++at) {
    if (((raw.value[at / 8] >> (7 - at % 8) & 1) != 0) != bit) return false;
  }
  return true;
}

// The subnet's own address (IPv6: the anycast one of its routers) and IPv4's broadcast address; two addresses
// alone (RFC 3021, RFC 6164) are both hosts.
bool IsReserved(const Raw& raw, unsigned prefix) {
  if (prefix + 1 >= raw.bytes * 8) return false;
  return HostBitsAre(raw, prefix, false) || (raw.family == AF_INET && HostBitsAre(raw, prefix, true));
}

bool IsLinkLocal(const Raw& raw) {
  if (raw.family == AF_INET) return (raw.value[0] == 169 && raw.value[1] == 254) || raw.value[0] == 127;
  return raw.value[0] == 0xfe && (raw.value[1] & 0xc0) == 0x80;
}

std::span<const std::byte> BytesOf(const Raw& raw) {
  return std::as_bytes(std::span(raw.value).first(raw.bytes));
}

NetlinkRequest RouteRequest(const Raw& from, const Raw& to) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(from.family);
  header.rtm_src_len = header.rtm_dst_len = static_cast<unsigned char>(from.bytes * 8);
  return {NETLINK_ROUTE, RTM_GETROUTE, false,
          Payload::Of(header).Bytes(RTA_DST, BytesOf(to)).Bytes(RTA_SRC, BytesOf(from)).bytes()};
}

Fact<IpRoute> AskForRoute(HostReader& host, const Network& network, const NetlinkRequest& request) {
  const absl::StatusOr<NetlinkMessage> answer = AskForOne(host, request, "route");
  // ENETUNREACH, EHOSTUNREACH: the kernel knows no way, which is an answer.
  if (answer.status().code() == absl::StatusCode::kFailedPrecondition) return IpRoute{};
  if (!answer.ok()) return MissingFrom(answer.status());
  absl::StatusOr<RawRoute> raw = DecodeRoute(answer->payload);
  if (!raw.ok()) return MissingFrom(raw.status());
  if (raw->ifindex == 0) return IpRoute{};
  const absl::StatusOr<Link> link = FindLink(host, network, raw->ifindex);
  if (!link.ok()) return MissingFrom(link.status());
  return IpRoute{.netdev = link->name, .gateway = std::move(raw->gateway)};
}

Fact<IpRoute> ReadRoute(HostReader& host, const Network& network, const Raw& from, const Raw& to) {
  return AskForRoute(host, network, RouteRequest(from, to));
}

NetlinkRequest RouteRequest(const Raw& to) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(to.family);
  header.rtm_dst_len = static_cast<unsigned char>(to.bytes * 8);
  return {NETLINK_ROUTE, RTM_GETROUTE, false, Payload::Of(header).Bytes(RTA_DST, BytesOf(to)).bytes()};
}

struct Place {
  std::string netdev{};
  std::uint32_t ifindex = 0;
  std::vector<IpAddress> addresses{};
};

// What a VRF's members are asked for from outside is answered by the wrong table.
bool InVrf(HostReader& host, const Network& network, std::uint32_t ifindex) {
  const absl::StatusOr<Link> link = FindLink(host, network, ifindex);
  if (!link.ok() || !link->master) return false;
  const absl::StatusOr<Link> master = FindLink(host, network, *link->master);
  return master.ok() && master->kind == "vrf";
}

std::vector<SubnetSharer> SharersOf(HostReader& host, const Network& network, const Place& place,
                                    const IpAddress& own) {
  std::vector<SubnetSharer> sharers;
  for (const auto& [ifindex, address] : network.subnets->FirstOfEach(own)) {
    const Link* link = network.links.ok() ? network.links->Find(ifindex) : nullptr;
    if (ifindex == place.ifindex || link == nullptr || !link->admin_up || link->loopback) continue;
    sharers.push_back(
        {link->name, address, EffectiveIpv4(network.ipv4_of_all, ReadIpv4Conf(host, link->name))});
  }
  return sharers;
}

Subnet ReadSubnet(HostReader& host, const Network& network, const Place& place, const IpAddress& own) {
  Subnet subnet{.netdev = place.netdev, .own = own};
  subnet.shared_with = SharersOf(host, network, place, own);
  subnet.probe = ProbeAddress(own, network.subnets->taken());
  if (subnet.probe.empty()) {
    subnet.route = Missing{Missing::Kind::kUnsupported, "no other address is in the subnet"};
  } else if (InVrf(host, network, place.ifindex)) {
    subnet.route = Missing{Missing::Kind::kUnsupported, place.netdev + " is in a VRF with routes of its own"};
  } else {
    subnet.route = ReadRoute(host, network, *Parse(own.address), *Parse(subnet.probe));
  }
  return subnet;
}

// The port's netdev and what is built on it, or why not all of that is known.
Fact<std::vector<Place>> PlacesOf(const Port& port) {
  if (!port.netdev) return port.netdev.missing();
  if (!port.netdev->addresses) return port.netdev->addresses.missing();
  std::vector<Place> places{{port.netdev->name, port.netdev->ifindex, *port.netdev->addresses}};
  if (!port.uppers) return port.uppers.missing();
  for (const UpperNetdev& upper : *port.uppers) {
    if (!upper.addresses) return upper.addresses.missing();
    places.push_back({upper.name, upper.ifindex, *upper.addresses});
  }
  return places;
}

}  // namespace

absl::StatusOr<RawRoute> DecodeRoute(std::span<const std::byte> payload) {
  rtmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "route"));
  if (header.rtm_type != RTN_UNICAST && header.rtm_type != RTN_LOCAL) return RawRoute{};
  RR_ASSIGN_OR_RETURN(const std::uint32_t ifindex, attributes.U32(RTA_OIF));
  RawRoute route{.ifindex = ifindex};
  if (const auto gateway = attributes.Find(RTA_GATEWAY)) {
    Raw raw{.family = header.rtm_family, .bytes = gateway->size()};
    const std::size_t bytes = header.rtm_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
    if (gateway->size() != bytes) return Malformed("route", "a gateway of another size");
    std::ranges::copy(std::span(reinterpret_cast<const std::uint8_t*>(gateway->data()), bytes),
                      raw.value.begin());
    route.gateway = Text(raw);
  }
  return route;
}

std::string ProbeAddress(const IpAddress& own, const std::set<std::string>& taken) {
  const std::optional<Raw> start = Parse(own.address);
  if (!start) return "";
  for (const bool up : {true, false}) {
    Raw raw = *start;
    for (unsigned i = 0; i < kMostProbes; ++i) {
      raw = Step(raw, up);
      if (!SamePrefix(raw, *start, own.prefix_length)) break;
      if (IsReserved(raw, own.prefix_length)) continue;
      std::string text = Text(raw);
      if (text != own.address && !taken.contains(text)) return text;
    }
  }
  return "";
}

Fact<std::vector<Subnet>> ReadSubnets(HostReader& host, const Network& network, const Port& port) {
  const Fact<std::vector<Place>> places = PlacesOf(port);
  if (!places) return places.missing();
  if (!network.subnets) return network.subnets.missing();
  std::vector<Subnet> subnets;
  for (const Place& place : *places) {
    for (const IpAddress& own : place.addresses) {
      const std::optional<Raw> raw = Parse(own.address);
      if (raw && !IsLinkLocal(*raw)) subnets.push_back(ReadSubnet(host, network, place, own));
    }
  }
  return subnets;
}

Fact<std::vector<std::string>> ReadDefaultRoutes(HostReader& host, const Network& network) {
  std::vector<std::string> netdevs;
  for (const char* nobody : {"192.0.2.1", "2001:db8::1"}) {
    const Fact<IpRoute> route = AskForRoute(host, network, RouteRequest(*Parse(nobody)));
    if (!route) return route.missing();
    const bool known = route->netdev.empty() || std::ranges::find(netdevs, route->netdev) != netdevs.end();
    if (!known) netdevs.push_back(route->netdev);
  }
  return netdevs;
}

Fact<std::vector<Neighbour>> NeighboursOf(const Network& network, const Port& port) {
  const Fact<std::vector<Place>> places = PlacesOf(port);
  if (!places) return places.missing();
  if (!network.neighbours) return network.neighbours.missing();
  std::vector<Neighbour> neighbours;
  for (const Place& place : *places) {
    const auto found = network.neighbours->find(place.ifindex);
    if (found == network.neighbours->end()) continue;
    for (Neighbour one : found->second) {
      one.netdev = place.netdev;
      neighbours.push_back(std::move(one));
    }
  }
  return neighbours;
}

}  // namespace rdmaready
