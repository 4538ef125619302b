// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

const Missing kNoUmad{.kind = Missing::Kind::kUnsupported, .detail = "ib_umad is not loaded"};

Facts WithLid(Fact<std::uint16_t> lid) {
  return OnInfiniband([&lid](Port& port) { port.ib.lid = lid; });
}

Facts WithSmLid(Fact<std::uint16_t> sm_lid) {
  return OnInfiniband([&sm_lid](Port& port) { port.ib.sm_lid = sm_lid; });
}

Facts WithoutManager(const std::string& driver) {
  Facts host = WithSmLid(std::uint16_t{0});
  PciDevice device;
  device.address = "0000:3b:00.0";
  device.driver = driver;
  std::vector<Port> ports = *host.ports;
  PciFunction function;
  function.address = device.address;
  ports.front().pci = function;
  host.ports = ports;
  host.pci_devices = std::vector<PciDevice>{device};
  return host;
}

constexpr std::uint64_t kOwnGuid = 0xb83fd20300c21a40;

// No manager has configured the InfiniBand port; `manager` is installed here.
Facts Managed(const std::string& driver, const FabricManager& manager) {
  Facts host = WithoutManager(driver);
  std::vector<Port> ports = *host.ports;
  ports.front().gids =
      std::vector<Gid>{{.index = 0,
                        .raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xb8, 0x3f, 0xd2, 0x03, 0x00, 0xc2, 0x1a, 0x40},
                        .type = GidType::kIb}};
  host.ports = ports;
  host.fabric_managers = std::vector<FabricManager>{manager};
  return host;
}

FabricManager Opensm(std::vector<ManagedPort> ports, std::vector<std::string> files) {
  return {.name = "opensm", .unit = "opensm.service", .starts = true, .files = files, .ports = ports};
}

// With an RDMA device of Ethernet before it by name, of another profile.
Facts BehindEthernet(const std::string& driver, const char* device, const FabricManager& manager) {
  Facts host = Managed(driver, manager);
  std::vector<PciDevice> functions = *host.pci_devices;
  functions.push_back({.address = "0000:31:00.0",
                       .class_code = 0x020000,
                       .driver = "ice",
                       .netdevs = {"ens1f0"},
                       .rdma_devices = {device}});
  host.pci_devices = functions;
  return host;
}

// With a second InfiniBand port, whose GUID is the next one.
Facts BesideAnother(Facts host, std::uint16_t sm_lid) {
  std::vector<Port> ports = *host.ports;
  Port other = ports.front();
  std::vector<Gid> gids = *other.gids;
  gids.front().raw.back() = 0x41;
  other.device = "mlx5_1";
  other.gids = gids;
  other.ib.sm_lid = sm_lid;
  ports.push_back(other);
  host.ports = ports;
  return host;
}

