// SPDX-License-Identifier: Apache-2.0
// What only an InfiniBand port has: sysfs, and by datagrams its PortInfo and the counters of its
// performance agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// "0x001a\n", as sysfs writes LIDs and P_Keys; nothing for other text.
std::optional<std::uint16_t> DecodeHex16(std::string_view text);

// kUnsupported throughout, and nothing asked, where the port is known to be another; where its transport is not
// known, for that reason. By datagrams: kUnsupported when ib_umad is not loaded, kDenied without the right to
// open /dev/infiniband/umadN.
Infiniband ReadInfiniband(HostReader& host, const RdmaDevice& device, std::uint32_t port,
                          const Fact<Transport>& transport);

}  // namespace rdmaready
