// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// Of a protocol: its modules are installed on the good host, and absent, or not known, on others.
void AddModule(std::vector<CheckCase>& cases, std::string_view id, std::string_view module, Profile::Role role,
               const Facts& good, std::string_view observed) {
  Profile asking = VirtualFabricProfile();
  asking.roles = std::vector<Profile::Role>{role};
  Profile asking_else = VirtualFabricProfile();
  asking_else.roles = std::vector<Profile::Role>{Profile::Role::kSmbClient};
  const Facts absent = WithModule(GoodHost(), module, [](KernelModule& m) { m.state = ModuleState::kAbsent; });
  const Facts unknown = WithModule(GoodHost(), module, [](KernelModule& m) { m.state = Denied(); });
  cases.insert(
      cases.end(),
      {Passes(id, "good", good, std::string(observed)),
       Passes(id, "asked for", GoodHost(), std::string(module) + " installed", {.profile = asking}),
       Fails(id, "absent", absent, "no " + std::string(module),
             {.fix = "boot a kernel with CONFIG_", .profile = asking}),
       DoesNotApply(id, "absent, and nobody asked", absent, ""),
       DoesNotApply(id, "on disk, and nobody asked", GoodHost(), "is not loaded"),
       IsUnknown(id, "denied", unknown, "not permitted", {.profile = asking}),
       DoesNotApply(id, "another role", GoodHost(), "does not ask for the role", {.profile = asking_else})});
}

void AddListener(std::vector<CheckCase>& cases, std::string_view id, std::string_view module,
                 const Facts& server) {
  const auto with = [&server](Fact<std::vector<RdmaListener>> listeners) {
    Facts host = server;
    std::vector<Port> ports = *host.ports;
    ports.front().listeners = std::move(listeners);
    host.ports = ports;
    return host;
  };
  const std::vector<RdmaListener> other{{.port = 445, .kernel_name = "ksmbd"}};
  const std::vector<RdmaListener> good{{.port = 5000, .kernel_name = std::string(module)}};
  cases.insert(
      cases.end(),
      {Passes(id, "good", with(good), std::string(module) + " on 5000 of rxe0"),
       Fails(id, "nobody", with(other), std::string(module) + " listens on no RDMA device"),
       IsUnknown(id, "denied", with(Denied()), "not permitted"),
       Passes(id, "one of two is enough", WithSecond(with(good), [](Port& port) { port.listeners = Denied(); }),
              std::string(module) + " on 5000"),
       DoesNotApply(id, "no server", GoodHost(), "is not loaded")});
}

// A host with a management NIC without RDMA, and nobody listens.
Facts WithNvmet(const NvmetPort& port) {
  Facts host = Loaded(GoodHost(), "nvmet_rdma");
  host.nvmet_ports = std::vector<NvmetPort>{port};
  host.pci_devices = std::vector<PciDevice>{{.address = "0000:07:00.0", .driver = "igb", .netdevs = {"eno1"}}};
  return host;
}

std::vector<CheckCase> NvmetPlaceRows() {
  constexpr std::string_view kId = "nvme.target-listener";
  const auto on = [](const char* address, Fact<std::string> netdev) {
    return NvmetPort{.id = "1", .transport = "rdma", .address = address, .service = "4420", .netdev = netdev};
  };
  NvmetPort enabled = on("10.0.0.185", std::string("eno1"));
  enabled.subsystems = {"nqn.2026-02.example:a"};
  NvmetPort tcp = on("10.0.0.1", std::string("dcb0"));
  tcp.transport = "tcp";
  Facts connectx = WithNvmet(on("10.0.0.185", std::string("eno2")));
  connectx.ports = GoodNic().ports;
  const NvmetPort ipv6 = on("fd00::9", std::string("eno1"));
  Facts unread = WithNvmet(on("10.0.0.185", std::string("eno1")));
  unread.nvmet_ports = Denied();
  Facts empty = unread;
  empty.nvmet_ports = std::vector<NvmetPort>{};
  Facts narrowed = WithNvmet(on("10.0.0.185", std::string("bond1")));
  narrowed.pci_devices =
      std::vector<PciDevice>{{.address = "0000:3b:00.0", .netdevs = {"ens1"}, .rdma_devices = {"mlx5_0"}}};
  Facts second = narrowed;
  second.nvmet_ports = std::vector<NvmetPort>{on("10.7.0.1", std::string("ens1"))};
  return {
      Fails(kId, "on a NIC without RDMA", WithNvmet(on("10.0.0.185", std::string("eno1"))),
            "port 1 is 10.0.0.185:4420 on eno1, which has no RDMA, and no subsystem is linked to it",
            {.fix = "echo 10.0.0.1 > /sys/kernel/config/nvmet/ports/1/addr_traddr"}),
      Fails(kId, "on a NIC without RDMA, beside a ConnectX", connectx, "10.0.0.185:4420 on eno2",
            {.fix = "addr_traddr"}),
      Fails(kId, "enabled, on a NIC without RDMA", WithNvmet(enabled), "on eno1, which has no RDMA",
            {.fix = "rm /sys/kernel/config/nvmet/ports/1/subsystems/nqn.2026-02.example:a"}),
      Fails(kId, "an address of no interface", WithNvmet(on("10.9.0.1", std::string())),
            "10.9.0.1:4420, an address that no interface of this host has", {.fix = "addr_traddr"}),
      Fails(kId, "of another family", WithNvmet(ipv6), "[fd00::9]:4420 on eno1", {.fix = "echo ipv4 > "}),
      Fails(kId, "bound too early", WithNvmet(on("10.0.0.1", std::string("dcb0"))), "10.0.0.1:4420 on dcb0",
            {.fix = "link the subsystem to port 1"}),
      Fails(kId, "TCP alone", WithNvmet(tcp), "port 1 is for tcp", {.fix = "addr_trtype rdma"}),
      Fails(kId, "its interface is not known", WithNvmet(on("10.0.0.185", Denied())),
            "port 1 is 10.0.0.185:4420"),
      Fails(kId, "an interface over ports of another profile", narrowed, "port 1 is 10.0.0.185:4420"),
      Fails(kId, "an interface with RDMA, of another profile", second, "port 1 is 10.7.0.1:4420 on ens1"),
      Fails(kId, "no port", empty, "listens on no RDMA device; the target has no port",
            {.fix = "set addr_trtype to rdma"}),
      Fails(kId, "its configuration may not be read", unread, "nvmet_rdma listens on no RDMA device",
            {.fix = "set addr_trtype to rdma"}),
  };
}