std::vector<CheckCase> ManagerRows() {
  const std::string sysconfig = "/etc/sysconfig/opensm";
  const FabricManager untold = Opensm({{"/etc/rdma/opensm.conf", 0}}, {"/etc/rdma/opensm.conf", sysconfig});
  const FabricManager told_another = Opensm({{sysconfig, 0x2c903000f1234}}, {sysconfig});
  FabricManager of_debian = Opensm({{"/etc/default/opensm", 0x2c903000f1234}}, {"/etc/default/opensm"});
  FabricManager for_all = of_debian;
  for_all.ports.clear();
  for_all.all_ports = true;
  FabricManager stopped = untold;
  stopped.starts = false;
  FabricManager unknown = untold;
  unknown.starts = Denied();
  const FabricManager own = Opensm({{"/etc/opensm/opensm.conf", kOwnGuid}}, {"/etc/opensm/opensm.conf"});
  const FabricManager the_other = Opensm({{"/etc/rdma/opensm.conf", kOwnGuid + 1}}, {"/etc/rdma/opensm.conf"});
  const FabricManager opafm{.name = "opafm", .unit = "opafm.service", .starts = false};
  FabricManager opafm_starts = opafm;
  opafm_starts.starts = true;
  const std::string none = "no subnet manager has configured the port";
  return {
      Fails("ib.sm", "opensm takes an E810", BehindEthernet("mlx5_core", "irdma0", untold), none,
            {.fix = "write GUIDS=\"0xb83fd20300c21a40\", with the GUID of mlx5_0 port 1, into "
                    "/etc/sysconfig/opensm"}),
      Fails("ib.sm", "opensm takes a Thor", BehindEthernet("mlx4_core", "bnxt_re0", Opensm({}, {})), none,
            {.fix = "guid 0xb83fd20300c21a40, with the GUID of mlx5_0 port 1, into /etc/opensm/opensm.conf"}),
      Fails("ib.sm", "opensm takes the first port, which is this one",
            BehindEthernet("mlx5_core", "rocep49s0f0", untold), none, {.fix = "journalctl -u opensm"}),
      Fails("ib.sm", "opensm is given another port", Managed("mlx5_core", told_another), none,
            {.fix = "GUIDS=\"0x0002c903000f1234 0xb83fd20300c21a40\""}),
      Fails("ib.sm", "opensm of Debian is given another port", Managed("mlx5_core", of_debian), none,
            {.fix = "PORTS=\"0x0002c903000f1234 0xb83fd20300c21a40\", with the GUID of mlx5_0 port 1, into "
                    "/etc/default/opensm"}),
      Fails("ib.sm", "opensm has its own file alone, and manages the other port",
            BesideAnother(Managed("mlx5_core", the_other), 1), none,
            {.fix = "start a second opensm for mlx5_0 port 1: opensm -g 0xb83fd20300c21a40"}),
      Fails("ib.sm", "opensm takes an E810, and has two ports to manage",
            BesideAnother(BehindEthernet("mlx5_core", "irdma0", untold), 0), none,
            {.fix = "GUIDS=\"0xb83fd20300c21a40 0xb83fd20300c21a41\""}),
      Fails("ib.sm", "opensm starts for each port", BehindEthernet("mlx5_core", "irdma0", for_all), none,
            {.fix = "journalctl -u opensm"}),
      Fails("ib.sm", "opensm is given this port", BehindEthernet("mlx5_core", "irdma0", own), none,
            {.fix = "journalctl -u opensm"}),
      Fails("ib.sm", "opensm does not start", BehindEthernet("mlx5_core", "irdma0", stopped), none,
            {.fix = "where this host is to manage the fabric: systemctl enable --now opensm"}),
      Fails("ib.sm", "whether opensm starts is not known", BehindEthernet("mlx5_core", "irdma0", unknown), none,
            {.fix = "start the subnet manager of the fabric"}),
      Fails("ib.sm", "opafm does not start", Managed("hfi1", opafm), none,
            {.fix = "systemctl enable --now opafm"}),
      Fails("ib.sm", "opafm starts", Managed("hfi1", opafm_starts), none, {.fix = "journalctl -u opafm"}),
      Fails("ib.sm", "opensm is not for Omni-Path", BehindEthernet("hfi1", "irdma0", untold), none,
            {.fix = "on the node that manages the Omni-Path fabric"}),
  };
}

Facts InState(Fact<PortState> state) {
  return OnInfiniband([&state](Port& port) { port.state = state; });
}

Facts WithoutCable() {
  return OnInfiniband([](Port& port) {
    port.state = PortState::kDown;
    port.phys_state = std::uint8_t{2};
    port.ib.lid = std::uint16_t{0};
    port.ib.sm_lid = std::uint16_t{0};
  });
}

Facts WithKeys(Fact<std::vector<std::uint16_t>> keys) {
  return OnInfiniband([&keys](Port& port) { port.ib.pkeys = keys; });
}

// With an IPoIB interface of a partition.
Facts WithChild(const std::vector<std::uint16_t>& keys, Fact<std::uint16_t> pkey) {
  return OnInfiniband([&](Port& port) {
    port.ib.pkeys = keys;
    port.uppers = std::vector<UpperNetdev>{{.name = "ib0.8005", .admin_up = true, .pkey = pkey}};
  });
}

template <class Change>
Facts InfinibandWithLink(Change change) {
  return OnInfiniband([&change](Port& port) {
    IbLink link = *port.ib.link;
    change(link);
    port.ib.link = link;
  });
}

Facts WithoutLink(const Missing& why) {
  return OnInfiniband([&why](Port& port) { port.ib.link = why; });
}

