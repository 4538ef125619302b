// SPDX-License-Identifier: Apache-2.0
// HostStatus: what is open on a host: changes that wait for somebody, failures that stay, what the agent found
// last and what changed since. Values: command/status.cc asks, renderers read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/client/agent_calls.h"
#include "api/model/change.h"
#include "api/model/history.h"
#include "cli/exit_status.h"

namespace rdmaready {

// The newest check that the agent keeps.
struct LastCheck {
  std::string run_id{};
  std::int64_t started_unix_ns = 0;
  Rung level = Rung::kUnknown;
  Readiness verdict = Readiness::kUndetermined;
  std::vector<std::string> ids{};  // of what keeps the host from being ready
};

// The connection to the hub, as the agent's last event about it says.
struct HubLink {
  std::string hub{};  // as the hub calls itself; empty where it was not reached
  std::int64_t since_unix_ns = 0;
  std::string trouble{};  // empty: connected
};

struct HostStatus {
  std::string host{};
  std::string error{};  // why the host could not be asked
  ExitStatus failure = ExitStatus::kOk;
  bool resident = true;  // false: no agent runs here, this command looked by itself
  std::string agent_version{};
  std::int64_t agent_since_unix_ns = 0;  // 0: not known
  std::optional<HubLink> hub{};          // nothing: no event about one is kept

  std::int64_t heard_unix_ns = 0;      // when the applier answered: Change::deadline_in_ms counts from then
  std::vector<Change> changes{};       // open, or not rolled back
  std::vector<std::string> notices{};  // ApplierStatus::notices
  std::uint32_t kept = 0;              // settings that are set again where the kernel forgot them
  std::string no_applier{};            // nothing can be changed there, and why; empty: an applier is there
  std::string applier_error{};         // why the applier says nothing; empty: it did, or is not there

  std::optional<LastCheck> last_check{};
  std::vector<StoreEvent> drift{};  // since that check began, newest first: what others than rdmaready changed
  std::string history_error{};      // why nothing of that is known
};

struct StatusRun {
  std::vector<HostStatus> hosts{};
  std::string way{};              // the options by which they were reached, for the next command
  bool local = false;             // this host, which nobody named
  std::int64_t told_unix_ns = 0;  // now
};

// Whether a person has to act: a change that waits, one that could not be rolled back, a notice of
// the applier.
bool NeedsPerson(const HostStatus& host);

// 1 where a host needs a person, else why hosts, or their appliers, could not be asked; 0: nothing is open.
// The last check does not count: its findings may be old.
ExitStatus StatusOf(const StatusRun& run);

// The hosts by index: those that need a person first, then those that gave no answer, then those whose last
// check was not ready.
std::vector<std::size_t> UrgentFirst(const StatusRun& run);

// The changes in the answer of an applier that are open, or were not rolled back.
std::vector<Change> OpenChangesOf(const ApplierStatus& status);
LastCheck LastCheckOf(const RunRecord& run);
// Reads the events of an agent, oldest first.
std::optional<HubLink> HubLinkOf(const std::vector<AgentEvent>& events);
std::int64_t StartOf(const std::vector<AgentEvent>& events);
// Those events of a store that are about drift.
std::vector<StoreEvent> DriftIn(const std::vector<StoreEvent>& events, std::int64_t since_unix_ns);

}  // namespace rdmaready
