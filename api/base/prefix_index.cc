// SPDX-License-Identifier: Apache-2.0
#include "api/base/prefix_index.h"

#include <arpa/inet.h>

#include <algorithm>

namespace rdmaready {

std::optional<ParsedAddress> ParseAddress(const std::string& text, unsigned prefix_bits) {
  ParsedAddress parsed;
  parsed.is_ipv4 = inet_pton(AF_INET, text.c_str(), parsed.bytes.data()) == 1;
  if (!parsed.is_ipv4 && inet_pton(AF_INET6, text.c_str(), parsed.bytes.data()) != 1) return std::nullopt;
  parsed.prefix_bits = std::min<std::size_t>(prefix_bits, parsed.is_ipv4 ? 32 : PrefixLengths::kMost);
  return parsed;
}

Prefix PrefixOf(const ParsedAddress& address, std::size_t bits) {
  Prefix prefix{.is_ipv4 = address.is_ipv4, .bits = bits};
  const std::size_t whole = bits / 8;
  std::copy_n(address.bytes.begin(), whole, prefix.bytes.begin());
  if (bits % 8 != 0)
    prefix.bytes[whole] = static_cast<std::uint8_t>(address.bytes[whole] & ~(0xffU >> bits % 8));
  return prefix;
}

void PrefixIndex::Add(const ParsedAddress& address, std::string tag) {
  const std::size_t place = tags_.size();
  tags_.push_back(std::move(tag));
  table_.Add(address, [this, place](Firsts& firsts) {
    if (!firsts.first) {
      firsts.first = place;
    } else if (!firsts.other && tags_[*firsts.first] != tags_[place]) {
      firsts.other = place;
    }
  });
}

std::optional<std::size_t> PrefixIndex::First(const ParsedAddress& address, const std::string& tag) const {
  std::optional<std::size_t> best;
  table_.ForSubnetOf(address, [&](const Firsts& firsts) {
    const std::optional<std::size_t>& place = tags_[*firsts.first] != tag ? firsts.first : firsts.other;
    if (place && (!best || *place < *best)) best = place;
  });
  return best;
}

}  // namespace rdmaready
