// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

PciDevice Adapter(const char* address, const char* driver, std::vector<std::string> rdma_devices = {}) {
  return {.address = address,
          .vendor_id = 0x8086,
          .device_id = 0x1592,
          .class_code = 0x020000,
          .driver = driver,
          .rdma_devices = std::move(rdma_devices)};
}

Facts OnBus(Fact<std::vector<PciDevice>> devices, Facts host = Hardware()) {
  host.pci_devices = std::move(devices);
  return host;
}

std::vector<CheckCase> DeadRows() {
  const PciDevice works = Adapter("0000:3b:00.0", "mlx5_core", {"mlx5_0"});
  const PciDevice dead = Adapter("0000:5e:00.0", "mlx5_core");
  PciDevice management = dead;
  management.netdevs = {"ens5"};
  PciDevice lent = dead;
  lent.virtual_function = true;
  PciDevice gpu = dead;
  gpu.class_code = 0x030200;
  const auto beside = [&works](PciDevice device) {
    return OnBus(std::vector<PciDevice>{works, std::move(device)});
  };
  Facts exclusive = beside(dead);
  exclusive.rdma_netns_shared = false;
  Facts no_mode = beside(dead);
  no_mode.rdma_netns_shared = Denied();
  Facts no_ports = beside(dead);
  no_ports.ports = Denied();
  return {
      Fails("inv.dead-function", "bound, without interface and RDMA device", beside(dead),
            "0000:5e:00.0 (mlx5_core): the driver has it", {.fix = "dmesg | grep 0000:5e:00.0"}),
      Fails("inv.dead-function", "the repair begins with what the kernel said", beside(dead),
            "neither an interface", {.fix = "cold-start the host"}),
      Passes("inv.dead-function", "all work", OnBus(std::vector<PciDevice>{works}), "each has one"),
      Passes("inv.dead-function", "a management NIC has an interface", beside(management), "each has one"),
      Passes("inv.dead-function", "a virtual function may be anywhere", beside(lent), "each has one"),
      Passes("inv.dead-function", "a GPU", beside(gpu), "each has one"),
      Passes("inv.dead-function", "no other one has RDMA: the RDMA driver is missing",
             OnBus(std::vector<PciDevice>{dead}), "each has one"),
      Fails("inv.dead-function", "one of its model has RDMA, by whatever driver the bus names",
            OnBus(std::vector<PciDevice>{Adapter("0000:3b:00.0", "ib_ipoib", {"mlx5_0"}), dead}),
            "0000:5e:00.0"),
      Passes("inv.dead-function", "another function of Chelsio's",
             OnBus(std::vector<PciDevice>{Adapter("0000:3b:00.4", "cxgb4", {"cxgb4_0"}),
                                          Adapter("0000:3b:00.0", "cxgb4")}),
             "each has one"),
      DoesNotApply("inv.dead-function", "exclusive devices", exclusive, "of their own"),
      DoesNotApply("inv.dead-function", "no bus", OnBus(kUnsupported), "not offered"),
      IsUnknown("inv.dead-function", "denied", OnBus(Denied()), "not permitted"),
      IsUnknown("inv.dead-function", "the ports are not known", no_ports, "not permitted"),
      IsUnknown("inv.dead-function", "whether devices are exclusive is not known", no_mode, "not permitted"),
  };
}

PciDevice Pollara() {
  PciDevice device = Adapter("0000:e5:00.0", "ionic");
  device.vendor_id = 0x1dd8;
  device.device_id = 0x1002;
  device.netdevs = {"enp229s0"};
  return device;
}

Facts Having(std::string_view module, ModuleState state, Facts host) {
  std::vector<KernelModule> modules = *host.modules;
  modules.push_back({.name = std::string(module), .state = state});
  host.modules = modules;
  return host;
}

