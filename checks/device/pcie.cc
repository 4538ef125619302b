// SPDX-License-Identifier: Apache-2.0
// pcie.*: can the host feed the NIC, does the bus carry it without errors, and how is the bus set.
#include <algorithm>
#include <optional>

#include "api/base/text.h"
#include "checks/device/bus.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPciSource = "sysfs PCI";

std::string NoPcie(const Port& port) {
  if (IsSoftware(port)) return "a software device has no PCIe";
  if (IsVirtualFunction(port)) return "a virtual function has no link of its own";
  if (port.pci && NotOffered(port.pci->path)) return port.pci->path.missing().detail;
  return {};
}

Fact<std::vector<PciHop>> PciPathOf(const Port& port) {
  if (!port.pci) return port.pci.missing();
  return port.pci->path;
}

// One link of the path: two ends that face each other. A path of odd length ends at a port that is not shown.
struct BusLink {
  const PciHop* device = nullptr;
  const PciHop* slot = nullptr;  // null: not shown
};

std::vector<BusLink> LinksOf(const std::vector<PciHop>& path) {
  std::vector<BusLink> links;
  for (std::size_t i = 0; i < path.size(); i += 2)
    links.push_back({&path[i], i + 1 < path.size() ? &path[i + 1] : nullptr});
  return links;
}

// One number of a link, by which all of them are judged: lanes, or transfers.
struct Measure {
  std::uint32_t PciLink::*number;
  std::string (*text)(std::uint32_t);
  std::string_view expected;
};

std::string PciLanesText(std::uint32_t lanes) { return Cat("x", lanes); }

std::string TransfersText(std::uint32_t mtps) {
  const std::uint32_t tenths = mtps / 100;
  return tenths % 10 == 0 ? Cat(tenths / 10, " GT/s") : Cat(tenths / 10, ".", tenths % 10, " GT/s");
}

constexpr Measure kWidth{&PciLink::width, PciLanesText, "every lane both ends have"};
constexpr Measure kSpeed{&PciLink::speed_mtps, TransfersText, "the speed both ends have"};

Fix ReseatFix(const std::string& address) {
  const std::string show = Cat("lspci -vv -s ", ShellWord(address));
  return Fix(show)
      .Because(
          "the link trained to less than both ends can: the seat, a riser, the slot, or a setting of the BIOS")
      .Caution("the host is powered off for it")
      .Do(Cat("reseat the card at ", Printable(address), ", then try it in another slot"))
      .Do("look at speed and bifurcation of the slot in the BIOS")
      .CheckBy(show);
}

// A link below what both of its ends can is a fault; a slot that can less than the card is so by design.
Verdict JudgeLinks(const Port& port, const Measure& measure) {
  const std::string expected(measure.expected);
  const Fact<std::vector<PciHop>> path = PciPathOf(port);
  if (!path) return NoAnswer(path.missing(), expected, kPciSource);
  const auto number = measure.number;
  const bool filled = std::ranges::all_of(
      *path, [number](const PciHop& hop) { return hop.current.*number != 0 && hop.max.*number != 0; });
  if (path->empty() || !filled) return Unclear("the link does not say what it runs at", expected, kPciSource);
  for (const BusLink& link : LinksOf(*path)) {
    const std::uint32_t now = link.device->current.*number;
    const std::uint32_t card = link.device->max.*number;
    const std::uint32_t slot = link.slot == nullptr ? card : link.slot->max.*number;
    if (now < std::min(card, slot)) {
      return Judged(
          false,
          Cat(link.device->address, " runs at ", measure.text(now), " of ", measure.text(std::min(card, slot))),
          expected, kPciSource, ReseatFix(link.device->address));
    }
  }
  const PciHop& card = path->front();
  const std::string observed = Cat(card.address, " runs at ", measure.text(card.current.*number));
  // Whether that is enough is pcie.bandwidth's.
  if (card.current.*number < card.max.*number)
    return Judged(true, Cat(observed, ", all that its slot has; the card has ", measure.text(card.max.*number)),
                  expected, kPciSource);
  return Judged(true, observed, expected, kPciSource);
}

Verdict JudgePcieWidth(const PortView& view) {
  if (std::string reason = NoPcie(view.port); !reason.empty()) return NotApplicable(reason);
  return JudgeLinks(view.port, kWidth);
}
Verdict JudgePcieSpeed(const PortView& view) {
  if (std::string reason = NoPcie(view.port); !reason.empty()) return NotApplicable(reason);
  return JudgeLinks(view.port, kSpeed);
}

