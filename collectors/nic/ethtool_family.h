// SPDX-License-Identifier: Apache-2.0
// ethtool's generic netlink family: finding it, and asking about one netdev. Only questions are built here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/attributes.h"
#include "collectors/host_reader.h"
#include "collectors/net/generic_families.h"

namespace rdmaready {

// The family's number. kUnimplemented when there is none (before Linux 5.6, or CONFIG_ETHTOOL_NETLINK is off).
absl::StatusOr<std::uint16_t> FindEthtoolFamily(const absl::StatusOr<GenericFamilies>& families);

// An answer's attributes, with the bytes that they are views of.
class EthtoolAnswer {
 public:
  // `command` is one of ETHTOOL_MSG_*_GET; what is asked of the netdev beyond its index, `extra`, stands after
  // the header. With `statistics` the driver's counters are asked for too.
  static absl::StatusOr<EthtoolAnswer> Ask(HostReader& host, std::uint16_t family, std::uint8_t command,
                                           int header_attribute, std::uint32_t ifindex, bool statistics,
                                           const Payload& extra, std::string_view what);

  EthtoolAnswer(EthtoolAnswer&&) = default;
  EthtoolAnswer& operator=(EthtoolAnswer&&) = default;
  EthtoolAnswer(const EthtoolAnswer&) = delete;  // the attributes would be views of the other's bytes
  EthtoolAnswer& operator=(const EthtoolAnswer&) = delete;

  const Attributes& attributes() const { return attributes_; }

 private:
  EthtoolAnswer() = default;

  std::vector<std::byte> bytes_{};
  Attributes attributes_{};
};

// A bit set of which every bit is spelled out (ETHTOOL_A_BITSET_*).
struct BitSet {
  std::vector<std::string> all{};  // that exist or may be set; those that are set when the set has no mask
  std::vector<std::string> set{};

  bool operator==(const BitSet&) const = default;
};
absl::StatusOr<BitSet> DecodeBitSet(std::span<const std::byte> nest, std::string_view what);

}  // namespace rdmaready
