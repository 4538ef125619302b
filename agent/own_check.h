// SPDX-License-Identifier: Apache-2.0
// The check that the agent makes of its own accord.
#pragma once

#include <stop_token>

#include "api/base/event.h"

namespace rdmaready {

class Agent;

inline constexpr char kScheduleCaller[] = "schedule";

// Looks at the host (level host: no side effects), judges it by the agent's own profile and keeps the result.
// While a live test of this agent runs it only says that it did not: reading a host costs a moment of CPU,
// which a measurement would see.
void CheckByItself(Agent& agent, const EventSink& events, std::stop_token stop);

}  // namespace rdmaready
