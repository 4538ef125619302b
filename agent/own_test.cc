// SPDX-License-Identifier: Apache-2.0
#include "agent/own_test.h"

#include <fmt/format.h>

#include <utility>

#include "agent/access/gate.h"
#include "agent/agent.h"
#include "agent/own_check.h"
#include "agent/server/pass_caller.h"
#include "api/base/status.h"
#include "api/model/cases.h"

namespace rdmaready {
namespace {

access::Identity Itself() {
  return {.way = access::Way::kSchedule,
          .roles = access::RoleSet(access::Role::kTest),
          .who = kScheduleCaller,
          .door = kScheduleCaller,
          .origin = kScheduleCaller};
}

std::vector<std::string> CasesOf(const OwnTestOptions& options) {
  if (!options.cases.empty()) return options.cases;
  std::vector<std::string> names;
  for (const TransferCase& test : CheckedCasesOn(Rung::kLoopback)) names.emplace_back(test.name);
  return names;
}

}  // namespace

void TestByItself(Agent& agent, access::Gate& gate, const OwnTestOptions& options, const EventSink& events,
                  std::stop_token stop) {
  const auto left_out = [&](const std::string& port, const std::string& why) {
    Tell(events, EventLevel::kWarning, "own-test-skipped",
         {{"caller", std::string(kScheduleCaller)}, {"port", port}, {"reason", why}});
    agent.KeepEvent(
        fmt::format("the scheduled loopback test{}{} was not made: {}", port.empty() ? "" : " of ", port, why));
  };
  absl::StatusOr<access::Pass> pass = gate.Admit(Itself(), access::Ask::kTestLoopback);
  if (!pass.ok()) return left_out("", Message(pass.status()));
  const Caller caller = CallerOf(*pass, kScheduleCaller, "");
  if (const absl::Status begun = pass->Begin({caller.run_id, caller.name, ""}); !begun.ok())
    return left_out("", Message(begun));
  const absl::Status done = pass->End(
      agent.TestIdleLoopback(CasesOf(options), {.duration = options.duration}, caller, left_out, stop));
  if (!done.ok() && !absl::IsCancelled(done) && !absl::IsUnavailable(done)) left_out("", Message(done));
}

}  // namespace rdmaready
