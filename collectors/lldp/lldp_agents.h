// SPDX-License-Identifier: Apache-2.0
// Which LLDP agents run on the host: by the sockets at which they take orders, in /proc/net/unix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Where lldpad says that it runs; only root may read it.
inline constexpr const char* kLldpadPidFile = "/var/run/lldpad.pid";

// lldpad that was started with -R: it announces what the NIC has, and never writes ETS, PFC or APP.
inline constexpr const char* kReadOnlyLldpad = "lldpad -R";

// Of this network namespace.
struct LldpAgents {
  Fact<std::vector<std::string>> names{};
  // When lldpad was started, since the host was; kUnsupported: it does not run.
  Fact<std::uint64_t> lldpad_started_ms{};
};

// Lines of /proc/net/unix to the agents that listen: "lldpad" (at an abstract socket), "lldpd"; in that order,
// each once. A client's own socket is no agent.
std::vector<std::string> DecodeLldpAgents(const std::vector<std::string>& lines);

// /proc/PID/cmdline of lldpad: one of its short options is R.
bool IsReadOnlyLldpad(std::string_view command_line);

// /proc/PID/stat to the start of that process, if it is lldpad.
Fact<std::uint64_t> DecodeLldpadStart(std::string_view stat);

// The socket alone is not lldpad: systemd may hold it (lldpad.socket), and starts lldpad when somebody writes
// to it. It runs if its own record names a process that is it; without that neither fact is known.
LldpAgents ReadLldpAgents(HostReader& host);

}  // namespace rdmaready
