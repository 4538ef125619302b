// SPDX-License-Identifier: Apache-2.0
// The control group of the calling process: whether it is a container's, and how much memory it may use.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/model/memory.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The path of the group of version 2 in /proc/self/cgroup ("0::/system.slice/x.service"); empty without one.
std::string_view GroupPathOf(std::string_view cgroup);

// The sign of a container, empty without one. A path of /proc/self/cgroup may name its engine. "overlay": the
// process is at the top of all groups that it sees, and by `root_mounts` (/proc/self/mountinfo) its root is an
// overlay. A process of systemd is below a slice, also where the whole machine runs from an overlay.
std::string ContainerOf(std::string_view cgroup, std::span<const std::string> root_mounts);

// Missing without /proc/self/cgroup or mountinfo.
Fact<ControlGroup> ReadControlGroup(HostReader& host);

}  // namespace rdmaready
