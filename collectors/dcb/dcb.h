// SPDX-License-Identifier: Apache-2.0
// Data centre bridging of a netdev: dcbnl, RTM_GETDCB with DCB_CMD_IEEE_GET. One answer holds everything but
// the settings of the older dialect (dcb_cee.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// struct ieee_ets, ieee_pfc of linux/dcbnl.h: exactly 59 and 136 bytes. Numbers that a check would use as an
// index (priorities, traffic classes) are range-checked here.
absl::StatusOr<Ets> DecodeEts(std::span<const std::byte> bytes);
absl::StatusOr<Pfc> DecodePfc(std::span<const std::byte> bytes);

// struct dcbnl_buffer and ieee_maxrate: exactly 44 and 64 bytes.
absl::StatusOr<PortBuffer> DecodeBuffer(std::span<const std::byte> bytes);
absl::StatusOr<MaxRatesKbps> DecodeMaxRates(std::span<const std::byte> bytes);

// The nests DCB_ATTR_IEEE_APP_TABLE and DCB_ATTR_DCB_APP_TRUST_TABLE, in the kernel's order. Rows of the older
// CEE kind that a driver left in the table are not part of the IEEE table.
absl::StatusOr<std::vector<AppEntry>> DecodeAppTable(std::span<const std::byte> nest);
absl::StatusOr<std::vector<AppSelector>> DecodeAppTrust(std::span<const std::byte> nest);

// The byte of DCB_ATTR_DCBX.
absl::StatusOr<Dcbx> DecodeDcbx(std::span<const std::byte> bytes);

// A whole answer, struct dcbmsg first. `name` is the interface that was asked for. What the driver has no
// function for is kUnsupported, naming it. Without `cee`.
absl::StatusOr<Dcb> DecodeDcb(std::span<const std::byte> payload, const std::string& name);

// "Driver has no DCB" and "kernel without CONFIG_DCB" give the same error; they are told apart by a second
// question about an interface that cannot exist.
Dcb ReadDcb(HostReader& host, const std::string& name);

}  // namespace rdmaready