std::vector<CheckCase> PkeyIndexRows() {
  const auto keys = [](std::vector<std::uint16_t> pkeys, Fact<std::vector<std::uint16_t>> slots) {
    return OnInfiniband([&](Port& port) {
      port.ib.pkeys = pkeys;
      port.ib.pkey_slots = slots;
    });
  };
  const Profile profile = InfinibandProfile();
  using Slots = std::vector<std::uint16_t>;
  return {
      Passes("ib.pkey-index", "the default partition", OnInfiniband(), "0xffff at index 0",
             {.profile = profile}),
      Passes("ib.pkey-index", "others beside it", keys({0x8001, 0x7fff}, Slots{0, 1}), "0x8001",
             {.profile = profile}),
      Fails("ib.pkey-index", "at index 1", keys({0x7fff, 0x8012}, Slots{0, 1}),
            "0x8012 is at index 1; at index 0: 0x7fff", {.fix = "NCCL_IB_PKEY=1", .profile = profile}),
      Fails("ib.pkey-index", "index 0 is empty", keys({0x8012}, Slots{4}), "index 4; at index 0: none",
            {.profile = profile}),
      DoesNotApply("ib.pkey-index", "limited everywhere", keys({0x7fff}, Slots{0}), "see ib.pkey",
                   {.profile = profile}),
      DoesNotApply("ib.pkey-index", "RoCE", GoodHost(), "not InfiniBand", {.profile = profile}),
      IsUnknown("ib.pkey-index", "denied", keys({0xffff}, Denied()), "not permitted", {.profile = profile}),
  };
}

std::vector<CheckCase> InfinibandSubnetRows() {
  return {
      Passes("ib.sm", "good", OnInfiniband(), "subnet manager at LID 1"),
      Fails("ib.sm", "none", WithSmLid(std::uint16_t{0}), "no subnet manager has configured the port",
            {.fix = "sminfo -C mlx5_0 -P 1"}),
      Fails("ib.sm", "none, of Omni-Path", WithoutManager("hfi1"), "no subnet manager has configured the port",
            {.fix = "opafm"}),
      Fails("ib.sm", "none, of ConnectX", WithoutManager("mlx5_core"),
            "no subnet manager has configured the port", {.fix = "sminfo -C mlx5_0 -P 1"}),
      Fails("ib.sm", "permissive LID", WithSmLid(std::uint16_t{0xffff}), "sm_lid 65535"),
      IsUnknown("ib.sm", "denied", WithSmLid(Denied()), "not permitted"),
      DoesNotApply("ib.sm", "no cable", WithoutCable(), "see link.state"),
      DoesNotApply("ib.sm", "RoCE", GoodHost(), "not InfiniBand"),
      Passes("ib.lid", "good", OnInfiniband(), "LID 4"),
      Passes("ib.lid", "the largest", WithLid(std::uint16_t{0xbfff}), "LID 49151"),
      Fails("ib.lid", "none", WithLid(std::uint16_t{0}), "no LID", {.fix = "journalctl -u opensm"}),
      Fails("ib.lid", "of multicast", WithLid(std::uint16_t{0xc000}), "49152"),
      IsUnknown("ib.lid", "denied", WithLid(Denied()), "not permitted"),
      DoesNotApply("ib.lid", "no cable", WithoutCable(), "see link.state"),
      Passes("ib.state-init", "active", OnInfiniband(), "active"),
      Fails("ib.state-init", "init", InState(PortState::kInit), "init", {.fix = "systemctl restart opensm"}),
      Fails("ib.state-init", "armed", InState(PortState::kArmed), "has not finished"),
      IsUnknown("ib.state-init", "denied", InState(Denied()), "not permitted"),
      IsUnknown("ib.state-init", "a new state", InState(PortState::kUnknown), "do not know"),
      DoesNotApply("ib.state-init", "down", InState(PortState::kDown), "see link.state"),
      DoesNotApply("ib.state-init", "RoCE", GoodHost(), "not InfiniBand")};
}

