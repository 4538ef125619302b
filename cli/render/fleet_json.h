// SPDX-License-Identifier: Apache-2.0
// Answers of a hub about its fleet as JSON: schemas rdmaready.v1.Fleet*.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fleet.h"
#include "api/model/fleet_past.h"

namespace rdmaready {

namespace v1 {
class MakeTokensResponse;
class RevokeHostResponse;
class TokenRow;
}  // namespace v1

std::string FleetStatusJson(const FleetStatus& status);
std::string FleetHostsJson(const std::vector<FleetHost>& hosts);
std::string FleetFindingsJson(const std::vector<FleetFinding>& findings);
std::string FleetHistoryJson(const std::vector<FleetChange>& changes);
std::string FleetChangeJson(const FleetChange& change);  // on one line
std::string FleetDiffJson(const std::vector<FleetDifference>& differences, std::int64_t at_unix_ns,
                          std::int64_t kept_since_unix_ns);
std::string FleetBaselineJson(const std::vector<UsualValue>& usual, bool complete);
std::string FleetPastJson(const std::vector<FleetPastTest>& tests, std::uint64_t of);
std::string FleetAuditJson(const std::vector<FleetAuditEntry>& entries, const std::string& broken);

std::string FleetAcknowledgedJson(std::uint64_t marked, std::uint64_t forgotten);
std::string FleetMaintenanceJson(std::uint64_t hosts, std::int64_t until_unix_ns);
std::string FleetTokensJson(const std::vector<v1::TokenRow>& tokens);
std::string FleetTokensMadeJson(const v1::MakeTokensResponse& made);
std::string FleetTokensWithdrawnJson(std::uint64_t withdrawn);
std::string FleetRevokedJson(const v1::RevokeHostResponse& revoked);

}  // namespace rdmaready