std::vector<CheckCase> IserPlaceRows() {
  constexpr std::string_view kId = "iser.target-listener";
  const auto with = [](const IscsiPortal& portal) {
    Facts host = WithNvmet({});
    host = Loaded(std::move(host), "ib_isert");
    host.iscsi_portals = std::vector<IscsiPortal>{portal};
    return host;
  };
  IscsiPortal portal{.target = "iqn.2026-02.example:a",
                     .group = "tpgt_1",
                     .address = "10.0.0.1",
                     .port = 3260,
                     .netdev = std::string("dcb0")};
  IscsiPortal elsewhere = portal;
  elsewhere.address = "10.0.0.185";
  elsewhere.netdev = std::string("eno1");
  IscsiPortal every = portal;
  every.address = "0.0.0.0";
  every.netdev = kUnsupported;
  IscsiPortal on = portal;
  on.iser = true;
  return {
      Fails(
          kId, "a portal of TCP", with(portal), "portal 10.0.0.1:3260 takes TCP only",
          {.fix =
               "echo 1 > /sys/kernel/config/target/iscsi/iqn.2026-02.example:a/tpgt_1/np/10.0.0.1:3260/iser"}),
      Fails(kId, "a portal of every address", with(every), "portal 0.0.0.0:3260 takes TCP only",
            {.fix = "np/0.0.0.0:3260/iser"}),
      Fails(kId, "a portal on a NIC without RDMA", with(elsewhere),
            "10.0.0.185:3260 on eno1, which has no RDMA", {.fix = "create 10.0.0.1 3260"}),
      Fails(kId, "a portal with iSER", with(on), "ib_isert listens on no RDMA device",
            {.fix = "enable_iser true"}),
  };
}

}  // namespace

std::vector<CheckCase> StorageRolesCases() {
  std::vector<CheckCase> cases;
  const Facts nvme = Loaded(GoodHost(), "nvmet_rdma");
  const Facts iser = Loaded(GoodHost(), "ib_isert");
  const Facts nfs = Loaded(Loaded(GoodHost(), "nfsd"), "rpcrdma");
  AddModule(cases, "nvme.host-module", "nvme_rdma", Profile::Role::kNvmeHost, Loaded(GoodHost(), "nvme_rdma"),
            "nvme_rdma loaded");
  AddModule(cases, "nvme.target-module", "nvmet_rdma", Profile::Role::kNvmeTarget, nvme, "nvmet_rdma loaded");
  AddModule(cases, "iser.initiator-module", "ib_iser", Profile::Role::kIserInitiator,
            Loaded(GoodHost(), "ib_iser"), "ib_iser loaded");
  AddModule(cases, "iser.target-module", "ib_isert", Profile::Role::kIserTarget, iser, "ib_isert loaded");
  AddModule(cases, "nfs.client-module", "rpcrdma", Profile::Role::kNfsClient, Loaded(GoodHost(), "rpcrdma"),
            "rpcrdma loaded");
  AddModule(cases, "nfs.server-module", "rpcrdma", Profile::Role::kNfsServer, nfs, "rpcrdma loaded");
  AddListener(cases, "nvme.target-listener", "nvmet_rdma", nvme);
  AddListener(cases, "iser.target-listener", "ib_isert", iser);
  AddListener(cases, "nfs.server-listener", "rpcrdma", nfs);
  return Joined({cases, NvmetPlaceRows(), IserPlaceRows()});
}

}  // namespace rdmaready
