// SPDX-License-Identifier: Apache-2.0
// Counters of an RDMA port: sysfs. hw_counters are the driver's own, counters are those of InfiniBand's PMA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/rdma_devices.h"

namespace rdmaready {

// "4711\n"; nothing for "N/A (no PMA)" and other text: such a counter is left out of the list, it is not 0.
std::optional<std::uint64_t> DecodeCounter(std::string_view text);

// ports/N/counters, by name.
Fact<std::vector<Counter>> ReadPortCounters(HostReader& host, const RdmaDevice& device, std::uint32_t port);

struct HwCounters {
  Fact<std::vector<Counter>> counters{};
  Fact<std::uint32_t> lifespan_ms{};

  bool operator==(const HwCounters&) const = default;
};

// ports/N/hw_counters by name, then those of the device's own hw_counters that the port has not. Where both
// have one, the longer lifespan is told.
HwCounters ReadHwCounters(HostReader& host, const RdmaDevice& device, std::uint32_t port);

// Connection management messages (IB CM, RoCE) that the port sent again, as the kernel's ib_cm counts them for
// every driver: "cm_tx_retries/req". Empty where it does not.
std::vector<Counter> ReadCmRetries(HostReader& host, const RdmaDevice& device, std::uint32_t port);

}  // namespace rdmaready
