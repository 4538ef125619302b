// SPDX-License-Identifier: Apache-2.0
// All rules of nf_tables, and the way of packets through them. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/model/firewall.h"
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

// What becomes of the packets at the hooks ingress, prerouting and input, and the chains there. Dormant tables
// are left out, and families that no IP packet for this host meets.
absl::StatusOr<Firewall> TryPackets(const NftAnswers& answers, const std::vector<NftArrival>& packets,
                                    const AskNftSet& ask_set);

}  // namespace rdmaready
