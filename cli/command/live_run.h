// SPDX-License-Identifier: Apache-2.0
// LiveRun: one run of live tests between named hosts, from the command line to the exit status. All such
// commands plan by a profile, connect, ask the hosts, make the transfers, and show them.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/model/profile.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/test_runner.h"

namespace rdmaready {

struct LiveRun {
  std::string command{};             // "ets"
  std::vector<std::string> hosts{};  // single ones, in the order of the runner
  bool ports_named = false;          // --port was given
};

// HOST HOST, from the first to the second.
void AddTwoHosts(CLI::App& app, std::vector<std::string>& hosts);
// --port [HOST=]DEV/N.
void AddLivePorts(CLI::App& app, std::vector<std::string>& ports);
// --svg. `shows`: "Draw the rates".
void AddPicture(CLI::App& app, std::string& file, const std::string& shows);

// The value of an option like "--duration". kInvalidArgument: it is not a time.
absl::StatusOr<std::chrono::milliseconds> LiveTime(const std::string& option, const std::string& text);

// All of them, connected. Nothing: `status` is what the command ends with, and why is printed.
std::vector<HostClient> ConnectLive(const Context& context, const LiveRun& live, ExitStatus& status);

// Writes the SVG document where `file`, the value of `option`, is not empty. Returns `status`, or that of a
// file that cannot be written.
ExitStatus WritePicture(const Context& context, const std::string& option, const std::string& file,
                        const std::string& picture, ExitStatus status);

// From here on Ctrl-C only ends the command.
void EndLive(const Context& context);

// `make_plan(profile)` gives a StatusOr<Plan>, before anything is connected. `show(answer, profile)` prints the
// answer of Runner::Run() and returns the exit status. Runner: see EtsRunner.
template <typename Runner, typename MakePlan, typename Show>
ExitStatus RunLive(const Context& context, const LiveRun& live, const absl::StatusOr<Profile>& profile,
                   const MakePlan& make_plan, const Show& show) {
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  const auto plan = make_plan(*profile);
  if (!plan.ok()) return context.Fail(ExitStatus::kUsage, Message(plan.status()));
  ExitStatus status = ExitStatus::kOk;
  const std::vector<HostClient> hosts = ConnectLive(context, live, status);
  if (hosts.empty()) return status;
  Runner runner(hosts, *profile, MakeRunId(), [&](const std::string& what) { context.console.Progress(what); });
  const absl::Status prepared = runner.Prepare(*plan);
  if (!prepared.ok()) {
    EndLive(context);
    return context.Fail(RefusedTest(prepared, live.ports_named), Message(prepared));
  }
  auto answer = runner.Run(*plan);
  EndLive(context);
  if (!answer.ok()) return context.Fail(CallFailure(answer.status()), Message(answer.status()));
  return show(*std::move(answer), *profile);
}

}  // namespace rdmaready
