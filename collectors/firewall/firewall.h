// SPDX-License-Identifier: Apache-2.0
// The packet filter of our network namespace: nf_tables netlink, and whether iptables of the older kind
// is there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Tried are RoCE's port and those of the servers that checks judge, on each netdev of `ports`. No rules where
// nf_tables is neither loaded nor built in: nothing is asked then, since asking would load it. The kernel
// answers only to CAP_NET_ADMIN: kDenied without.
Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel, const Fact<std::vector<Port>>& ports);

// What it asks: listings of everything, and of the elements of one set.
enum class NftList : std::uint8_t { kTables, kChains, kRules };
NetlinkRequest NftListRequest(NftList list);
NetlinkRequest NftElementsRequest(std::uint8_t family, const std::string& table, const std::string& set);

// Files that list the tables of the older kind, once their module is loaded; only root may read them.
inline constexpr const char* kIptablesNames = "/proc/net/ip_tables_names";
inline constexpr const char* kIp6tablesNames = "/proc/net/ip6_tables_names";

}  // namespace rdmaready
