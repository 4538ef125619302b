// SPDX-License-Identifier: Apache-2.0
// How RDMA's traffic is marked on a host where each consumer marks its own (Profile::Marking::kConsumers).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"

namespace rdmaready {

inline constexpr std::string_view kOwnMarksSource =
    "configuration files, configfs rdma_cm, sysfs traffic_class";

inline constexpr std::string_view kMarkOfNic = "the NIC marks RoCE by itself: RDMA-CM's ToS does not count";

struct OwnMark {
  std::uint8_t tos = 0;  // the DSCP is in the upper six bits, ECN in the lower two
  std::string text{};    // "NCCL marks ToS 106 (DSCP 26) by /etc/nccl.conf"
  std::string file{};    // of a consumer: "/etc/nccl.conf"; empty: a mark of the kernel's
};

// A mark that overrides every program's: the NIC's own, else one that the driver forces. Without one the
// consumers' own marks, as far as they are known; else RDMA-CM's default where it has the DSCP of `wanted`,
// because a job may use it that says nothing. Missing: one of them was not read, or no configuration marks,
// which says nothing of a job's own environment.
Fact<std::vector<OwnMark>> OwnMarksOf(const PortView& view, unsigned wanted);

// Broadcom's own bnxt_re gives all RoCE packets one DSCP, whatever a consumer asks for (its configfs
// cc/roce_dscp): RDMA-CM's ToS does not count there. kUnsupported of every other NIC.
Fact<std::uint64_t> DscpOfNic(const Port& port);

// The ECN bits that the same driver gives all RoCE packets (its configfs cc/ecn_marking): 0 forbids switches to
// mark them, 1 and 2 allow it. Nothing where it shows none.
std::optional<std::uint8_t> EctOfNic(const Port& port);

// Why the ECN bits that RDMA-CM or a program names do not count on the port: its driver takes the DSCP alone
// and sets them itself. Empty: they count. Missing where the driver is not known.
Fact<std::string> EctOfDriver(const Facts& host, const Port& port);

}  // namespace rdmaready
