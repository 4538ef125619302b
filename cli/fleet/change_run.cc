// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/change_run.h"

#include <algorithm>

#include "checks/plan/boot_files.h"

namespace rdmaready {

ExitStatus StatusOf(const Plan& plan) {
  if (!plan.steps.empty() || !plan.refusals.empty() || !plan.pending.empty()) return ExitStatus::kNotReady;
  return plan.unknown.empty() ? ExitStatus::kOk : ExitStatus::kOwnFailure;
}

ExitStatus StatusOf(const PlanRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostPlan& host : run.hosts)
    status = Worse(status, host.plan ? StatusOf(*host.plan) : host.failure);
  return status;
}

ExitStatus StatusOfApply(const Change& change) {
  switch (change.state) {
    case ChangeState::kNothingToDo:
    case ChangeState::kAwaitingConfirm:
    case ChangeState::kConfirmed:
      return ExitStatus::kOk;
    case ChangeState::kRolledBack:
      return ExitStatus::kNotReady;
    case ChangeState::kUnknown:
    case ChangeState::kWriting:
    case ChangeState::kProving:
    case ChangeState::kRollbackFailed:
      return ExitStatus::kOwnFailure;
  }
  return ExitStatus::kOwnFailure;
}

namespace {

// Nothing is worse.
bool AnyRollbackFailed(const ChangeRun& run) {
  return std::ranges::any_of(run.hosts, [](const HostChange& host) {
    return host.change && host.change->state == ChangeState::kRollbackFailed;
  });
}

// A plan that nobody had to carry out: a person has to write a file, or none keeps a setting. An agent merges
// files of one path (MergedByPath of checks/plan). If two come all the same, each counts by itself, and one
// that a person has to write is enough.
bool HasUnkept(const Plan& plan) {
  // An older agent says of no file what it keeps.
  const auto by_person = [](const PersistFile& file) {
    return !file.by_apply && (!file.keeps.empty() || IsBootFilePath(file.path));
  };
  return !plan.unkept.empty() || std::ranges::any_of(plan.persist, by_person);
}

// All of it is set, and something does not come back at a boot although that was ordered.
bool HasUnkept(const HostChange& host) {
  if (!host.change) return host.plan && host.failure == ExitStatus::kOk && HasUnkept(*host.plan);
  if (StatusOfApply(*host.change) != ExitStatus::kOk) return false;
  const std::vector<BootFile>& files = host.change->files;
  return !host.change->unkept.empty() ||
         std::ranges::find(files, BootFileState::kNotWritten, &BootFile::state) != files.end();
}

}  // namespace

ExitStatus StatusOfSettle(const ChangeRun& run, ChangeState good) {
  if (AnyRollbackFailed(run)) return ExitStatus::kOwnFailure;
  ExitStatus status = ExitStatus::kOk;
  for (const HostChange& host : run.hosts) {
    status = Worse(status, host.failure);
    if (host.change && host.change->state != good)
      status = Worse(status, std::max(StatusOfApply(*host.change), ExitStatus::kNotReady));
    if (good == ChangeState::kConfirmed && HasUnkept(host)) status = Worse(status, ExitStatus::kNotReady);
  }
  return status;
}

ExitStatus StatusOfApply(const ChangeRun& run) {
  if (AnyRollbackFailed(run)) return ExitStatus::kOwnFailure;
  ExitStatus status = ExitStatus::kOk;
  for (const HostChange& host : run.hosts) {
    status = Worse(status, host.failure);
    // Of a call that was cut the change is only what was heard last.
    if (host.change && host.failure == ExitStatus::kOk) status = Worse(status, StatusOfApply(*host.change));
    // The rest is set, and the host is not as it was wanted.
    if (host.plan && !host.plan->refusals.empty()) status = Worse(status, ExitStatus::kNotReady);
    if (HasUnkept(host)) status = Worse(status, ExitStatus::kNotReady);
    // Files alone were written: that all is set as wanted is not known.
    if (host.plan && host.plan->steps.empty() && !host.plan->unknown.empty())
      status = Worse(status, ExitStatus::kOwnFailure);
  }
  return status;
}

ExitStatus StatusOf(const ApplierRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostApplier& host : run.hosts) {
    status = Worse(status, host.failure);
    const bool left = std::ranges::find(host.files, BootFileState::kLeft, &BootFile::state) != host.files.end();
    if (left) status = Worse(status, ExitStatus::kNotReady);
  }
  return status;
}

ExitStatus ApplyFailure(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? ExitStatus::kUsage : CallFailure(status);
}

}  // namespace rdmaready
