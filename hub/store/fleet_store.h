// SPDX-License-Identifier: Apache-2.0
// FleetStore: the seam to what the hub keeps. Everything is by host: what one call writes of a host stands or
// falls together, and nothing reaches over hosts but reading. So any engine will do that has transactions and
// upserts.
//
// What Commit acknowledged survives a crash and a power cut. Committing the same again changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/baseline.h"
#include "api/model/fleet.h"
#include "hub/store/row_places.h"

namespace rdmaready::hub {

// Which report of a host is the newest that is kept. Reports of one run of an agent are counted.
struct ReportMark {
  std::string run_id{};
  std::uint64_t sequence = 0;
  bool operator==(const ReportMark&) const = default;
};

// The run of an agent that speaks for a host, as its hello says.
struct AgentRun {
  std::string agent_version{};
  std::string machine_id{};  // SHA-256 of it
  std::string boot_id{};
  ReportMark mark{};  // its run, and the newest report of that
  bool operator==(const AgentRun&) const = default;
};

// What the last test of a case through a port showed, beside the days before it.
struct KeptTest {
  std::string host_id{};
  bool software = false;  // the port is of a software device, whose speed says nothing
  CaseBaseline test{};
  bool operator==(const KeptTest&) const = default;
};

struct KeptPast {
  std::string digest{};           // 64 hexadecimal digits, as the agent knows it by
  std::vector<KeptTest> tests{};  // each port, case, role and peer once; host_id is not looked at
};

// What judging made of one host, and its facts, which another rule may judge again.
struct JudgedHost {
  FleetHost host{};  // condition and since are the store's to find; the counts are judged
  std::string machine_id{};
  ReportMark mark{};
  std::string judged_by{};  // what the rules are known by: another value, and it is to be judged again
  std::string facts_zlib{};
  std::uint32_t facts_bytes = 0;  // unpacked
  std::string votes{};            // what it votes where hosts are compared: see hub/ingest/kept_votes.h
  std::vector<FleetFinding>
      findings{};  // warned, failed or unknown, and not waived; host_id and times are not looked at
  std::optional<KeptPast> past{};  // none: what is kept stays; of a host that was revoked none is kept
};

struct CommittedChange {
  FleetChange change{};
  bool merged = false;  // into one that was there: it went to and fro
};

struct SeenHost {
  std::string host_id{};
  std::int64_t seen_unix_ns = 0;
  std::int64_t clock_ahead_ns = 0;
  AgentRun agent{};  // who was heard
};

// Which host has which id, and what a hub has to have at hand of each.
struct KnownHost {
  FleetHost host{};
  std::string machine_id{};
  ReportMark mark{};
  std::string judged_by{};
};

struct StoredFacts {
  KnownHost known{};
  std::string facts_zlib{};
  std::uint32_t facts_bytes = 0;  // unpacked
};

// As they were judged by `judged_by`.
struct StoredVotes {
  std::string host_id{};
  std::string judged_by{};
  std::string votes{};
};

struct FindingKey {
  std::string host_id{};
  std::string check{};
  std::string subject{};
  std::string profile{};
  auto operator<=>(const FindingKey&) const = default;
};

struct Acknowledgement {
  std::string who{};
  std::string why{};
  std::int64_t unix_ns = 0;
};

// A small thing that a part of the hub keeps for itself, as octets that only it understands.
struct NoteKey {
  std::string kind{};  // whose
  std::string key{};
  bool operator==(const NoteKey&) const = default;
};
struct Note {
  NoteKey at{};
  std::string body{};
};

// Errors of every method: kResourceExhausted (no room: nothing was written, and it may be tried again),
// kDataLoss (the store is damaged), kUnavailable. Threads: any thread may call; writes are one after the other,
// and reading does not wait for them.
class FleetStore {
 public:
  virtual ~FleetStore() = default;

  // All of them in one transaction. What became another of each host, in their order.
  virtual absl::StatusOr<std::vector<CommittedChange>> Commit(std::span<const JudgedHost> hosts,
                                                              std::int64_t now_unix_ns) = 0;
  // When hosts were last heard, and from which run of their agents, in the same row. A later time
  // stays, unless it is after `now_unix_ns`: then the date was set back. Not worth a sync of its own: it is
  // lost with a power cut.
  virtual absl::Status PutSeen(std::span<const SeenHost> hosts, std::int64_t now_unix_ns) = 0;