std::vector<CheckCase> InfinibandPkeysRows() {
  using Keys = std::vector<std::uint16_t>;
  const Profile any = InfinibandProfile();
  Profile storage = InfinibandProfile();
  storage.pkeys = std::vector<std::uint16_t>{1};
  return {Passes("ib.pkey", "default", OnInfiniband(), "default partition", {.profile = any}),
          Passes("ib.pkey", "another partition", WithKeys(Keys{0x7fff, 0x8001}),
                 "a full member: 0x7fff, 0x8001", {.profile = any}),
          Warns("ib.pkey", "limited", WithKeys(Keys{0x7fff}), "a limited member only: 0x7fff",
                {.fix = "partitions.conf", .profile = any}),
          Fails("ib.pkey", "none", WithKeys(Keys{}), "no P_Key", {.fix = "partitions.conf", .profile = any}),
          IsUnknown("ib.pkey", "denied", WithKeys(Denied()), "not permitted", {.profile = any}),
          Passes("ib.pkey", "in the partition that is asked for", WithKeys(Keys{0x7fff, 0x8001}),
                 "a full member: 0x7fff, 0x8001", {.profile = storage}),
          Fails("ib.pkey", "not in the partition that is asked for", WithKeys(Keys{0xffff}),
                "a member of 0xffff", {.profile = storage}),
          Fails("ib.pkey", "an interface of a partition without the port", WithChild(Keys{0xffff}, 0x8005),
                "ib0.8005 is for P_Key 0x8005", {.fix = "a member of partition 0x0005", .profile = any}),
          Passes("ib.pkey", "an interface of a limited partition", WithChild(Keys{0xffff, 0x0005}, 0x8005),
                 "default partition", {.profile = any}),
          IsUnknown("ib.pkey", "the interface does not say its partition", WithChild(Keys{0xffff}, Denied()),
                    "not permitted", {.profile = any}),
          Passes("ib.pkey", "a limited member of it", WithKeys(Keys{0xffff, 0x0001}),
                 "a limited member of 0x0001: it reaches full members only", {.profile = storage}),
          DoesNotApply("ib.pkey", "another profile", OnInfiniband(), "does not ask for InfiniBand")};
}

std::vector<CheckCase> InfinibandLinkRows() {
  return {Passes("ib.width", "good", OnInfiniband(), "4X"),
          Fails("ib.width", "a lane", InfinibandWithLink([](IbLink& link) { link.lanes = 1; }), "1X",
                {.fix = "ibstatus mlx5_0:1"}),
          Passes("ib.width", "set so",
                 InfinibandWithLink([](IbLink& link) { link.lanes = link.lanes_enabled = 1; }),
                 "1X; 4X is supported, but not enabled"),
          IsUnknown("ib.width", "not told", InfinibandWithLink([](IbLink& link) { link.lanes = 0; }),
                    "does not say"),
          IsUnknown("ib.width", "no ib_umad", WithoutLink(kNoUmad), "not loaded", {.fix = "modprobe ib_umad"}),
          IsUnknown("ib.width", "denied", WithoutLink(Denied()), "not permitted", {.fix = "root"}),
          DoesNotApply("ib.width", "RoCE", GoodHost(), "not InfiniBand"),
          Passes("ib.speed", "good", OnInfiniband(), "HDR (53.1 Gb/s a lane)"),
          Fails("ib.speed", "EDR", InfinibandWithLink([](IbLink& link) { link.lane_mbps = 25'781; }),
                "EDR (25.7 Gb/s a lane)", {.fix = "iblinkinfo -l"}),
          IsUnknown("ib.speed", "denied", WithoutLink(Denied()), "not permitted"),
          Passes("ib.mtu", "good", OnInfiniband(), "MTU 4096"),
          Fails("ib.mtu", "older switch", InfinibandWithLink([](IbLink& link) { link.mtu_bytes = 2048; }),
                "MTU 2048", {.fix = "iblinkinfo -l"}),
          Passes("ib.mtu", "by verbs", WithoutLink(Denied()), "MTU 4096"),
          Fails("ib.mtu", "by verbs, and small", OnInfiniband([](Port& port) {
                  port.ib.link = kNoUmad;
                  port.active_mtu_bytes = 2048;
                }),
                "MTU 2048"),
          IsUnknown("ib.mtu", "denied", OnInfiniband([](Port& port) {
                      port.ib.link = Denied();
                      port.active_mtu_bytes = Denied();
                    }),
                    "not permitted")};
}

}  // namespace

std::vector<CheckCase> InfinibandCases() {
  return Joined(
      {PkeyIndexRows(), InfinibandSubnetRows(), ManagerRows(), InfinibandPkeysRows(), InfinibandLinkRows()});
}

}  // namespace rdmaready
