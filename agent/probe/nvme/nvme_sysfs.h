// SPDX-License-Identifier: Apache-2.0
// What /sys tells of this host's NVMe controllers, by any program and transport that connected them. Names are
// the kernel's ("nvme0"). A controller that comes or goes meanwhile may be missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready::nvme {

// The first line of the file; empty when there is none.
std::string ReadLine(const std::string& path);

// Of a folder, sorted; "." and ".." too.
std::vector<std::string> NamesIn(const std::string& folder);

// "nvme12", and neither a namespace of it nor a path.
bool IsController(std::string_view name);

std::vector<std::string> Controllers(const std::string& sys = "/sys");

// Those of the subsystem of that NQN.
std::vector<std::string> ControllersOf(const std::string& subsystem_name, const std::string& sys = "/sys");

// All that share block devices with `controller`, itself among them: the paths of its subsystem. Empty when the
// kernel does not tell.
std::vector<std::string> PathsBeside(const std::string& controller, const std::string& sys = "/sys");

}  // namespace rdmaready::nvme
