// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore: parts of many rows.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "api/base/status.h"
#include "hub/store/page_queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

// Of so many, with 50 changes each, a page takes as long by either way; of more than that it grows by theirs.
constexpr std::size_t kFewChosenHosts = 1'000;

// Ids are plain words; one that damage made something else names nobody.
std::string ListOf(std::span<const std::string> ids) {
  return nlohmann::json(ids).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

absl::Status SqliteFleetStore::NewestChanges(std::span<const std::string> host_ids, std::int64_t since_unix_ns,
                                             const ChangePlace& after, std::size_t most,
                                             const std::function<void(FleetChange&&)>& each) {
  const char* const query = host_ids.empty()                     ? sql::kNewestChanges
                            : host_ids.size() <= kFewChosenHosts ? sql::kNewestChangesOfFew
                                                                 : sql::kNewestChangesOfMany;
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(query));
    if (!host_ids.empty()) found->Bind(ListOf(host_ids));
    found->Bind(since_unix_ns).Bind(after.last_unix_ns).Bind(after.host_id);
    found->Bind(static_cast<std::int64_t>(after.number)).Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) { each(ReadChange(row)); });
  });
}

absl::Status SqliteFleetStore::ChangesByName(std::int64_t since_unix_ns, const HostChangePlace& after,
                                             std::size_t most, const std::function<void(FleetChange&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kChangesByName));
    found->Bind(after.host).Bind(after.host_id).Bind(static_cast<std::int64_t>(after.number));
    found->Bind(since_unix_ns).Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) {
      FleetChange change = ReadChange(row);
      change.host = row.Text(kChangeColumns);
      each(std::move(change));
    });
  });
}

absl::Status SqliteFleetStore::FindingsByName(const FindingPlace& after, std::size_t most,
                                              const std::function<void(FleetFinding&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kFindingsByName));
    found->Bind(after.host).Bind(after.host_id).Bind(after.check).Bind(after.subject).Bind(after.profile);
    found->Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) {
      FleetFinding finding = ReadKeptFinding(row).finding;
      finding.host = row.Text(kFindingColumns);
      each(std::move(finding));
    });
  });
}

}  // namespace rdmaready::hub
