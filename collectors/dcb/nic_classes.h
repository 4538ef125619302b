// SPDX-License-Identifier: Apache-2.0
// How a NIC tells classes apart, where its vendor's driver shows that beside dcbnl: qos/trust and qos/dscp2prio
// of MLNX_OFED's mlx5_core. mlnx_qos writes them where they are, and no row of dcbnl.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// "dscp" or "pcp".
absl::StatusOr<AppSelector> DecodeNicTrust(std::string_view text);

// Lines of a DSCP and its priority, all 64; other lines are a head.
absl::StatusOr<DscpMap> DecodeNicDscpMap(std::string_view text);

// `sysfs` is the netdev's directory. Other drivers are not asked.
Fact<AppSelector> ReadNicTrust(HostReader& host, const std::string& sysfs, const std::string& driver);
Fact<DscpMap> ReadNicDscpMap(HostReader& host, const std::string& sysfs, const std::string& driver);

}  // namespace rdmaready
