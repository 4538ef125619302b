// SPDX-License-Identifier: Apache-2.0
#include "hub/store/sqlite_fleet_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/sqlite/migration.h"
#include "api/sqlite/row_checksum.h"
#include "api/sqlite/soundness.h"
#include "hub/store/queries.h"
#include "hub/store/rows.h"
#include "hub/store/schema.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostIdleReaders = 4;

absl::Status HowToRestore(const absl::Status& status, const std::string& path) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(fmt::format(
      "{}; the hub does not begin anew by itself: `rdmaready-hub restore --store {} BACKUP`, or move it "
      "away and let the agents send everything again (history and acknowledgements are lost then)",
      Message(status), path));
}

// Leaves a file of this version that is known to be sound, or one that is not written to when it is closed.
absl::Status Prepare(Database& database, std::chrono::milliseconds check_time) {
  RR_RETURN_IF_ERROR(database.SetCheckpointOnClose(false));
  RR_RETURN_IF_ERROR(CheckVersion(database, FleetSchema()));
  RR_ASSIGN_OR_RETURN(const std::int64_t pages, database.Number("PRAGMA page_count"));
  if (pages == 0) RR_RETURN_IF_ERROR(database.Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  RR_RETURN_IF_ERROR(
      database.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "PRAGMA journal_size_limit = 67108864;"
                       "PRAGMA cache_size = -16384"));  // KiB
  RR_RETURN_IF_ERROR(LookForDamage(database, check_time));
  RR_RETURN_IF_ERROR(Migrate(database, FleetSchema()));
  return database.SetCheckpointOnClose(true);
}

std::int64_t FactsChecksum(const std::string& host_id, std::int64_t bytes, std::string_view body) {
  return RowChecksum().Add(host_id).Add(bytes).Add(body).value();
}

}  // namespace

absl::StatusOr<Statement*> Connection::Prepared(const char* sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    absl::StatusOr<Statement> made = Statement::Prepare(database_, sql);
    if (!made.ok()) return made.status();
    found = statements_.emplace(sql, *std::move(made)).first;
  }
  found->second.Reset();
  return &found->second;
}

void Connection::ResetAll() {
  for (auto& [sql, statement] : statements_) statement.Reset();
}

absl::StatusOr<std::unique_ptr<SqliteFleetStore>> SqliteFleetStore::Open(const FleetStoreOptions& options) {
  const std::string& path = options.path;
  RR_RETURN_IF_ERROR(CheckFileKind(path));
  RR_RETURN_IF_ERROR(MakePrivateDirectory(std::filesystem::absolute(path).parent_path()));
  RR_ASSIGN_OR_RETURN(FileLock lock, FileLock::Take(path + ".lock", "open store " + path, options.lock_wait));
  MakePrivateFile(path);
  absl::StatusOr<Database> database = Database::Open(path);
  if (!database.ok()) return HowToRestore(database.status(), path);
  if (const absl::Status prepared = Prepare(*database, options.check_time); !prepared.ok())
    return HowToRestore(prepared, path);
  RR_RETURN_IF_ERROR(SyncDirectory(std::filesystem::absolute(path).parent_path()));
  return std::unique_ptr<SqliteFleetStore>(
      new SqliteFleetStore(path, std::move(lock), Connection(*std::move(database))));
}

absl::Status SqliteFleetStore::InTransaction(const std::function<absl::Status()>& work) {
  const std::lock_guard lock(writing_);
  Transaction transaction(writer_.database());
  RR_RETURN_IF_ERROR(HowToRestore(transaction.Begin(), path_));
  const absl::Status done = work();
  writer_.ResetAll();  // a statement that stands half way would keep the transaction open
  if (!done.ok()) return HowToRestore(done, path_);
  return HowToRestore(transaction.Commit(), path_);
}

absl::StatusOr<std::vector<CommittedChange>> SqliteFleetStore::Commit(std::span<const JudgedHost> hosts,
                                                                      std::int64_t now_unix_ns) {
  std::vector<CommittedChange> changes;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    for (const JudgedHost& host : hosts) RR_RETURN_IF_ERROR(CommitHost(host, now_unix_ns, changes));
    return absl::OkStatus();
  });
  RR_RETURN_IF_ERROR(done);
  return changes;
}

absl::StatusOr<std::vector<KeptFinding>> SqliteFleetStore::KeptOf(const std::string& host_id) {
  RR_ASSIGN_OR_RETURN(Statement* const statement, writer_.Prepared(sql::kFindingsOf));
  statement->Bind(host_id);
  std::vector<KeptFinding> kept;
  RR_RETURN_IF_ERROR(EachRow(*statement, [&](const Statement& row) { kept.push_back(ReadKeptFinding(row)); }));
  return kept;
}

