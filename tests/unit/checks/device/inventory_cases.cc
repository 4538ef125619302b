// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts NoPorts(RdmaStack stack) {
  Facts host = GoodHost();
  host.rdma_stack = stack;
  host.ports = std::vector<Port>{};
  return host;
}

Facts NoAnswerAboutPorts() {
  Facts host = GoodHost();
  host.ports = Denied();
  return host;
}

std::vector<CheckCase> InventoryBasicsRows() {
  return {Passes("inv.rdma-present", "good", GoodHost(), "rxe0/1: RoCE, software device"),
          Fails("inv.rdma-present", "kernel without InfiniBand", NoPorts(RdmaStack::kAbsent),
                "without InfiniBand", {.fix = "apt-get install linux-image-amd64; reboot"}),
          Fails("inv.rdma-present", "ib_core not loaded", NoPorts(RdmaStack::kNotLoaded), "not loaded",
                {.fix = "modprobe -a ib_uverbs rdma_ucm"}),
          Fails("inv.rdma-present", "no device", NoPorts(RdmaStack::kLoaded), "is loaded, and made none",
                {.fix = "rdma link show"}),
          Fails("inv.rdma-present", "stack not known", NoPorts(RdmaStack::kUnknown), "no RDMA device"),
          IsUnknown("inv.rdma-present", "all lent", WithHardware([](Port& port, PciFunction& pci) {
                      port.netdev = kUnsupported;
                      pci.virtual_function = true;
                    }),
                    "none is used here"),
          IsUnknown("inv.rdma-present", "ports denied", NoAnswerAboutPorts(), "not permitted", {.fix = "root"}),
          Passes("inv.netdev-mapping", "good", GoodHost(), "dcb0"),
          Fails("inv.netdev-mapping", "no netdev", WithPort([](Port& port) { port.netdev = kUnsupported; }),
                "no Ethernet interface", {.fix = "rdma link show rxe0/1"}),
          IsUnknown("inv.netdev-mapping", "netdev denied", WithPort([](Port& port) { port.netdev = Denied(); }),
                    "not permitted"),
          DoesNotApply("inv.netdev-mapping", "InfiniBand",
                       WithPort([](Port& port) { port.transport = Transport::kInfiniBand; }), "InfiniBand"),
          Passes("inv.transport", "good", GoodHost(), "RoCE"),
          Fails("inv.transport", "iWARP port", WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                "iWARP", {.fix = "rdma link show rxe0/1"}),
          IsUnknown("inv.transport", "transport denied",
                    WithPort([](Port& port) { port.transport = Denied(); }), "not permitted"),
          IsUnknown("inv.transport", "device does not say",
                    WithPort([](Port& port) { port.transport = Transport::kUnknown; }), "does not say")};
}

// Two adapters on an InfiniBand fabric, the second one with a change.
template <class Change>
Facts TwoOnInfiniband(Change change) {
  Facts host = OnInfiniband();
  std::vector<Port> ports = *host.ports;
  Port second = ports.front();
  second.device = "mlx5_1";
  change(second);
  ports.push_back(second);
  host.ports = ports;
  return host;
}

// One virtual function, whose interface is `netdev`.
Facts Exclusive(Fact<Netdev> netdev) {
  Facts host = WithHardware([&netdev](Port& port, PciFunction& pci) {
    port.netdev = netdev;
    pci.virtual_function = true;
  });
  host.rdma_netns_shared = false;
  return host;
}

