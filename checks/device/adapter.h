// SPDX-License-Identifier: Apache-2.0
// Functions of adapters that could speak RDMA and have no RDMA device: why, and what a person does.
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "checks/words/fix.h"

namespace rdmaready {

// "0000:3b:00" of "0000:3b:00.1".
std::string_view SlotOf(std::string_view address);

// Its driver took it and made neither an interface nor an RDMA device of it, though it did of another one. A
// management NIC has an interface. A NIC that a container uses keeps its RDMA device here. `host` knows the
// bus.
bool IsDead(const Facts& host, const PciDevice& function);

// An empty `why`: it has one, it can have none, it is dead, or somebody took it on purpose (a virtual
// function).
struct WithoutRdma {
  std::string why{};
  Fix fix{};
};
WithoutRdma WithoutRdmaOf(const Facts& host, const PciDevice& function);

// The first one of the host; empty where all that could speak RDMA do, or where the bus is not known.
WithoutRdma FirstWithoutRdma(const Facts& host);

}  // namespace rdmaready