// What the wire brings: InfiniBand's over all its lanes.
FactRef<std::uint32_t> WireSpeed(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return view.port.rate_mbps;
  return NetdevFact(view.netdev, &Netdev::speed_mbps);
}

std::string LinkText(const PciLink& link) {
  return Cat(PciLanesText(link.width), " at ", TransfersText(link.speed_mtps));
}

// Two ends of one link always run alike. The emulated root port of a virtual machine does not know how the card
// runs.
bool IsEmulated(const std::vector<PciHop>& path) {
  return path.size() > 1 && path[0].current != path[1].current;
}

// The first link of the path that carries least.
const PciHop& NarrowestHop(const std::vector<PciHop>& path) {
  if (IsEmulated(path)) return path.front();
  return *std::ranges::min_element(path, {}, [](const PciHop& hop) { return CapacityMbps(hop.current); });
}

// A slot that can less than the card is so by design: another one helps. Else the link trained to less than it
// can.
Fix BandwidthFix(const std::vector<PciHop>& path) {
  const PciHop& card = path.front();
  const PciHop* slot = path.size() > 1 ? &path[1] : nullptr;
  const std::string check = Cat("lspci -vv -s ", ShellWord(card.address));
  if (slot != nullptr && CapacityMbps(slot->max) < CapacityMbps(card.max)) {
    return Fix()
        .Because(Cat("the slot has ", LinkText(slot->max), ", the card could use ", LinkText(card.max)),
                 Certainty::kCertain)
        .Caution("the host is powered off for it")
        .Do(Cat("move the card at ", Printable(card.address), " to another slot: one with ",
                PciLanesText(card.max.width), " lanes, where the machine has one"))
        .CheckBy(check);
  }
  const PciHop& narrow = NarrowestHop(path);
  if (card.current == card.max) {
    return Fix()
        .Because(Cat("the card runs at its best; the narrow place is ", Printable(narrow.address), " above it"))
        .Do(Cat("move the card at ", Printable(card.address), " to another slot, below another bridge"))
        .CheckBy(check);
  }
  return ReseatFix(card.address);
}

// The number that decides: "31 Gb/s through PCIe: 0000:c2:00.0 has x4 at 8 GT/s".
std::string CarriedText(const PciHop& narrow) {
  return Cat(CapacityMbps(narrow.current) / 1000, " Gb/s through PCIe: ", Printable(narrow.address), " has ",
             LinkText(narrow.current));
}

Verdict JudgePcieBandwidth(const EthernetView& view) {
  if (std::string reason = NoPcie(view.port); !reason.empty()) return NotApplicable(reason);
  if (!IsInfiniBand(view.port) && view.netdev && !view.netdev->carrier)
    return NotApplicable("no carrier, hence no speed: see link.state");
  if (HasOwnProtocol(view.port)) return NotApplicable("it has no interface, hence no speed to compare with");
  if (ManagesSwitches(view.port))
    return NotApplicable("a port inside the machine: the board gives it few lanes");
  const std::string_view both =
      IsInfiniBand(view.port) ? "sysfs PCI, sysfs port rate" : "sysfs PCI, ethtool link modes";
  const Fact<std::uint32_t> speed = WireSpeed(view);
  if (!speed) return NoAnswer(speed.missing(), "the port's speed", both);
  const std::string expected = "at least " + SpeedText(*speed);
  const Fact<std::vector<PciHop>> path = PciPathOf(view.port);
  if (!path) return NoAnswer(path.missing(), expected, both);
  if (path->empty() || CapacityMbps(NarrowestHop(*path).current) == 0)
    return Unclear("the link does not say what it runs at", expected, both);
  const PciHop& narrow = NarrowestHop(*path);
  const std::uint64_t capacity = CapacityMbps(narrow.current);
  const std::string observed = CarriedText(narrow);
  if (capacity >= *speed) return Judged(true, observed, expected, both);
  const PciHop& card = path->front();
  if (CapacityMbps(card.max) < *speed && card.current == card.max)
    return Judged(true, observed + ", all that the device itself has", expected, both);
  // A profile that names a speed is content with that.
  const bool content = view.profile.min_speed_mbps && capacity >= *view.profile.min_speed_mbps;
  Verdict verdict = content ? Warned(observed, expected, both, BandwidthFix(*path))
                            : Judged(false, observed, expected, both, BandwidthFix(*path));
  // Where its links would be too slow at their best, no lost lane or speed explains it.
  verdict.independent = BestMbps(*path) < *speed;
  return verdict;
}

