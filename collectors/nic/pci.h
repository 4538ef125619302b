// SPDX-License-Identifier: Apache-2.0
// The PCI function of an RDMA device, and the PCI Express links from it up to its root port: sysfs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// "0000:3b:00.0"; domains of VMD have five digits.
bool IsPciAddress(std::string_view text);

// Where the configuration space of a function is read (pci_config.h).
std::string PciConfigPath(const std::string& address);

// The PCI addresses in what /sys/class/infiniband/DEV links to, from the root port down to the function:
// "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0". Empty when it is on another bus.
std::vector<std::string> PciAddresses(std::string_view link);

// "8.0 GT/s PCIe", "16 GT/s" -> MT/s; Missing for "Unknown" and for what is no speed.
Fact<std::uint32_t> DecodePciSpeed(std::string_view text);

// Lanes; Missing for 0, and for more than any slot has (a device that does not answer reads as all ones).
Fact<std::uint32_t> DecodePciWidth(std::string_view text);

// The number of the line `name`, which is TOTAL_ERR_COR, TOTAL_ERR_FATAL or TOTAL_ERR_NONFATAL.
Fact<std::uint64_t> DecodeAerTotal(std::string_view text, std::string_view name);

// `device` is the name of the RDMA device. A software device has no PCIe. The links of a virtual function are
// its physical function's, where that one can be seen: its own registers say nothing. Missing links when the
// function is suspended, whose links are slow on purpose.
Fact<PciFunction> ReadPci(HostReader& host, const std::string& device, const Fact<bool>& software);

}  // namespace rdmaready
