// SPDX-License-Identifier: Apache-2.0
// The files that give interfaces their MTU and link-level pause, and sysctls their values, when the host boots.
#pragma once

#include <vector>

#include "api/model/boot.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/system/boot_scripts.h"

namespace rdmaready {

// Reads the folders of configuration files, and takes the commands out of `scripts`. A file that cannot be
// read, or only its beginning, is in `unread`, and hides nothing of the rest. A drop-in of a .link, .network or
// .netdev file is a write of its own, which that file starts.
BootSettings ReadBootSettings(HostReader& host, const BootScripts& scripts);

// The .link files that udev applied to the interfaces of the ports when they appeared, by udev's database
// ("applied" in api/model/boot.h). An interface without a record is left out: its file is not known.
void AddAppliedLinkFiles(HostReader& host, const Fact<std::vector<Port>>& ports, BootSettings& settings);

}  // namespace rdmaready
