// SPDX-License-Identifier: Apache-2.0
// Who may have written DCB settings just now: the kernel announces writes without their writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "collectors/questions/listening.h"

namespace rdmaready {

// Of /proc/PID/stat: when the process began, in clock ticks since boot. Its name may hold anything.
std::optional<std::uint64_t> StartTicksOf(std::string_view stat);

// Processes with a socket of NETLINK_ROUTE that began within the last seconds, the newest first, and daemons
// that write DCB. To be called at once when a notice was heard: a command is gone within a millisecond. Without
// this process; empty: nobody is known.
std::vector<ProcessName> DcbSuspectsNow();

}  // namespace rdmaready
