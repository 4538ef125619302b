// SPDX-License-Identifier: Apache-2.0
// What became of a plan, an apply, a confirm, a rollback on each host of a command, for renderers. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/change.h"
#include "api/model/plan.h"
#include "cli/exit_status.h"

namespace rdmaready {

struct HostPlan {
  std::string host{};
  std::optional<Plan> plan{};  // absent: see error
  std::string error{};
  ExitStatus failure = ExitStatus::kOk;  // why there is an error
};

struct PlanRun {
  std::vector<HostPlan> hosts{};
};

struct HostChange {
  std::string host{};
  std::optional<Plan> plan{};      // of apply: what was to be set; absent: see error
  std::optional<Change> change{};  // absent: nothing was written, see error where there is one
  std::string error{};
  ExitStatus failure = ExitStatus::kOk;
  bool not_begun = false;   // an earlier host failed, or nobody said yes
  bool heard_last = false;  // how the change stands now is not known, see error: it is as it was heard last
  bool under_way = false;   // it was not known to have ended when this was told
};

struct ChangeRun {
  std::vector<HostChange> hosts{};
  std::string way{};              // the options by which they were reached, for the next command: " --insecure"
  bool local = false;             // this host, which nobody named: the next command does not name it either
  std::int64_t told_unix_ns = 0;  // what Change::deadline_in_ms counts from; 0: not said
};

struct HostApplier {
  std::string host{};
  std::optional<ApplierStatus> status{};
  std::vector<Setting> forgotten{};  // by this command
  std::vector<BootFile> files{};     // the same, of `forget --persist`
  std::string error{};
  ExitStatus failure = ExitStatus::kOk;
};

struct ApplierRun {
  std::vector<HostApplier> hosts{};
  std::string way{};   // as of ChangeRun
  bool local = false;  // as of ChangeRun
};

// 0: nothing to do; 1: there is something to set, or what cannot be; 3: only something that is not known.
ExitStatus StatusOf(const Plan& plan);
ExitStatus StatusOf(const PlanRun& run);
// The status of `apply`: 0 confirmed, proven and armed, or nothing to do; 1 rolled back; 3 it could not be
// rolled back, or is not known. A run ends with 1, too, if a wanted setting is refused, or if no file
// keeps one over a boot although that was ordered.
ExitStatus StatusOfApply(const Change& change);
ExitStatus StatusOfApply(const ChangeRun& run);
// Of confirm and rollback, which are for changes to come to the state `good`: 1 another state, or nothing to
// settle, or a file that was ordered and is not written.
ExitStatus StatusOfSettle(const ChangeRun& run, ChangeState good);
ExitStatus StatusOf(const ApplierRun& run);

// Of the call that has it applied. What the host does not permit is 2, before anything was written.
ExitStatus ApplyFailure(const absl::Status& status);

}  // namespace rdmaready
