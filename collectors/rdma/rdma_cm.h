// SPDX-License-Identifier: Apache-2.0
// RDMA-CM's defaults: the RoCE version and the ToS that a connection gets when its owner asks for neither.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct RdmaCmDefaults {
  Fact<GidType> mode{};
  Fact<std::uint8_t> tos{};

  bool operator==(const RdmaCmDefaults&) const = default;
};

// Asks only when the port is known to be RoCE.
RdmaCmDefaults ReadRdmaCmDefaults(HostReader& host, const std::string& device, std::uint32_t port,
                                  const Fact<Transport>& transport);

// "RoCE v2\n" or "IB/RoCE v1\n" (gid_type_str in drivers/infiniband/core/cache.c).
Fact<GidType> DecodeRoceMode(std::string_view text);

// "0\n" .. "255\n".
Fact<std::uint8_t> DecodeRoceTos(std::string_view text);

}  // namespace rdmaready
