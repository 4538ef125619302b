// SPDX-License-Identifier: Apache-2.0
// The kernel's modules for storage over RDMA, and what of its configuration concerns them.
//
// Whether cifs and ksmbd were built with SMB Direct is told by what they need: rdma_cm with it, and not
// without. That holds for modules from outside of the kernel's tree as well, of which its configuration
// knows nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// One line of modules.dep: a module, and all that has to be loaded before it. modules.builtin has the same
// lines without needs. Names as lsmod has them.
struct ModuleLine {
  std::string name{};
  std::vector<std::string> needs{};
  bool foreign_core = false;  // a file of the kernel's tree that needs an RDMA core of another tree
  std::optional<bool>
      kernels_core{};  // the RDMA core that it needs is of the kernel's tree; nothing: needs none

  bool operator==(const ModuleLine&) const = default;
};

// Lines of anything else are passed over.
std::vector<ModuleLine> DecodeModuleLines(std::span<const std::string> lines);

// "CONFIG_CIFS=m" and "# CONFIG_CIFS is not set"; what else there is, also of text and numbers, is passed over.
std::vector<KernelOption> DecodeOptions(std::span<const std::string> lines);

// /boot/config-RELEASE, else /lib/modules/RELEASE/config.
Fact<std::vector<KernelOption>> ReadKernelOptions(HostReader& host, const Fact<Kernel>& kernel);

// The same of other options, by name.
Fact<std::vector<KernelOption>> ReadOptionsNamed(HostReader& host, const Fact<Kernel>& kernel,
                                                 std::span<const std::string_view> names);

// Those of kStorageModules, each with what is known of it. Missing only when the kernel is not known.
Fact<std::vector<KernelModule>> ReadStorageModules(HostReader& host, const Fact<Kernel>& kernel,
                                                   const Fact<std::vector<KernelOption>>& options);

// The RDMA drivers of the adapters on the bus: whether the running kernel has them. The list is empty without
// such an adapter, and where bus or kernel are not known. An index without RDMA's core says nothing of its
// drivers.
std::vector<KernelModule> ReadAdapterModules(HostReader& host, const Fact<Kernel>& kernel,
                                             const Fact<std::vector<PciDevice>>& functions);

}  // namespace rdmaready
