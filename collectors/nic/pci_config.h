// SPDX-License-Identifier: Apache-2.0
// The configuration space of a PCI function, as /sys/bus/pci/devices/*/config shows it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/model/facts.h"

namespace rdmaready {

// What anybody is shown, what every function has, and what one of PCI Express may have.
inline constexpr std::size_t kPciShownBytes = 64;
inline constexpr std::size_t kPciBasicBytes = 256;
inline constexpr std::size_t kPciAllBytes = 4096;

struct PciSettings {
  Fact<std::uint32_t> max_payload_bytes{};
  Fact<std::uint32_t> max_read_request_bytes{};
  Fact<bool> acs_redirect{};

  bool operator==(const PciSettings&) const = default;
};

// `config` is what could be read of it: 64 bytes without CAP_SYS_ADMIN (kDenied), else 256, or 4096 of a PCI
// Express function. The lists of capabilities are the device's word: they may be cyclic, or lead out of it.
PciSettings DecodePciConfig(std::string_view config);

// Whether it has the capability of PCI Express; of the first 256 octets. False where that is not shown.
bool IsPciExpress(std::string_view config);

// Whether it is a Root Complex Integrated Endpoint: it has no link, whatever its link registers hold. False
// where that is not shown.
bool IsRootComplexIntegrated(std::string_view config);

}  // namespace rdmaready
