// SPDX-License-Identifier: Apache-2.0
// Verdicts and sets of nftables, as nf_tables netlink answers with them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/firewall.h"
#include "collectors/attributes.h"

namespace rdmaready {

struct NftVerdict {
  FirewallAction action = FirewallAction::kUnknown;
  std::string target{};  // a chain's name, of a jump

  bool operator==(const NftVerdict&) const = default;
};

// A key of a set or of a verdict map.
struct NftElement {
  std::vector<std::byte> key{};         // as it stands in a register
  std::vector<std::byte> key_end{};     // of a range that is one element; inclusive
  bool interval_end = false;            // the key is the first one that is no longer in the range before
  bool catch_all = false;               // all other keys; `key` is empty
  std::optional<NftVerdict> verdict{};  // of a verdict map

  bool operator==(const NftElement&) const = default;
};
using NftElements = std::vector<NftElement>;

// Numbers of nf_tables are in network byte order. An error when the attribute is absent or has another length.
absl::StatusOr<std::uint32_t> NftU32(const Attributes& attributes, int type);

// The inside of NFTA_DATA_VERDICT.
absl::StatusOr<NftVerdict> DecodeNftVerdict(std::span<const std::byte> nest);

// One message of the answer to NFT_MSG_GETSETELEM, appended. An error also when the set has more elements than
// anybody would allow ports or interfaces one by one.
absl::Status DecodeNftElements(std::span<const std::byte> payload, NftElements* elements);

// The port ranges of a set, ascending, each with the verdict of its element; nullopt when its keys are no
// ports. `all_others` is the verdict of the catch-all element.
struct NftPortRange {
  L4Ports ports{};
  std::optional<NftVerdict> verdict{};

  bool operator==(const NftPortRange&) const = default;
};
std::optional<std::vector<NftPortRange>> PortRangesOf(const NftElements& elements);

}  // namespace rdmaready
