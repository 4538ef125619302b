// SPDX-License-Identifier: Apache-2.0
// Congestion control of RoCE v2 (DCQCN) as vendors' drivers show it, and what else only they have: files of
// debugfs, sysfs and configfs. Nothing is mounted, and no directory is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The first that is there of: the tree `ecn` of MLNX_OFED's mlx5, which tells everything; cc_params of the
// kernel's own mlx5 in debugfs, for root; the directory of Broadcom's own bnxt_re in configfs, which somebody
// made with mkdir(2). `port` has its device, number, software, pci, netdev and lowers already.
Fact<CongestionControl> ReadCongestion(HostReader& host, const Port& port);

// The same with what the trees `ecn` of its other Ethernet ports say, where several share the RDMA device: each
// parameter by "NETDEV/NAME", the switches by priority as the bitmaps "NETDEV/np_enable" and
// "NETDEV/rp_enable".
Fact<CongestionControl> WithMembers(HostReader& host, const Port& port, Fact<CongestionControl> control);

// "Global tclass=106", and lines for some addresses only. An empty text: none is forced.
Fact<std::uint8_t> DecodeTrafficClass(std::string_view text);

// Of MLNX_OFED's mlx5.
Fact<std::uint8_t> ReadVerbsTrafficClass(HostReader& host, const Port& port);

// Whether the kernel marked the module of the device's driver as built outside of its source (taint "O").
Fact<bool> ReadOutOfTree(HostReader& host, const Port& port);

// The directory of the kernel's own mlx5, of the function at `address`: "0000:3b:00.0".
std::string Mlx5CongestionFolder(const std::string& address);

}  // namespace rdmaready
