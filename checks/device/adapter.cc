// SPDX-License-Identifier: Apache-2.0
#include "checks/device/adapter.h"

#include <algorithm>

#include "api/base/text.h"
#include "api/model/rdma_drivers.h"
#include "checks/storage/roles.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kIonicPort = 0x1002;

bool IsNetwork(const PciDevice& function) { return function.class_code >> 16U == 0x02; }

bool IsInfiniBandFunction(const PciDevice& function) { return function.class_code >> 8U == 0x0207; }

// i40e and hns3 drive models without RDMA too (i40e_type.h; hns3_pci_tbl in hns3_enet.c). cxgb4 takes all
// functions of its adapter and has ports on one (init_one in cxgb4_main.c); ionic has one for management.
bool CouldSpeakRdma(const PciDevice& function) {
  constexpr std::uint16_t kFirstX722 = 0x37cc;
  constexpr std::uint16_t kLastX722 = 0x37d3;
  constexpr std::uint16_t kFirstHnsWithRdma = 0xa222;
  if (function.driver == "cxgb4" && function.netdevs.empty()) return false;
  if (function.driver == "ionic") return function.device_id == kIonicPort;
  if (function.driver == "i40e") return function.device_id >= kFirstX722 && function.device_id <= kLastX722;
  if (function.driver == "hns3") return function.device_id >= kFirstHnsWithRdma;
  return FindRdmaDriver(function.driver) != nullptr;
}

// mlx5 has one device for both ports of an adapter whose netdevs are in one bond (RoCE LAG).
bool IsInLag(const Facts& host, const PciDevice& function) {
  if (!host.ports) return false;
  return std::ranges::any_of(*host.ports, [&](const Port& port) {
    return port.pci && SlotOf(port.pci->address) == SlotOf(function.address) && port.netdev &&
           (!port.netdev->master.empty() || port.netdev->driver == "bonding");
  });
}

// The reason for which a function has no RDMA although its RDMA driver runs; empty: no such reason is known.
std::string_view WhyOff(const PciDevice& function) {
  if (function.driver == "mlx5_core" && IsInfiniBandFunction(function)) return {};
  if (function.driver == "mlx5_core" || function.driver == "mlx4_core")
    return "the device has RoCE off (devlink enable_roce)";
  if (function.driver == "ice")
    return "the port is in a bond, or the NIC has more than four ports, where it has no RDMA";
  if (function.driver == "bnxt_en" || function.driver == "bng_en") return "RDMA is off in the NVM";
  if (function.driver == "qede") return "the function's personality in the NVM is without RDMA";
  return {};
}

Fix SwitchedOffFix(const PciDevice& function) {
  const std::string handle = Cat("pci/", ShellWord(function.address));
  Fix fix = Fix().Because(WhyOff(function));
  if (function.driver == "bnxt_en" || function.driver == "bng_en") {
    return std::move(fix)
        .Caution("the function is reset by a reboot before RDMA is there")
        .Run(Cat("devlink dev param set ", handle, " name enable_roce value true cmode permanent"))
        .Do("where devlink does not know enable_roce: set Support RDMA in the setup of the system, or by "
            "niccli")
        .Do("reboot: the NVM is read at the reset")
        .CheckBy("rdma link show");
  }
  if (function.driver == "qede") {
    return std::move(fix)
        .Do("choose RoCE or iWARP as RDMA protocol of the NIC in the setup of the system, then reboot")
        .CheckBy("rdma link show");
  }
  if (function.driver == "mlx5_core") {
    return std::move(fix)
        .Caution("the reload takes the interface down, with its addresses")
        .Run(Cat("devlink dev param set ", handle, " name enable_roce value true cmode driverinit"))
        .Run(Cat("devlink dev reload ", handle))
        .CheckBy("rdma link show");
  }
  return std::move(fix).Run(Cat("dmesg | grep ", ShellWord(function.address))).CheckBy("rdma link show");
}

std::string KernelText(const Facts& host) {
  return host.kernel ? Cat("this kernel (", Printable(host.kernel->release), ")") : std::string("this kernel");
}

Fix AbsentFix(const Facts& host, const RdmaDriver& driver) {
  const std::string kernel = host.kernel ? Cat("kernel ", Printable(host.kernel->release)) : "this kernel";
  const std::string vendors =
      driver.vendors.empty() ? std::string() : Cat(" (", driver.vendors, ", or a package of more modules)");
  const std::string other = driver.since.empty() ? Cat("another kernel that has ", driver.module)
                                                 : Cat("Linux ", driver.since, " or later");
  return Fix()
      .Because(Cat(KernelText(host), " has no module ", driver.module), Certainty::kCertain)
      .Do(Cat("install ", driver.module, " for ", kernel, vendors, ", or boot ", other))
      .CheckBy("rdma link show");
}

