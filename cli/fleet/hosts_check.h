// SPDX-License-Identifier: Apache-2.0
// HostsCheck: connects every host and asks it for its part, each without waiting for the others; from level
// peer on makes the tests between them, and from level server on lets each probe the SMB server. Facts travel
// only where hosts are compared with each other.
//
// Threads: Run() is called once; Snapshot() at any time, from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/profile/site.h"
#include "checks/fleet/explained_pairs.h"
#include "checks/host_parts.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/mesh_record.h"
#include "cli/fleet/pair_engine.h"
#include "cli/fleet/pair_plan.h"
#include "cli/fleet/profile_fleets.h"

namespace rdmaready {

struct HostsCheckOptions {
  Rung level = Rung::kHost;
  std::optional<Site> site{};  // by which profiles; none: as `origins` say, else each agent takes its own
  std::vector<HostOrigin> origins{};   // of each host, in their order; empty: nothing is said of any
  std::vector<std::string> ports{};    // of each host only these, by name; empty: all
  ProbeOptions server{};               // what each asks of the SMB server, from level server on
  bool in_production = false;          // of all live tests: TransferOptions::in_production
  std::chrono::seconds watch{};        // how long each watches its ports first
  PairShape shape = PairShape::kRing;  // of the tests between hosts
  // Keeps the tests of each two ports as they end, and has those of an earlier run; they are not repeated. May
  // be null; else it outlives the check.
  MeshRecord* record = nullptr;
  // Over which plain RDMA is tried between hosts, each case over each of them. Not empty.
  std::vector<ConnectionKind> connections{ConnectionKind::kRdmaCm};
  // Gets what is known when all hosts were asked, when they were compared, and after the tests between them.
  // May be empty.
  std::function<void(const Report& report)> climbed{};
};

class HostsCheck {
 public:
  static constexpr std::string_view kInterrupted = "interrupted";

  // A case as it stands until it was run.
  static Finding NotYet(const TransferCase& test, TransferPlace place);

  // `hosts` outlive it. `progress` may be empty.
  HostsCheck(std::vector<HostClient>& hosts, HostsCheckOptions options, AgentClient::Progress progress);

  // When two of the hosts turn out to be one agent (CheckNoTwins) there are no tests between any.
  CheckSummary Run();

  // What is known so far, with its verdict; hosts that have not answered say that their check was `cut` short,
  // and what was planned and not done is unknown, for the same reason.
  CheckSummary Snapshot(std::string_view cut = kInterrupted);

 private:
  void AskHost(std::size_t index);
  // By what the host is judged; null: by what its agent takes.
  const Site* SiteFor(std::size_t index) const;
  // Of the hosts that answered, for what follows: each with its facts and findings of now.
  std::vector<FollowingHost> Following(std::span<const std::vector<Finding>> findings);
  // False when there is nobody to ask: the report says why.
  bool Connect(std::size_t index);
  // With the mutex held: the host has no report, for that reason.
  void Refuse(std::size_t index, const absl::Status& why, ExitStatus failure);
  void Climbed();
  void CompareHosts();
  void TestPairs();
  void ProbeFrom(std::size_t index);
  // The name of the job's tests in the record.
  MeshWay RecordedWay(const PairJob& job) const;
  // The findings of an earlier run, in the places of RunJob's. False: the record has none.
  bool TakeRecorded(const PairJob& job, std::size_t slot, TestedWay& way);
  void Record(const PairJob& job, std::size_t slot, const TestedWay& way);
  // Writes each case's finding over the one at `slot` and after it in the job's pair; and how each failed.
  void RunJob(PairEngine& engine, const PairJob& job, std::size_t slot, TestedWay& way);
  // One end of a job, in the facts of its host; a port that is not there: nothing.
  std::optional<CauseEnd> EndOf(std::size_t host, const PortSelection& port,
                                std::span<const Finding> findings) const;
  void Progress(const std::string& what) const {
    if (progress_) progress_(what);
  }
  // With the mutex held. A host whose check did not end is never ready, on no rung.
  void WaiveLocked(Report& report) const;
  void ConcludeLocked(Report& report) const;
  // With the mutex held. Nothing when nothing is `gone`.
  std::vector<ConnectionKind> KindsFor(const TransferCase& test, const PairJob& job) const;
  void NoteEnd(std::size_t host, const EndOutcome& end);

  std::vector<HostClient>& hosts_;
  HostsCheckOptions options_;
  AgentClient::Progress progress_;
  std::string caller_;

  std::mutex mutex_;  // guards what follows
  CheckSummary run_;
  std::vector<std::optional<Facts>> facts_;      // where there is another host to compare it with
  std::vector<std::vector<Profile>> profiles_;   // that each host follows; empty: not known
  std::vector<bool> checked_;                    // the host's check has ended
  std::vector<std::optional<HostParts>> parts_;  // of the hosts that sent their facts
};

}  // namespace rdmaready
