// SPDX-License-Identifier: Apache-2.0
#include "agent/port/peer_subnets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/base/number.h"
#include "api/base/text.h"
#include "checks/words/addresses.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kBitsV4 = 32;
constexpr std::uint8_t kBitsV6 = 128;
constexpr std::size_t kMaxAddressText = 64;

bool IsMapped(const ParsedAddress& address) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return !address.is_ipv4 && std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin());
}

// With all its bits, and an IPv4 address as one.
std::optional<ParsedAddress> Whole(const std::string& text) {
  if (text.find('\0') != std::string::npos) return std::nullopt;
  std::optional<ParsedAddress> address = ParseAddress(text, kBitsV4);
  if (!address || !address->is_ipv4) address = ParseAddress(text, kBitsV6);
  if (!address || !IsMapped(*address)) return address;
  ParsedAddress v4{.is_ipv4 = true, .prefix_bits = kBitsV4};
  std::copy_n(address->bytes.begin() + 12, 4, v4.bytes.begin());
  return v4;
}

// Loopback, unspecified and link-local ones are what IsRoutable leaves out.
bool IsAnybodys(const ParsedAddress& address, const std::string& text) {
  const bool multicast = address.is_ipv4 ? address.bytes[0] >= 224 : address.bytes[0] == 0xff;
  const auto bits = static_cast<std::uint8_t>(address.is_ipv4 ? kBitsV4 : kBitsV6);
  return !multicast && IsRoutable({.address = text, .prefix_length = bits});
}

std::string AddressAsText(const ParsedAddress& address, const std::string& text) {
  if (!address.is_ipv4) return text;
  return fmt::format("{}.{}.{}.{}", address.bytes[0], address.bytes[1], address.bytes[2], address.bytes[3]);
}

}  // namespace

absl::StatusOr<Prefix> ParseSubnet(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::optional<ParsedAddress> address = Whole(text.substr(0, slash));
  const std::string shown = SafeLine(text, kMaxAddressText);
  if (!address) {
    return absl::InvalidArgumentError("'" + shown + "' is no subnet: 10.0.0.0/16, fd00::/8, or one address");
  }
  std::size_t bits = address->prefix_bits;
  if (slash != std::string::npos) {
    const auto number = ParseNumber<unsigned>(text.substr(slash + 1));
    if (!number || *number > address->prefix_bits) {
      return absl::InvalidArgumentError(
          fmt::format("'{}': the prefix has 0 to {} bits", shown, address->prefix_bits));
    }
    bits = *number;
  }
  const Prefix prefix = PrefixOf(*address, bits);
  if (prefix.bytes != address->bytes) {
    return absl::InvalidArgumentError(fmt::format("'{}': there are bits behind the prefix", shown));
  }
  return prefix;
}

std::vector<Prefix> OwnSubnets(const Facts& facts) {
  std::vector<Prefix> subnets;
  if (!facts.ports) return subnets;
  for (const Port& port : *facts.ports) {
    for (const PlacedAddress& placed : AddressesOf(port)) {
      const ParsedAddress address = Parsed(placed.ip);
      const std::size_t all = address.is_ipv4 ? kBitsV4 : kBitsV6;
      subnets.push_back(PrefixOf(address, address.prefix_bits == 0 ? all : address.prefix_bits));
    }
  }
  return subnets;
}

absl::Status MayConnect(const std::string& address, std::span<const Prefix> prefixes) {
  const std::optional<ParsedAddress> asked = Whole(address);
  if (!asked) {
    return absl::PermissionDeniedError("the peer offers '" + SafeLine(address, kMaxAddressText) +
                                       "', which is no address to connect to");
  }
  const std::string text = AddressAsText(*asked, address);
  if (!IsAnybodys(*asked, text)) {
    return absl::PermissionDeniedError("the peer offers " + text + ", which no agent listens on for others");
  }
  const bool known = std::ranges::any_of(prefixes, [&](const Prefix& prefix) {
    return prefix.is_ipv4 == asked->is_ipv4 && PrefixOf(*asked, prefix.bits) == prefix;
  });
  if (known) return absl::OkStatus();
  return absl::PermissionDeniedError(fmt::format(
      "the peer offers {}, which is in no subnet of this host's RDMA ports; where it should be reached, "
      "this host's agent has to be told: peers: [SUBNET], or --peers SUBNET",
      text));
}

}  // namespace rdmaready