absl::Status SqliteFleetStore::CommitHost(const JudgedHost& judged, std::int64_t now_unix_ns,
                                          std::vector<CommittedChange>& changes) {
  const std::string& id = judged.host.host_id;
  RR_ASSIGN_OR_RETURN(Statement* const mark, writer_.Prepared(sql::kHostMark));
  mark->Bind(id);
  RR_ASSIGN_OR_RETURN(const bool there, mark->Step());
  const HostBefore before = there ? ReadHostBefore(*mark) : HostBefore{};
  mark->Reset();
  std::vector<KeptFinding> kept;
  if (there) {
    RR_ASSIGN_OR_RETURN(kept, KeptOf(id));
  }
  const FindingChanges delta = CompareFindings(kept, judged.findings, now_unix_ns, before.last_number, !there);
  RR_RETURN_IF_ERROR(Write(id, delta));
  FleetHost host = judged.host;
  const bool another = !there || before.verdict != host.last_verdict || before.trouble != host.trouble;
  host.since_unix_ns = another ? now_unix_ns : before.since_unix_ns;
  const bool changed = another || before.digest != host.digest || !delta.told.empty() || !delta.merged.empty();
  host.changed_unix_ns = changed ? now_unix_ns : before.changed_unix_ns;
  std::uint64_t last_number = delta.last_number;
  std::vector<CommittedChange> told;
  for (const FleetChange& change : delta.told) told.push_back({.change = change});
  for (const FindingChanges::Merged& merged : delta.merged)
    told.push_back({.change = merged.change, .merged = true});
  if (!there) {
    const FleetChange joined{.number = ++last_number,
                             .unix_ns = now_unix_ns,
                             .observed = "reported for the first time",
                             .last_unix_ns = now_unix_ns};
    RR_RETURN_IF_ERROR(PutChange(id, joined));
    told.push_back({.change = joined});
  }
  std::ranges::sort(told, {}, [](const CommittedChange& change) { return change.change.number; });
  for (CommittedChange& change : told) {
    change.change.host_id = id;
    change.change.host = host.name;
    changes.push_back(std::move(change));
  }
  host.unacknowledged = CountUnacknowledged(kept, delta);
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutHost));
  BindHost(judged, host, last_number, *put);
  RR_RETURN_IF_ERROR(put->Run());
  RR_RETURN_IF_ERROR(PutVotes(judged));
  if (judged.past) RR_RETURN_IF_ERROR(PutPast(id, *judged.past));
  return judged.facts_zlib.empty() ? absl::OkStatus() : PutFacts(judged);
}

absl::Status SqliteFleetStore::Write(const std::string& host_id, const FindingChanges& changes) {
  for (const KeptFinding& row : changes.put) RR_RETURN_IF_ERROR(PutFinding(host_id, row));
  for (const FleetFinding& row : changes.removed) {
    RR_ASSIGN_OR_RETURN(Statement* const drop, writer_.Prepared(sql::kDropFinding));
    RR_RETURN_IF_ERROR(drop->Bind(host_id).Bind(row.check).Bind(row.subject).Bind(row.profile).Run());
  }
  for (const FleetChange& change : changes.told) RR_RETURN_IF_ERROR(PutChange(host_id, change));
  for (const FindingChanges::Merged& merged : changes.merged) {
    RR_ASSIGN_OR_RETURN(Statement* const merge, writer_.Prepared(sql::kMergeChange));
    RR_RETURN_IF_ERROR(merge->Bind(static_cast<std::int64_t>(merged.change.number))
                           .Bind(static_cast<std::int64_t>(merged.change.after))
                           .Bind(merged.change.observed)
                           .Bind(merged.change.last_unix_ns)
                           .Bind(host_id)
                           .Bind(static_cast<std::int64_t>(merged.into))
                           .Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteFleetStore::PutFinding(const std::string& host_id, const KeptFinding& row) {
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutFinding));
  BindFinding(host_id, row, *put);
  return put->Run();
}

absl::Status SqliteFleetStore::PutChange(const std::string& host_id, const FleetChange& change) {
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutChange));
  BindChange(host_id, change, *put);
  return put->Run();
}

absl::Status SqliteFleetStore::PutFacts(const JudgedHost& judged) {
  const std::string& id = judged.host.host_id;
  RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutFacts));
  return put->Bind(id)
      .Bind(std::int64_t{judged.facts_bytes})
      .BindBlob(judged.facts_zlib)
      .Bind(FactsChecksum(id, judged.facts_bytes, judged.facts_zlib))
      .Run();
}

