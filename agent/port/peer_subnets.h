// SPDX-License-Identifier: Apache-2.0
// Where an agent may connect in a live test: the address comes by way of a caller, who may write any. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/prefix_index.h"
#include "api/model/facts.h"

namespace rdmaready {

// "10.0.0.0/16", "fd00::/8", or an address for itself. kInvalidArgument with what is wrong, also for bits
// behind the prefix: who writes 10.0.0.1/16 may mean either.
absl::StatusOr<Prefix> ParseSubnet(const std::string& text);

// The subnets of all RDMA ports of the host, also of what is built on them (VLANs, bonds, IPoIB). A port whose
// addresses are not known adds nothing, and an address without a prefix only itself.
std::vector<Prefix> OwnSubnets(const Facts& facts);

// OK where one of the prefixes holds `address`. An IPv4 address in an IPv6 one is that IPv4 address. Of
// link-local addresses, multicast, loopback and the unspecified one: never, whatever the prefixes, because no
// agent offers them. kPermissionDenied names the address and the setting (`peers`).
absl::Status MayConnect(const std::string& address, std::span<const Prefix> prefixes);

}  // namespace rdmaready
