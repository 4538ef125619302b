// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

PciDevice OnTheBus(const char* address, const char* driver, std::uint32_t class_code) {
  return {
      .address = address, .vendor_id = 0x10de, .device_id = 0x2330, .class_code = class_code, .driver = driver};
}

// A NIC with mlx5 and a GPU with `driver`.
Facts GpuHost(const char* driver, GpuSupport gpu, const char* nic = "mlx5_core") {
  Facts host = WithHardware([nic](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.driver = nic;
    port.netdev = netdev;
  });
  host.pci_devices = std::vector<PciDevice>{OnTheBus("0000:3b:00.0", nic, 0x020000),
                                            OnTheBus("0000:1b:00.0", driver, 0x030200)};
  host.gpu = std::move(gpu);
  return host;
}

GpuSupport Nvidia(std::vector<std::string> modules, bool open) {
  return {.modules = std::move(modules),
          .options = std::vector<KernelOption>{},
          .nvidia = NvidiaDriver{.version = "560.35.03", .open = open}};
}

GpuSupport Amd(std::vector<KernelOption> options) {
  return {.modules = std::vector<std::string>{"amdgpu"}, .options = std::move(options), .nvidia = kUnsupported};
}

Facts WithKernel(Facts host, const char* release) {
  host.kernel = Kernel{.release = release};
  return host;
}

Facts WithVendorCore(Facts host) {
  std::vector<Port> ports = *host.ports;
  ports.front().out_of_tree = true;
  host.ports = ports;
  return host;
}

}  // namespace

std::vector<CheckCase> GpuCases() {
  const Profile asks = Asking([](Profile& profile) { profile.gpu_direct = true; });
  const CaseExtra direct{.profile = asks};
  const Facts closed = GpuHost("nvidia", Nvidia({"nvidia"}, false));
  const Facts open = GpuHost("nvidia", Nvidia({"nvidia"}, true));
  const Facts peermem = GpuHost("nvidia", Nvidia({"nvidia", "nvidia_peermem"}, false));
  const Facts amd = GpuHost("amdgpu", Amd({{"CONFIG_PCI_P2PDMA", "y"}}));
  GpuSupport unread = Nvidia({"nvidia"}, true);
  unread.modules = Denied();
  GpuSupport unversioned = Nvidia({"nvidia"}, true);
  unversioned.nvidia = Denied();
  GpuSupport no_config = Amd({});
  no_config.options = Denied();
  return {
      Passes("gpu.peermem", "loaded", peermem, "peer memory module is loaded", direct),
      Passes("gpu.peermem", "open modules", open, "560.35.03, open modules", direct),
      Fails("gpu.peermem", "closed and not loaded", closed, "without open modules",
            {.fix = "install the open kernel modules", .profile = asks}),
      Fails("gpu.peermem", "closed, and a vendor's RDMA core", WithVendorCore(closed), "without open modules",
            {.fix = "modprobe nvidia_peermem", .profile = asks}),
      DoesNotApply("gpu.peermem", "no GPU", GoodHost(), "no GPU on the PCI bus", direct),
      DoesNotApply("gpu.peermem", "AMD's", amd, "driven by nvidia", direct),
      DoesNotApply("gpu.peermem", "not asked", closed, "GPU-direct"),
      IsUnknown("gpu.peermem", "denied", GpuHost("nvidia", unread), "not permitted", direct),
      Passes("gpu.dma-buf", "mlx5", open, "mlx5_core has it", direct),
      Fails("gpu.dma-buf", "mlx5 of an old kernel", WithKernel(open, "5.4.0-42-generic"), "before 5.12",
            {.fix = "Linux 5.12 and later for mlx5", .profile = asks}),
      Fails("gpu.dma-buf", "cxgb4", GpuHost("amdgpu", Amd({}), "cxgb4"), "cxgb4 has no registration", direct),
      DoesNotApply("gpu.dma-buf", "peer memory", peermem, "peer memory module is loaded", direct),
      DoesNotApply("gpu.dma-buf", "no GPU", Hardware(), "no GPU", direct),
      IsUnknown("gpu.dma-buf", "a driver that nobody knows",
                GpuHost("nvidia", Nvidia({"nvidia"}, true), "newnic"), "newnic is not known to", direct),
      IsUnknown("gpu.dma-buf", "denied", GpuHost("nvidia", unread), "not permitted", direct),
      Passes("gpu.p2pdma", "on", amd, "CONFIG_PCI_P2PDMA=y", direct),
      Fails("gpu.p2pdma", "off", GpuHost("amdgpu", Amd({{"CONFIG_PCI_P2PDMA", "n"}})), "is not set",
            {.fix = "boot a kernel that has CONFIG_PCI_P2PDMA=y", .profile = asks}),
      Fails("gpu.p2pdma", "NVIDIA's open modules", open, "is not set", direct),
      DoesNotApply("gpu.p2pdma", "NVIDIA's other modules", closed, "no dma-buf", direct),
      DoesNotApply("gpu.p2pdma", "peer memory", peermem, "peer memory module", direct),
      DoesNotApply("gpu.p2pdma", "no GPU", Hardware(), "no GPU", direct),
      IsUnknown("gpu.p2pdma", "whether dma-buf is used is not known", GpuHost("nvidia", unversioned),
                "not permitted", direct),
      IsUnknown("gpu.p2pdma", "denied", GpuHost("amdgpu", no_config), "not permitted", direct),
  };
}

}  // namespace rdmaready