absl::Status SqliteFleetStore::PutSeen(std::span<const SeenHost> hosts, std::int64_t now_unix_ns) {
  return InTransaction([&]() -> absl::Status {
    for (const SeenHost& host : hosts) {
      RR_ASSIGN_OR_RETURN(Statement* const seen, writer_.Prepared(sql::kSeen));
      const AgentRun& agent = host.agent;
      seen->Bind(host.seen_unix_ns).Bind(host.clock_ahead_ns).Bind(agent.agent_version).Bind(agent.machine_id);
      seen->Bind(agent.boot_id).Bind(agent.mark.run_id).Bind(static_cast<std::int64_t>(agent.mark.sequence));
      RR_RETURN_IF_ERROR(seen->Bind(host.host_id).Bind(host.seen_unix_ns).Bind(now_unix_ns).Run());
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<CommittedChange>> SqliteFleetStore::NoteHosts(std::span<const std::string> host_ids,
                                                                         const std::string& text,
                                                                         std::int64_t now_unix_ns) {
  std::vector<CommittedChange> changes;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    for (const std::string& id : host_ids) {
      RR_ASSIGN_OR_RETURN(Statement* const up, writer_.Prepared(sql::kCountUp));
      RR_RETURN_IF_ERROR(up->Bind(id).Run());
      RR_ASSIGN_OR_RETURN(Statement* const read, writer_.Prepared(sql::kNameAndNumber));
      read->Bind(id);
      RR_ASSIGN_OR_RETURN(const bool there, read->Step());
      if (!there) continue;
      const FleetChange change{.host_id = id,
                               .host = read->Text(0),
                               .number = static_cast<std::uint64_t>(read->Int(1)),
                               .unix_ns = now_unix_ns,
                               .observed = text,
                               .last_unix_ns = now_unix_ns};
      read->Reset();
      RR_RETURN_IF_ERROR(PutChange(id, change));
      changes.push_back({.change = change});
    }
    return absl::OkStatus();
  });
  RR_RETURN_IF_ERROR(done);
  return changes;
}

absl::Status SqliteFleetStore::SetMaintenance(std::span<const std::string> host_ids, std::int64_t until_unix_ns,
                                              const std::string& reason) {
  return InTransaction([&]() -> absl::Status {
    for (const std::string& id : host_ids) {
      RR_ASSIGN_OR_RETURN(Statement* const set, writer_.Prepared(sql::kMaintenance));
      RR_RETURN_IF_ERROR(set->Bind(until_unix_ns).Bind(reason).Bind(id).Run());
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<FleetStore::Acknowledged> SqliteFleetStore::Acknowledge(std::span<const FindingKey> findings,
                                                                       const Acknowledgement& word) {
  Acknowledged count;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    for (const FindingKey& key : findings) {
      RR_ASSIGN_OR_RETURN(Statement* const hold, writer_.Prepared(sql::kAcknowledgeHolding));
      hold->Bind(word.who)
          .Bind(word.unix_ns)
          .Bind(word.why)
          .Bind(key.host_id)
          .Bind(key.check)
          .Bind(key.subject);
      RR_RETURN_IF_ERROR(hold->Bind(key.profile).Run());
      count.marked += RowsChanged(writer_.database());
      RR_ASSIGN_OR_RETURN(Statement* const over, writer_.Prepared(sql::kForgetOver));
      RR_RETURN_IF_ERROR(over->Bind(key.host_id).Bind(key.check).Bind(key.subject).Bind(key.profile).Run());
      count.forgotten += RowsChanged(writer_.database());
      RR_ASSIGN_OR_RETURN(Statement* const recount, writer_.Prepared(sql::kRecount));
      RR_RETURN_IF_ERROR(recount->Bind(key.host_id).Run());
    }
    return absl::OkStatus();
  });
  RR_RETURN_IF_ERROR(done);
  return count;
}

absl::StatusOr<std::uint64_t> SqliteFleetStore::Prune(std::int64_t changes_before, std::int64_t over_before,
                                                      std::uint64_t most) {
  std::uint64_t dropped = 0;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    std::vector<std::pair<std::string, std::int64_t>> old;
    RR_ASSIGN_OR_RETURN(Statement* const find, writer_.Prepared(sql::kOldChanges));
    find->Bind(changes_before).Bind(static_cast<std::int64_t>(most));
    RR_RETURN_IF_ERROR(
        EachRow(*find, [&](const Statement& row) { old.emplace_back(row.Text(0), row.Int(1)); }));
    for (const auto& [host_id, number] : old) {
      RR_ASSIGN_OR_RETURN(Statement* const drop, writer_.Prepared(sql::kDropChange));
      RR_RETURN_IF_ERROR(drop->Bind(host_id).Bind(number).Run());
      ++dropped;
    }
    std::vector<FindingKey> over;
    RR_ASSIGN_OR_RETURN(Statement* const find_over, writer_.Prepared(sql::kOldOver));
    find_over->Bind(over_before).Bind(static_cast<std::int64_t>(most));
    RR_RETURN_IF_ERROR(EachRow(*find_over, [&](const Statement& row) {
      over.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
    }));
    for (const FindingKey& key : over) {
      RR_ASSIGN_OR_RETURN(Statement* const drop, writer_.Prepared(sql::kDropFinding));
      RR_RETURN_IF_ERROR(drop->Bind(key.host_id).Bind(key.check).Bind(key.subject).Bind(key.profile).Run());
      RR_ASSIGN_OR_RETURN(Statement* const recount, writer_.Prepared(sql::kRecount));
      RR_RETURN_IF_ERROR(recount->Bind(key.host_id).Run());
      ++dropped;
    }
    return writer_.database().Execute("PRAGMA incremental_vacuum(1024)");
  });
  RR_RETURN_IF_ERROR(done);
  return dropped;
}

absl::Status SqliteFleetStore::Read(const std::function<absl::Status(Connection&)>& read) {
  std::unique_ptr<Connection> connection;
  {
    const std::lock_guard lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      connection = std::move(idle_readers_.back());
      idle_readers_.pop_back();
    }
  }
  if (connection == nullptr) {
    absl::StatusOr<Database> database = Database::Open(path_, Database::Access::kReadOnly);
    if (!database.ok()) return HowToRestore(database.status(), path_);
    connection = std::make_unique<Connection>(*std::move(database));
  }
  const absl::Status done = HowToRestore(read(*connection), path_);
  connection->ResetAll();
  const std::lock_guard lock(readers_mutex_);
  if (done.ok() && idle_readers_.size() < kMostIdleReaders) idle_readers_.push_back(std::move(connection));
  return done;
}

absl::Status SqliteFleetStore::Hosts(const std::function<void(KnownHost&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const all, connection.Prepared(sql::kAllHosts));
    return EachRow(*all, [&](const Statement& row) { each(ReadHost(row)); });
  });
}

