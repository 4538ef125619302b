// SPDX-License-Identifier: Apache-2.0
// The older dialect of DCB (CEE): dcbnl, RTM_GETDCB with DCB_CMD_CEE_GET.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// A whole answer, struct dcbmsg first. kUnimplemented when the driver has no function for a part of it. Groups
// are 0 to 7, or 15: without a limit.
absl::StatusOr<CeeSettings> DecodeCee(std::span<const std::byte> payload, const std::string& name);

// Asks only a driver whose DCBX mode names CEE: the kernel answers for every other too, with nothing in it.
Fact<CeeSettings> ReadCee(HostReader& host, const std::string& name, const Fact<Dcbx>& dcbx);

}  // namespace rdmaready
