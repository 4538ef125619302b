// SPDX-License-Identifier: Apache-2.0
// What the log hears of the agent's work: one event for a check, a live test, a probe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/probe/nvme/nvme_leftovers.h"
#include "agent/runs.h"
#include "api/base/event.h"

namespace rdmaready {

// And an event for each finding that keeps the host from being ready.
void TellOfCheck(const EventSink& sink, const CheckRun& run, const Caller& caller, Rung level,
                 std::int64_t duration_ns);

// `role` is "loopback", "initiator" or "responder"; `host` the other end's, empty for loopback.
void TellOfTest(const EventSink& sink, const LiveTest& test, const Caller& caller, const std::string& role,
                const std::string& host);

// A peer test that did not begin: the other end is not believed, or this one cannot sign. `why` may hold a
// peer's words.
void TellOfRefusedPeer(const EventSink& sink, const Caller& caller, const std::string& host,
                       const std::string& why);

// The outcome is the verdict; the address and the step that failed are told where there are such.
void TellOfProbe(const EventSink& sink, const ProbeRun& run, const Caller& caller, std::int64_t duration_ns);

// What became of a change of this host, as far as a caller is told.
void TellOfChange(const EventSink& sink, const Change& change);

// Controllers that proofs of dead processes left: an event for each, also where it could not be taken down.
void TellOfLeftovers(const EventSink& sink, const std::vector<nvme::Leftover>& leftovers);

}  // namespace rdmaready
