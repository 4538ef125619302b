// SPDX-License-Identifier: Apache-2.0
// The fix of a finding, of what its place is wished to be: the commands of a fix and those of a plan's step for
// the same object, from the same value, are the same.
#pragma once

#include <string>
#include <string_view>

#include "checks/check.h"

namespace rdmaready {

// `own` where it says the same commands, or where no setting that serves the check has to change; else the
// commands of those settings, with what they cost. Only of a check that fails or warns there.
std::string FixOf(std::string_view check, const EthernetView& view, const std::string& own);
std::string FixOf(std::string_view check, const PortView& view, const std::string& own);

}  // namespace rdmaready
