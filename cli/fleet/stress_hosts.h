// SPDX-License-Identifier: Apache-2.0
// StressHosts: the hosts of a stress test, of a comparison or of a test of all paths: their facts, and
// transfers between them, alone or at once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/client/agent_client.h"
#include "api/model/cases.h"
#include "api/model/facts.h"
#include "api/model/stress_flow.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/pair_plan.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

// One transfer, maybe of several at once.
struct StressTransfer {
  const StressPair* pair = nullptr;  // not null; outlives the transfer
  std::string case_name{};
  TransferOptions how{};
};

class StressHosts {
 public:
  // kTcpTest: each host makes tests over TCP outside of a stress test. kTest: plain tests, as every agent
  // makes.
  enum class Part { kStress, kTcpTest, kTest };

  // `hosts` are connected and outlive it. `progress` may be empty.
  StressHosts(const std::vector<HostClient>& hosts, std::string run_id, AgentClient::Progress progress,
              Part part = Part::kStress);

  using AskFacts = std::function<absl::StatusOr<Facts>(const HostClient& host)>;

  // Asks each host for its facts, by `ask` where there is one; all at once. Errors: a host could not be asked,
  // or takes no part in stress tests (kPermissionDenied). The text names the host.
  absl::Status Read(const AskFacts& ask = {});

  // After Read(): the hosts in their order. They point into this object.
  std::vector<PlanHost> Hosts() const;

  const std::string& name(std::size_t host) const { return hosts_[host].name; }
  const std::string& run_id() const { return run_id_; }

  using Besides = std::function<void(const std::atomic<bool>& is_over)>;

  // Blocks until it is over. A transfer that failed is an answer. Errors: an agent refused it, or went away.
  absl::StatusOr<StressFlow> Alone(const StressTransfer& part) const;
  // The same of one that others may run beside. `at_start`, `patience`: see PeerTest.
  absl::StatusOr<StressFlow> Beside(const StressTransfer& part, const std::function<bool()>& at_start,
                                    std::chrono::milliseconds patience) const;
  // The same of several that begin at one moment, in their order; at most kMaxParallel of FanOut. Where ports
  // are busy with another live test they are tried again, for 40 s. A transfer that failed after all were
  // connected is a part of the answer, also where its agent went away. Errors: see WhyNotBegun.
  // `beside` is called once, when all begin, on a thread of its own; the answer waits for it, too. It counts as
  // one of kMaxParallel. `is_over` becomes true with the first transfer that is over.
  absl::StatusOr<std::vector<StressFlow>> Together(const std::vector<StressTransfer>& parts,
                                                   const Besides& beside = {}) const;

  void Say(const std::string& what) const {
    if (progress_) progress_(what);
  }

 private:
  // How a transfer ended. `status`: an agent refused it or went away.
  struct Made {
    StressFlow flow{};
    absl::Status status = absl::OkStatus();
  };

  // One attempt. `why`: why they did not begin.
  std::vector<absl::StatusOr<StressFlow>> Begin(const std::vector<StressTransfer>& parts, const Besides& beside,
                                                absl::Status& why) const;
  // `at_start`: see PeerTest.
  Made Transfer(const StressTransfer& part, const std::function<bool()>& at_start,
                std::chrono::milliseconds patience = {}) const;

  const std::vector<HostClient>& hosts_;
  const std::string run_id_;
  const std::string caller_;
  const AgentClient::Progress progress_;
  const Part part_;
  std::vector<Facts> facts_{};  // of each host
};

// Messages that a stress test posts on each queue pair. These bytes still have to leave when the time is up,
// and the queues are full.
std::uint32_t StressDepthOf(const TransferCase& test);

}  // namespace rdmaready
