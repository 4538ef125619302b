// SPDX-License-Identifier: Apache-2.0
#include "agent/own_check.h"

#include <string>
#include <utility>

namespace rdmaready {

void CheckByItself(Agent& agent, const EventSink& events, std::stop_token stop) {
  if (agent.LiveTestRunning()) {
    return Tell(events, EventLevel::kInfo, "check-skipped",
                {{"caller", std::string(kScheduleCaller)}, {"reason", std::string("a live test is running")}});
  }
  agent.Check(agent.config().default_profile, Rung::kHost, {.name = kScheduleCaller, .compares = true}, {},
              std::move(stop));
}

}  // namespace rdmaready
