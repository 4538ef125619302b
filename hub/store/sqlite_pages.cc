// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore: parts of many rows.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "api/base/status.h"
#include "hub/store/page_queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

// Of so many, with kUsualChanges each, a page takes as long by either way; of more than that their own rows are
// looked for in the index by time, for as long as all of their own rows would have taken.
constexpr std::size_t kFewChosenHosts = 1'000;
constexpr std::size_t kUsualChanges = 50;

// Ids are plain words; one that damage made something else names nobody.
std::string ListOf(std::span<const std::string> ids) {
  return nlohmann::json(ids).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void BindPlace(std::int64_t since_unix_ns, const ChangePlace& after, std::size_t most, Statement& to) {
  to.Bind(since_unix_ns).Bind(after.last_unix_ns).Bind(after.host_id);
  to.Bind(static_cast<std::int64_t>(after.number)).Bind(static_cast<std::int64_t>(most));
}

// Which changes, and what is done with each.
struct Newest {
  std::span<const std::string> host_ids{};
  std::int64_t since_unix_ns = 0;
  ChangePlace after{};
  std::size_t most = 0;
  const std::function<void(FleetChange&&)>& each;
};

// By the index by time, until there are enough, or that is not worth its while: then what is left of `newest`
// is behind the last place that was looked at. While the index is read, rows are those of the same moment.
absl::Status ReadByTime(Connection& connection, Newest& newest) {
  const std::unordered_set<std::string_view> chosen(newest.host_ids.begin(), newest.host_ids.end());
  const std::size_t most_looked = kUsualChanges * newest.host_ids.size();
  RR_ASSIGN_OR_RETURN(Statement* const places, connection.Prepared(sql::kNewestPlaces));
  RR_ASSIGN_OR_RETURN(Statement* const row, connection.Prepared(sql::kChangeAt));
  BindPlace(newest.since_unix_ns, newest.after, most_looked, *places);
  for (std::size_t looked = 0; looked < most_looked && newest.most > 0; ++looked) {
    RR_ASSIGN_OR_RETURN(const bool there, places->Step());
    if (!there) {
      newest.most = 0;
      break;
    }
    newest.after = {places->Int(0), places->Text(1), static_cast<std::uint64_t>(places->Int(2))};
    if (!chosen.contains(newest.after.host_id)) continue;
    row->Reset();
    row->Bind(newest.after.host_id).Bind(places->Int(2));
    RR_ASSIGN_OR_RETURN(const bool found, row->Step());
    if (!found) return absl::DataLossError("an index names a change that is not there");
    newest.each(ReadChange(*row));
    --newest.most;
  }
  places->Reset();
  return absl::OkStatus();
}

}  // namespace

absl::Status SqliteFleetStore::NewestChanges(std::span<const std::string> host_ids, std::int64_t since_unix_ns,
                                             const ChangePlace& after, std::size_t most,
                                             const std::function<void(FleetChange&&)>& each) {
  Newest newest{host_ids, since_unix_ns, after, most, each};
  return Read([&](Connection& connection) -> absl::Status {
    if (host_ids.size() > kFewChosenHosts) RR_RETURN_IF_ERROR(ReadByTime(connection, newest));
    if (newest.most == 0) return absl::OkStatus();
    RR_ASSIGN_OR_RETURN(Statement* const found,
                        connection.Prepared(host_ids.empty() ? sql::kNewestChanges : sql::kNewestChangesOf));
    if (!host_ids.empty()) found->Bind(ListOf(host_ids));
    BindPlace(since_unix_ns, newest.after, newest.most, *found);
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