// udev loads the driver of each adapter: one that is installed and not loaded is mostly forbidden.
Fix LoadFix(std::string_view module) {
  return Fix(Cat("grep -rnw ", module, " /etc/modprobe.d"))
      .Because(Cat(module, " is installed and not loaded: a line of /etc/modprobe.d may forbid it"))
      .Do(Cat("take out a line that forbids ", module))
      .Run(Cat("modprobe ", module))
      .CheckBy("rdma link show");
}

Fix AskKernelFix(const PciDevice& function, std::string_view because) {
  return Fix(Cat("dmesg | grep ", ShellWord(function.address))).Because(because).CheckBy("rdma link show");
}

WithoutRdma WithoutDriver(const Facts& host, const PciDevice& function, const RdmaDriver& driver,
                          const Fact<ModuleState>& state) {
  const std::string begin = Cat(function.address, " has no driver: ");
  const bool one_module = driver.module == driver.driver;
  if (one_module && state && *state == ModuleState::kAbsent)
    return {Cat(begin, KernelText(host), " has no ", driver.module), AbsentFix(host, driver)};
  if (one_module && state && *state == ModuleState::kInstalled)
    return {Cat(begin, driver.module, " is installed and not loaded"), LoadFix(driver.module)};
  constexpr std::string_view kElse = "this kernel has none for it, or its probe failed";
  return {Cat(begin, kElse), AskKernelFix(function, kElse)};
}

WithoutRdma WithDriver(const Facts& host, const PciDevice& function, const RdmaDriver& driver,
                       const Fact<ModuleState>& state) {
  const std::string begin = Cat(function.address, " (driver ", driver.driver, ") has no RDMA device: ");
  const std::string_view off = WhyOff(function);
  const bool two_modules = driver.module != driver.driver;
  if (two_modules && state && *state == ModuleState::kAbsent)
    return {Cat(begin, KernelText(host), " has no ", driver.module), AbsentFix(host, driver)};
  if (two_modules && state && *state == ModuleState::kInstalled)
    return {Cat(begin, driver.module, " is installed and not loaded"), LoadFix(driver.module)};
  const bool runs = state && (*state == ModuleState::kLoaded || *state == ModuleState::kBuiltIn);
  if (runs && !off.empty()) return {Cat(begin, off), SwitchedOffFix(function)};
  const std::string_view needed = two_modules ? driver.module : std::string_view("ib_uverbs");
  const std::string either =
      off.empty() ? Cat(needed, " is not loaded, or failed") : Cat(needed, " is not loaded, or ", off);
  return {begin + either, AskKernelFix(function, either)};
}

}  // namespace

std::string_view SlotOf(std::string_view address) { return address.substr(0, address.rfind('.')); }

bool IsDead(const Facts& host, const PciDevice& function) {
  const bool silent = function.netdevs.empty() && function.rdma_devices.empty();
  if (!IsNetwork(function) || !silent || function.virtual_function || function.driver.empty()) return false;
  if (!CouldSpeakRdma(function) || IsInLag(host, function)) return false;
  return std::ranges::any_of(*host.pci_devices, [&function](const PciDevice& other) {
    const bool model = other.vendor_id == function.vendor_id && other.device_id == function.device_id;
    return (model || other.driver == function.driver) && !other.rdma_devices.empty();
  });
}

WithoutRdma WithoutRdmaOf(const Facts& host, const PciDevice& function) {
  if (!IsNetwork(function) || function.virtual_function || !function.rdma_devices.empty()) return {};
  const RdmaDriver* driver = RdmaDriverOf(function);
  if (driver == nullptr) return {};
  const Fact<ModuleState> state = StateOf(host, driver->module);
  if (function.driver.empty()) return WithoutDriver(host, function, *driver, state);
  if (!CouldSpeakRdma(function) || IsInLag(host, function) || IsDead(host, function)) return {};
  return WithDriver(host, function, *driver, state);
}

WithoutRdma FirstWithoutRdma(const Facts& host) {
  if (!host.pci_devices) return {};
  for (const PciDevice& function : *host.pci_devices) {
    WithoutRdma without = WithoutRdmaOf(host, function);
    if (!without.why.empty()) return without;
  }
  return {};
}

}  // namespace rdmaready
