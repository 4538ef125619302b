// SPDX-License-Identifier: Apache-2.0
#include "agent/own_check.h"

#include <string>
#include <utility>

#include "agent/agent.h"
#include "api/base/status.h"

namespace rdmaready {

void CheckByItself(Agent& agent, const EventSink& events, std::stop_token stop) {
  if (agent.LiveTestRunning()) {
    return Tell(events, EventLevel::kInfo, "check-skipped",
                {{"caller", std::string(kScheduleCaller)}, {"reason", std::string("a live test is running")}});
  }
  const absl::StatusOr<CheckRun> run =
      agent.Check({.profiles = *agent.default_profiles()}, {.name = kScheduleCaller, .compares = true},
                  {}, std::move(stop));
  if (run.ok() || absl::IsUnavailable(run.status())) return;  // the agent is ending
  Tell(events, EventLevel::kError, "check-refused",
       {{"caller", std::string(kScheduleCaller)}, {"reason", Message(run.status())}});
}

}  // namespace rdmaready