Verdict JudgePcieNuma(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable("a software device has no PCIe");
  constexpr std::string_view kExpected = "a NUMA node";
  const Fact<std::uint32_t>& nodes = view.host.numa_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), kExpected, kPciSource);
  if (!view.port.pci) return NoAnswer(view.port.pci.missing(), kExpected, kPciSource);
  if (*nodes == 1) return Judged(true, "one NUMA node", kExpected, kPciSource);
  const Fact<std::int32_t>& node = view.port.pci->numa_node;
  if (!node) return NoAnswer(node.missing(), kExpected, kPciSource);
  const std::string observed =
      *node >= 0 ? Cat("node ", *node, " of ", *nodes) : Cat("none named, of ", *nodes, " nodes");
  return Judged(*node >= 0, observed, kExpected, kPciSource);
}

// The number of corrected ones is by experience; no standard has one.
Verdict JudgePcieAer(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable("a software device has no PCIe");
  const Fact<PciFunction>& pci = view.port.pci;
  if (pci && NotOffered(pci->aer_fatal) && NotOffered(pci->aer_nonfatal))
    return NotApplicable("the device reports no bus errors");
  constexpr std::string_view kAerSource = "sysfs AER, /proc/uptime";
  constexpr std::string_view kExpected = "none uncorrected, at most 10 corrected an hour";
  constexpr std::uint64_t kMostAnHour = 10;
  constexpr std::uint64_t kSecondsAnHour = 3600;
  if (!pci) return NoAnswer(pci.missing(), kExpected, kAerSource);
  for (const Fact<std::uint64_t>* count : {&pci->aer_fatal, &pci->aer_nonfatal}) {
    if (!*count) return NoAnswer(count->missing(), kExpected, kAerSource);
  }
  if (*pci->aer_fatal > 0 || *pci->aer_nonfatal > 0) {
    return Judged(false, Cat(*pci->aer_fatal, " fatal and ", *pci->aer_nonfatal, " non-fatal bus errors"),
                  kExpected, kAerSource);
  }
  const Fact<std::uint64_t>& corrected = pci->aer_correctable;
  if (NotOffered(corrected)) return Judged(true, "no uncorrected bus error", kExpected, kAerSource);
  if (!corrected) return NoAnswer(corrected.missing(), kExpected, kAerSource);
  const std::string observed = Cat("none uncorrected, ", *corrected, " corrected since boot");
  if (*corrected <= kMostAnHour) return Judged(true, observed, kExpected, kAerSource);
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), kExpected, kAerSource);
  const bool many = *corrected * kSecondsAnHour > kMostAnHour * *uptime;
  if (many) return Warned(observed, kExpected, kAerSource);
  return Judged(true, observed, kExpected, kAerSource);
}

constexpr std::string_view kPciConfigSource = "PCI configuration space";

// The hops, of which there is at least one; else the reason why not.
Fact<std::vector<PciHop>> WholePciPathOf(const Port& port) {
  if (!port.pci) return port.pci.missing();
  if (port.pci->path && port.pci->path->empty())
    return Missing{.kind = Missing::Kind::kFailed, .detail = "the way to the root port is not known"};
  return port.pci->path;
}

