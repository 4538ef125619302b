// SPDX-License-Identifier: Apache-2.0
#include "cli/command/all_paths.h"

#include <chrono>
#include <utility>

#include "api/model/cases.h"
#include "checks/live/paths.h"
#include "cli/command/live_run.h"
#include "cli/fleet/paths_runner.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/render/paths_output.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAllPathsCase = "write-512k";
constexpr std::chrono::milliseconds kAllPathsTime{3'000};

absl::StatusOr<PathsPlan> PathsPlanOf(const AllPathsTest& test) {
  if (test.cases.size() > 1) return absl::InvalidArgumentError("--case: --all-paths makes one case");
  if (test.how.bidirectional)
    return absl::InvalidArgumentError("--bidirectional: --all-paths measures one direction");
  PathsPlan plan{.case_name = std::string(test.cases.empty() ? kAllPathsCase : test.cases.front()),
                 .how = test.how};
  const TransferCase* const row = FindCase(plan.case_name);
  if (row == nullptr || row->wrapping != Wrapping::kNone)
    return absl::InvalidArgumentError("--case " + plan.case_name +
                                      ": a case of plain RDMA (rdmaready test --list)");
  if (plan.how.duration.count() == 0) plan.how.duration = kAllPathsTime;
  if (plan.how.depth == 0) plan.how.depth = StressDepthOf(*row);
  return plan;
}

ExitStatus ShowPaths(const Context& context, PathsRun run) {
  JudgedPaths paths{.run = std::move(run)};
  paths.judged = JudgePaths(paths.run);
  context.Print(PathsJson(paths), PathsText(paths, context.style()));
  return StatusOf(paths);
}

}  // namespace

ExitStatus RunAllPaths(const Context& context, const AllPathsTest& test,
                       const absl::StatusOr<Profile>& profile) {
  const LiveRun live{.command = "test peer --all-paths", .hosts = test.hosts};
  return RunLive<PathsRunner>(
      context, live, profile, [&](const Profile&) { return PathsPlanOf(test); },
      [&](PathsRun run, const Profile&) { return ShowPaths(context, std::move(run)); });
}

}  // namespace rdmaready
