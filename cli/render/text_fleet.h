// SPDX-License-Identifier: Apache-2.0
// What a hub knows, for a person. `now` is the hub's clock, Unix nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fleet.h"
#include "cli/style.h"

namespace rdmaready {

// "not ready", "silent", "?".
std::string_view ConditionWord(HostCondition condition);

// "3 d", "2 h", "5 min", "12 s"; "0 s" of what is not over yet.
std::string AgeText(std::int64_t unix_ns, std::int64_t now_unix_ns);

std::string FleetStatusText(const FleetStatus& status, const Style& style);
std::string FleetHostsText(const std::vector<FleetHost>& hosts, std::int64_t now_unix_ns, const Style& style);
std::string FleetFindingsText(const std::vector<FleetFinding>& findings, std::int64_t now_unix_ns,
                              const Style& style);
std::string FleetBaselineText(const std::vector<UsualValue>& usual, bool complete, const Style& style);
std::string FleetChangesText(const std::vector<FleetChange>& changes, const Style& style);
std::string FleetDiffText(const std::vector<FleetDifference>& differences, std::int64_t at_unix_ns,
                          std::int64_t kept_since_unix_ns, const Style& style);

// `broken`: where the chain is broken; empty: it holds.
std::string FleetAuditText(const std::vector<FleetAuditEntry>& entries, const std::string& broken,
                           const Style& style);

// One line of `fleet watch`.
std::string FleetChangeLine(const FleetChange& change, const Style& style);

}  // namespace rdmaready
