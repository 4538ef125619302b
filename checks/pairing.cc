// SPDX-License-Identifier: Apache-2.0
#include "checks/pairing.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "checks/names.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

struct Address {
  bool is_ipv4 = false;
  std::array<std::uint8_t, 16> bytes{};  // IPv4 in the first four
  unsigned prefix_bits = 0;
  std::string text{};
};

// Nothing for what is no address, and for those that lead nowhere: link-local, loopback, unspecified.
std::optional<Address> Parse(const IpAddress& from) {
  Address address{.prefix_bits = from.prefix_length, .text = from.address};
  if (inet_pton(AF_INET, from.address.c_str(), address.bytes.data()) == 1) {
    address.is_ipv4 = true;
    if (from.prefix_length > 32 || address.bytes[0] == 127 || address.bytes[0] == 0) return std::nullopt;
    return address;
  }
  if (inet_pton(AF_INET6, from.address.c_str(), address.bytes.data()) != 1 || from.prefix_length > 128)
    return std::nullopt;
  const bool link_local = address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
  const bool low =
      std::all_of(address.bytes.begin(), address.bytes.end() - 1, [](std::uint8_t byte) { return byte == 0; });
  if (link_local || low) return std::nullopt;
  return address;
}

bool Covers(const Address& net, const Address& other) {
  if (net.is_ipv4 != other.is_ipv4) return false;
  for (unsigned bit = 0; bit < net.prefix_bits; ++bit) {
    const unsigned shift = 7 - bit % 8;
    if (((net.bytes[bit / 8] ^ other.bytes[bit / 8]) >> shift & 1) != 0) return false;
  }
  return true;
}

std::vector<Address> AddressesOf(const Port& port) {
  std::vector<Address> addresses;
  if (!port.netdev || !port.netdev->addresses) return addresses;
  for (const IpAddress& text : *port.netdev->addresses) {
    if (std::optional<Address> address = Parse(text)) addresses.push_back(*std::move(address));
  }
  std::ranges::stable_sort(addresses,
                           [](const Address& x, const Address& y) { return x.is_ipv4 && !y.is_ipv4; });
  return addresses;
}

bool SameTransport(const Port& a, const Port& b) {
  return a.transport && b.transport && *a.transport == *b.transport && *a.transport != Transport::kUnknown;
}

std::optional<PortPair> TryPair(const std::vector<Port>& a, std::size_t i, const std::vector<Port>& b,
                                std::size_t j) {
  for (const Address& from : AddressesOf(a[i])) {
    for (const Address& to : AddressesOf(b[j])) {
      const bool same_subnet = Covers(from, to) && Covers(to, from);
      if (same_subnet && from.bytes != to.bytes) {
        return PortPair{.a_port = i, .b_port = j, .a_address = from.text, .b_address = to.text};
      }
    }
  }
  return std::nullopt;
}

std::string AddressList(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    for (const Address& address : AddressesOf(port)) {
      text += Cat(text.empty() ? "" : ", ", address.text, "/", address.prefix_bits);
    }
  }
  return text.empty() ? "no address" : text;
}

std::string TransportList(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    const std::string_view name = port.transport ? Name(*port.transport) : "unknown";
    if (text.find(name) == std::string::npos) text += Cat(text.empty() ? "" : ", ", name);
  }
  return text;
}

// The first reason on the way to a pair.
std::string WhyNone(const Facts& a, const Facts& b, std::string_view a_name, std::string_view b_name) {
  for (const auto& [host, name] : {std::pair(&a, a_name), std::pair(&b, b_name)}) {
    if (!host->ports) return Cat("the ports of ", name, " are not known");
    if (host->ports->empty()) return Cat(name, " has no RDMA port");
  }
  bool transport = false;
  bool duplicate = false;
  for (const Port& x : *a.ports) {
    for (const Port& y : *b.ports) {
      if (!SameTransport(x, y)) continue;
      transport = true;
      for (const Address& from : AddressesOf(x)) {
        for (const Address& to : AddressesOf(y))
          duplicate = duplicate || (from.is_ipv4 == to.is_ipv4 && from.bytes == to.bytes);
      }
    }
  }
  if (!transport) {
    return Cat("different transports: ", a_name, " has ", TransportList(*a.ports), ", ", b_name, " has ",
               TransportList(*b.ports));
  }
  if (duplicate)
    return Cat("duplicate address: ", a_name, " and ", b_name, " both have ", AddressList(*a.ports));
  return Cat("no common subnet: ", a_name, " has ", AddressList(*a.ports), ", ", b_name, " has ",
             AddressList(*b.ports));
}

}  // namespace

Pairing PairPorts(const Facts& a, const Facts& b, std::string_view a_name, std::string_view b_name) {
  Pairing pairing;
  if (a.ports && b.ports) {
    std::vector<bool> used(b.ports->size(), false);
    for (std::size_t i = 0; i < a.ports->size(); ++i) {
      for (std::size_t j = 0; j < b.ports->size(); ++j) {
        if (used[j] || !SameTransport((*a.ports)[i], (*b.ports)[j])) continue;
        std::optional<PortPair> pair = TryPair(*a.ports, i, *b.ports, j);
        if (!pair) continue;
        used[j] = true;
        pairing.pairs.push_back(*std::move(pair));
        break;
      }
    }
  }
  if (pairing.pairs.empty()) pairing.reason = Printable(WhyNone(a, b, a_name, b_name));
  return pairing;
}

}  // namespace rdmaready
