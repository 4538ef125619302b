// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/address_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

namespace rdmaready::hub {
namespace {

constexpr int kMappedBits = 96;

AddressOctets MappedOctets(const std::uint8_t* v4) {
  AddressOctets octets{};
  octets[10] = octets[11] = 0xff;
  std::copy_n(v4, 4, octets.begin() + 12);
  return octets;
}

std::optional<AddressOctets> OctetsOf(const ::sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const ::sockaddr_in&>(address);
    return MappedOctets(reinterpret_cast<const std::uint8_t*>(&v4.sin_addr));
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  const auto& v6 = reinterpret_cast<const ::sockaddr_in6&>(address);
  AddressOctets octets{};
  std::memcpy(octets.data(), &v6.sin6_addr, octets.size());
  return octets;
}

AddressRange RangeOf(const char* text) { return ParseAddressRange(text).value(); }

bool IsOneOf(const std::vector<AddressRange>& ranges, const AddressOctets& address) {
  return std::ranges::any_of(ranges, [&](const AddressRange& range) { return range.Has(address); });
}

// IANA's special-purpose registries: what is no host of the Internet.
bool IsPublicAddress(const AddressOctets& address) {
  static const std::vector<AddressRange> special = [] {
    std::vector<AddressRange> ranges;
    for (const char* text : {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
                             "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15",
                             "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"})
      ranges.push_back(RangeOf(text));
    return ranges;
  }();
  static const AddressRange mapped = RangeOf("::ffff:0:0/96");
  if (mapped.Has(address)) return !IsOneOf(special, address);
  static const std::vector<AddressRange> global{RangeOf("2000::/3")};
  static const std::vector<AddressRange> not_global{RangeOf("2001::/23"), RangeOf("2001:db8::/32"),
                                                    RangeOf("3fff::/20")};
  return IsOneOf(global, address) && !IsOneOf(not_global, address);
}

// The IPv4 address that a NAT64 or 6to4 address stands for.
std::optional<AddressOctets> CarriedBy(const AddressOctets& address) {
  static const AddressRange nat64 = RangeOf("64:ff9b::/96");
  static const AddressRange six_to_four = RangeOf("2002::/16");
  if (nat64.Has(address)) return MappedOctets(address.data() + 12);
  if (six_to_four.Has(address)) return MappedOctets(address.data() + 2);
  return std::nullopt;
}

}  // namespace

bool AddressRange::Has(const AddressOctets& address) const {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(whole), address.begin()))
    return false;
  if (bits % 8 == 0) return true;
  const int mask = 0xff << (8 - bits % 8);
  return ((octets[whole] ^ address[whole]) & mask) == 0;
}

absl::StatusOr<AddressRange> ParseAddressRange(std::string_view text) {
  const auto bad = [] {
    return absl::InvalidArgumentError("an address or a range of them is expected: 10.0.0.0/8, fd00::/8");
  };
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  AddressRange range;
  std::array<std::uint8_t, 4> v4{};
  int widest = 128;
  if (::inet_pton(AF_INET, address.c_str(), v4.data()) == 1) {
    range.octets = MappedOctets(v4.data());
    widest = 32;
  } else if (::inet_pton(AF_INET6, address.c_str(), range.octets.data()) != 1) {
    return bad();
  }
  int bits = widest;
  if (slash != std::string_view::npos) {
    const std::string_view number = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
    if (error != std::errc() || end != number.data() + number.size() || bits < 0 || bits > widest) return bad();
  }
  range.bits = widest == 32 ? kMappedBits + bits : bits;
  return range;
}

bool AddressRules::Allows(const ::sockaddr& address) const {
  const std::optional<AddressOctets> octets = OctetsOf(address);
  if (!octets) return false;
  if (IsOneOf(allowed_, *octets)) return true;
  const std::optional<AddressOctets> carried = CarriedBy(*octets);
  if (carried) return IsOneOf(allowed_, *carried) || IsPublicAddress(*carried);
  return IsPublicAddress(*octets);
}

bool IsLoopback(const ::sockaddr& address) {
  static const AddressRange v4 = RangeOf("127.0.0.0/8");
  static const AddressRange v6 = RangeOf("::1");
  const std::optional<AddressOctets> octets = OctetsOf(address);
  return octets && (v4.Has(*octets) || v6.Has(*octets));
}

}  // namespace rdmaready::hub
