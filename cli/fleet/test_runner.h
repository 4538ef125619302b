// SPDX-License-Identifier: Apache-2.0
// TestRunner: makes the transfers of `rdmaready test` and keeps what came of them.
//
// Threads: Loopback() or Peer() is called once; Now() at any time, from any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/live/transfer.h"
#include "cli/exit_status.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/pair_engine.h"
#include "cli/fleet/transfer_run.h"

namespace rdmaready {

// "mlx5_0/1". kInvalidArgument with one clear line.
absl::StatusOr<PortSelection> ParsePort(std::string_view text);

// Of a test that an agent refused, or that had no path. What it does not know is wrong usage only if the caller
// named it; a host that is known to have no usable port fails the test (kFailedPrecondition); where that is not
// known, it is not determined (kUnknown).
ExitStatus RefusedTest(const absl::Status& status, bool port_named);

class TestRunner {
 public:
  struct Snapshot {
    TransferRun run{};
    ExitStatus failure = ExitStatus::kOk;  // why run.error is set
    std::string failed_host{};
  };

  explicit TestRunner(AgentClient::Progress progress);  // may be empty

  // Loopback() and Peer() make each case over each of these, one after the other. Not empty; RDMA-CM alone
  // until it is called.
  void ConnectBy(std::vector<ConnectionKind> kinds) { kinds_ = std::move(kinds); }

  // Peer() also judges the class of writes and reads by this profile (checks/live/effective_class.h).
  void JudgeBy(Profile profile) { profile_ = std::move(profile); }

  // An empty device: every port. Empty cases: all.
  void Loopback(const HostClient& host, const PortSelection& port, const std::vector<std::string>& cases,
                const TransferOptions& options);

  // From the first of two hosts to the second. `ports` as in JobsBetween().
  void Peer(const std::vector<HostClient>& hosts, const std::vector<PortSelection>& ports,
            const std::vector<std::string>& cases, const TransferOptions& options);

  Snapshot Now() const;
  // Now(), when there will be no more: the error names what was planned and has no result.
  Snapshot CutShort(const std::string& why) const;

 private:
  struct TestedHost;
  struct TestedPorts;
  static TestedPorts Known(const TestedHost& a, const TestedHost& b, const PairJob& job);
  absl::StatusOr<Facts> FactsOf(const HostClient& host);
  // False when there is no point in another case: an agent went away, or takes no such options.
  bool PeerCase(PairEngine& engine, const PairJob& job, const std::string& case_name,
                const std::vector<HostClient>& hosts, const TransferOptions& options, TestedPorts& ports);
  void LoopbackBy(const HostClient& host, const PortSelection& port, const Facts& facts,
                  const std::vector<std::string>& names, const TransferOptions& options);
  // The other direction of a bidirectional test.
  void AddReverse(const HostClient& from, const HostClient& to, const TransferPlace& place,
                  const std::optional<TransferResult>& result);
  void Add(TransferRow row);
  void NotStored(const std::string& host, const std::string& error);
  void Fail(ExitStatus status, const std::string& host, const std::string& error);

  // Nothing without a profile, or where the transfer does not show the class.
  void AddClass(const CaseOutcome& outcome, const PairJob& job, std::vector<Finding>& findings) const;

  AgentClient::Progress progress_;
  std::string caller_;
  std::optional<Profile> profile_{};
  std::vector<ConnectionKind> kinds_{ConnectionKind::kRdmaCm};
  // With the mutex not held: a case that will be made.
  void Plan(const std::string& case_name, const std::string& subject, ConnectionKind connection);

  mutable std::mutex mutex_;  // guards what follows
  Snapshot now_;
  std::vector<TransferRow> planned_;  // without a result
};

}  // namespace rdmaready
