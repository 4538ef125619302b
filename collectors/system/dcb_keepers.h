// SPDX-License-Identifier: Apache-2.0
// What sets data centre bridging at boot: NICs forget it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/system/boot_scripts.h"

namespace rdmaready {

// Files that call a tool which sets it (dcb, mlnx_qos, lldptool, niccli ...). A unit of systemd counts where
// something starts it, a script where a file of the boot starts it, lldpad where it is started and keeps
// settings. Missing where such a file may be among those that could not be read.
Fact<std::vector<std::string>> ReadDcbKeepers(HostReader& host, const BootScripts& scripts = {});

// Where it looks besides BootFolders() of the rest (boot_files.h), and for what.
const std::vector<std::string_view>& DcbFolders();
std::vector<std::string> DcbWords();

// What lldpad keeps, and the words of its lines that matter.
inline constexpr const char* kLldpadSettings = "/var/lib/lldpad/lldpad.conf";
inline constexpr const char* kLldpadWords = "tlvid";

}  // namespace rdmaready
