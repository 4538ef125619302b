// SPDX-License-Identifier: Apache-2.0
#include "checks/device/no_devices.h"

#include "api/base/text.h"
#include "checks/device/adapter.h"
#include "checks/words/packages.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Debian names its kernels "6.12.117+deb12-amd64", or "...-cloud-amd64"; the package is the flavour's. Empty of
// another kernel.
std::string_view DebianFlavour(const Fact<Kernel>& kernel) {
  for (const std::string_view flavour : {"-amd64", "-arm64"}) {
    if (kernel && kernel->release.ends_with(flavour)) return flavour.substr(1);
  }
  return {};
}

Fix KernelFix(std::string_view command) {
  return Fix(command)
      .Because("this kernel was built without InfiniBand: kernels for clouds and minimal ones are")
      .Caution("the host reboots into another kernel")
      .Run("reboot")
      .CheckBy("rdma link show");
}

// The name of the running kernel decides first: a container has another distribution than its host.
Fix OtherKernel(const Facts& host) {
  PackageManager manager = host.kernel ? PackageManagerOf(*host.kernel) : PackageManager::kUnknown;
  if (manager == PackageManager::kUnknown) manager = PackageManagerOf(host);
  const std::string_view flavour = DebianFlavour(host.kernel);
  const bool ubuntu = (host.kernel && host.kernel->release.ends_with("-generic")) ||
                      (host.distribution && host.distribution->id == "ubuntu");
  switch (manager) {
    case PackageManager::kUnknown:
      return Fix("grep -H 'CONFIG_INFINIBAND[ =]' /boot/config-*")
          .Because("this kernel was built without InfiniBand")
          .Do("boot a kernel that has it, or install the full kernel of the distribution");
    case PackageManager::kApt:
      if (flavour.empty() && ubuntu) return KernelFix("apt-get install linux-generic");
      return KernelFix(Cat("apt-get install linux-image-",
                           flavour.empty() ? std::string_view("$(dpkg --print-architecture)") : flavour));
    case PackageManager::kDnf:
      return KernelFix("dnf install kernel");
    case PackageManager::kZypper:
      return KernelFix("zypper install kernel-default");
  }
  return {};
}

Fix SoftwareDevice(Fix fix) {
  return std::move(fix)
      .Or("without such a NIC, for tests: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev NETDEV")
      .CheckBy("rdma link show");
}

}  // namespace

Verdict NoDevices(const Facts& host) {
  const std::string release = host.kernel ? " (" + Printable(host.kernel->release) + ")" : "";
  Verdict verdict = Judged(false, "no RDMA device", "at least one RDMA device", "RDMA netlink");
  const WithoutRdma adapter = FirstWithoutRdma(host);
  switch (host.rdma_stack ? *host.rdma_stack : RdmaStack::kUnknown) {
    case RdmaStack::kUnknown:
      break;
    case RdmaStack::kAbsent:
      verdict.observed = Cat("no RDMA device: this kernel", release, " is without InfiniBand (no ib_core)");
      verdict.fix = OtherKernel(host);
      break;
    case RdmaStack::kNotLoaded:
      verdict.observed = "no RDMA device: ib_core is there, but not loaded";
      verdict.fix = SoftwareDevice(Fix("modprobe -a ib_uverbs rdma_ucm")
                                       .Because("nothing loaded the RDMA stack", Certainty::kCertain)
                                       .Do("load the RDMA driver of the NIC, if udev does not"));
      break;
    case RdmaStack::kLoaded:
      if (!adapter.why.empty()) {
        const bool says_so = adapter.why.find("no RDMA device") != std::string::npos;
        verdict.observed = Printable(Cat(says_so ? "" : "no RDMA device: ", adapter.why));
        verdict.fix = adapter.fix;
        break;
      }
      verdict.observed = "no RDMA device: the RDMA stack is loaded, and made none";
      verdict.fix = SoftwareDevice(Fix("rdma link show")
                                       .Because("this host has no adapter that speaks RDMA, or its driver is "
                                                "not loaded",
                                                Certainty::kPossible)
                                       .Do("load the RDMA driver of the NIC"));
      break;
  }
  return verdict;
}

}  // namespace rdmaready
