// SPDX-License-Identifier: Apache-2.0
// What the packet filter of this host does to packets that open a connection to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rdmaready {

enum class PacketFate : std::uint8_t {
  kUnknown,  // what is not understood of the rules decides
  kPasses,
  kDropped,
  kTooManyRules,  // not followed to the end
};

// Has an entry for each chain at a hook that does not let it pass for certain, or one that says that it passes.
struct FilteredPacket {
  std::string netdev{};  // that the IP stack says it came by
  bool ipv6 = false;
  std::uint8_t protocol = 0;  // IPPROTO_TCP 6, IPPROTO_UDP 17
  std::uint16_t port = 0;     // of its destination
  PacketFate fate = PacketFate::kUnknown;
  std::string chain{};   // at the hook, as nft names it: "inet filter input"; empty: it passes all
  bool ingress = false;  // that chain meets packets of one netdev only, before the IP stack does
  std::string place{};  // where it is decided: "rule 7 of inet filter input", "the policy of inet filter input"

  void Fields(auto& list) {
    list.Setting("netdev", netdev, "ipv6", ipv6, "protocol", protocol, "port", port, "fate", fate, "chain",
                 chain, "ingress", ingress, "place", place);
  }

  bool operator==(const FilteredPacket&) const = default;
};

struct Firewall {
  std::uint32_t rules = 0;  // that packets for this host met, in `chains`
  std::uint32_t chains = 0;
  std::uint32_t hooks = 0;                // how many of the chains are at a hook; else they are called
  std::vector<FilteredPacket> packets{};  // none is tried where no chain is at a hook
  bool legacy_tables = false;             // iptables of the older kind has rules too, and they are not read

  void Fields(auto& list) {
    list.Setting("rules", rules, "chains", chains, "hooks", hooks, "packets", packets, "legacy_tables",
                 legacy_tables);
  }

  bool operator==(const Firewall&) const = default;
};

}  // namespace rdmaready
