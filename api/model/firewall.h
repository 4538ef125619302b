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

enum class FirewallAction : std::uint8_t {
  kNone,  // counts, logs: the next rule decides
  kAccept,
  kDrop,  // or rejects
  kJump,  // to `target`, and back
  kGoto,
  kReturn,
  kUnknown,  // also where a map decides
};

// What it asks of a packet is not kept.
struct FirewallRule {
  std::uint64_t handle = 0;
  FirewallAction action = FirewallAction::kUnknown;
  std::string target{};  // a chain's name, of a jump

  void Fields(auto& list) { list.Setting("handle", handle, "action", action, "target", target); }

  bool operator==(const FirewallRule&) const = default;
};

struct FirewallChain {
  std::string family{};  // "ip", "ip6", "inet", "netdev"
  std::string table{};
  std::string name{};
  bool input_hook = false;    // packets for this host come here by themselves, else only by a jump
  std::int32_t priority = 0;  // the lower one first
  FirewallAction policy = FirewallAction::kUnknown;  // accept or drop; accept of one that is not at a hook
  std::string netdev{};                              // that it hangs on; empty: on none
  std::vector<FirewallRule> rules{};

  void Fields(auto& list) {
    list.Setting("family", family, "table", table, "name", name, "input_hook", input_hook, "priority", priority,
                 "policy", policy, "netdev", netdev, "rules", rules);
  }

  bool operator==(const FirewallChain&) const = default;
};

struct Firewall {
  // Those at a hook in the order in which a packet meets them, then those that they call. One that hangs on
  // several netdevs is there for each.
  std::vector<FirewallChain> chains{};
  std::vector<FilteredPacket> packets{};  // none is tried where no chain is at a hook
  bool legacy_tables = false;             // iptables of the older kind has rules too, and they are not read

  void Fields(auto& list) {
    list.Setting("chains", chains, "packets", packets, "legacy_tables", legacy_tables);
  }

  bool operator==(const Firewall&) const = default;
};

}  // namespace rdmaready
