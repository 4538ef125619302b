// SPDX-License-Identifier: Apache-2.0
// What one rule of nftables asks of a packet, from the little program (nft expressions) that the kernel runs.
//
// It is read for the packets that matter here, so that common rules mean something definite: those that open a
// connection to this host from a peer in a subnet of the port by which they come. Their connection is new, the
// address they go to is this host's, a route leads back to their sender, and a TCP one has SYN and no other
// flag of fin, rst, ack. A rule that never holds for these is left out; so is one that only counts, logs or
// marks. What is not understood is never left out: other_conditions, or FirewallAction::kUnknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/firewall.h"
#include "collectors/attributes.h"
#include "collectors/firewall/nft_set.h"

namespace rdmaready {

// What a rule refers to.
struct NftSurroundings {
  std::string family{};  // of its table
  // Elements of a set of the table; asked for only where the set is looked up with what is understood.
  std::function<absl::StatusOr<NftElements>(const std::string& set)> find_set{};
  std::function<std::string(std::uint32_t ifindex)> netdev_of{};  // empty: not known
};

// `expressions` is the inside of NFTA_RULE_EXPRESSIONS. A rule of which one of several things must hold (a
// verdict map, a set of interfaces) becomes as many rules of that handle, to be tried one after the other. An
// error only when the bytes are no list of expressions.
absl::StatusOr<std::vector<FirewallRule>> DecodeNftRule(std::span<const std::byte> expressions,
                                                        std::uint64_t handle,
                                                        const NftSurroundings& surroundings);

}  // namespace rdmaready
