// SPDX-License-Identifier: Apache-2.0
// The packet filter of our network namespace: nf_tables netlink, and whether iptables of the older kind
// is there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/firewall/nft_rule.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The answers to NFT_MSG_GETTABLE, GETCHAIN and GETRULE of all families.
struct NftAnswers {
  std::vector<NetlinkMessage> tables{};
  std::vector<NetlinkMessage> chains{};
  std::vector<NetlinkMessage> rules{};
};

// A packet, and the netdevs below its own that it comes through.
struct NftArrival {
  NftPacket packet{};
  std::map<std::string, std::uint32_t> carriers{};  // by name: the ifindex
};

// The answer to NFT_MSG_GETSETELEM.
using AskNftSet = std::function<absl::StatusOr<std::vector<NetlinkMessage>>(
    std::uint8_t family, const std::string& table, const std::string& set)>;

// What becomes of the packets at the hooks ingress, prerouting and input. Dormant tables are left out, and
// families that no IP packet for this host meets.
absl::StatusOr<Firewall> TryPackets(const NftAnswers& answers, const std::vector<NftArrival>& packets,
                                    const AskNftSet& ask_set);

// Tried are RoCE's port and those of the servers that checks judge, on each netdev of `ports`. No rules where
// nf_tables is neither loaded nor built in: nothing is asked then, since asking would load it. The kernel
// answers only to CAP_NET_ADMIN: kDenied without.
Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel, const Fact<std::vector<Port>>& ports);

}  // namespace rdmaready