// Both ends of a link must take what the other sends: one size all the way.
Verdict JudgePcieMps(const PortView& view) {
  if (std::string reason = NoPcie(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "the same all the way, 256 bytes at least";
  constexpr std::uint32_t kEnoughBytes = 256;
  const Fact<std::vector<PciHop>> path = WholePciPathOf(view.port);
  if (!path) return NoAnswer(path.missing(), kExpected, kPciConfigSource);
  for (const PciHop& hop : *path) {
    if (!hop.max_payload_bytes) return NoAnswer(hop.max_payload_bytes.missing(), kExpected, kPciConfigSource);
  }
  const PciHop& device = path->front();
  const std::uint32_t own = *device.max_payload_bytes;
  for (const PciHop& hop : *path) {
    if (*hop.max_payload_bytes == own) continue;
    return Judged(
        false,
        Cat(device.address, " has ", own, " bytes, ", hop.address, " on its way ", *hop.max_payload_bytes),
        kExpected, kPciConfigSource);
  }
  const std::string observed = Cat(own, " bytes on ", path->size(), path->size() == 1 ? " device" : " devices");
  if (own < kEnoughBytes) return Warned(observed, kExpected, kPciConfigSource);
  return Judged(true, observed, kExpected, kPciConfigSource);
}

// Below 512 bytes a fast port spends the bus on requests; 256 was too low for any.
Verdict JudgePcieMrrs(const PortView& view) {
  if (std::string reason = NoPcie(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr std::uint32_t kLeastBytes = 256;
  constexpr std::uint32_t kFastBytes = 512;
  constexpr std::uint32_t kFastMbps = 25'000;
  const FactRef<std::uint32_t> speed = NetdevFact(view.port.netdev, &Netdev::speed_mbps);
  const std::uint32_t mbps = speed ? *speed : view.port.rate_mbps ? *view.port.rate_mbps : 0;
  const std::uint32_t wanted = mbps >= kFastMbps ? kFastBytes : kLeastBytes;
  const std::string expected = Cat("at least ", wanted, " bytes");
  const Fact<std::vector<PciHop>> path = WholePciPathOf(view.port);
  if (!path) return NoAnswer(path.missing(), expected, kPciConfigSource);
  const PciHop& device = path->front();
  if (!device.max_read_request_bytes)
    return NoAnswer(device.max_read_request_bytes.missing(), expected, kPciConfigSource);
  const std::uint32_t now = *device.max_read_request_bytes;
  const Fix fix = Fix(Cat("setpci -s ", ShellWord(device.address), " CAP_EXP+8.w=5000:7000"))
                      .Because("the firmware of the host set it at boot")
                      .Caution("the command sets 4096 bytes until the next boot")
                      .Do("for good: set the maximum read request in the BIOS")
                      .CheckBy(Cat("lspci -vv -s ", ShellWord(device.address)));
  const std::string observed = Cat(now, " bytes at ", device.address);
  if (now >= kLeastBytes && now < wanted) return Warned(observed, expected, kPciConfigSource, fix);
  return Judged(now >= wanted, observed, expected, kPciConfigSource, fix);
}

std::string AcsNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return NoPcie(view.port);
  return view.profile.gpu_direct ? "" : NotAsked(view.profile, "GPU-direct");
}

// Bits 2 and 3 of ACSCtl: requests and completions between two devices.
Fix AcsFix(const std::vector<std::string>& bridges) {
  Fix fix = Fix()
                .Because("access control (ACS) is on at the bridges between NIC and GPU")
                .Caution("not where virtual machines own devices: ACS keeps them apart");
  for (const std::string& address : bridges)
    fix = std::move(fix).Run(Cat("setpci -s ", ShellWord(address), " ECAP_ACS+6.w=0000:000c"));
  return std::move(fix)
      .Do("do the same at the bridge above each GPU")
      .Do("for good: switch ACS off in the BIOS, or run these commands at each boot")
      .CheckBy(Cat("lspci -vv -s ", ShellWord(bridges.front())));
}

// A port without ACS redirects nothing.
Verdict JudgePcieAcs(const PortView& view) {
  if (std::string reason = AcsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "no redirection on the way";
  const Fact<std::vector<PciHop>> path = WholePciPathOf(view.port);
  if (!path) return NoAnswer(path.missing(), kExpected, kPciConfigSource);
  const PciHop* unread = nullptr;
  std::vector<std::string> redirecting;
  for (const PciHop& hop : *path) {
    if (!hop.acs_redirect && !NotOffered(hop.acs_redirect)) unread = &hop;
    if (hop.acs_redirect && *hop.acs_redirect) redirecting.push_back(hop.address);
  }
  if (!redirecting.empty()) {
    std::string names;
    for (const std::string& address : redirecting) names += Cat(names.empty() ? "" : ", ", Printable(address));
    return Judged(false, Cat(names, " sends what is for another device up to the root"), kExpected,
                  kPciConfigSource, AcsFix(redirecting));
  }
  if (unread != nullptr) return NoAnswer(unread->acs_redirect.missing(), kExpected, kPciConfigSource);
  return Judged(true, Cat("none of ", path->size(), " devices redirects"), kExpected, kPciConfigSource);
}

std::string IommuNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return NoPcie(view.port);
  return view.port.pci && NotOffered(view.port.pci->iommu_domain) ? "no IOMMU is in the way" : "";
}

Verdict JudgePcieIommu(const PortView& view) {
  if (std::string reason = IommuNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kIommuSource = "sysfs IOMMU group";
  constexpr std::string_view kExpected = "identity";
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci) return NoAnswer(pci.missing(), kExpected, kIommuSource);
  if (!pci->iommu_domain) return NoAnswer(pci->iommu_domain.missing(), kExpected, kIommuSource);
  const bool direct = *pci->iommu_domain == kExpected;
  return Judged(
      direct,
      Cat(direct ? "addresses pass as they are: " : "every address is translated: ", *pci->iommu_domain),
      kExpected, kIommuSource);
}

}  // namespace

std::vector<Check> PcieChecks() {
  return {
      {.id = "pcie.width",
       .title = "The NIC's PCIe link has all its lanes",
       .why = "A link with half its lanes carries half: the NIC fills its buffers and sends pauses",
       .fix = Fix("lspci -vv")
                  .Because("the link trained to less than both ends can")
                  .Do("reseat the card of {device}, then try it in another slot"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieWidth},
      {.id = "pcie.speed",
       .title = "The NIC's PCIe link runs at the speed of both ends",
       .why = "A link of an older generation carries half: the NIC fills its buffers and sends pauses",
       .fix = Fix("lspci -vv")
                  .Because("the link trained to less than both ends can")
                  .Do("reseat the card of {device}, then try it in another slot"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieSpeed},
      {.id = "pcie.bandwidth",
       .title = "PCIe carries what the port can receive",
       .why = "Where the bus is slower than the wire the host becomes the slow receiver, and pauses the fabric",
       .fix = Fix("lspci -vv")
                  .Because("the slot has fewer lanes, or an older generation, than the card")
                  .Do("move the card to another slot, where the machine has a wider one"),
       .blocks_for = &kDemandsSpeed,
       .depends_on = {"inv.netdev-mapping", "pcie.width", "pcie.speed"},
       .judge = JudgePcieBandwidth},
      {.id = "pcie.numa",
       .title = "It is known which NUMA node the NIC is at",
       .why = "Without it interrupts and buffers land on the far socket, and cost latency and bandwidth",
       .fix = Fix("cat /sys/class/infiniband/{device}/device/numa_node")
                  .Because("the firmware of the host does not name the node of this slot", Certainty::kCertain)
                  .Do("look for NUMA per socket in the BIOS, or update it; -1: still not named")
                  .CheckBy("cat /sys/class/infiniband/{device}/device/numa_node"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieNuma},
      {.id = "pcie.aer",
       .title = "The NIC's bus had no uncorrected error, and few that it corrected",
       .why = "An uncorrected bus error loses data between NIC and memory, or resets the NIC; corrected ones "
              "foretell it",
       .fix = Fix("dmesg --level err,warn")
                  .Because("a bad seat, a riser or a slot: AER in the kernel's log says which link")
                  .Caution("the host is powered off for it")
                  .Do("reseat the card of {device}, then try it in another slot")
                  .CheckBy("grep -H . /sys/class/infiniband/{device}/device/aer_dev_fatal"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieAer},
      {.id = "pcie.mps",
       .title = "Every device on the way to memory takes the same size of packet",
       .why = "A packet larger than the next device takes is an error of the bus; small ones waste it",
       .fix = Fix("grep -o 'pci=[^ ]*' /proc/cmdline")
                  .Because("the firmware of the host set it for each device apart")
                  .Caution("it takes a reboot")
                  .Do("add pci=pcie_bus_safe to the command line of the kernel, and reboot")
                  .Or("set the maximum payload in the BIOS")
                  .CheckBy("lspci -vv"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieMps},
      {.id = "pcie.mrrs",
       .title = "The NIC may read enough of memory with one request",
       .why = "What it sends it reads from memory first: with small requests it waits more than it reads",
       .fix = Fix("lspci -vv")
                  .Because("the firmware of the host set it at boot")
                  .Do("raise MaxReadReq of {device} in the BIOS"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieMrrs},
      {.id = "pcie.acs",
       .title = "Nothing between NIC and GPU redirects what they say to each other",
       .why = "Redirected, each byte goes up to the processor and down again: half of the bandwidth, or less",
       .fix = Fix("lspci -vv")
                  .Because("access control (ACS) is on at the bridges between NIC and GPU")
                  .Do("switch ACS off in the BIOS: ReqRedir and CmpltRedir of ACSCtl at the bridges"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieAcs},
      {.id = "pcie.iommu",
       .title = "The NIC reaches memory without translation",
       .why = "A translated address costs a look-up, and small transfers feel it; it is needed only where a "
              "virtual "
              "machine owns a device",
       .fix = Fix("grep -o 'iommu[^ ]*' /proc/cmdline")
                  .Because("the IOMMU is on, and not in passthrough")
                  .Caution("not where a virtual machine owns a device; it takes a reboot")
                  .Do("add iommu=pt to the command line of the kernel, and reboot")
                  .CheckBy("cat /sys/class/infiniband/{device}/device/iommu_group/type"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgePcieIommu},
  };
}

}  // namespace rdmaready
