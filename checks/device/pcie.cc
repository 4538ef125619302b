// SPDX-License-Identifier: Apache-2.0
// pcie.*: can the host feed the NIC, and does the bus carry it without errors.
#include <algorithm>
#include <optional>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "sysfs PCI";

std::string NoPcie(const Port& port) {
  if (IsSoftware(port)) return "a software device has no PCIe";
  if (port.pci && port.pci->virtual_function) return "a virtual function has no link of its own";
  return {};
}

std::string PortNotApplicable(const PortView& view) { return NoPcie(view.port); }

Fact<std::vector<PciHop>> PathOf(const Port& port) {
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

std::string LanesText(std::uint32_t lanes) { return Cat("x", lanes); }

std::string TransfersText(std::uint32_t mtps) {
  const std::uint32_t tenths = mtps / 100;
  return tenths % 10 == 0 ? Cat(tenths / 10, " GT/s") : Cat(tenths / 10, ".", tenths % 10, " GT/s");
}

constexpr Measure kWidth{&PciLink::width, LanesText, "every lane both ends have"};
constexpr Measure kSpeed{&PciLink::speed_mtps, TransfersText, "the speed both ends have"};

// A link below what both of its ends can is a fault; a slot that can less than the card, a choice to know of.
Verdict JudgeLinks(const Port& port, const Measure& measure) {
  const std::string expected(measure.expected);
  const Fact<std::vector<PciHop>> path = PathOf(port);
  if (!path) return NoAnswer(path.missing(), expected, kSource);
  const auto number = measure.number;
  const bool filled = std::ranges::all_of(
      *path, [number](const PciHop& hop) { return hop.current.*number != 0 && hop.max.*number != 0; });
  if (path->empty() || !filled) return Unclear("the link does not say what it runs at", expected, kSource);
  for (const BusLink& link : LinksOf(*path)) {
    const std::uint32_t now = link.device->current.*number;
    const std::uint32_t card = link.device->max.*number;
    const std::uint32_t slot = link.slot == nullptr ? card : link.slot->max.*number;
    if (now < std::min(card, slot)) {
      return Judged(
          false,
          Cat(link.device->address, " runs at ", measure.text(now), " of ", measure.text(std::min(card, slot))),
          expected, kSource);
    }
  }
  const PciHop& card = path->front();
  const std::string observed = Cat(card.address, " runs at ", measure.text(card.current.*number));
  if (card.current.*number < card.max.*number)
    return Warned(Cat(observed, ", its slot has no more; the card has ", measure.text(card.max.*number)),
                  expected, kSource);
  return Judged(true, observed, expected, kSource);
}

Verdict JudgeWidth(const PortView& view) { return JudgeLinks(view.port, kWidth); }
Verdict JudgeSpeed(const PortView& view) { return JudgeLinks(view.port, kSpeed); }

// Megabits per second that a link carries, after its coding: 8b/10b up to 5 GT/s, 128b/130b above.
std::uint64_t CapacityMbps(const PciLink& link) {
  constexpr std::uint32_t kLast8b10bMtps = 5000;
  const std::uint64_t raw = std::uint64_t{link.speed_mtps} * link.width;
  return link.speed_mtps <= kLast8b10bMtps ? raw * 8 / 10 : raw * 128 / 130;
}

std::string BandwidthNotApplicable(const EthernetView& view) { return NoPcie(view.port); }

// What the wire brings: InfiniBand's over all its lanes.
Fact<std::uint32_t> WireSpeed(const EthernetView& view) {
  return IsInfiniBand(view.port) ? view.port.rate_mbps : NetdevFact(view.netdev, &Netdev::speed_mbps);
}

Verdict JudgeBandwidth(const EthernetView& view) {
  const std::string_view both =
      IsInfiniBand(view.port) ? "sysfs PCI, sysfs port rate" : "sysfs PCI, ethtool link modes";
  const Fact<std::uint32_t> speed = WireSpeed(view);
  if (!speed) return NoAnswer(speed.missing(), "the port's speed", both);
  const std::string expected = "at least " + SpeedText(*speed);
  const Fact<std::vector<PciHop>> path = PathOf(view.port);
  if (!path) return NoAnswer(path.missing(), expected, both);
  std::optional<std::uint64_t> narrowest;
  for (const PciHop& hop : *path) {
    const std::uint64_t capacity = CapacityMbps(hop.current);
    narrowest = std::min(narrowest.value_or(capacity), capacity);
  }
  if (!narrowest || *narrowest == 0) return Unclear("the link does not say what it runs at", expected, both);
  const std::string observed = Cat(*narrowest / 1000, " Gb/s through PCIe");
  return Judged(*narrowest >= *speed, observed, expected, both);
}

std::string NumaNotApplicable(const PortView& view) {
  return IsSoftware(view.port) ? "a software device has no PCIe" : "";
}

Verdict JudgeNuma(const PortView& view) {
  constexpr std::string_view kExpected = "a NUMA node";
  const Fact<std::uint32_t>& nodes = view.host.numa_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), std::string(kExpected), kSource);
  if (!view.port.pci) return NoAnswer(view.port.pci.missing(), std::string(kExpected), kSource);
  if (*nodes == 1) return Judged(true, "one NUMA node", std::string(kExpected), kSource);
  const Fact<std::int32_t>& node = view.port.pci->numa_node;
  if (!node) return NoAnswer(node.missing(), std::string(kExpected), kSource);
  const std::string observed =
      *node >= 0 ? Cat("node ", *node, " of ", *nodes) : Cat("none named, of ", *nodes, " nodes");
  return Judged(*node >= 0, observed, std::string(kExpected), kSource);
}

