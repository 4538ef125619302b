// SPDX-License-Identifier: Apache-2.0
// The agent's watch for settings that drift: agent/drift, with this host, this agent's readings, log and
// history.
#pragma once

#include <functional>
#include <memory>

#include "agent/drift/drift_watch.h"
#include "api/base/event.h"

namespace rdmaready {

class Agent;

// Hears the notices of this host from now on. `told`: of each event, after log and history. What others write
// goes to the log ("drift", a warning) and to the history; what the applier wrote to the log alone. Null where
// nothing can be heard (the log says why: "drift-off"). `agent` outlives it; its readings are refused before it
// is destroyed.
std::unique_ptr<drift::DriftWatch> WatchDrift(Agent& agent, const EventSink& events,
                                              std::shared_ptr<Configurer> configurer,
                                              std::function<void(const drift::DriftEvent&)> told);

}  // namespace rdmaready
