// SPDX-License-Identifier: Apache-2.0
// The plan of this host that is shown. The agent reads the host and plans. Files for the next boot come from
// the applier, which writes them and may read more than the agent.
#include <string>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/profile/profile_proto.h"
#include "checks/judge.h"
#include "checks/plan/manual.h"
#include "checks/plan/plan.h"
#include "checks/waiving.h"

namespace rdmaready {
namespace {

// Files that the applier does not show stay the agent's own. Where no applier runs, nothing writes other files.
void TakeFilesOfApplier(Configurer& applier, const ChangeOrder& order, bool may_apply, Plan& plan) {
  if (!may_apply) {
    if (!absl::IsUnavailable(applier.Status().status()))
      plan.persist_caveat = "the applier shows its files to callers of role apply";
    return;
  }
  absl::StatusOr<OrderFiles> files = applier.FilesOf({.profiles = order.profiles, .ports = order.ports}, {});
  if (files.ok()) {
    plan.persist = std::move(files->persist);
    plan.unkept = std::move(files->unkept);
    plan.persist_from_applier = true;
  } else if (!absl::IsUnavailable(files.status())) {
    plan.persist_caveat = Message(files.status());
  }
}

}  // namespace

absl::StatusOr<Plan> Agent::MakePlan(const ChangeOrder& order, bool may_apply) {
  RR_ASSIGN_OR_RETURN(const Facts facts, Collect());
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(facts, order.profiles, order.ports));
  Plan plan = rdmaready::MakePlan(parts, {.persist = order.persist});
  std::vector<Finding> findings = JudgeHost(parts);
  const std::string own_name = hostname();
  Waive(order.profiles, {&own_name, 1}, UnixNowNs(), findings);
  plan.manual = ManualOf(plan, findings);
  plan.profiles.clear();
  for (const Profile& profile : order.profiles) {
    RR_ASSIGN_OR_RETURN(std::string digest, ProfileContentDigest(profile));
    plan.profiles.push_back({profile.name, std::move(digest)});
  }
  if (order.persist && config_.configurer != nullptr)
    TakeFilesOfApplier(*config_.configurer, order, may_apply, plan);
  return plan;
}

}  // namespace rdmaready
