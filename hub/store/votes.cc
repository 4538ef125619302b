// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore: what hosts vote where they are compared.
#include <string_view>
#include <utility>

#include "api/base/status.h"
#include "api/sqlite/row_checksum.h"
#include "hub/store/queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

std::int64_t VotesChecksum(const std::string& host_id, const std::string& judged_by, std::string_view votes) {
  return RowChecksum().Add(host_id).Add(judged_by).Add(votes).value();
}

}  // namespace

absl::Status SqliteFleetStore::PutVotes(const JudgedHost& judged) {
  const std::string& id = judged.host.host_id;
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutVotes));
  return put->Bind(id)
      .Bind(judged.judged_by)
      .BindBlob(judged.votes)
      .Bind(VotesChecksum(id, judged.judged_by, judged.votes))
      .Run();
}

absl::Status SqliteFleetStore::Votes(const std::function<void(StoredVotes&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const all, connection.Prepared(sql::kAllVotes));
    return EachRow(*all, [&](const Statement& row) {
      StoredVotes votes{.host_id = row.Text(0), .judged_by = row.Text(1), .votes = row.Text(2)};
      if (row.Int(3) == VotesChecksum(votes.host_id, votes.judged_by, votes.votes)) each(std::move(votes));
    });
  });
}

}  // namespace rdmaready::hub
