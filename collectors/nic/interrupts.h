// SPDX-License-Identifier: Apache-2.0
// Where the interrupts of a PCI function arrive: msi_irqs of sysfs, /proc/irq.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// "0-3,8\n"; empty for an empty list. Missing for what is no list, or one beyond any kernel's.
Fact<std::set<std::uint32_t>> DecodeCpuList(std::string_view text);

// `folder` is "/sys/bus/pci/devices/0000:3b:00.0/". Interrupts that are allocated and not in use arrive nowhere
// and do not count.
Fact<Interrupts> ReadInterrupts(HostReader& host, const std::string& folder);

}  // namespace rdmaready