std::vector<CheckCase> UnboundRows() {
  Facts none = GoodHost();
  none.ports = std::vector<Port>{};
  const auto alone = [&none](PciDevice device) {
    return OnBus(std::vector<PciDevice>{std::move(device)}, none);
  };
  PciDevice unbound = Adapter("0000:3b:00.0", "");
  unbound.vendor_id = 0x15b3;
  PciDevice management = Adapter("0000:3b:00.0", "");
  management.vendor_id = 0x1dd8;
  management.device_id = 0x1004;
  PciDevice lent = Adapter("0000:3b:00.2", "ice");
  lent.virtual_function = true;
  PciDevice network = Adapter("0000:86:00.0", "bnxt_en");
  network.netdevs = {"eno1"};
  PciDevice efa = Adapter("0000:00:06.0", "");
  efa.vendor_id = 0x1d0f;
  efa.device_id = 0xefa1;
  PciDevice copper = Adapter("0000:7d:00.1", "hns3");
  copper.vendor_id = 0x19e5;
  copper.device_id = 0xa221;
  PciDevice roce = copper;
  roce.address = "0000:7d:00.2";
  roce.device_id = 0xa222;
  PciDevice twin = Adapter("0000:3b:00.1", "ice");
  twin.netdevs = {"ens3f1"};
  const PciDevice speaks = Adapter("0000:3b:00.0", "ice", {"rocep59s0f0"});
  Facts lag = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.master = "bond0";
    port.netdev = netdev;
  });
  Facts exclusive = alone(twin);
  exclusive.rdma_netns_shared = false;
  Facts no_ports = alone(twin);
  no_ports.ports = Denied();
  Facts no_mode = alone(twin);
  no_mode.rdma_netns_shared = Denied();
  return {
      Passes("inv.unbound-function", "one that has RDMA", OnBus(std::vector<PciDevice>{speaks}),
             "1 adapter function has"),
      Passes("inv.unbound-function", "no adapter", GoodHost(), "0 adapter functions have RDMA"),
      Passes("inv.unbound-function", "a network port beside RDMA ports",
             OnBus(std::vector<PciDevice>{speaks, network}), "1 more could"),
      Passes("inv.unbound-function", "igb has none", alone(Adapter("0000:01:00.0", "igb")),
             "0 adapter functions"),
      Passes("inv.unbound-function", "another function of Chelsio's",
             OnBus(std::vector<PciDevice>{Adapter("0000:3b:00.4", "cxgb4", {"cxgb4_0"}),
                                          Adapter("0000:3b:00.0", "cxgb4")}),
             "1 adapter function has RDMA"),
      Passes("inv.unbound-function", "a virtual function", alone(lent), "0 adapter functions"),
      Passes("inv.unbound-function", "the second port of RoCE LAG",
             OnBus(std::vector<PciDevice>{Adapter("0000:3b:00.0", "mlx5_core", {"mlx5_bond_0"}),
                                          Adapter("0000:3b:00.1", "mlx5_core")},
                   lag),
             "1 adapter function has"),
      Fails("inv.unbound-function", "ice without RDMA", alone(twin),
            "0000:3b:00.1 (driver ice) has no RDMA device: irdma", {.fix = "dmesg | grep"}),
      Fails("inv.unbound-function", "the kernel lacks the RDMA driver",
            Having("ionic_rdma", ModuleState::kAbsent, alone(Pollara())), "has no ionic_rdma",
            {.fix = "Linux 6.18 or later"}),
      Fails("inv.unbound-function", "nobody loaded it",
            Having("ionic_rdma", ModuleState::kInstalled, alone(Pollara())), "installed and not loaded",
            {.fix = "modprobe ionic_rdma"}),
      Fails("inv.unbound-function", "it runs", Having("ionic_rdma", ModuleState::kLoaded, alone(Pollara())),
            "ionic_rdma is not loaded, or failed", {.fix = "dmesg | grep 0000:e5:00.0"}),
      Fails("inv.unbound-function", "RDMA is off in the NVM",
            Having("bnxt_re", ModuleState::kLoaded, alone(network)), "RDMA is off in the NVM",
            {.fix = "name enable_roce value true cmode permanent"}),
      Fails("inv.unbound-function", "the kernel lacks the only driver",
            Having("efa", ModuleState::kAbsent, alone(efa)), "has no efa", {.fix = "install efa for kernel"}),
      Passes("inv.unbound-function", "a model of hns3 without RDMA", alone(copper), "0 adapter functions"),
      Fails("inv.unbound-function", "a model of hns3 with RDMA", alone(roce),
            "0000:7d:00.2 (driver hns3) has no RDMA device", {.fix = "dmesg | grep 0000:7d:00.2"}),
      Fails("inv.unbound-function", "beside a twin that has", OnBus(std::vector<PciDevice>{speaks, twin}),
            "0000:3b:00.1"),
      Fails("inv.unbound-function", "without driver", alone(unbound), "0000:3b:00.0 has no driver"),
      Passes("inv.unbound-function", "a management function without driver", alone(management),
             "0 adapter functions"),
      DoesNotApply("inv.unbound-function", "exclusive devices", exclusive, "of their own"),
      DoesNotApply("inv.unbound-function", "no bus", OnBus(kUnsupported), "not offered"),
      IsUnknown("inv.unbound-function", "denied", OnBus(Denied()), "not permitted"),
      IsUnknown("inv.unbound-function", "the ports are not known", no_ports, "not permitted"),
      IsUnknown("inv.unbound-function", "whether devices are exclusive is not known", no_mode, "not permitted"),
  };
}

// The second port of an mlx4 adapter in Ethernet mode.
template <class Change>
Facts ConnectX3(Change change) {
  return WithHardware([&change](Port& port, PciFunction& pci) {
    port.device = "mlx4_0";
    port.number = 2;
    pci = PciFunction{.address = "0000:04:00.0", .vendor_id = 0x15b3, .device_id = 0x1007};
    change(port);
  });
}

