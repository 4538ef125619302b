// SPDX-License-Identifier: Apache-2.0
// The files that give interfaces their MTU and link-level pause, and sysctls their values, when the host boots.
#pragma once

#include "api/model/boot.h"
#include "collectors/host_reader.h"
#include "collectors/system/boot_scripts.h"

namespace rdmaready {

// Reads the folders of configuration files, and takes the commands out of `scripts`. A file that cannot be
// read is in `unread`, and hides nothing of the rest.
BootSettings ReadBootSettings(HostReader& host, const BootScripts& scripts);

}  // namespace rdmaready
