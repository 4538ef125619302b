// SPDX-License-Identifier: Apache-2.0
// The running host's HostWriter, seen from this process' network and mount namespaces: dcbnl, ethtool,
// rtnetlink, devlink, /proc/sys and configfs. It takes CAP_NET_ADMIN in the initial user namespace, and for
// RDMA-CM's defaults the right to write to configfs.
//
// Only agent/apply and the applier's process may have one (tests/lint).
#pragma once

#include <memory>

#include "agent/apply/host_writer.h"

namespace rdmaready {

// Nothing is held open between two writes. A write blocks for as long as the driver takes.
std::unique_ptr<HostWriter> MakeHostWriter();

}  // namespace rdmaready
