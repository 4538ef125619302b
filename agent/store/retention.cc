// SPDX-License-Identifier: Apache-2.0
#include "agent/store/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kRowsAtOnce = 32;  // of each table
constexpr std::int64_t kPagesAtOnce = 256;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

struct Space {
  std::int64_t pages = 0;
  std::int64_t free_pages = 0;
  std::int64_t page_bytes = 0;

  std::uint64_t used_bytes() const { return static_cast<std::uint64_t>((pages - free_pages) * page_bytes); }
  std::uint64_t file_bytes() const { return static_cast<std::uint64_t>(pages * page_bytes); }
};

absl::StatusOr<Space> Measure(const Database& database) {
  Space space;
  for (const auto& [sql, value] :
       {std::pair("PRAGMA page_count", &space.pages), std::pair("PRAGMA freelist_count", &space.free_pages),
        std::pair("PRAGMA page_size", &space.page_bytes)}) {
    RR_ASSIGN_OR_RETURN(*value, database.Number(sql));
  }
  return space;
}

// When the youngest of the oldest kRowsAtOnce rows began.
absl::StatusOr<std::int64_t> OldestBatch(const Database& database) {
  const std::string some = fmt::format(" ORDER BY 1 LIMIT {}", kRowsAtOnce);
  const std::string sql = fmt::format(
      "SELECT coalesce(max(s), {}) FROM (SELECT s FROM (SELECT * FROM (SELECT started_unix_ns AS s FROM "
      "runs WHERE body_only IS NULL{}) UNION ALL SELECT * FROM (SELECT started_unix_ns FROM transfers{})){})",
      kNever, some, some, some);
  return database.Number(sql.c_str());
}

// Up to this time, rows go. kNever: none.
absl::StatusOr<std::int64_t> CutOff(const Database& database, const StoreLimits& limits, const Space& space,
                                    std::int64_t now_unix_ns) {
  std::int64_t cut = kNever;
  if (space.used_bytes() > limits.max_bytes) {
    RR_ASSIGN_OR_RETURN(cut, OldestBatch(database));
  }
  if (limits.max_age.count() > 0) {
    cut = std::max(cut, now_unix_ns - std::chrono::nanoseconds(limits.max_age).count());
  }
  return cut;
}

// The oldest kRowsAtOnce runs up to `cut`, but neither the newest by time nor the last one put: they differ
// when the clock was set back.
absl::StatusOr<std::vector<std::int64_t>> RunsUpTo(const Database& database, std::int64_t cut) {
  RR_ASSIGN_OR_RETURN(
      Statement statement,
      Statement::Prepare(
          database,
          "SELECT rowid FROM runs WHERE started_unix_ns <= ?1 AND body_only IS NULL AND rowid NOT IN "
          "(SELECT max(rowid) FROM runs UNION ALL SELECT * FROM (SELECT rowid FROM runs WHERE "
          "body_only IS NULL ORDER BY started_unix_ns DESC, rowid DESC LIMIT 1)) "
          "ORDER BY started_unix_ns LIMIT ?2"));
  statement.Bind(cut).Bind(kRowsAtOnce);
  std::vector<std::int64_t> rows;
  while (true) {
    RR_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return rows;
    rows.push_back(statement.Int(0));
  }
}

// A run whose body others refer to leaves its body behind, and the last of those takes that with it.
absl::Status ForgetRuns(Database& database, std::int64_t cut) {
  constexpr char kNobodyRefers[] = "NOT EXISTS (SELECT 1 FROM runs AS later WHERE later.as_in = runs.run_id)";
  RR_ASSIGN_OR_RETURN(const std::vector<std::int64_t> rows, RunsUpTo(database, cut));
  RR_ASSIGN_OR_RETURN(
      Statement erase,
      Statement::Prepare(database, fmt::format("DELETE FROM runs WHERE rowid = ?1 AND {}", kNobodyRefers)));
  RR_ASSIGN_OR_RETURN(Statement keep_body,
                      Statement::Prepare(database, "UPDATE runs SET body_only = 1 WHERE rowid = ?1"));
  for (const std::int64_t row : rows) {
    RR_RETURN_IF_ERROR(erase.Bind(row).Run());
    RR_RETURN_IF_ERROR(keep_body.Bind(row).Run());
  }
  RR_ASSIGN_OR_RETURN(
      Statement bodies,
      Statement::Prepare(database,
                         fmt::format("DELETE FROM runs WHERE body_only IS NOT NULL AND {}", kNobodyRefers)));
  return bodies.Run();
}

absl::Status DeleteUpTo(Database& database, std::int64_t cut) {
  Transaction transaction(database);
  RR_RETURN_IF_ERROR(transaction.Begin());
  RR_RETURN_IF_ERROR(ForgetRuns(database, cut));
  RR_ASSIGN_OR_RETURN(
      Statement transfers,
      Statement::Prepare(database,
                         "DELETE FROM transfers WHERE number IN (SELECT number FROM transfers WHERE "
                         "started_unix_ns <= ?1 ORDER BY started_unix_ns LIMIT ?2)"));
  RR_RETURN_IF_ERROR(transfers.Bind(cut).Bind(kRowsAtOnce).Run());
  return transaction.Commit();
}

absl::StatusOr<bool> HasRowsUpTo(const Database& database, std::int64_t cut) {
  RR_ASSIGN_OR_RETURN(
      Statement statement,
      Statement::Prepare(database,
                         "SELECT EXISTS (SELECT 1 FROM runs WHERE started_unix_ns <= ?1 AND body_only IS "
                         "NULL) OR "
                         "EXISTS (SELECT 1 FROM transfers WHERE started_unix_ns <= ?1)"));
  RR_RETURN_IF_ERROR(statement.Bind(cut).Step().status());
  return statement.Int(0) != 0;
}

// Free pages within the limit are left to the next writes.
absl::Status GiveBack(Database& database, const StoreLimits& limits) {
  RR_ASSIGN_OR_RETURN(const Space space, Measure(database));
  const bool too_large = space.file_bytes() > limits.max_bytes;
  const bool mostly_idle = space.free_pages > std::max(kPagesAtOnce, space.pages / 2);
  if (space.free_pages == 0 || (!too_large && !mostly_idle)) return absl::OkStatus();
  return database.Execute(fmt::format("PRAGMA incremental_vacuum({})", kPagesAtOnce).c_str());
}

}  // namespace

absl::Status Prune(Database& database, const StoreLimits& limits, std::int64_t now_unix_ns) {
  RR_ASSIGN_OR_RETURN(const Space space, Measure(database));
  RR_ASSIGN_OR_RETURN(const std::int64_t cut, CutOff(database, limits, space, now_unix_ns));
  if (cut != kNever) {
    RR_ASSIGN_OR_RETURN(const bool any, HasRowsUpTo(database, cut));
    if (any) RR_RETURN_IF_ERROR(DeleteUpTo(database, cut));
  }
  return GiveBack(database, limits);
}

}  // namespace rdmaready
