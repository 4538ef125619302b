// SPDX-License-Identifier: Apache-2.0
// ForwardedStore: another store, for a test that watches, or changes, what one or two of its methods do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

class ForwardedStore : public FleetStore {
 public:
  // It outlives this one.
  explicit ForwardedStore(FleetStore& store) : store_(store) {}

  absl::StatusOr<std::vector<CommittedChange>> Commit(std::span<const JudgedHost> hosts,
                                                      std::int64_t now) override {
    return store_.Commit(hosts, now);
  }
  absl::Status PutSeen(std::span<const SeenHost> hosts, std::int64_t now) override {
    return store_.PutSeen(hosts, now);
  }
  absl::StatusOr<std::vector<CommittedChange>> NoteHosts(std::span<const std::string> ids,
                                                         const std::string& text, std::int64_t now) override {
    return store_.NoteHosts(ids, text, now);
  }
  absl::Status SetMaintenance(std::span<const std::string> ids, std::int64_t until,
                              const std::string& reason) override {
    return store_.SetMaintenance(ids, until, reason);
  }
  absl::StatusOr<Acknowledged> Acknowledge(std::span<const FindingKey> findings,
                                           const Acknowledgement& word) override {
    return store_.Acknowledge(findings, word);
  }
  absl::StatusOr<std::uint64_t> Prune(std::int64_t changes, std::int64_t over, std::uint64_t most) override {
    return store_.Prune(changes, over, most);
  }
  absl::StatusOr<FleetAuditEntry> AppendAudit(FleetAuditEntry entry) override {
    return store_.AppendAudit(std::move(entry));
  }
  absl::Status Audit(const std::string& hub, std::uint64_t after, std::int64_t since, std::size_t most,
                     const std::function<void(FleetAuditEntry&&)>& each) override {
    return store_.Audit(hub, after, since, most, each);
  }
  absl::Status PruneAudit(std::int64_t before, std::uint64_t most) override {
    return store_.PruneAudit(before, most);
  }
  absl::Status PutNotes(std::span<const Note> put, std::span<const NoteKey> dropped) override {
    return store_.PutNotes(put, dropped);
  }
  absl::Status Notes(const std::string& kind, const std::function<void(Note&&)>& each) override {
    return store_.Notes(kind, each);
  }
  absl::Status Hosts(const std::function<void(KnownHost&&)>& each) override { return store_.Hosts(each); }
  absl::Status Findings(const std::string& id, const std::function<void(FleetFinding&&)>& each) override {
    return store_.Findings(id, each);
  }
  absl::Status Changes(const std::string& id, std::int64_t since, std::int64_t before,
                       const std::function<void(FleetChange&&)>& each) override {
    return store_.Changes(id, since, before, each);
  }
  absl::Status Votes(const std::function<void(StoredVotes&&)>& each) override { return store_.Votes(each); }
  absl::Status NewestChanges(std::span<const std::string> ids, std::int64_t since, const ChangePlace& after,
                             std::size_t most, const std::function<void(FleetChange&&)>& each) override {
    return store_.NewestChanges(ids, since, after, most, each);
  }
  absl::Status ChangesByName(std::int64_t since, const HostChangePlace& after, std::size_t most,
                             const std::function<void(FleetChange&&)>& each) override {
    return store_.ChangesByName(since, after, most, each);
  }
  absl::Status FindingsByName(const FindingPlace& after, std::size_t most,
                              const std::function<void(FleetFinding&&)>& each) override {
    return store_.FindingsByName(after, most, each);
  }
  absl::Status Tests(const std::string& id, const std::function<void(KeptTest&&)>& each) override {
    return store_.Tests(id, each);
  }
  absl::Status Pasts(const std::function<void(const std::string&, const std::string&)>& each) override {
    return store_.Pasts(each);
  }
  absl::Status ChangesAfter(const std::string& id, std::uint64_t number,
                            const std::function<void(FleetChange&&)>& each) override {
    return store_.ChangesAfter(id, number, each);
  }
  absl::StatusOr<StoredFacts> FactsOf(const std::string& id) override { return store_.FactsOf(id); }

 private:
  FleetStore& store_;
};

}  // namespace rdmaready::hub
