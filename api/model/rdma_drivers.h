// SPDX-License-Identifier: Apache-2.0
// Network drivers that have an RDMA driver beside them, and the module that it is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "api/model/pci.h"

namespace rdmaready {

struct RdmaDriver {
  std::string_view driver;     // as the PCI bus names it: "bnxt_en"
  std::string_view module;     // "bnxt_re"; the same as `driver`: one module does both
  std::string_view since{};    // the first Linux that has it; empty: older than those that are met
  std::string_view vendors{};  // who else brings it
};

// The names are those of Linux 6.18.
inline constexpr std::array<RdmaDriver, 13> kRdmaDrivers{{
    {"mlx5_core", "mlx5_ib", "", "NVIDIA's DOCA-Host"},
    {"mlx4_core", "mlx4_ib"},
    {"ice", "irdma", "", "Intel's irdma package"},
    {"i40e", "irdma", "", "Intel's irdma package"},
    {"idpf", "irdma", "6.18", "Intel's irdma package"},
    {"bnxt_en", "bnxt_re", "", "Broadcom's driver package"},
    {"bng_en", "bng_re", "", "Broadcom's driver package"},
    {"qede", "qedr"},
    {"cxgb4", "iw_cxgb4", "", "Chelsio's Unified Wire"},
    {"hns3", "hns_roce_hw_v2"},
    {"ionic", "ionic_rdma", "6.18", "AMD's driver package"},
    {"efa", "efa", "", "Amazon's EFA installer"},
    {"erdma", "erdma", "", "Alibaba's driver package"},
}};

constexpr const RdmaDriver* FindRdmaDriver(std::string_view driver) {
  const auto* const row = std::ranges::find(kRdmaDrivers, driver, &RdmaDriver::driver);
  return row == kRdmaDrivers.end() ? nullptr : &*row;
}

// The driver that a model wants whose functions all speak RDMA; empty for another model. A kernel without the
// driver leaves such a function unbound.
constexpr std::string_view DriverOfModel(std::uint16_t vendor_id, std::uint16_t device_id) {
  constexpr std::uint16_t kNvidia = 0x15b3;
  constexpr std::uint16_t kAmazon = 0x1d0f;
  constexpr std::uint16_t kAlibaba = 0x1ded;
  constexpr std::uint16_t kErdma = 0x107f;
  constexpr std::uint16_t kPensando = 0x1dd8;
  constexpr std::uint16_t kIonicPort = 0x1002;
  constexpr std::uint16_t kChelsio = 0x1425;
  constexpr std::uint16_t kFirstMlx5 = 0x1011;
  constexpr std::uint16_t kConnectX2 = 0x6340;  // and the numbers after it
  constexpr std::uint16_t kLastConnectX2 = 0x676e;
  switch (vendor_id) {
    case kNvidia:
      return device_id < kFirstMlx5 || (device_id >= kConnectX2 && device_id <= kLastConnectX2) ? "mlx4_core"
                                                                                                : "mlx5_core";
    case kAmazon:
      return device_id >> 4U == 0xefa ? "efa" : "";
    case kAlibaba:
      return device_id == kErdma ? "erdma" : "";
    case kPensando:
      return device_id == kIonicPort ? "ionic" : "";
    case kChelsio:
      return "cxgb4";
    default:
      return "";
  }
}

// The driver that has the function, else the one that it wants; null for a driver without RDMA.
inline const RdmaDriver* RdmaDriverOf(const PciDevice& function) {
  return FindRdmaDriver(function.driver.empty() ? DriverOfModel(function.vendor_id, function.device_id)
                                                : std::string_view(function.driver));
}

}  // namespace rdmaready
