// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/nft_condition.h"

#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;
using Kind = NftValue::Kind;

constexpr std::size_t kMostRanges = 1024;
constexpr std::uint16_t kLastConditionPort = 65535;
constexpr std::uint32_t kLoopbackIndex = 1;  // of every network namespace

// The number that `bytes` are in a register, in the order of the host; nullopt when they are of another size.
template <class Number>
std::optional<Number> NumberOf(Octets bytes) {
  Number number{};
  if (bytes.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

// Names fill their register with NUL; what is shorter is the start of a name. Empty for what is none.
std::string NetdevName(Octets bytes) {
  constexpr std::size_t kNameBytes = 16;
  std::string name;
  if (bytes.size() > kNameBytes) return name;
  for (const std::byte byte : bytes) {
    if (byte == std::byte{0}) return name;
    name += static_cast<char>(byte);
  }
  return bytes.size() < kNameBytes ? name + "*" : name;
}

// What holds is fixed for the packets that matter.
bool Decided(NftRuleState& state, bool equal, std::uint32_t operation) {
  if (operation != NFT_CMP_EQ && operation != NFT_CMP_NEQ) return false;
  if (equal != (operation == NFT_CMP_EQ)) state.never = true;
  return true;
}

bool RequirePort(NftRuleState& state, std::uint32_t operation, std::uint16_t port) {
  const auto below = static_cast<std::uint16_t>(port - 1);
  const auto above = static_cast<std::uint16_t>(port + 1);
  switch (operation) {
    case NFT_CMP_EQ:
      state.RequirePorts({{port, port}}, false);
      return true;
    case NFT_CMP_NEQ:
      state.RequirePorts({{port, port}}, true);
      return true;
    case NFT_CMP_LTE:
      state.RequirePorts({{0, port}}, false);
      return true;
    case NFT_CMP_GTE:
      state.RequirePorts({{port, kLastConditionPort}}, false);
      return true;
    case NFT_CMP_LT:
      if (port == 0) state.never = true;
      state.RequirePorts({{0, below}}, false);
      return true;
    case NFT_CMP_GT:
      if (port == kLastConditionPort) state.never = true;
      state.RequirePorts({{above, kLastConditionPort}}, false);
      return true;
    default:
      return false;
  }
}

bool RequireCtState(NftRuleState& state, const NftValue& value, std::uint32_t operation, std::uint32_t with) {
  if (operation != NFT_CMP_EQ && operation != NFT_CMP_NEQ) return false;
  if (!value.mask) {
    state.RequireState(operation == NFT_CMP_EQ ? with : ~with);
    return true;
  }
  if (with != 0) return false;
  state.RequireState(operation == NFT_CMP_NEQ ? *value.mask : ~*value.mask);
  return true;
}

// Packets of a connection whose addresses are changed were named by another rule, which is told.
bool RequireCtStatus(NftRuleState& state, const NftValue& value, std::uint32_t operation, std::uint32_t with) {
  constexpr std::uint32_t kChanged = IPS_SRC_NAT | IPS_DST_NAT;
  if (!value.mask || (*value.mask & ~kChanged) != 0 || with != 0) return false;
  return Decided(state, true, operation);
}

bool RequireNetdevName(NftRuleState& state, std::uint32_t operation, const std::string& name) {
  if (operation == NFT_CMP_NEQ) return name == "lo";  // what comes from a peer never comes by that
  if (operation != NFT_CMP_EQ || name.empty()) return false;
  state.RequireNetdev(name);
  return true;
}

bool Overlap(const L4Ports& a, const L4Ports& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

std::optional<std::uint16_t> NftPort(Octets bytes) {
  if (bytes.size() != 2) return std::nullopt;
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8 |
                                    std::to_integer<unsigned>(bytes[1]));
}

bool RequireNftValue(NftRuleState& state, const NftValue& value, std::uint32_t operation, Octets with,
                     const std::function<std::string(std::uint32_t)>& netdev_of) {
  const std::optional<std::uint32_t> word = NumberOf<std::uint32_t>(with);
  const std::optional<std::uint8_t> byte = NumberOf<std::uint8_t>(with);
  const std::optional<std::uint16_t> port = NftPort(with);
  switch (value.kind) {
    case Kind::kUnknown:
      return false;
    case Kind::kNetdevName:
      return RequireNetdevName(state, operation, NetdevName(with));
    case Kind::kNetdevIndex:
      if (!word) return false;
      return RequireNetdevName(state, operation, *word == kLoopbackIndex ? "lo" : netdev_of(*word));
    case Kind::kProtocol:
      if (!byte || operation != NFT_CMP_EQ) return false;
      state.RequireProtocol(*byte);
      return true;
    case Kind::kPort:
      return port && RequirePort(state, operation, *port);
    case Kind::kCtState:
      return word && RequireCtState(state, value, operation, *word);
    case Kind::kCtStatus:
      return word && RequireCtStatus(state, value, operation, *word);
    case Kind::kTcpFlags: {
      const std::uint32_t mask = value.mask.value_or(0xff);
      return byte && (mask & kTcpEcnFlags) == 0 && Decided(state, (kTcpSyn & mask) == *byte, operation);
    }
    case Kind::kAddressType:
      return word && Decided(state, *word == RTN_LOCAL, operation);
    case Kind::kWayBack:  // of nothing else than whether there is one
      if (byte) return Decided(state, *byte != 0, operation);
      return word && *word == 0 && Decided(state, false, operation);
  }
  return false;
}

void NftRuleState::RequirePorts(std::vector<L4Ports> ports, bool negated) {
  if (negated && ports.empty()) return;
  if (!negated && ports.empty()) never = true;
  if (rule.ports.empty()) {
    rule.ports = std::move(ports);
    rule.negated_ports = negated;
    return;
  }
  if (negated || rule.negated_ports) {
    rule.other_conditions = true;
    return;
  }
  std::vector<L4Ports> both;
  for (const L4Ports& a : rule.ports) {
    for (const L4Ports& b : ports) {
      if (Overlap(a, b)) both.push_back({std::max(a.first, b.first), std::min(a.last, b.last)});
    }
  }
  if (both.empty() || both.size() > kMostRanges) {
    never = both.empty();
    rule.other_conditions = true;
    return;
  }
  rule.ports = std::move(both);
}

void NftRuleState::RequireProtocol(std::uint8_t protocol) {
  if (rule.protocol && *rule.protocol != protocol) never = true;
  rule.protocol = protocol;
}

void NftRuleState::RequireNetdev(const std::string& netdev) {
  if (rule.netdev && *rule.netdev != netdev) {
    rule.other_conditions = true;
    return;
  }
  rule.netdev = netdev;
}

void NftRuleState::RequireState(std::uint32_t states) {
  if ((states & kCtNew) != 0) return;
  if ((states & kCtEstablished) != 0) {
    rule.established_only = true;
  } else {
    never = true;
  }
}

}  // namespace rdmaready
