// SPDX-License-Identifier: Apache-2.0
// The packet filter of our network namespace: nf_tables netlink, and whether iptables of the older kind
// is there.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Tried are RoCE's port and those of the servers that checks judge, on each netdev of `ports`. No rules where
// nf_tables is neither loaded nor built in: nothing is asked then, since asking would load it. The kernel
// answers only to CAP_NET_ADMIN: kDenied without.
Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel, const Fact<std::vector<Port>>& ports);

}  // namespace rdmaready
