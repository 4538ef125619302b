// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

template <class Change>
Facts WithHops(Change change) {
  return HardwareNic([&change](Port&, PciFunction& pci) {
    std::vector<PciHop> path = *pci.path;
    change(path);
    pci.path = path;
  });
}

Facts Domain(Fact<std::string> domain) {
  return HardwareNic([&domain](Port&, PciFunction& pci) { pci.iommu_domain = domain; });
}

template <class Change>
Facts WithPath(Change change) {
  return WithHardware([&change](Port&, PciFunction& pci) {
    std::vector<PciHop> path = *pci.path;
    change(path);
    pci.path = path;
  });
}

Facts VirtualFunction() {
  return WithHardware([](Port&, PciFunction& pci) { pci.virtual_function = true; });
}

Facts NoPath() {
  return WithHardware([](Port&, PciFunction& pci) { pci.path = Denied(); });
}

std::vector<CheckCase> PcieBusRows() {
  const Facts unread = WithHops([](std::vector<PciHop>& path) {
    path[1].max_payload_bytes = Denied();
    path[0].max_read_request_bytes = Denied();
    path[1].acs_redirect = Denied();
  });
  const auto payload = [](std::uint32_t device, std::uint32_t port) {
    return WithHops([=](std::vector<PciHop>& path) {
      path[0].max_payload_bytes = device;
      path[1].max_payload_bytes = port;
    });
  };
  const auto request = [](std::uint32_t bytes) {
    return WithHops([=](std::vector<PciHop>& path) { path[0].max_read_request_bytes = bytes; });
  };
  const Profile gpu = Asking([](Profile& profile) { profile.gpu_direct = true; });
  const Facts redirecting = WithHops([](std::vector<PciHop>& path) { path[1].acs_redirect = true; });
  const Facts both_redirect =
      WithHops([](std::vector<PciHop>& path) { path[0].acs_redirect = path[1].acs_redirect = true; });
  const Facts without_acs = WithHops([](std::vector<PciHop>& path) { path[1].acs_redirect = kUnsupported; });
  return {
      Passes("pcie.mps", "alike", GoodNic(), "256 bytes on 2 devices"),
      Fails("pcie.mps", "different", payload(512, 256),
            "0000:3b:00.0 has 512 bytes, 0000:3a:00.0 on its way 256", {.fix = "pci=pcie_bus_safe"}),
      Warns("pcie.mps", "small", payload(128, 128), "128 bytes"),
      IsUnknown("pcie.mps", "denied", unread, "not permitted"),
      DoesNotApply("pcie.mps", "software", GoodHost(), "no PCIe"),
      Passes("pcie.mrrs", "good", GoodNic(), "4096 bytes"),
      Fails("pcie.mrrs", "128", request(128), "128 bytes at 0000:3b:00.0",
            {.fix = "setpci -s 0000:3b:00.0 CAP_EXP+8.w=5000:7000"}),
      Warns("pcie.mrrs", "256 at 25 Gb/s", request(256), "256 bytes"),
      IsUnknown("pcie.mrrs", "denied", unread, "not permitted"),
      DoesNotApply("pcie.mrrs", "software", GoodHost(), "no PCIe"),
      Passes("pcie.acs", "none redirects", GoodNic(), "none of 2 devices", {.profile = gpu}),
      Passes("pcie.acs", "a port without", without_acs, "none of 2 devices", {.profile = gpu}),
      Fails("pcie.acs", "redirected at two bridges", both_redirect, "0000:3b:00.0, 0000:3a:00.0 sends",
            {.fix = "setpci -s 0000:3b:00.0 ECAP_ACS+6.w=0000:000c; setpci -s 0000:3a:00.0", .profile = gpu}),
      Fails("pcie.acs", "redirected", redirecting, "0000:3a:00.0 sends",
            {.fix = "setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000:000c", .profile = gpu}),
      IsUnknown("pcie.acs", "denied", unread, "not permitted", {.profile = gpu}),
      DoesNotApply("pcie.acs", "not asked", redirecting, "does not ask"),
      Passes("pcie.iommu", "identity", GoodNic(), "identity"),
      Fails("pcie.iommu", "translated", Domain(std::string("DMA-FQ")), "translated: DMA-FQ",
            {.fix = "iommu=pt"}),
      IsUnknown("pcie.iommu", "denied", Domain(Denied()), "not permitted"),
      DoesNotApply("pcie.iommu", "none", Domain(kUnsupported), "no IOMMU"),
      DoesNotApply("pcie.iommu", "software", GoodHost(), "no PCIe")};
}

