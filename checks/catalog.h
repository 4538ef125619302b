// SPDX-License-Identifier: Apache-2.0
// The catalogue: every check there is, and what is known of an id.
#pragma once

#include <string_view>
#include <vector>

#include "checks/check.h"

namespace rdmaready {

// Every check of settings and counters, in the order of the report: family by family, and what a check depends
// on before it. Live tests and probes have rows of their own kinds: checks/live/transfer.h, checks/probe/probe.h.
const std::vector<Check>& AllChecks();

// Null when AllChecks() has none of that id.
const Check* FindCheck(std::string_view id);

// The heading under which a person looks for the id: "device", "net", "roce", "dcb", "chain", "host",
// "storage", "agreement", "pair"; of a live test or a probe the name of its rung. An id that is not in the
// catalogue, as a newer agent may send it, goes with the others of its family; "other" without any.
std::string_view GroupOf(std::string_view id);

// The heading is that of live tests or probes.
bool IsLive(std::string_view group);

// A live test or a probe that, passing, proves its rung.
bool ProvesItsRung(std::string_view id);

// What stands before the dot: "pfc".
std::string_view FamilyOf(std::string_view id);

}  // namespace rdmaready
