// SPDX-License-Identifier: Apache-2.0
// Which LLDP agents run on the host: by the sockets at which they take orders, in /proc/net/unix.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Lines of /proc/net/unix to the agents that listen: "lldpad" (at an abstract socket), "lldpd"; in that order,
// each once. A client's own socket is no agent.
std::vector<std::string> DecodeLldpAgents(const std::vector<std::string>& lines);

// Of this network namespace.
Fact<std::vector<std::string>> ReadLldpAgents(HostReader& host);

}  // namespace rdmaready