// The ports of both.
Facts Beside(Facts host, const Facts& other) {
  std::vector<Port> ports = *host.ports;
  ports.push_back(other.ports->front());
  host.ports = ports;
  return host;
}

std::vector<CheckCase> PortModeRows() {
  const auto down = [](Port& port) {
    port.state = PortState::kDown;
    port.phys_state = std::uint8_t{2};
  };
  const Profile ethernet = VirtualFabricProfile();
  const Profile infiniband = InfinibandProfile();
  const auto second = [](Port& port, PciFunction& pci) {
    port.state = PortState::kDown;
    pci.address = "0000:3b:00.1";
  };
  Facts unread = WithHardware([](Port& port, PciFunction&) { port.transport = Denied(); });
  Facts chelsio = WithHardware([](Port&, PciFunction& pci) { pci.vendor_id = 0x1425; });
  Facts with_option = ConnectX3(down);
  with_option.boot_writes = std::vector<BootWrite>{{.file = "/etc/modprobe.d/mlx4.conf",
                                                    .started = "/etc/modprobe.d/mlx4.conf",
                                                    .setting = "port_type_array",
                                                    .object = "mlx4_core",
                                                    .value = "2,2"}};
  return {
      Passes("inv.port-mode", "Ethernet", Hardware(), "Ethernet mode", {.profile = ethernet}),
      Passes("inv.port-mode", "InfiniBand", OnInfiniband(), "InfiniBand mode", {.profile = infiniband}),
      Fails("inv.port-mode", "InfiniBand where Ethernet is asked", OnInfiniband(down),
            "the far end may speak Ethernet",
            {.fix = "mlxconfig -d 0000:3b:00.0 set LINK_TYPE_P1=2", .profile = ethernet}),
      Fails("inv.port-mode", "Ethernet where InfiniBand is asked, at the second function", WithHardware(second),
            "the far end may speak InfiniBand", {.fix = "set LINK_TYPE_P2=1", .profile = infiniband}),
      Fails("inv.port-mode", "mlx4 has a file for each port", ConnectX3(down), "Ethernet mode, and no link",
            {.fix = "echo ib > /sys/bus/pci/devices/0000:04:00.0/mlx4_port2", .profile = infiniband}),
      Fails(
          "inv.port-mode", "mlx4, and no option", ConnectX3(down), "Ethernet mode",
          {.fix = "set port_type_array of mlx4_core in /etc/modprobe.d (1 InfiniBand", .profile = infiniband}),
      Fails("inv.port-mode", "mlx4, and its option says Ethernet", with_option, "Ethernet mode",
            {.fix = "change port_type_array=2,2 of mlx4_core in /etc/modprobe.d/mlx4.conf (1 InfiniBand",
             .profile = infiniband}),
      Warns("inv.port-mode", "InfiniBand beside Ethernet that works", Beside(OnInfiniband(down), Hardware()),
            "InfiniBand mode, and no link", {.profile = ethernet}),
      DoesNotApply("inv.port-mode", "a fabric of its own", OnInfiniband(), "its link is up",
                   {.profile = ethernet}),
      DoesNotApply("inv.port-mode", "an adapter with one protocol", chelsio, "one protocol only",
                   {.profile = ethernet}),
      DoesNotApply("inv.port-mode", "software device", GoodHost(), "none", {.profile = ethernet}),
      IsUnknown("inv.port-mode", "denied", unread, "not permitted", {.profile = ethernet}),
  };
}

