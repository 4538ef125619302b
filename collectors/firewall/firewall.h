// SPDX-License-Identifier: Apache-2.0
// The packet filter of our network namespace: nf_tables netlink, and whether iptables of the older kind is
// there.
#pragma once

#include <cstddef>
#include <span>
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

// What rules refer to; `family` and `table` say where a set is.
struct NftLookups {
  std::function<absl::StatusOr<NftElements>(std::uint8_t family, const std::string& table,
                                            const std::string& set)>
      find_set{};
  std::function<std::string(std::uint32_t ifindex)> netdev_of{};
};

// The chains that a packet for this host meets at ingress, prerouting and input, in that order and by their
// priority, then those that they call. Chains of several netdevs come once for each. Those of dormant tables,
// and of families that IP packets for the host do not meet, are left out.
absl::StatusOr<std::vector<FirewallChain>> DecodeNftChains(const NftAnswers& answers,
                                                           const NftLookups& lookups);

// No rules where nf_tables is neither loaded nor built in: nothing is asked then, since asking would load it.
// The kernel answers only to CAP_NET_ADMIN: kDenied without.
Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel);

}  // namespace rdmaready
