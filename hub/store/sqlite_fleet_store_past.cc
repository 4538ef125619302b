// SPDX-License-Identifier: Apache-2.0
// What live tests showed, in SQLite.
#include <cstdint>
#include <string>

#include "api/base/status.h"
#include "hub/store/past_queries.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

void BindTest(const std::string& host_id, const KeptTest& kept, Statement& to) {
  const CaseBaseline& test = kept.test;
  const auto rate = [](std::uint64_t bytes_per_s) { return static_cast<std::int64_t>(bytes_per_s); };
  to.Bind(host_id).Bind(test.port).Bind(test.case_name).Bind(test.role).Bind(test.peer);
  to.Bind(std::int64_t{kept.software}).Bind(rate(test.last_bytes_per_s)).Bind(test.last_unix_ns);
  to.Bind(std::int64_t{test.days}).Bind(rate(test.p10_bytes_per_s)).Bind(rate(test.p50_bytes_per_s));
  to.Bind(test.latency_p99_ns).Bind(std::int64_t{test.days_kept}).Bind(test.first_unix_ns);
  to.Bind(test.changed_unix_ns).Bind(rate(test.before_bytes_per_s)).Bind(std::int64_t{test.before_days});
}

KeptTest ReadTest(const Statement& row) {
  const auto rate = [&row](int column) { return static_cast<std::uint64_t>(row.Int(column)); };
  const auto count = [&row](int column) { return static_cast<std::uint32_t>(row.Int(column)); };
  KeptTest kept{.host_id = row.Text(0), .software = row.Int(5) != 0};
  kept.test = {.port = row.Text(1),
               .case_name = row.Text(2),
               .role = row.Text(3),
               .peer = row.Text(4),
               .last_bytes_per_s = rate(6),
               .last_unix_ns = row.Int(7),
               .days = count(8),
               .p10_bytes_per_s = rate(9),
               .p50_bytes_per_s = rate(10),
               .latency_p99_ns = row.Int(11),
               .days_kept = count(12),
               .first_unix_ns = row.Int(13),
               .changed_unix_ns = row.Int(14),
               .before_bytes_per_s = rate(15),
               .before_days = count(16)};
  return kept;
}

}  // namespace

absl::Status SqliteFleetStore::PutPast(const std::string& host_id, const KeptPast& past) {
  RR_RETURN_IF_ERROR(DropPast(host_id));
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutPast));
  RR_RETURN_IF_ERROR(put->Bind(host_id).Bind(past.digest).Run());
  if (RowsChanged(writer_.database()) == 0) return absl::OkStatus();
  for (const KeptTest& test : past.tests) {
    RR_ASSIGN_OR_RETURN(Statement* const row, writer_.Prepared(sql::kPutBaseline));
    BindTest(host_id, test, *row);
    RR_RETURN_IF_ERROR(row->Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteFleetStore::DropPast(const std::string& host_id) {
  for (const char* query : {sql::kDropPast, sql::kDropBaselines}) {
    RR_ASSIGN_OR_RETURN(Statement* const drop, writer_.Prepared(query));
    RR_RETURN_IF_ERROR(drop->Bind(host_id).Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteFleetStore::Pasts(
    const std::function<void(const std::string& host_id, const std::string& digest)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const all, connection.Prepared(sql::kAllPasts));
    return EachRow(*all, [&](const Statement& row) { each(row.Text(0), row.Text(1)); });
  });
}

absl::Status SqliteFleetStore::Tests(const std::string& host_id, const std::function<void(KeptTest&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found,
                        connection.Prepared(host_id.empty() ? sql::kAllBaselines : sql::kBaselinesOf));
    if (!host_id.empty()) found->Bind(host_id);
    return EachRow(*found, [&](const Statement& row) { each(ReadTest(row)); });
  });
}

}  // namespace rdmaready::hub
