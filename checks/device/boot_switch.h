// SPDX-License-Identifier: Apache-2.0
// Files of the host that take RDMA away at boot: by a devlink switch, or by a module that may not be loaded.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "checks/check.h"
#include "checks/words/fix.h"

namespace rdmaready {

// The commands that switch the profile's protocol off on the port's function. Empty also where that is not
// known.
std::vector<BootWrite> SwitchedOffAtBoot(const Facts& host, const Port& port, const Profile& profile);

// The verdict on a port without any protocol: a file switches it off at boot, or that is not known. Nothing
// where no file does.
std::optional<Verdict> JudgeSwitchedOffAtBoot(const PortView& view);

// The remedy where such a command is known: the file first, then the switch itself.
std::optional<Fix> SwitchedOffFix(const PortView& view);

// The line of modprobe.d(5) that keeps the module from being loaded; null: none is known. A line `install` that
// runs another program stops modprobe, a line `blacklist` only the loading by the hardware's name.
const BootWrite* ForbiddenModule(const Facts& host, std::string_view module);

}  // namespace rdmaready
