// SPDX-License-Identifier: Apache-2.0
// gpu.*: what lets a NIC read and write the memory of GPUs: NVIDIA's peer memory module, dma-buf, P2PDMA.
#include <algorithm>
#include <array>
#include <string>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kGpuSource = "/sys/module, /proc/driver/nvidia";

bool Drives(const Facts& host, std::string_view driver) {
  return host.pci_devices &&
         std::ranges::find(*host.pci_devices, driver, &PciDevice::driver) != host.pci_devices->end();
}

// A GPU without its driver may be a virtual machine's (vfio-pci).
std::string NoGpuOf(const HostView& view, std::string_view driver) {
  if (!view.profile.gpu_direct) return NotAsked(view.profile, "GPU-direct");
  if (NotOffered(view.host.gpu)) return view.host.gpu.missing().detail;
  if (!view.host.pci_devices || Drives(view.host, driver)) return {};
  return Cat("no GPU here is driven by ", driver);
}

bool HasPeermem(const std::vector<std::string>& modules) {
  constexpr std::array<std::string_view, 2> kPeermem{"nvidia_peermem", "nv_peer_mem"};
  return std::ranges::find_first_of(modules, kPeermem) != modules.end();
}

// Whether the RDMA core is of a vendor, by the drivers of the ports, which come with it.
bool HasVendorCore(const Facts& host) {
  return host.ports && std::ranges::any_of(
                           *host.ports, [](const Port& port) { return port.out_of_tree && *port.out_of_tree; });
}

Fix PeermemFix() {
  return Fix("modprobe nvidia_peermem && echo nvidia_peermem > /etc/modules-load.d/nvidia-peermem.conf")
      .Or("if it answers \"Invalid argument\", install the driver of the GPU again: it was built for another "
          "RDMA "
          "core")
      .CheckBy("lsmod");
}

// ib_register_peer_memory_client is in the RDMA core of MLNX_OFED and DOCA; of distributions Ubuntu's has it.
Fix OpenModulesFix() {
  return Fix()
      .Because("the kernel's own RDMA core has no ib_register_peer_memory_client, which nvidia_peermem needs")
      .Caution("GPUs before Turing have no open modules")
      .Do("install the open kernel modules of NVIDIA's driver, which have dma-buf, and reboot")
      .Or("install the RDMA core of MLNX_OFED or DOCA, then the driver of the GPU again")
      .Or("only if /proc/kallsyms has that symbol, as in kernels of Ubuntu: modprobe nvidia_peermem, and name "
          "it in "
          "/etc/modules-load.d/nvidia-peermem.conf")
      .CheckBy("cat /proc/driver/nvidia/version");
}

