// SPDX-License-Identifier: Apache-2.0
// HostsCheck: connects every host and asks it for its part, each without waiting for the others; from level
// peer on makes the tests between them, and from level server on lets each probe the SMB server.
//
// Threads: Run() is called once; Snapshot() at any time, from any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "cli/console.h"
#include "cli/fleet/check_summary.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

class HostsCheck {
 public:
  // `hosts` and `console` outlive it. Without a profile each agent takes its own. `server` is what
  // each asks of the SMB server, from level server on. `watch` is how long each watches its ports first.
  HostsCheck(std::vector<HostClient>& hosts, Rung level, std::optional<Profile> profile, Console& console,
             ProbeOptions server = {}, std::chrono::seconds watch = {});

  // When two of the hosts turn out to be one agent (CheckNoTwins) there are no tests between any.
  CheckSummary Run();

  // What is known so far, with its verdict; hosts that have not answered say that they were interrupted, and
  // what was planned and not done is unknown.
  CheckSummary Snapshot();

 private:
  void AskHost(std::size_t index);
  // False when there is nobody to ask: the report says why.
  bool Connect(std::size_t index);
  void CompareHosts();
  void TestPairs();
  void ProbeFrom(std::size_t index);
  // Writes each case's finding over the one at `slot` and after it in the job's pair.
  void RunJob(const PairJob& job, std::size_t slot);
  // With the mutex held. A host whose check did not end is never ready, on no rung.
  void ConcludeLocked(Report& report) const;
  // With the mutex held. Nothing when there is no error.
  void HostLost(std::size_t index, const std::string& error, const Finding& finding);
  // The test in which one of the job's hosts went away.
  // Why the devices of that pair cannot make this test; empty when they can.
  std::string LackOf(const PairJob& job, const std::string& case_name) const;
  std::optional<Finding> LossOf(const PairJob& job);

  std::vector<HostClient>& hosts_;
  Rung level_;
  std::optional<Profile> profile_;
  ProbeOptions server_;
  std::chrono::seconds watch_;
  Console& console_;
  std::string caller_;

  std::mutex mutex_;  // guards what follows
  CheckSummary run_;
  std::vector<std::optional<Facts>> facts_;
  std::vector<std::optional<Profile>> used_;
  std::vector<std::optional<Finding>> lost_;
};

}  // namespace rdmaready
