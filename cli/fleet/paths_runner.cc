// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/paths_runner.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "api/base/status.h"
#include "checks/words/words.h"
#include "cli/fleet/chosen_paths.h"

namespace rdmaready {

PathsRunner::PathsRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                         AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress), StressHosts::Part::kTest), profile_(profile) {}

absl::Status PathsRunner::Prepare(const PathsPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  RR_ASSIGN_OR_RETURN(ChosenPaths chosen, ChoosePaths(hosts_.Hosts(), profile_, plan.how.connection));
  known_ = {.run_id = hosts_.run_id(),
            .from = hosts_.name(0),
            .to = hosts_.name(1),
            .case_name = plan.case_name,
            .without = std::move(chosen.without)};
  pairs_ = std::move(chosen.pairs);
  for (const StressPair& pair : pairs_) known_.paths.push_back({.subject = pair.job.place.subject});
  return absl::OkStatus();
}

absl::Status PathsRunner::Alone(const PathsPlan& plan, StressFlow TestedPath::*when, PathsRun& run) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    hosts_.Say(fmt::format("{} alone", run.paths[i].subject));
    RR_ASSIGN_OR_RETURN(run.paths[i].*when, hosts_.Alone({&pairs_[i], plan.case_name, plan.how}));
  }
  return absl::OkStatus();
}

absl::Status PathsRunner::Together(const PathsPlan& plan, PathsRun& run) const {
  hosts_.Say(fmt::format("{} at once", CountText(pairs_.size(), "path")));
  std::vector<StressTransfer> parts;
  for (const StressPair& pair : pairs_) parts.push_back({&pair, plan.case_name, plan.how});
  RR_ASSIGN_OR_RETURN(std::vector<StressFlow> flows, hosts_.Together(parts));
  for (std::size_t i = 0; i < flows.size(); ++i) run.paths[i].together = std::move(flows[i]);
  return absl::OkStatus();
}

absl::StatusOr<PathsRun> PathsRunner::Run(const PathsPlan& plan) const {
  PathsRun run = known_;
  RR_RETURN_IF_ERROR(Alone(plan, &TestedPath::before, run));
  RR_RETURN_IF_ERROR(Together(plan, run));
  RR_RETURN_IF_ERROR(Alone(plan, &TestedPath::after, run));
  return run;
}

}  // namespace rdmaready
