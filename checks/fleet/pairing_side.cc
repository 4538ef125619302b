// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/pairing_side.h"

#include <algorithm>

#include "checks/words/addresses.h"

namespace rdmaready {
namespace {

PrefixLengths LengthsOf(const PairingSide& side) {
  PrefixLengths lengths;
  for (const PairingPort& port : side.ports()) {
    for (const PairingAddress& address : port.addresses) lengths.Add(address.parsed);
  }
  return lengths;
}

}  // namespace

bool TransportKnown(const Port& port) { return port.transport && *port.transport != Transport::kUnknown; }

bool SameTransport(const Port& a, const Port& b) {
  return TransportKnown(a) && TransportKnown(b) && *a.transport == *b.transport;
}

std::string PairingAddress::Tag() const {
  std::string tag(1, parsed.is_ipv4 ? '4' : '6');
  tag.append(parsed.bytes.begin(), parsed.bytes.end());
  return tag;
}

bool PairingPort::Known() const { return TransportKnown(*port) && AddressesKnown(*port); }

PairingSide::PairingSide(const Facts& facts, std::string_view name) : facts_(facts), name_(name) {
  if (!facts.ports) return;
  for (const Port& port : *facts.ports) {
    PairingPort& own = ports_.emplace_back(PairingPort{.port = &port});
    for (const PlacedAddress& placed : AddressesOf(port))
      own.addresses.push_back({Parsed(placed.ip), placed.ip.address});
    std::ranges::stable_partition(own.addresses, [](const PairingAddress& one) { return one.parsed.is_ipv4; });
    if (!own.Known()) gaps_.push_back(ports_.size() - 1);
    if (!TransportKnown(port)) continue;
    transports_.insert(*port.transport);
    for (const PairingAddress& address : own.addresses) owned_.emplace(address.Tag(), *port.transport);
  }
}

bool PairingSide::HasAddressOf(const PairingPort& other) const {
  if (!TransportKnown(*other.port)) return false;
  return std::ranges::any_of(other.addresses, [&](const PairingAddress& address) {
    return owned_.contains({address.Tag(), *other.port->transport});
  });
}

PairingSubnets::PairingSubnets(const PairingSide& from, const PairingSide& to)
    : to_(to), ports_(Agree::kInLongerPrefix, LengthsOf(from)) {
  const PrefixLengths asked = LengthsOf(from);
  for (std::size_t j = 0; j < to.ports().size(); ++j) {
    PrefixIndex& own = addresses_.emplace_back(Agree::kInLongerPrefix, asked);
    for (const PairingAddress& address : to.ports()[j].addresses) {
      own.Add(address.parsed, address.Tag());
      ports_.Add(address.parsed, [j](std::vector<std::size_t>& ports) {
        if (ports.empty() || ports.back() != j) ports.push_back(j);
      });
    }
  }
}

std::vector<std::size_t> PairingSubnets::Neighbours(const PairingPort& from) const {
  std::set<std::size_t> found;
  for (const PairingAddress& address : from.addresses) {
    ports_.ForSubnetOf(address.parsed, [&found](const std::vector<std::size_t>& ports) {
      found.insert(ports.begin(), ports.end());
    });
  }
  return {found.begin(), found.end()};
}

std::optional<std::pair<const PairingAddress*, const PairingAddress*>> PairingSubnets::Common(
    const PairingPort& from, std::size_t to) const {
  for (const PairingAddress& address : from.addresses) {
    const std::optional<std::size_t> place = addresses_[to].First(address.parsed, address.Tag());
    if (place) return std::pair(&address, &to_.ports()[to].addresses[*place]);
  }
  return std::nullopt;
}

}  // namespace rdmaready
