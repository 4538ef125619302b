// SPDX-License-Identifier: Apache-2.0
#include "api/base/status.h"
#include "hub/store/queries.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {

absl::Status SqliteFleetStore::PutNotes(std::span<const Note> put, std::span<const NoteKey> dropped) {
  return InTransaction([&]() -> absl::Status {
    for (const Note& note : put) {
      RR_ASSIGN_OR_RETURN(Statement* const statement, writer_.Prepared(sql::kPutNote));
      RR_RETURN_IF_ERROR(statement->Bind(note.at.kind).Bind(note.at.key).BindBlob(note.body).Run());
    }
    for (const NoteKey& key : dropped) {
      RR_ASSIGN_OR_RETURN(Statement* const statement, writer_.Prepared(sql::kDropNote));
      RR_RETURN_IF_ERROR(statement->Bind(key.kind).Bind(key.key).Run());
    }
    return absl::OkStatus();
  });
}

absl::Status SqliteFleetStore::Notes(const std::string& kind, const std::function<void(Note&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kNotesOf));
    found->Bind(kind);
    while (true) {
      RR_ASSIGN_OR_RETURN(const bool row, found->Step());
      if (!row) return absl::OkStatus();
      each({.at = {kind, found->Text(0)}, .body = found->Text(1)});
    }
  });
}

}  // namespace rdmaready::hub
