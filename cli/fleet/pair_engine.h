// SPDX-License-Identifier: Apache-2.0
// PairEngine: makes and judges the transfers between two hosts, case by case. `check` and `test` differ in what
// they plan and in what they do with an outcome.
//
// Threads: Run() may be called from several threads at once, for jobs that share no port.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/client/peer_test.h"
#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/live/transfer.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

// What became of the call to one end.
struct EndOutcome {
  absl::Status status{};      // of the call
  std::string gone{};         // the agent went away: nothing more can be asked of it
  std::string store_error{};  // the result stands, but that agent could not keep it
};

// One case between two ports, judged.
struct CaseOutcome {
  Finding finding{};
  TransferResult result{};                  // without messages where nothing was moved
  bool made = false;                        // the case was tried
  std::optional<TransferResult> reverse{};  // the other way, when both were asked for and it is known
  std::vector<EndCounters> counters{};
  EndOutcome from{};
  EndOutcome to{};
};

// A test that an agent refused (the port is busy) was not made; one whose agent went away failed, and names it.
// `from_host` is the initiator's host, as the caller named it.
CaseOutcome JudgePeer(PeerAnswer answer, std::string_view case_name, const TransferPlace& place,
                      const std::string& from_host);

class PairEngine {
 public:
  // `hosts` outlive it and are those that the jobs' indices mean. `progress` may be empty.
  PairEngine(const std::vector<HostClient>& hosts, std::string run_id, AgentClient::Progress progress);

  // Blocks until the case is over. It is not made where a host of the job went away in an earlier one, and
  // hides behind that test; nor where an earlier one in that direction could not connect; nor where the job
  // says that it is impossible. Where the other direction found the peer unreachable, one case is tried for 2.5
  // s: what the kernel says at once is heard, and else it hides behind the other direction.
  CaseOutcome Run(const PairJob& job, std::string_view case_name, const TransferOptions& options);

  // The finding of the test in which a host of the job went away, or which could not connect in its direction
  // by RDMA-CM.
  std::optional<Finding> ObstacleOf(const PairJob& job) const;

 private:
  std::optional<Finding> LossOf(const PairJob& job) const;
  // A test that could not connect.
  struct Unreached {
    Finding finding{};
    FailureKind kind = FailureKind::kNone;
  };
  std::optional<Unreached> UnreachedBy(const std::string& way) const;
  bool Reached(const std::string& way) const;
  void Note(const PairJob& job, ConnectionKind connection, const std::optional<Unreached>& back,
            CaseOutcome& outcome);

  const std::vector<HostClient>& hosts_;
  const std::string run_id_;
  const std::string caller_;
  const AgentClient::Progress progress_;
  mutable std::mutex mutex_;
  std::vector<std::optional<Finding>> lost_;      // by host; guarded by mutex_, like the next
  std::map<std::string, Unreached> unreached_{};  // by direction of two ports
  std::set<std::string> reached_{};               // directions in which a case connected
};

}  // namespace rdmaready