std::string AerNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return "a software device has no PCIe";
  const Fact<PciFunction>& pci = view.port.pci;
  return pci && NotOffered(pci->aer_fatal) && NotOffered(pci->aer_nonfatal) ? "the device reports no bus errors"
                                                                            : "";
}

// The number of corrected ones is by experience; no standard has one.
Verdict JudgeAer(const PortView& view) {
  constexpr std::string_view kAerSource = "sysfs AER, /proc/uptime";
  constexpr std::string_view kExpected = "none uncorrected, at most 10 corrected an hour";
  constexpr std::uint64_t kMostAnHour = 10;
  constexpr std::uint64_t kHourS = 3600;
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci) return NoAnswer(pci.missing(), std::string(kExpected), kAerSource);
  for (const Fact<std::uint64_t>* count : {&pci->aer_fatal, &pci->aer_nonfatal}) {
    if (!*count) return NoAnswer(count->missing(), std::string(kExpected), kAerSource);
  }
  if (*pci->aer_fatal > 0 || *pci->aer_nonfatal > 0) {
    return Judged(false, Cat(*pci->aer_fatal, " fatal and ", *pci->aer_nonfatal, " non-fatal bus errors"),
                  std::string(kExpected), kAerSource);
  }
  const Fact<std::uint64_t>& corrected = pci->aer_correctable;
  if (NotOffered(corrected))
    return Judged(true, "no uncorrected bus error", std::string(kExpected), kAerSource);
  if (!corrected) return NoAnswer(corrected.missing(), std::string(kExpected), kAerSource);
  const std::string observed = Cat("none uncorrected, ", *corrected, " corrected since boot");
  if (*corrected <= kMostAnHour) return Judged(true, observed, std::string(kExpected), kAerSource);
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), std::string(kExpected), kAerSource);
  const bool many = *corrected * kHourS > kMostAnHour * *uptime;
  if (many) return Warned(observed, std::string(kExpected), kAerSource);
  return Judged(true, observed, std::string(kExpected), kAerSource);
}

constexpr std::string_view kReseatFix =
    "lspci -vv  # LnkCap and LnkSta of {device}: reseat the card, use another slot, look at the slot's BIOS "
    "settings";

}  // namespace

Check PcieWidth() {
  return {.id = "pcie.width",
          .title = "The NIC's PCIe link has all its lanes",
          .why = "A link with half its lanes carries half: the NIC fills its buffers and sends pauses",
          .fix = kReseatFix,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{PortNotApplicable, JudgeWidth}};
}

Check PcieSpeed() {
  return {.id = "pcie.speed",
          .title = "The NIC's PCIe link runs at the speed of both ends",
          .why = "A link of an older generation carries half: the NIC fills its buffers and sends pauses",
          .fix = kReseatFix,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{PortNotApplicable, JudgeSpeed}};
}

Check PcieBandwidth() {
  return {
      .id = "pcie.bandwidth",
      .title = "PCIe carries what the port can receive",
      .why = "Where the bus is slower than the wire the host becomes the slow receiver, and pauses the fabric",
      .fix = kReseatFix,
      .depends_on = {"link.state", "pcie.width", "pcie.speed"},
      .rule = Rule<EthernetView>{BandwidthNotApplicable, JudgeBandwidth}};
}

Check PcieNuma() {
  return {.id = "pcie.numa",
          .title = "It is known which NUMA node the NIC is at",
          .why = "Without it interrupts and buffers land on the far socket, and cost latency and bandwidth",
          .fix =
              "cat /sys/class/infiniband/{device}/device/numa_node  # -1: a BIOS setting (NUMA per socket) or "
              "its update names it",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{NumaNotApplicable, JudgeNuma}};
}

Check PcieAer() {
  return {.id = "pcie.aer",
          .title = "The NIC's bus had no uncorrected error, and few that it corrected",
          .why =
              "An uncorrected bus error loses data between NIC and memory, or resets the NIC; corrected ones "
              "foretell it",
          .fix = "dmesg --level err,warn  # look for AER; reseat the card, or use another slot",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{AerNotApplicable, JudgeAer}};
}

}  // namespace rdmaready