std::vector<CheckCase> NameRows() {
  const auto naming = [](Fact<std::vector<NamedDevice>> named) {
    Facts host = GoodHost();
    host.named_devices = std::move(named);
    return host;
  };
  const auto nccl = [&naming](std::vector<std::pair<const char*, bool>> names) {
    std::vector<NamedDevice> named;
    for (const auto& [name, exact] : names) named.push_back({name, exact, "/etc/nccl.conf"});
    return naming(std::move(named));
  };
  const auto of_key = [&naming](const char* key, std::vector<NamedDevice> named) {
    for (NamedDevice& one : named) one.key = key, one.source = "/etc/nccl.conf";
    return naming(std::move(named));
  };
  Facts two =
      WithSecond(of_key("NCCL_IB_HCA", {{.device = "bnxt_re0"}}), [](Port& port) { port.device = "rxe01"; });
  Facts exclusive = nccl({{"mlx5_0", true}});
  exclusive.rdma_netns_shared = false;
  Facts no_mode = nccl({{"mlx5_0", true}});
  no_mode.rdma_netns_shared = Denied();
  return {
      Passes("inv.name-stability", "there", nccl({{"rxe0", true}}), "rxe0 (/etc/nccl.conf)"),
      Passes("inv.name-stability", "by its beginning", nccl({{"rxe", false}}), "rxe (/etc/nccl.conf)"),
      Passes("inv.name-stability", "one of several", nccl({{"rxe0", true}, {"rxe1", true}}), "rxe1"),
      Fails("inv.name-stability", "renamed", nccl({{"mlx5_0", true}}),
            "mlx5_0 (/etc/nccl.conf): no RDMA device", {.fix = "write the names that are there into the file"}),
      Fails("inv.name-stability", "renamed, by an agent that names the variable",
            of_key("NCCL_IB_HCA", {{.device = "bnxt_re0", .port = 1}, {.device = "bnxt_re1", .port = 1}}),
            "NCCL_IB_HCA=bnxt_re0:1,bnxt_re1:1 (/etc/nccl.conf): no RDMA device of that name; there are: rxe0",
            {.fix = "write NCCL_IB_HCA=rxe0 into /etc/nccl.conf"}),
      Fails("inv.name-stability", "UCX takes a device and its port",
            of_key("UCX_NET_DEVICES", {{.device = "mlx5_2", .exact = true, .port = 1}}),
            "UCX_NET_DEVICES=mlx5_2:1 (/etc/nccl.conf)", {.fix = "UCX_NET_DEVICES=rxe0:1"}),
      Fails("inv.name-stability", "names of which one begins with the other are exact", two, "there are: rxe0",
            {.fix = "NCCL_IB_HCA==rxe0,rxe01"}),
      Fails("inv.name-stability", "a port that is not there",
            of_key("NCCL_IB_HCA", {{.device = "rxe0", .port = 2}}), "no port of that number"),
      Fails("inv.name-stability", "all excluded", of_key("NCCL_IB_HCA", {{.device = "rxe", .excluded = true}}),
            "NCCL_IB_HCA=^rxe (/etc/nccl.conf): excludes every RDMA device", {.fix = "remove NCCL_IB_HCA"}),
      Passes("inv.name-stability", "a device that is gone is excluded",
             of_key("NCCL_IB_HCA", {{.device = "mlx5_0", .exact = true, .excluded = true}}),
             "NCCL_IB_HCA=^=mlx5_0 (/etc/nccl.conf)"),
      Fails("inv.name-stability", "no more than a beginning", nccl({{"rxe", true}}), "there are: rxe0"),
      DoesNotApply("inv.name-stability", "nobody names one", GoodHost(), "no software here"),
      DoesNotApply("inv.name-stability", "exclusive devices", exclusive, "of their own"),
      IsUnknown("inv.name-stability", "denied", naming(Denied()), "not permitted"),
      IsUnknown("inv.name-stability", "whether devices are exclusive is not known", no_mode, "not permitted"),
  };
}

std::vector<CheckCase> VfStateRows() {
  const auto vf = [](Fact<PortState> state) {
    Facts host = OnInfiniband([&state](Port& port) {
      port.state = state;
      port.node_guid = std::uint64_t{0};
    });
    std::vector<Port> ports = *host.ports;
    PciFunction pci = *ports.front().pci;
    pci.virtual_function = true;
    pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = "ibp59s0", .number = std::uint32_t{3}};
    ports.front().pci = pci;
    host.ports = ports;
    return host;
  };
  Facts up = OnInfiniband([](Port&) {});
  Facts unread = OnInfiniband([](Port& port) { port.state = PortState::kDown; });
  const Facts physical = unread;
  std::vector<Port> ports = *unread.ports;
  PciFunction pci = *ports.front().pci;
  pci.physical = Denied();
  ports.front().pci = pci;
  unread.ports = ports;
  ports.front().state = PortState::kActive;
  up.ports = ports;
  return {
      Passes("ib.vf-state", "up", vf(PortState::kActive), "its link is up"),
      Fails("ib.vf-state", "down", vf(PortState::kDown), "virtual function 3 of ibp59s0 is down",
            {.fix = "ip link set dev ibp59s0 vf 3 state auto"}),
      Passes("ib.vf-state", "a physical function that is up", OnInfiniband(), "its link is up"),
      DoesNotApply("ib.vf-state", "a physical function that is down", physical, "a physical function"),
      DoesNotApply("ib.vf-state", "RoCE", GoodHost(), "not InfiniBand"),
      IsUnknown("ib.vf-state", "denied", vf(Denied()), "not permitted"),
      IsUnknown("ib.vf-state", "it is not known to be one", unread, "not permitted"),
      Passes("ib.vf-state", "it is not known to be one, and its link is up", up, "its link is up"),
  };
}

}  // namespace

std::vector<CheckCase> FunctionCases() {
  return Joined({UnboundRows(), DeadRows(), PortModeRows(), NameRows(), VfStateRows()});
}

}  // namespace rdmaready
