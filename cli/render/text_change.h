// SPDX-License-Identifier: Apache-2.0
// Plans and changes for people. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/fleet/change_run.h"
#include "cli/style.h"

namespace rdmaready {

// Of each host what cannot be set first, then the steps, what they cost and mend, and the commands that do the
// same.
std::string PlanText(const PlanRun& run, const Style& style);

// "  ok    rxe0/1 dcb0  PFC on 4 -> on 3", one step of a change as it is now.
std::string StepText(const ChangeStep& step, const Style& style);
// What proved it and what became of it, with what to do next; nothing of the steps. `host`: as the caller named
// it, empty for this one.
// `way`: see ChangeRun.
std::string OutcomeText(const Change& change, const std::string& host, const std::string& way,
                        const Style& style);
// All of it, of every host; of one with nothing to do its plan says so. `told`: the steps of changes stand
// above already.
std::string ApplyText(const ChangeRun& run, bool told, const Style& style);
// The same of one of its hosts.
std::string ApplyText(const ChangeRun& run, const HostChange& host, bool told, const Style& style);

// After that was told host by host: a line for each, how it stands now, and the commands that settle what is
// armed.
std::string ApplySummary(const ChangeRun& run, const Style& style);

// Of a run that was interrupted: a line for each host where a change is open or did not go back, when it goes
// back by itself, and the commands that settle it. One line where no host has any.
std::vector<std::string> LeftOpen(const ChangeRun& run);

// What the applier keeps and may do, its open changes; then what it does not keep any more.
std::string ApplierText(const ApplierRun& run, const Style& style);

}  // namespace rdmaready
