// SPDX-License-Identifier: Apache-2.0
// What a host tells of the PCI function of an RDMA device and of its way to the root complex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

struct PciLink {
  std::uint32_t speed_mtps = 0;  // megatransfers per second and lane: 2500, 5000, 8000, 16000, 32000, 64000
  std::uint32_t width = 0;       // lanes

  void Fields(auto& list) { list.Setting("speed_mtps", speed_mtps, "width", width); }

  bool operator==(const PciLink&) const = default;
};

// One end of a PCIe link on the way from a device to its root port.
struct PciHop {
  std::string address{};  // "0000:3b:00.0"
  PciLink current{};
  PciLink max{};
  Fact<std::uint32_t> max_payload_bytes{};       // MPS, Device Control bits 7:5
  Fact<std::uint32_t> max_read_request_bytes{};  // MRRS, Device Control bits 14:12
  Fact<bool> acs_redirect{};  // requests of one device to another are sent up to the root complex

  void Fields(auto& list) {
    list.Setting("address", address, "max", max, "max_payload_bytes", max_payload_bytes,
                 "max_read_request_bytes", max_read_request_bytes, "acs_redirect", acs_redirect);
    list.State("current", current);
  }

  bool operator==(const PciHop&) const = default;
};

// Where a device's interrupts (MSI, MSI-X) arrive.
struct Interrupts {
  std::uint32_t count = 0;  // those that arrive anywhere
  std::uint32_t local = 0;  // those that arrive only at CPUs of the device's own NUMA node
  std::uint32_t cpus = 0;   // at how many different CPUs

  void Fields(auto& list) { list.Passing("count", count, "local", local, "cpus", cpus); }

  bool operator==(const Interrupts&) const = default;
};

// Where a virtual function's settings are: its node and port GUID, its link state, its MAC address.
struct PhysicalFunction {
  std::string address{};
  std::string netdev{};          // the first one of it in this network namespace; empty: none is seen
  Fact<std::uint32_t> number{};  // of the virtual function: "ip link set NETDEV vf NUMBER"

  void Fields(auto& list) { list.Setting("address", address, "netdev", netdev, "number", number); }

  bool operator==(const PhysicalFunction&) const = default;
};

// A function on the PCI bus that is a network adapter, or an accelerator whose memory RDMA may reach (GPU).
struct PciDevice {
  std::string address{};
  std::uint16_t vendor_id = 0;
  std::uint16_t device_id = 0;
  std::uint32_t class_code = 0;  // 24 bits: 0x020000 is Ethernet, 0x020700 InfiniBand, 0x030200 a GPU
  std::string driver{};          // that is bound to it; empty: none
  bool virtual_function = false;
  std::vector<std::string> netdevs{};       // of this network namespace
  std::vector<std::string> rdma_devices{};  // "mlx5_0"

  void Fields(auto& list) {
    list.Setting("address", address, "vendor_id", vendor_id, "device_id", device_id, "class_code", class_code,
                 "driver", driver, "virtual_function", virtual_function, "netdevs", netdevs, "rdma_devices",
                 rdma_devices);
  }

  bool operator==(const PciDevice&) const = default;
};

struct PciFunction {
  std::string address{};
  std::uint16_t vendor_id = 0;
  std::uint16_t device_id = 0;
  bool virtual_function = false;
  Fact<std::vector<PciHop>> path{};  // the device first, its root port last
  Fact<std::int32_t> numa_node{};    // -1: the firmware did not say
  Fact<std::uint64_t> aer_fatal{};   // TOTAL_ERR_FATAL of aer_dev_fatal, since boot
  Fact<std::uint64_t> aer_nonfatal{};
  Fact<std::uint64_t> aer_correctable{};
  Fact<Interrupts> interrupts{};
  Fact<std::string> iommu_domain{};   // "identity", "DMA", "DMA-FQ"
  Fact<PhysicalFunction> physical{};  // kUnsupported: it is a physical one, or its own is another machine's

  void Fields(auto& list) {
    list.Setting("address", address, "vendor_id", vendor_id, "device_id", device_id, "virtual_function",
                 virtual_function, "path", path, "numa_node", numa_node, "iommu_domain", iommu_domain,
                 "physical", physical);
    list.Passing("interrupts", interrupts);  // irqbalance moves them
    list.Reading("aer_fatal", aer_fatal, "aer_nonfatal", aer_nonfatal, "aer_correctable", aer_correctable);
  }

  bool operator==(const PciFunction&) const = default;
};

}  // namespace rdmaready