std::vector<CheckCase> InventoryEquipmentRows() {
  const Profile two = Asking([](Profile& profile) { profile.min_ports = std::uint8_t{2}; });
  Profile two_of_infiniband = InfinibandProfile();
  two_of_infiniband.min_ports = std::uint8_t{2};
  const auto like = [](Port&) {};
  return {Passes("inv.expected-count", "two of two", WithSecond(GoodHost(), like), "2 Ethernet ports",
                 {.profile = two}),
          Fails("inv.expected-count", "one of two", GoodHost(), "1 Ethernet port with RDMA",
                {.fix = "rdma link show", .profile = two}),
          IsUnknown("inv.expected-count", "the other's interface is not known",
                    WithSecond(GoodHost(), [](Port& port) { port.netdev = Denied(); }), "not permitted",
                    {.profile = two}),
          Fails("inv.expected-count", "the other has no interface",
                WithSecond(GoodHost(), [](Port& port) { port.netdev = kUnsupported; }), "1 Ethernet port",
                {.profile = two}),
          Fails("inv.expected-count", "InfiniBand does not count",
                WithSecond(GoodHost(), [](Port& port) { port.transport = Transport::kInfiniBand; }),
                "1 Ethernet port", {.profile = two}),
          Passes("inv.expected-count", "two of InfiniBand", TwoOnInfiniband(like), "2 InfiniBand ports",
                 {.profile = two_of_infiniband}),
          IsUnknown("inv.expected-count", "ports not known",
                    WithHost([](Facts& host) { host.ports = Denied(); }), "not permitted", {.profile = two}),
          DoesNotApply("inv.expected-count", "not asked", GoodHost(), "does not ask"),
          Passes("inv.symmetry", "two alike", WithSecond(Hardware(), like), "firmware 16.35.4030 on 2 ports"),
          Fails("inv.symmetry", "other firmware",
                WithSecond(Hardware(), [](Port& port) { port.firmware = std::string("16.30.1004"); }),
                "rxe0/1 and rxe1/1 differ: firmware", {.fix = "devlink dev info"}),
          Fails("inv.symmetry", "other board",
                WithSecond(Hardware(), [](Port& port) { port.board = std::string("MT_1"); }), "boards"),
          Fails("inv.symmetry", "other driver",
                WithSecond(Hardware(),
                           [](Port& port) {
                             Netdev netdev = *port.netdev;
                             netdev.driver = "ice";
                             port.netdev = netdev;
                           }),
                "drivers dcbnic and ice"),
          Fails("inv.symmetry", "software beside hardware",
                WithSecond(Hardware(), [](Port& port) { port.software = true; }),
                "a software device beside hardware"),
          IsUnknown("inv.symmetry", "firmware not known",
                    WithSecond(Hardware(), [](Port& port) { port.firmware = Denied(); }), "not permitted"),
          IsUnknown("inv.symmetry", "whether it is software is not known",
                    WithSecond(GoodHost(), [](Port& port) { port.software = Denied(); }), "not permitted"),
          DoesNotApply("inv.symmetry", "beside a port that manages switches", TwoOnInfiniband([](Port& port) {
                         PciFunction pci = *port.pci;
                         std::vector<PciHop> path = *pci.path;
                         path.front().max = PciLink{.speed_mtps = 32'000, .width = 1};
                         pci.path = path;
                         port.pci = pci;
                         port.board = std::string("NVD0000000046");
                       }),
                       "nothing to compare", {.profile = InfinibandProfile()}),
          DoesNotApply("inv.symmetry", "one port", Hardware(), "nothing to compare"),
          DoesNotApply("inv.symmetry", "software", WithSecond(GoodHost(), like), "software devices only"),
          Passes("inv.physical", "physical", Hardware(), "0000:3b:00.0 is a physical function"),
          Fails("inv.physical", "virtual",
                WithHardware([](Port&, PciFunction& pci) { pci.virtual_function = true; }), "virtual function",
                {.fix = "/sys/class/infiniband/rxe0/device/physfn"}),
          IsUnknown("inv.physical", "not known", WithPort([](Port& port) {
                      port.software = false;
                      port.pci = Denied();
                    }),
                    "not permitted"),
          DoesNotApply("inv.physical", "software", GoodHost(), "software device"),
          Passes("inv.netns-mode", "shared", GoodHost(), "shared"),
          Passes("inv.netns-mode", "exclusive, all at home",
                 WithHost([](Facts& host) { host.rdma_netns_shared = false; }),
                 "exclusive, with the interface in this namespace"),
          Fails("inv.netns-mode", "exclusive, and the interface is elsewhere", Exclusive(kUnsupported),
                "the interface of rxe0 is in another network namespace", {.fix = "rdma dev set rxe0 netns"}),
          IsUnknown("inv.netns-mode", "exclusive, and the interface is not known", Exclusive(Denied()),
                    "not permitted"),
          DoesNotApply("inv.physical", "a virtual function of InfiniBand",
                       WithFunction(OnInfiniband(), [](PciFunction& pci) { pci.virtual_function = true; }),
                       "misses none"),
          IsUnknown("inv.netns-mode", "not known",
                    WithHost([](Facts& host) { host.rdma_netns_shared = Denied(); }), "not permitted")};
}

std::vector<CheckCase> InventorySecurityRows() {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  return {DoesNotApply("inv.netns-mode", "exclusive as asked for", Mode(false), "sec.netns-shared",
                       {.profile = tenants})};
}

}  // namespace

std::vector<CheckCase> InventoryCases() {
  return Joined({InventoryBasicsRows(), InventoryEquipmentRows(), InventorySecurityRows()});
}

}  // namespace rdmaready