absl::Status SqliteFleetStore::Findings(const std::string& host_id,
                                        const std::function<void(FleetFinding&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found,
                        connection.Prepared(host_id.empty() ? sql::kAllFindings : sql::kFindingsOf));
    if (!host_id.empty()) found->Bind(host_id);
    return EachRow(*found, [&](const Statement& row) { each(ReadKeptFinding(row).finding); });
  });
}

absl::Status SqliteFleetStore::Changes(const std::string& host_id, std::int64_t since_unix_ns,
                                       std::int64_t before_unix_ns,
                                       const std::function<void(FleetChange&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found,
                        connection.Prepared(host_id.empty() ? sql::kAllChanges : sql::kChangesOf));
    if (!host_id.empty()) found->Bind(host_id);
    found->Bind(since_unix_ns).Bind(before_unix_ns);
    return EachRow(*found, [&](const Statement& row) { each(ReadChange(row)); });
  });
}

absl::Status SqliteFleetStore::ChangesAfter(const std::string& host_id, std::uint64_t number,
                                            const std::function<void(FleetChange&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kChangesAfter));
    found->Bind(host_id).Bind(static_cast<std::int64_t>(number));
    return EachRow(*found, [&](const Statement& row) { each(ReadChange(row)); });
  });
}

absl::StatusOr<StoredFacts> SqliteFleetStore::FactsOf(const std::string& host_id) {
  std::optional<StoredFacts> facts;
  bool sound = true;
  const absl::Status done = Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kFactsOf));
    found->Bind(host_id);
    return EachRow(*found, [&](const Statement& row) {
      facts = StoredFacts{.known = ReadHost(row),
                          .facts_zlib = row.Text(kHostColumns + 1),
                          .facts_bytes = static_cast<std::uint32_t>(row.Int(kHostColumns))};
      sound = row.Int(kHostColumns + 2) == FactsChecksum(host_id, row.Int(kHostColumns), facts->facts_zlib);
    });
  });
  RR_RETURN_IF_ERROR(done);
  if (!facts) return absl::NotFoundError("host " + host_id + " has sent no facts");
  if (!sound)
    return absl::DataLossError("read store " + path_ + ": the facts of host " + host_id + " are damaged");
  return *std::move(facts);
}

}  // namespace rdmaready::hub
