// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

Facts WithoutDevices(const std::string& driver, std::vector<BootWrite> writes) {
  Facts host = GoodHost();
  host.ports = std::vector<Port>{};
  host.pci_devices = std::vector<PciDevice>{
      {.address = "0000:86:00.0", .vendor_id = 0x8086, .class_code = 0x020000, .driver = driver}};
  host.boot_writes = std::move(writes);
  return host;
}

BootWrite Line(const char* setting, const char* module, const char* value = "") {
  const std::string file = "/etc/modprobe.d/no-rdma.conf";
  return {.file = file, .started = file, .setting = setting, .object = module, .value = value};
}

BootWrite Unread(const char* file) {
  return {.file = file, .started = file, .setting = "unread", .value = "denied"};
}

// A NIC that speaks iWARP under a profile of RoCE, and a file that says so at boot.
Facts Switched(const char* driver, std::vector<BootWrite> writes, Transport transport = Transport::kIwarp) {
  Facts host = WithHardware([&](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.driver = driver;
    port.netdev = netdev;
    port.transport = transport;
  });
  const Port port = host.ports->front();
  for (BootWrite& write : writes) {
    write.file = write.started = "/etc/systemd/system/rdma-mode.service";
    if (write.object.empty()) write.object = "pci/" + port.pci->address;
  }
  host.boot_writes = std::move(writes);
  return host;
}

// A port of Ethernet alone: not even the default GIDs are there.
Facts Mute(Facts host) {
  std::vector<Port> ports = *host.ports;
  ports.front().gids = std::vector<Gid>{};
  host.ports = std::move(ports);
  return host;
}

Facts WithoutWrites(Facts host) {
  host.boot_writes = Denied();
  return host;
}

}  // namespace

std::vector<CheckCase> BootSwitchCases() {
  const char* module = "drv.module-allowed";
  const char* roce = "drv.roce-enabled";
  return {
      Passes(module, "nothing forbids it", WithoutDevices("ice", {}), "no file of modprobe.d forbids one"),
      Passes(module, "another adapter's module is forbidden",
             WithoutDevices("bnxt_en", {Line("blacklist", "irdma")}), "no file of modprobe.d forbids one"),
      Passes(module, "options of a module, by modprobe itself",
             WithoutDevices("ice", {Line("install", "irdma", "/sbin/modprobe")}), "forbids one"),
      Fails(module, "irdma is replaced by another program",
            WithoutDevices("ice", {Line("blacklist", "irdma"), Line("install", "irdma", "/bin/false")}),
            "/etc/modprobe.d/no-rdma.conf forbids irdma, which makes the RDMA devices of an adapter here: "
            "install "
            "irdma /bin/false"),
      Fails(module, "bnxt_re is on the blacklist", WithoutDevices("bnxt_en", {Line("blacklist", "bnxt_re")}),
            "blacklist bnxt_re"),
      Fails(module, "a line forbids it, beside a script that is not readable",
            WithoutDevices("ice", {Line("blacklist", "irdma"), Unread("/opt/site.sh")}), "blacklist irdma"),
      Passes(module, "nothing forbids it, and a script is not readable",
             WithoutDevices("ice", {Unread("/opt/a.sh")}), "no file of modprobe.d forbids one"),
      IsUnknown(module, "a file of modprobe.d is not readable",
                WithoutDevices("ice", {Unread("/etc/modprobe.d/site.conf")}),
                "/etc/modprobe.d/site.conf could not be read"),
      IsUnknown(module, "files are not readable", WithoutWrites(WithoutDevices("ice", {})), "not permitted"),
      DoesNotApply(module, "there are devices", GoodHost(), "there are RDMA devices"),
      DoesNotApply(module, "no adapter of RDMA", WithoutDevices("e1000e", {Line("blacklist", "irdma")}),
                   "no adapter here"),
      Fails("inv.transport", "ice is switched to iWARP by a unit",
            Switched("ice", {{.setting = "enable_roce", .value = "false"},
                             {.setting = "enable_iwarp", .value = "true"}}),
            "iWARP", {.fix = "systemctl disable rdma-mode.service"}),
      Fails(roce, "mlx5 has RoCE off by a unit",
            Mute(Switched("mlx5_core", {{.setting = "enable_roce", .value = "false"}}, Transport::kRoce)),
            "/etc/systemd/system/rdma-mode.service sets enable_roce false at boot",
            {.fix = "systemctl disable rdma-mode.service"}),
      IsUnknown(roce, "what runs at boot is not known",
                WithoutWrites(Mute(Switched("mlx5_core", {}, Transport::kRoce))), "not permitted"),
      DoesNotApply(
          roce, "another function is switched off",
          Switched("ice", {{.setting = "enable_roce", .object = "pci/0000:01:00.0", .value = "false"}}),
          "no switches of devlink"),
      DoesNotApply(roce, "the port speaks RoCE",
                   Switched("ice", {{.setting = "enable_roce", .value = "false"}}, Transport::kRoce),
                   "no switches of devlink")};
}

}  // namespace rdmaready