Verdict JudgeGpuPeermem(const HostView& view) {
  if (std::string reason = NoGpuOf(view, "nvidia"); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected =
      "nvidia_peermem, or the open modules of NVIDIA's driver, which have dma-buf";
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (!gpu) return NoAnswer(gpu.missing(), kExpected, kGpuSource);
  if (!gpu->modules) return NoAnswer(gpu->modules.missing(), kExpected, kGpuSource);
  if (HasPeermem(*gpu->modules)) return Judged(true, "the peer memory module is loaded", kExpected, kGpuSource);
  if (!gpu->nvidia) return NoAnswer(gpu->nvidia.missing(), kExpected, kGpuSource);
  const std::string driver = Cat("NVIDIA's driver ", Printable(gpu->nvidia->version));
  if (gpu->nvidia->open) return Judged(true, Cat(driver, ", open modules: dma-buf"), kExpected, kGpuSource);
  return Judged(false, Cat(driver, " without open modules, and nvidia_peermem is not loaded"), kExpected,
                kGpuSource, HasVendorCore(view.host) ? PeermemFix() : OpenModulesFix());
}

// ---- gpu.dma-buf ----

// Whose RDMA driver registers memory by dma-buf (reg_user_mr_dmabuf, Linux 6.12), and from which kernel on at
// the earliest: 5.12 has the first, mlx5.
constexpr std::array<std::string_view, 6> kTakesDmaBuf{"mlx5_core", "bnxt_en", "ice", "i40e", "iavf", "efa"};
constexpr std::array<std::string_view, 5> kTakesNoDmaBuf{"mlx4_core", "qede", "cxgb4", "hns3", "hfi1"};

std::string DmaBufNotApplicable(const PortView& view) {
  if (!view.profile.gpu_direct) return NotAsked(view.profile, "GPU-direct");
  if (NotOffered(view.host.gpu)) return view.host.gpu.missing().detail;
  if (IsSoftware(view.port)) return "a software device reads memory by the CPU";
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (gpu && gpu->modules && HasPeermem(*gpu->modules)) return "the peer memory module is loaded";
  return {};
}

Verdict JudgeGpuDmaBuf(const PortView& view) {
  if (std::string reason = DmaBufNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "an RDMA driver that registers memory by dma-buf";
  constexpr std::string_view kDmaBufSource = "sysfs PCI, the kernel's release";
  constexpr KernelVersion kFirst{5, 12};
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (!gpu) return NoAnswer(gpu.missing(), kExpected, kDmaBufSource);
  if (!gpu->modules) return NoAnswer(gpu->modules.missing(), kExpected, kDmaBufSource);
  if (!view.port.out_of_tree) return NoAnswer(view.port.out_of_tree.missing(), kExpected, kDmaBufSource);
  const Fact<std::string> known = DriverOf(view.host, view.port);
  if (!known) return NoAnswer(known.missing(), kExpected, kDmaBufSource);
  const std::string& driver = *known;
  if (std::ranges::find(kTakesNoDmaBuf, driver) != kTakesNoDmaBuf.end())
    return Judged(false, Cat(driver, " has no registration by dma-buf"), kExpected, kDmaBufSource);
  if (std::ranges::find(kTakesDmaBuf, driver) == kTakesDmaBuf.end())
    return Unclear(Cat(Printable(driver), " is not known to"), kExpected, kDmaBufSource);
  const Fact<KernelVersion> version = VersionOf(view.host.kernel);
  if (!version) return NoAnswer(version.missing(), kExpected, kDmaBufSource);
  if (*version < kFirst && !*view.port.out_of_tree)
    return Judged(false, Cat(driver, " of a kernel before 5.12, which has no registration by dma-buf"),
                  kExpected, kDmaBufSource);
  return Judged(true, Cat(driver, " has it"), kExpected, kDmaBufSource);
}

// ---- gpu.p2pdma ----

// Peer memory modules of NVIDIA's map GPUs without the kernel's help.
std::string P2pdmaNotApplicable(const HostView& view) {
  std::string reason = NoGpuOf(view, "amdgpu");
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (reason.empty() || !view.profile.gpu_direct || !gpu || !NoGpuOf(view, "nvidia").empty()) return reason;
  const bool by_module = gpu->modules && HasPeermem(*gpu->modules);
  if (by_module) return "the peer memory module is loaded";
  return gpu->nvidia && !gpu->nvidia->open ? "NVIDIA's driver without open modules has no dma-buf" : "";
}

// amdgpu asks pci_p2pdma_distance, which without the option answers that there is no way (amdgpu_dma_buf.c).
Verdict JudgeGpuP2pdma(const HostView& view) {
  if (std::string reason = P2pdmaNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "CONFIG_PCI_P2PDMA=y";
  constexpr std::string_view kConfigSource = "the kernel's configuration";
  const Fact<GpuSupport>& gpu = view.host.gpu;
  if (!gpu) return NoAnswer(gpu.missing(), kExpected, kConfigSource);
  if (!Drives(view.host, "amdgpu") && !gpu->nvidia)
    return NoAnswer(gpu->nvidia.missing(), kExpected, kConfigSource);
  if (!Drives(view.host, "amdgpu") && !gpu->modules)
    return NoAnswer(gpu->modules.missing(), kExpected, kConfigSource);
  if (!gpu->options) return NoAnswer(gpu->options.missing(), kExpected, kConfigSource);
  const auto option = std::ranges::find(*gpu->options, "CONFIG_PCI_P2PDMA", &KernelOption::name);
  const bool on = option != gpu->options->end() && option->value == "y";
  return Judged(on, on ? "CONFIG_PCI_P2PDMA=y" : "CONFIG_PCI_P2PDMA is not set", kExpected, kConfigSource);
}

}  // namespace

std::vector<Check> GpuChecks() {
  return {
      {.id = "gpu.peermem",
       .title = "NVIDIA's driver gives NICs the memory of its GPUs",
       .why =
           "Without it what is sent from a GPU goes through the memory of the host, at a fraction of the rate",
       .fix = PeermemFix(),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeGpuPeermem},
      {.id = "gpu.dma-buf",
       .title = "The port's driver takes memory of GPUs by dma-buf",
       .why = "Where no peer memory module is loaded this is the only way from the NIC to the GPU",
       .fix = Fix()
                  .Do("use a kernel whose driver has it: Linux 5.12 and later for mlx5, later ones for other "
                      "drivers")
                  .Or("load nvidia_peermem, or install the driver of the vendor")
                  .CheckBy("uname -r"),
       .depends_on = {"inv.rdma-present"},
       .read_with = {"gpu.peermem"},
       .judge = JudgeGpuDmaBuf},
      {.id = "gpu.p2pdma",
       .title = "The kernel lets devices reach each other's memory over PCIe",
       .why =
           "Drivers of GPUs let no NIC into their memory by dma-buf where the kernel knows no way between them",
       .fix = Fix()
                  .Because("the kernel was built without CONFIG_PCI_P2PDMA", Certainty::kCertain)
                  .Do("boot a kernel that has CONFIG_PCI_P2PDMA=y")
                  .CheckBy("grep P2PDMA /boot/config-$(uname -r)"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeGpuP2pdma},
  };
}

}  // namespace rdmaready
