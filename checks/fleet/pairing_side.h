// SPDX-License-Identifier: Apache-2.0
// One of two hosts whose ports are being paired: its addresses parsed once, and found by subnet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/prefix_index.h"
#include "api/model/facts.h"

namespace rdmaready {

bool TransportKnown(const Port& port);
bool SameTransport(const Port& a, const Port& b);

struct PairingAddress {
  ParsedAddress parsed{};
  std::string text{};

  // What tells it from another one, whatever their prefixes.
  std::string Tag() const;
};

struct PairingPort {
  const Port* port = nullptr;
  std::vector<PairingAddress> addresses{};  // IPv4 first

  bool Known() const;
};

// Points into the facts.
class PairingSide {
 public:
  PairingSide(const Facts& facts, std::string_view name);

  const Facts& facts() const { return facts_; }
  std::string_view name() const { return name_; }
  const std::vector<PairingPort>& ports() const { return ports_; }
  const std::vector<std::size_t>& gaps() const { return gaps_; }  // ports of which something is not known

  bool Speaks(Transport transport) const { return transports_.contains(transport); }

  // A port of the same transport has one of the addresses.
  bool HasAddressOf(const PairingPort& other) const;

 private:
  const Facts& facts_;
  std::string_view name_;
  std::vector<PairingPort> ports_{};
  std::vector<std::size_t> gaps_{};
  std::set<Transport> transports_{};
  std::set<std::pair<std::string, Transport>> owned_{};  // tags of addresses
};

// The subnets of `to`, for the addresses of `from`.
class PairingSubnets {
 public:
  PairingSubnets(const PairingSide& from, const PairingSide& to);

  // The ports of `to` with which `from` has a subnet in common, ascending. Also those that share nothing but
  // an address.
  std::vector<std::size_t> Neighbours(const PairingPort& from) const;

  // The first two addresses, one of each, that are in one subnet and are not the same.
  std::optional<std::pair<const PairingAddress*, const PairingAddress*>> Common(const PairingPort& from,
                                                                                std::size_t to) const;

 private:
  const PairingSide& to_;
  PrefixTable<std::vector<std::size_t>> ports_;  // those with an address there, ascending
  std::vector<PrefixIndex> addresses_{};         // of each port
};

}  // namespace rdmaready
