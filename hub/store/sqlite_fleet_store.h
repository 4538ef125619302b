// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore: the hub's store in one SQLite file of its own: WAL, synchronous=FULL, one connection that
// writes and checkpoints, others that only read.
//
// A damaged file is never begun anew: what agents were told is kept would be gone without a word. Open fails
// with kDataLoss, and the text says how to restore. A file of a newer version, or of another program, is
// refused before anything is touched (kFailedPrecondition). Another process holds it: kUnavailable.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/sqlite/file_lock.h"
#include "api/sqlite/sqlite.h"
#include "hub/store/finding_changes.h"
#include "hub/store/fleet_store.h"
#include "hub/store/token_store.h"

namespace rdmaready::hub {

struct FleetStoreOptions {
  std::string path{};  // its directory is made when it is absent; PATH.lock is beside it
  std::chrono::milliseconds lock_wait{3000};
  std::chrono::milliseconds check_time{10'000};  // at most, for the look at the file's structure
};

// A connection and the statements that were prepared on it. One thread at a time.
class Connection {
 public:
  explicit Connection(Database database) : database_(std::move(database)) {}
  Database& database() { return database_; }
  // Kept, and ready to be bound; null with the error in `status`. `sql` is a literal.
  absl::StatusOr<Statement*> Prepared(const char* sql);
  void ResetAll();

 private:
  Database database_;
  std::map<const char*, Statement> statements_{};  // by address: each query is one literal
};

class SqliteFleetStore final : public FleetStore, public TokenStore {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteFleetStore>> Open(const FleetStoreOptions& options);

  absl::StatusOr<std::vector<CommittedChange>> Commit(std::span<const JudgedHost> hosts,
                                                      std::int64_t now_unix_ns) override;
  absl::Status PutSeen(std::span<const SeenHost> hosts, std::int64_t now_unix_ns) override;
  absl::StatusOr<std::vector<CommittedChange>> NoteHosts(std::span<const std::string> host_ids,
                                                         const std::string& text,
                                                         std::int64_t now_unix_ns) override;
  absl::Status SetMaintenance(std::span<const std::string> host_ids, std::int64_t until_unix_ns,
                              const std::string& reason) override;
  absl::StatusOr<Acknowledged> Acknowledge(std::span<const FindingKey> findings,
                                           const Acknowledgement& word) override;
  absl::StatusOr<std::uint64_t> Prune(std::int64_t changes_before, std::int64_t over_before,
                                      std::uint64_t most) override;
  absl::StatusOr<FleetAuditEntry> AppendAudit(FleetAuditEntry entry) override;
  absl::Status Audit(const std::string& hub, std::uint64_t after_number, std::int64_t since_unix_ns,
                     std::size_t most, const std::function<void(FleetAuditEntry&&)>& each) override;
  absl::Status PruneAudit(std::int64_t before_unix_ns, std::uint64_t most) override;
  absl::Status PutNotes(std::span<const Note> put, std::span<const NoteKey> dropped) override;
  absl::Status Notes(const std::string& kind, const std::function<void(Note&&)>& each) override;
  absl::Status Hosts(const std::function<void(KnownHost&&)>& each) override;
  absl::Status Votes(const std::function<void(StoredVotes&&)>& each) override;
  absl::Status Findings(const std::string& host_id, const std::function<void(FleetFinding&&)>& each) override;
  absl::Status Changes(const std::string& host_id, std::int64_t since_unix_ns, std::int64_t before_unix_ns,
                       const std::function<void(FleetChange&&)>& each) override;
  absl::Status ChangesAfter(const std::string& host_id, std::uint64_t number,
                            const std::function<void(FleetChange&&)>& each) override;
  absl::Status NewestChanges(std::span<const std::string> host_ids, std::int64_t since_unix_ns,
                             const ChangePlace& after, std::size_t most,
                             const std::function<void(FleetChange&&)>& each) override;
  absl::Status ChangesByName(std::int64_t since_unix_ns, const HostChangePlace& after, std::size_t most,
                             const std::function<void(FleetChange&&)>& each) override;
  absl::Status FindingsByName(const FindingPlace& after, std::size_t most,
                              const std::function<void(FleetFinding&&)>& each) override;
  absl::Status Tests(const std::string& host_id, const std::function<void(KeptTest&&)>& each) override;
  absl::Status Pasts(
      const std::function<void(const std::string& host_id, const std::string& digest)>& each) override;
  absl::StatusOr<StoredFacts> FactsOf(const std::string& host_id) override;

  absl::Status PutTokens(std::span<const StoredToken> tokens) override;
  absl::Status Tokens(const TokenPlace& after, std::size_t most,
                      const std::function<void(StoredToken&&)>& each) override;
  absl::Status TokensNamed(const std::string& digits, std::size_t most,
                           const std::function<void(StoredToken&&)>& each) override;
  absl::StatusOr<StoredToken> UseToken(const TokenUse& use) override;
  absl::StatusOr<std::uint64_t> WithdrawTokens(std::span<const std::string> digests, const std::string& who,
                                               std::int64_t now_unix_ns) override;
  absl::Status PruneTokens(std::int64_t before_unix_ns) override;
  absl::Status PutRevoked(const RevokedHost& host) override;
  absl::Status Revoked(const std::function<void(RevokedHost&&)>& each) override;

 private:
  SqliteFleetStore(std::string path, FileLock lock, Connection writer)
      : path_(std::move(path)), lock_(std::move(lock)), writer_(std::move(writer)) {}

  // With the writer's mutex held, in one transaction.
  absl::Status CommitHost(const JudgedHost& host, std::int64_t now_unix_ns,
                          std::vector<CommittedChange>& changes);
  absl::StatusOr<std::vector<KeptFinding>> KeptOf(const std::string& host_id);
  absl::Status Write(const std::string& host_id, const FindingChanges& changes);
  absl::Status PutFinding(const std::string& host_id, const KeptFinding& row);
  absl::Status PutChange(const std::string& host_id, const FleetChange& change);
  absl::Status PutFacts(const JudgedHost& host);
  absl::Status PutVotes(const JudgedHost& host);
  absl::Status PutPast(const std::string& host_id, const KeptPast& past);
  absl::Status DropPast(const std::string& host_id);
  absl::Status InTransaction(const std::function<absl::Status()>& work);

  // Runs `read` on a connection of its own.
  absl::Status Read(const std::function<absl::Status(Connection&)>& read);

  const std::string path_;
  FileLock lock_;
  std::mutex writing_;
  Connection writer_;
  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Connection>> idle_readers_{};
};

}  // namespace rdmaready::hub
