// SPDX-License-Identifier: Apache-2.0
// pcie.mps, pcie.mrrs, pcie.acs, pcie.iommu: how the bus between NIC and memory is set.
#include <algorithm>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "PCI configuration space";

std::string NoPcie(const Port& port) {
  if (IsSoftware(port)) return "a software device has no PCIe";
  if (port.pci && port.pci->virtual_function) return "a virtual function has no link of its own";
  return {};
}

std::string PortNotApplicable(const PortView& view) { return NoPcie(view.port); }

// The hops, of which there is at least one; else the reason why not.
Fact<std::vector<PciHop>> PathOf(const Port& port) {
  if (!port.pci) return port.pci.missing();
  if (port.pci->path && port.pci->path->empty())
    return Missing{.kind = Missing::Kind::kFailed, .detail = "the way to the root port is not known"};
  return port.pci->path;
}

// Both ends of a link must take what the other sends: one size all the way.
Verdict JudgeMps(const PortView& view) {
  constexpr std::string_view kExpected = "the same all the way, 256 bytes at least";
  constexpr std::uint32_t kEnoughBytes = 256;
  const Fact<std::vector<PciHop>> path = PathOf(view.port);
  if (!path) return NoAnswer(path.missing(), std::string(kExpected), kSource);
  for (const PciHop& hop : *path) {
    if (!hop.max_payload_bytes)
      return NoAnswer(hop.max_payload_bytes.missing(), std::string(kExpected), kSource);
  }
  const PciHop& device = path->front();
  const std::uint32_t own = *device.max_payload_bytes;
  for (const PciHop& hop : *path) {
    if (*hop.max_payload_bytes == own) continue;
    return Judged(
        false,
        Cat(device.address, " has ", own, " bytes, ", hop.address, " on its way ", *hop.max_payload_bytes),
        std::string(kExpected), kSource);
  }
  const std::string observed = Cat(own, " bytes on ", path->size(), path->size() == 1 ? " device" : " devices");
  if (own < kEnoughBytes) return Warned(observed, std::string(kExpected), kSource);
  return Judged(true, observed, std::string(kExpected), kSource);
}

// Below 512 bytes a fast port spends the bus on requests; 256 was too low for any.
Verdict JudgeMrrs(const PortView& view) {
  constexpr std::uint32_t kLeastBytes = 256;
  constexpr std::uint32_t kFastBytes = 512;
  constexpr std::uint32_t kFastMbps = 25'000;
  const Fact<std::uint32_t> speed = NetdevFact(view.port.netdev, &Netdev::speed_mbps);
  const std::uint32_t mbps = speed ? *speed : view.port.rate_mbps ? *view.port.rate_mbps : 0;
  const std::uint32_t wanted = mbps >= kFastMbps ? kFastBytes : kLeastBytes;
  const std::string expected = Cat("at least ", wanted, " bytes");
  const Fact<std::vector<PciHop>> path = PathOf(view.port);
  if (!path) return NoAnswer(path.missing(), expected, kSource);
  const PciHop& device = path->front();
  if (!device.max_read_request_bytes)
    return NoAnswer(device.max_read_request_bytes.missing(), expected, kSource);
  const std::uint32_t now = *device.max_read_request_bytes;
  const std::string fix =
      Cat("setpci -s ", ShellWord(device.address),
          " CAP_EXP+8.w=5000:7000  # 4096 bytes, until the next boot; for good: in the BIOS");
  const std::string observed = Cat(now, " bytes at ", device.address);
  if (now >= kLeastBytes && now < wanted) return Warned(observed, expected, kSource, fix);
  return Judged(now >= wanted, observed, expected, kSource, fix);
}

std::string AcsNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return NoPcie(view.port);
  return view.profile.gpu_direct ? "" : NotAsked(view.profile, "GPU-direct");
}

// A port without ACS redirects nothing.
Verdict JudgeAcs(const PortView& view) {
  constexpr std::string_view kExpected = "no redirection on the way";
  const Fact<std::vector<PciHop>> path = PathOf(view.port);
  if (!path) return NoAnswer(path.missing(), std::string(kExpected), kSource);
  const PciHop* unread = nullptr;
  for (const PciHop& hop : *path) {
    if (!hop.acs_redirect) {
      if (!NotOffered(hop.acs_redirect)) unread = &hop;
      continue;
    }
    if (!*hop.acs_redirect) continue;
    return Judged(
        false, Cat(hop.address, " sends what is for another device up to the root"), std::string(kExpected),
        kSource,
        Cat("setpci -s ", ShellWord(hop.address),
            " ECAP_ACS+6.w=0000:000c  # until the next boot; for good: ACS off in the BIOS. Not where "
            "virtual machines own devices: it is what keeps them apart"));
  }
  if (unread != nullptr) return NoAnswer(unread->acs_redirect.missing(), std::string(kExpected), kSource);
  return Judged(true, Cat("none of ", path->size(), " devices redirects"), std::string(kExpected), kSource);
}

std::string IommuNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return NoPcie(view.port);
  return view.port.pci && NotOffered(view.port.pci->iommu_domain) ? "no IOMMU is in the way" : "";
}

Verdict JudgeIommu(const PortView& view) {
  constexpr std::string_view kIommuSource = "sysfs IOMMU group";
  constexpr std::string_view kExpected = "identity";
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci) return NoAnswer(pci.missing(), std::string(kExpected), kIommuSource);
  if (!pci->iommu_domain) return NoAnswer(pci->iommu_domain.missing(), std::string(kExpected), kIommuSource);
  const bool direct = *pci->iommu_domain == kExpected;
  return Judged(
      direct,
      Cat(direct ? "addresses pass as they are: " : "every address is translated: ", *pci->iommu_domain),
      std::string(kExpected), kIommuSource);
}

}  // namespace

Check PcieMps() {
  return {.id = "pcie.mps",
          .title = "Every device on the way to memory takes the same size of packet",
          .why = "A packet larger than the next device takes is an error of the bus; small ones waste it",
          .fix =
              "grep -o 'pci=[^ ]*' /proc/cmdline  # add pci=pcie_bus_safe to the kernel's command line and "
              "reboot, or set the maximum payload in the BIOS",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{PortNotApplicable, JudgeMps}};
}

Check PcieMrrs() {
  return {.id = "pcie.mrrs",
          .title = "The NIC may read enough of memory with one request",
          .why = "What it sends it reads from memory first: with small requests it waits more than it reads",
          .fix = "lspci -vv  # MaxReadReq of {device}",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{PortNotApplicable, JudgeMrrs}};
}

Check PcieAcs() {
  return {
      .id = "pcie.acs",
      .title = "Nothing between NIC and GPU redirects what they say to each other",
      .why = "Redirected, each byte goes up to the processor and down again: half of the bandwidth, or less",
      .fix = "lspci -vv  # ACSCtl of the bridges: ReqRedir and CmpltRedir off, in the BIOS",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{AcsNotApplicable, JudgeAcs}};
}

Check PcieIommu() {
  return {
      .id = "pcie.iommu",
      .title = "The NIC reaches memory without translation",
      .why =
          "A translated address costs a look-up, and small transfers feel it; it is needed only where a "
          "virtual "
          "machine owns a device",
      .fix =
          "grep -o 'iommu[^ ]*' /proc/cmdline  # where no guest owns a device: add iommu=pt to the kernel's "
          "command line and reboot",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{IommuNotApplicable, JudgeIommu}};
}

}  // namespace rdmaready
