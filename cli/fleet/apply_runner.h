// SPDX-License-Identifier: Apache-2.0
// ApplyRunner: has settings of hosts changed by their agents, proven with a peer where one is named, on one
// host after the other or on some at a time. The first failure ends it: what is begun is finished, what is not
// is left.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/profile.h"
#include "cli/fleet/change_run.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

class ApplyRunner {
 public:
  // What is heard while hosts are changed. Any may be empty; called from several threads at once, for one host
  // by one.
  struct Watch {
    std::function<void(std::size_t host, const Change& change)> change{};
    std::function<void(std::size_t host, const HostChange& made)> ended{};  // once for each host
    AgentClient::Progress progress{};
  };

  // The client of the host with which a change is proven: the caller's choice, or that of the host's
  // apply.yaml. By one thread at a time. Null, or without an agent: nobody can be asked there.
  using PeerFinder = std::function<HostClient*(const std::string& name)>;

  // `hosts` outlive it. `peer` may be empty. Where the options name no profile, `origins` say by which each
  // host is set: one for each, or none at all.
  ApplyRunner(std::vector<HostClient>& hosts, PeerFinder peer, ApplyOptions options, Watch watch,
              std::vector<HostOrigin> origins = {});

  // What is to be set, of every host.
  PlanRun Plan(bool persist);

  // Asks the applier of each host whose change is open as far as is known: its timer may have fired since.
  // Blocks for some seconds at most.
  ChangeRun AskAgain(ChangeRun run);

  // What is known so far of an Apply() that goes on. Any thread.
  ChangeRun Snapshot() const;

  // On those hosts of `planned` whose plan has steps, or files where the options ask for some, at most
  // `at_a_time` of them at once, and only while an agent still makes that plan. Blocks until all is armed,
  // rolled back, or not begun.
  ChangeRun Apply(const PlanRun& planned, std::size_t at_a_time);

 private:
  // What was heard of a host last, and when.
  struct Known {
    HostChange host{};
    std::chrono::steady_clock::time_point at{};
  };

  // Empty: those of its agent. kInvalidArgument: its inventory's site file does not name the host.
  absl::StatusOr<std::vector<Profile>> ProfilesFor(std::size_t index) const;
  HostChange ApplyOne(std::size_t index, const HostPlan& planned);
  HostChange Write(std::size_t index, const HostPlan& planned);
  void Hear(std::size_t index, HostChange host);
  // Why nothing could be tested with the peer.
  struct PeerTrouble {
    std::string error{};
    ExitStatus failure = ExitStatus::kOk;
  };

  // Both ways between the host and the peer; then its agent judges the part that it had in them.
  PeerTrouble ProveWithPeer(const HostClient& host, const Change& change);

  std::vector<HostClient>& hosts_;
  const PeerFinder peer_;
  const ApplyOptions options_;
  const Watch watch_;
  const std::vector<HostOrigin> origins_;
  std::atomic<bool> failed_ = false;
  std::mutex peer_mutex_;     // held during a proof with the peer: one at a time
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Known> known_{};
};

// Of tests between two hosts for a proof: a send and a write each way. Why they could not be made or failed;
// empty: all passed.
std::string TestBothWays(const HostClient& host, const HostClient& peer, const std::string& run_id,
                         const AgentClient::Progress& progress);

}  // namespace rdmaready