std::vector<CheckCase> PcieItselfRows() {
  const Facts half =
      WithPath([](std::vector<PciHop>& path) { path[0].current.width = path[1].current.width = 4; });
  const Facts small_slot = WithPath([](std::vector<PciHop>& path) {
    path[0].current.width = 4;
    path[1].current.width = path[1].max.width = 4;
  });
  const Facts old = WithPath([](std::vector<PciHop>& path) { path[0].current.speed_mtps = 8'000; });
  const Facts blank = WithPath([](std::vector<PciHop>& path) { path[0].current = {}; });
  const Facts narrow = WithPath([](std::vector<PciHop>& path) {
    for (PciHop& hop : path) hop.current = {.speed_mtps = 2'500, .width = 4};
  });
  const auto below_emulated = [](PciLink card) {
    return WithPath([card](std::vector<PciHop>& path) {
      path.resize(2, path.front());
      path[0].current = card;
      path[1].current = path[1].max = {.speed_mtps = 2'500, .width = 1};
    });
  };
  const Facts emulated = below_emulated({.speed_mtps = 16'000, .width = 8});
  const Facts slow_emulated = below_emulated({.speed_mtps = 8'000, .width = 1});
  const auto two_nodes = [](Facts host, Fact<std::int32_t> node) {
    host.numa_nodes = 2;
    std::vector<Port> ports = *host.ports;
    PciFunction pci = *ports.front().pci;
    pci.numa_node = node;
    ports.front().pci = pci;
    host.ports = ports;
    return host;
  };
  Facts nodes_denied = Hardware();
  nodes_denied.numa_nodes = Denied();
  const auto aer = [](Fact<std::uint64_t> fatal) {
    return WithHardware([&fatal](Port&, PciFunction& pci) { pci.aer_fatal = fatal; });
  };
  const auto corrected = [](Fact<std::uint64_t> count) {
    return WithHardware([&count](Port&, PciFunction& pci) { pci.aer_correctable = count; });
  };
  // 200 Gb/s by eight lanes, of which the card has `lanes`.
  const auto hdr = [](std::uint32_t lanes) {
    Facts host = WithPath([lanes](std::vector<PciHop>& path) { path[0].max.width = lanes; });
    std::vector<Port> ports = *OnInfiniband().ports;
    ports.front().pci = host.ports->front().pci;
    host.ports = ports;
    return host;
  };
  const Facts bridge = WithFunction(OnInfiniband(), [](PciFunction& pci) {
    std::vector<PciHop> path = *pci.path;
    for (PciHop& hop : path) hop.current = hop.max = PciLink{.speed_mtps = 16'000, .width = 2};
    pci.path = path;
  });
  const Profile ten = Asking([](Profile& profile) { profile.min_speed_mbps = 5'000; });
  const Facts pulled = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.carrier = false;
    port.netdev = netdev;
  });
  return {
      Passes("pcie.width", "good", Hardware(), "0000:3b:00.0 runs at x8"),
      Fails("pcie.width", "half", half, "0000:3b:00.0 runs at x4 of x8", {.fix = "lspci -vv"}),
      Passes("pcie.width", "small slot", small_slot, "all that its slot has; the card has x8"),
      IsUnknown("pcie.width", "zero", blank, "does not say"),
      IsUnknown("pcie.width", "denied", NoPath(), "not permitted"),
      DoesNotApply("pcie.width", "virtual function", VirtualFunction(), "no link of its own"),
      DoesNotApply("pcie.width", "software", GoodHost(), "no PCIe"),
      Passes("pcie.speed", "good", Hardware(), "16 GT/s"),
      Fails("pcie.speed", "older generation", old, "8 GT/s of 16 GT/s", {.fix = "lspci -vv"}),
      IsUnknown("pcie.speed", "denied", NoPath(), "not permitted"),
      DoesNotApply("pcie.speed", "software", GoodHost(), "no PCIe"),
      Passes("pcie.bandwidth", "good", Hardware(), "126 Gb/s through PCIe"),
      Fails("pcie.bandwidth", "8 Gb/s for 25", narrow, "8 Gb/s through PCIe", {.fix = "lspci -vv"}),
      Passes("pcie.bandwidth", "below an emulated root port", emulated, "126 Gb/s through PCIe"),
      Fails("pcie.bandwidth", "a slow card below an emulated root port", slow_emulated, "7 Gb/s through PCIe"),
      IsUnknown("pcie.bandwidth", "zero", blank, "does not say"),
      IsUnknown("pcie.bandwidth", "denied", NoPath(), "not permitted"),
      DoesNotApply("pcie.bandwidth", "software", GoodHost(), "no PCIe"),
      DoesNotApply("pcie.bandwidth", "no cable", pulled, "no carrier"),
      Passes("pcie.numa", "one node", Hardware(), "one NUMA node"),
      Passes("pcie.numa", "second of two", two_nodes(Hardware(), 1), "node 1 of 2"),
      Fails("pcie.numa", "none named", two_nodes(Hardware(), -1), "none named, of 2 nodes",
            {.fix = "/sys/class/infiniband/rxe0/device/numa_node"}),
      IsUnknown("pcie.numa", "node denied", two_nodes(Hardware(), Denied()), "not permitted"),
      IsUnknown("pcie.numa", "nodes denied", nodes_denied, "not permitted"),
      IsUnknown("pcie.numa", "one node, but of what is not known", WithPort([](Port& port) {
                  port.software = Denied();
                  port.pci = Denied();
                }),
                "not permitted"),
      DoesNotApply("pcie.numa", "software", GoodHost(), "no PCIe"),
      Passes("pcie.bandwidth", "InfiniBand", OnInfiniband(), "252 Gb/s through PCIe"),
      Warns("pcie.bandwidth", "a slot with half of the lanes", hdr(16),
            "126 Gb/s through PCIe: 0000:3b:00.0 has x8 at 16 GT/s", {.fix = "to another slot"}),
      Passes("pcie.bandwidth", "all that the card has", hdr(8), "all that the device itself has"),
      DoesNotApply("pcie.bandwidth", "a port that manages switches", bridge, "inside the machine"),
      Warns("pcie.bandwidth", "less than the port, enough for the profile", narrow, "8 Gb/s through PCIe",
            {.profile = ten}),
      IsUnknown("pcie.bandwidth", "InfiniBand, rate denied",
                OnInfiniband([](Port& port) { port.rate_mbps = Denied(); }), "not permitted"),
      Passes("pcie.aer", "clean", Hardware(), "none uncorrected, 0 corrected"),
      Passes("pcie.aer", "ten corrected an hour", corrected(240), "240 corrected since boot"),
      Warns("pcie.aer", "more of them", corrected(241), "241 corrected since boot", {.fix = "dmesg"}),
      Passes("pcie.aer", "corrected ones not reported", corrected(kUnsupported), "no uncorrected"),
      IsUnknown("pcie.aer", "corrected ones denied", corrected(Denied()), "not permitted"),
      Fails("pcie.aer", "fatal", aer(std::uint64_t{2}), "2 fatal and 0 non-fatal", {.fix = "dmesg"}),
      IsUnknown("pcie.aer", "denied", aer(Denied()), "not permitted"),
      DoesNotApply("pcie.aer", "not reported", WithHardware([](Port&, PciFunction& pci) {
                     pci.aer_fatal = kUnsupported;
                     pci.aer_nonfatal = kUnsupported;
                   }),
                   "reports no bus errors"),
      DoesNotApply("pcie.aer", "software", GoodHost(), "no PCIe")};
}

}  // namespace

std::vector<CheckCase> PcieCases() { return Joined({PcieBusRows(), PcieItselfRows()}); }

}  // namespace rdmaready
