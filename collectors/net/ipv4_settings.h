// SPDX-License-Identifier: Apache-2.0
// IPv4 settings of the interfaces: /proc/sys/net/ipv4/conf, of the reader's own network namespace.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// As the files of one directory say, "all" or an interface's.
Fact<Ipv4Settings> ReadIpv4Conf(HostReader& host, const std::string& name);

// What takes effect on an interface: see api/model/network.h.
Fact<Ipv4Settings> EffectiveIpv4(const Fact<Ipv4Settings>& all, const Fact<Ipv4Settings>& own);

// Facts::sysctls. Only the number of an interface that goes away meanwhile is left out in silence; missing
// where the variables of all interfaces together cannot be read.
Fact<std::vector<Sysctl>> ReadIpv4Sysctls(HostReader& host, const Fact<std::vector<Port>>& ports);

}  // namespace rdmaready
