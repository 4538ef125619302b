// SPDX-License-Identifier: Apache-2.0
#include "api/sqlite/migration.h"

#include <fmt/format.h>

#include <string>

#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::Status Refusal(const Database& database, const std::string& why) {
  return absl::FailedPreconditionError("open store " + database.path() + ": " + why);
}

absl::Status NotOurs(const Database& database, const Schema& schema) {
  return Refusal(database, fmt::format("not a {}", schema.name));
}

absl::StatusOr<std::int64_t> VersionOf(const Database& database, const Schema& schema) {
  absl::StatusOr<std::int64_t> version = database.Number("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version < 0) return NotOurs(database, schema);
  RR_ASSIGN_OR_RETURN(const std::int64_t application, database.Number("PRAGMA application_id"));
  if (*version == 0) {
    // A database without version that holds tables is another program's.
    RR_ASSIGN_OR_RETURN(const std::int64_t tables, database.Number("SELECT count(*) FROM sqlite_schema"));
    if (tables != 0 || application != 0) return NotOurs(database, schema);
  } else if (application != schema.application_id) {
    return NotOurs(database, schema);
  }
  if (*version > static_cast<std::int64_t>(schema.steps.size())) {
    return Refusal(database, fmt::format("written by a newer rdmaready (schema {}, this version knows {})",
                                         *version, schema.steps.size()));
  }
  return version;
}

absl::Status TakeStep(Database& database, const Schema& schema, std::size_t from) {
  Transaction transaction(database);
  RR_RETURN_IF_ERROR(transaction.Begin());
  RR_RETURN_IF_ERROR(database.Execute(schema.steps[from]));
  RR_RETURN_IF_ERROR(database.Execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", schema.application_id, from + 1)
          .c_str()));
  return transaction.Commit();
}

}  // namespace

absl::Status CheckVersion(const Database& database, const Schema& schema) {
  return VersionOf(database, schema).status();
}

absl::Status CheckUpToDate(const Database& database, const Schema& schema) {
  RR_ASSIGN_OR_RETURN(const std::int64_t version, VersionOf(database, schema));
  if (version == static_cast<std::int64_t>(schema.steps.size())) return absl::OkStatus();
  return Refusal(database, fmt::format("of an older version (schema {})", version));
}

absl::Status Migrate(Database& database, const Schema& schema) {
  RR_ASSIGN_OR_RETURN(const std::int64_t version, VersionOf(database, schema));
  for (auto from = static_cast<std::size_t>(version); from < schema.steps.size(); ++from) {
    RR_RETURN_IF_ERROR(TakeStep(database, schema, from));
  }
  return absl::OkStatus();
}

}  // namespace rdmaready
