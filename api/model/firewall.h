// SPDX-License-Identifier: Apache-2.0
// The packet filter in the way of what arrives at this host, as nftables holds it. Only chains at the input
// hook and those they call are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmaready {

// Inclusive.
struct L4Ports {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  void Fields(auto& list) { list.Setting("first", first, "last", last); }

  bool operator==(const L4Ports&) const = default;
};

enum class FirewallAction : std::uint8_t {
  kNone,  // counts, logs: the next rule decides
  kAccept,
  kDrop,  // or rejects
  kJump,  // to `target`, and back
  kGoto,
  kReturn,
  kUnknown,
};

// What a rule asks of a packet. An absent condition is not asked for.
struct FirewallRule {
  std::optional<std::string> netdev{};     // it came in by; a trailing * is any rest
  std::optional<std::uint8_t> protocol{};  // IPPROTO_TCP 6, IPPROTO_UDP 17
  std::vector<L4Ports> ports{};            // of its destination; empty: not asked for
  bool negated_ports = false;              // any port but these
  bool established_only = false;           // packets of connections that exist already
  bool other_conditions = false;           // it asks for what is not understood here: whether it holds is open
  FirewallAction action = FirewallAction::kNone;
  std::string target{};  // a chain's name, of a jump
  std::uint64_t handle = 0;

  void Fields(auto& list) {
    list.Setting("netdev", netdev, "protocol", protocol, "ports", ports, "negated_ports", negated_ports,
                 "established_only", established_only, "other_conditions", other_conditions, "action", action,
                 "target", target);
    list.State("handle", handle);
  }

  bool operator==(const FirewallRule&) const = default;
};

struct FirewallChain {
  std::string family{};  // "ip", "ip6", "inet", "netdev"
  std::string table{};
  std::string name{};
  bool input_hook = false;    // packets come here by themselves, else only by a jump
  std::int32_t priority = 0;  // the lower one first
  FirewallAction policy = FirewallAction::kAccept;
  std::string netdev{};  // of family netdev: the one it hangs on
  std::vector<FirewallRule> rules{};

  void Fields(auto& list) {
    list.Setting("family", family, "table", table, "name", name, "input_hook", input_hook, "priority", priority,
                 "policy", policy, "netdev", netdev, "rules", rules);
  }

  bool operator==(const FirewallChain&) const = default;
};

struct Firewall {
  std::vector<FirewallChain> chains{};
  bool legacy_tables = false;  // iptables of the older kind has rules too, and they are not read

  void Fields(auto& list) { list.Setting("chains", chains, "legacy_tables", legacy_tables); }

  bool operator==(const Firewall&) const = default;
};

}  // namespace rdmaready
