// SPDX-License-Identifier: Apache-2.0
// The chain of a hub's audit: what an entry's digest is of, and whether entries that were read are a chain.
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/fleet.h"

namespace rdmaready {

// SHA-256, hexadecimal, of previous, hub, number, unix_ns, who, peer, verb, detail and outcome, each written as
// its length in octets, a colon, itself and a comma. `digest` is not looked at.
absl::StatusOr<std::string> AuditDigest(const FleetAuditEntry& entry);

// Where a chain is broken: "entry 17 was changed", "entries 12 to 14 are gone", "entry 20 does not follow entry
// 19". Empty: it holds. `entries` of one hub, the oldest first; what came before the first was forgotten, or
// not asked for.
absl::StatusOr<std::string> WhereChainBreaks(std::span<const FleetAuditEntry> entries);

}  // namespace rdmaready
