// SPDX-License-Identifier: Apache-2.0
#include "checks/words/addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

void Append(const Fact<std::vector<IpAddress>>& from, const std::string& netdev, const UpperNetdev* upper,
            std::vector<PlacedAddress>& addresses) {
  if (!from) return;
  for (const IpAddress& ip : *from) {
    if (IsRoutable(ip)) addresses.push_back({.ip = ip, .netdev = netdev, .upper = upper});
  }
}

// The first gap on the way to all addresses. A netdev without a name is none.
std::optional<Missing> Gap(const Port& port) {
  if (IsInfiniBand(port)) {  // its addresses are those of IPoIB
    if (!port.uppers) return port.uppers.missing();
    for (const UpperNetdev& upper : *port.uppers) {
      if (!upper.addresses) return upper.addresses.missing();
    }
    return std::nullopt;
  }
  if (!port.netdev) {
    if (port.netdev.missing().kind == Missing::Kind::kUnsupported) return std::nullopt;
    return port.netdev.missing();
  }
  if (port.netdev->name.empty()) return std::nullopt;
  if (!port.netdev->addresses) return port.netdev->addresses.missing();
  if (!port.uppers) return std::nullopt;  // what can be known without them is known
  for (const UpperNetdev& upper : *port.uppers) {
    if (!upper.addresses) return upper.addresses.missing();
  }
  return std::nullopt;
}

}  // namespace

bool IsRoutable(const IpAddress& ip) {
  if (IsLinkLocal(ip.address)) return false;
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, ip.address.c_str(), bytes.data()) == 1) {
    return ip.prefix_length <= 32 && bytes[0] != 127 && bytes[0] != 0;
  }
  if (inet_pton(AF_INET6, ip.address.c_str(), bytes.data()) != 1 || ip.prefix_length > 128) return false;
  return std::any_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t byte) { return byte != 0; });
}

ParsedAddress Parsed(const IpAddress& ip) {
  return ParseAddress(ip.address, ip.prefix_length).value_or(ParsedAddress{});
}

std::string SubnetOf(const IpAddress& ip) {
  for (const auto& [family, bits] : {std::pair(AF_INET, 32U), std::pair(AF_INET6, 128U)}) {
    std::array<std::uint8_t, 16> bytes{};
    if (inet_pton(family, ip.address.c_str(), bytes.data()) != 1 || ip.prefix_length > bits) continue;
    for (unsigned bit = ip.prefix_length; bit < bits; ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] & ~(0x80U >> bit % 8));
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) return {};
    return Cat(text.data(), "/", ip.prefix_length);
  }
  return {};
}

std::vector<PlacedAddress> AddressesOf(const Port& port) {
  std::vector<PlacedAddress> addresses;
  if (!port.netdev && !IsInfiniBand(port)) return addresses;
  if (port.netdev) Append(port.netdev->addresses, port.netdev->name, nullptr, addresses);
  if (!port.uppers) return addresses;
  for (const UpperNetdev& upper : *port.uppers) Append(upper.addresses, upper.name, &upper, addresses);
  return addresses;
}

bool AddressesKnown(const Port& port) { return !Gap(port).has_value(); }

const Missing* UnknownNetdev(const Facts& host) {
  if (!host.ports) return &host.ports.missing();
  for (const Port& port : *host.ports) {
    if (!port.netdev && !NotOffered(port.netdev)) return &port.netdev.missing();
  }
  return nullptr;
}

Missing WhyAddressesUnknown(const Port& port) { return Gap(port).value_or(Missing{}); }

}  // namespace rdmaready