  // A change of each host as a whole, for who reads what happened: "silent".
  virtual absl::StatusOr<std::vector<CommittedChange>> NoteHosts(std::span<const std::string> host_ids,
                                                                 const std::string& text,
                                                                 std::int64_t now_unix_ns) = 0;
  virtual absl::Status SetMaintenance(std::span<const std::string> host_ids, std::int64_t until_unix_ns,
                                      const std::string& reason) = 0;
  // Marks what holds, and forgets what is over; how many of each.
  struct Acknowledged {
    std::uint64_t marked = 0;
    std::uint64_t forgotten = 0;
  };
  virtual absl::StatusOr<Acknowledged> Acknowledge(std::span<const FindingKey> findings,
                                                   const Acknowledgement& word) = 0;
  // Changes before `changes_before`, and what was over before `over_before`, are forgotten; at most so many
  // rows in one call, which says how many it were.
  virtual absl::StatusOr<std::uint64_t> Prune(std::int64_t changes_before, std::int64_t over_before,
                                              std::uint64_t most) = 0;

  // Who had what done, at the end of the chain of this hub: `number`, `previous` and `digest` are made here.
  virtual absl::StatusOr<FleetAuditEntry> AppendAudit(FleetAuditEntry entry) = 0;
  // Of one hub, by number, after that one and since then, at most so many.
  virtual absl::Status Audit(const std::string& hub, std::uint64_t after_number, std::int64_t since_unix_ns,
                             std::size_t most, const std::function<void(FleetAuditEntry&&)>& each) = 0;
  // Entries of before are forgotten, but for the last one, which the next one follows; at most so many at once.
  virtual absl::Status PruneAudit(std::int64_t before_unix_ns, std::uint64_t most) = 0;
  // Both in one transaction. What is there is replaced; what is dropped need not be there.
  virtual absl::Status PutNotes(std::span<const Note> put, std::span<const NoteKey> dropped) = 0;
  // Of one kind, by key.
  virtual absl::Status Notes(const std::string& kind, const std::function<void(Note&&)>& each) = 0;

  // Every host, by id, one at a time.
  virtual absl::Status Hosts(const std::function<void(KnownHost&&)>& each) = 0;
  // Of every host, by id; those that are not what was put are left out.
  virtual absl::Status Votes(const std::function<void(StoredVotes&&)>& each) = 0;
  // By host, check, subject, profile. `host_id` empty: of all.
  virtual absl::Status Findings(const std::string& host_id,
                                const std::function<void(FleetFinding&&)>& each) = 0;
  // By host and number, those that happened, or happened again, from `since` on, up to and without `before`.
  virtual absl::Status Changes(const std::string& host_id, std::int64_t since_unix_ns,
                               std::int64_t before_unix_ns, const std::function<void(FleetChange&&)>& each) = 0;
  // Of one host, by number, after that one.
  virtual absl::Status ChangesAfter(const std::string& host_id, std::uint64_t number,
                                    const std::function<void(FleetChange&&)>& each) = 0;
  // Parts of the rows, at most `most` after that place: what a part costs does not depend on how many there
  // are. Changes that happened, or happened again, since then. `host_ids` empty: of all; else of these: of a
  // thousand it costs as much as they have, of more at most that and a look at 50 of the others' for each.
  virtual absl::Status NewestChanges(std::span<const std::string> host_ids, std::int64_t since_unix_ns,
                                     const ChangePlace& after, std::size_t most,
                                     const std::function<void(FleetChange&&)>& each) = 0;
  // With the hosts' names.
  virtual absl::Status ChangesByName(std::int64_t since_unix_ns, const HostChangePlace& after, std::size_t most,
                                     const std::function<void(FleetChange&&)>& each) = 0;
  virtual absl::Status FindingsByName(const FindingPlace& after, std::size_t most,
                                      const std::function<void(FleetFinding&&)>& each) = 0;
  // What live tests showed, by host, port, case, role and peer. `host_id` empty: of all.
  virtual absl::Status Tests(const std::string& host_id, const std::function<void(KeptTest&&)>& each) = 0;
  // By which digest the past of each host is known that has told one, by host.
  virtual absl::Status Pasts(
      const std::function<void(const std::string& host_id, const std::string& digest)>& each) = 0;
  // kNotFound: it never sent any. kDataLoss: they are not what was put.
  virtual absl::StatusOr<StoredFacts> FactsOf(const std::string& host_id) = 0;
};

}  // namespace rdmaready::hub
