// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

template <class Change>
Facts NicPort(Change change) {
  return HardwareNic([&change](Port& port, PciFunction&) { change(port); });
}

std::vector<CheckCase> DriverFirmwareRows() {
  const Profile floor = Asking([](Profile& profile) { profile.firmware = {{"mlx5_core", "16.35.4030"}}; });
  const Profile newer = Asking([](Profile& profile) { profile.firmware = {{"mlx5_core", "16.36"}}; });
  const Profile other = Asking([](Profile& profile) { profile.firmware = {{"ice", "99"}}; });
  const Facts pending = NicPort([](Port& port) {
    port.devlink.versions =
        std::vector<FirmwareVersion>{{.name = "fw.psid", .running = "a", .stored = "b", .fixed = true},
                                     {.name = "fw", .running = "16.35.4030", .stored = "16.36.1"}};
  });
  const Facts silent = NicPort([](Port& port) { port.devlink.versions = kUnsupported; });
  const Facts nothing = NicPort([](Port& port) {
    port.devlink.versions = kUnsupported;
    Netdev netdev = *port.netdev;
    netdev.driver_info = Denied();
    port.netdev = netdev;
    port.firmware = Denied();
  });
  const auto reporter = [](HealthReporter one) {
    return NicPort([&one](Port& port) { port.devlink.health = std::vector<HealthReporter>{one}; });
  };
  const auto up_for = [&reporter](Fact<std::uint64_t> uptime_s) {
    Facts host = reporter({.name = "tx", .healthy = true, .errors = 1, .recovered = 1});
    host.uptime_s = std::move(uptime_s);
    return host;
  };
  return {
      Passes("drv.fw-version", "what is stored", GoodNic(), "firmware 16.35.4030"),
      Passes("drv.fw-version", "as old as allowed", GoodNic(), "firmware 16.35.4030", {.profile = floor}),
      Fails("drv.fw-version", "too old", GoodNic(), "firmware 16.35.4030",
            {.fix = "devlink dev info", .profile = newer}),
      Passes("drv.fw-version", "a floor of another driver", GoodNic(), "firmware", {.profile = other}),
      Fails("drv.fw-version", "one waits for a reset", pending, "fw 16.35.4030 runs, and 16.36.1 waits",
            {.fix = "devlink dev reload pci/0000:3b:00.0 action fw_activate"}),
      IsUnknown("drv.fw-version", "denied", NicPort([](Port& port) { port.devlink.versions = Denied(); }),
                "not permitted"),
      IsUnknown("drv.fw-version", "a floor, and no firmware told", nothing, "not permitted",
                {.profile = floor}),
      DoesNotApply("drv.fw-version", "no devlink, no floor", silent, "asks for no version"),
      DoesNotApply("drv.fw-version", "software", GoodHost(), "no firmware"),
      Passes("drv.health", "good", GoodNic(), "2 reporters, no error"),
      Fails("drv.health", "in error", reporter({.name = "fw_fatal", .errors = 3, .recovered = 1}),
            "in error: fw_fatal: 3 errors, 1 recovered from",
            {.fix = "devlink health recover pci/0000:3b:00.0 reporter fw_fatal"}),
      Warns("drv.health", "past errors", reporter({.name = "tx", .healthy = true, .errors = 1, .recovered = 1}),
            "tx: 1 error, 1 recovered from, since"),
      Passes("drv.health", "one past error in a year", up_for(std::uint64_t{400 * 86'400}),
             "tx: 1 error, 1 recovered from, since the driver was loaded: not more than one in 30 days"),
      Warns("drv.health", "one past error in a week", up_for(std::uint64_t{7 * 86'400}), "tx: 1 error"),
      IsUnknown("drv.health", "a past error, and no uptime", up_for(Denied()), "not permitted"),
      IsUnknown("drv.health", "denied", NicPort([](Port& port) { port.devlink.health = Denied(); }),
                "not permitted"),
      DoesNotApply("drv.health", "none reported",
                   NicPort([](Port& port) { port.devlink.health = kUnsupported; }), "reports no health"),
      DoesNotApply("drv.health", "software", GoodHost(), "no firmware")};
}

std::vector<CheckCase> DriverNicRows() {
  const auto switches = [](std::vector<DevlinkParameter> parameters) {
    return NicPort([&parameters](Port& port) { port.devlink.parameters = parameters; });
  };
  const Profile iwarp = Asking([](Profile& profile) { profile.transport = Profile::Transport::kIwarp; });
  const Profile any = Asking([](Profile& profile) { profile.transport = Profile::Transport::kAny; });
  const Facts mute = NicPort([](Port& port) {
    port.devlink.parameters = Denied();
    port.transport = Transport::kUnknown;
  });
  Facts ofed = OnInfiniband([](Port& port) { port.out_of_tree = true; });
  ofed.pci_devices = std::vector<PciDevice>{{.address = "0000:3b:00.0", .driver = "mlx5_core"}};
  Facts unlisted = ofed;
  unlisted.pci_devices = Denied();
  return {
      Passes("drv.roce-enabled", "mlx5", GoodNic(), "enable_roce true"),
      Fails("drv.roce-enabled", "switched off", switches({{.name = "enable_roce", .driverinit = "false"}}),
            "enable_roce false",
            {.fix = "devlink dev param set pci/0000:3b:00.0 name enable_roce value true cmode driverinit && "
                    "devlink dev "
                    "reload "
                    "pci/0000:3b:00.0"}),
      Fails(
          "drv.roce-enabled", "ice as iWARP",
          switches({{.name = "enable_roce", .runtime = "false"}, {.name = "enable_iwarp", .runtime = "true"}}),
          "enable_iwarp true, enable_roce false",
          {.fix = "name enable_iwarp value false cmode runtime; devlink dev param set pci/0000:3b:00.0 name "
                  "enable_roce"}),
      Passes(
          "drv.roce-enabled", "ice as iWARP, wished",
          switches({{.name = "enable_roce", .runtime = "false"}, {.name = "enable_iwarp", .runtime = "true"}}),
          "enable_iwarp true", {.profile = iwarp}),
      Passes("drv.roce-enabled", "a driver without", switches({}), "no switch for it"),
      IsUnknown("drv.roce-enabled", "denied, and no transport told", mute, "not permitted"),
      DoesNotApply("drv.roce-enabled", "denied, and it speaks RoCE",
                   NicPort([](Port& port) { port.devlink.parameters = Denied(); }), "speaks roce"),
      DoesNotApply("drv.roce-enabled", "any transport", GoodNic(), "does not ask", {.profile = any}),
      DoesNotApply("drv.roce-enabled", "software", GoodHost(), "software"),
      Passes("drv.userlib", "there", GoodHost(), "programs can open rxe0"),
      Fails("drv.userlib", "none", WithPort([](Port& port) { port.verbs_provider = false; }),
            "no driver for rxe0", {.fix = "apt-get install ibverbs-providers"}),
      Fails("drv.userlib", "a node that is missing", WithPort([](Port& port) {
              port.verbs_provider =
                  Missing{Missing::Kind::kFailed, "open verbs device rxe0: No such file or directory"};
            }),
            "No such file", {.fix = "mknod -m 666 /dev/infiniband/uverbsN"}),
      IsUnknown("drv.userlib", "a node that its container was not given", WithHost([](Facts& host) {
                  host.agent_group = ControlGroup{.container = "kubepods"};
                  std::vector<Port> ports = *host.ports;
                  ports.front().verbs_provider =
                      Missing{Missing::Kind::kFailed, "open verbs device rxe0: No such file or directory"};
                  host.ports = ports;
                }),
                "No such file"),
      IsUnknown(
          "drv.userlib", "an error of the device", WithPort([](Port& port) {
            port.verbs_provider = Missing{Missing::Kind::kFailed, "open verbs device rxe0: Input/output error"};
          }),
          "Input/output error"),
      Fails("drv.userlib", "none, where libibverbs drives another device",
            WithSecond(GoodHost(), [](Port& port) { port.verbs_provider = false; }), "no driver for rxe1",
            {.fix = "grep -H . /sys/class/infiniband_verbs/uverbs*/abi_version", .port = 1}),
      Fails("drv.userlib", "none, where the kernel's half is the vendor's", WithPort([](Port& port) {
              port.verbs_provider = false;
              port.out_of_tree = true;
            }),
            "no driver for rxe0", {.fix = "install the vendor's driver of libibverbs for"}),
      IsUnknown("drv.userlib", "denied", WithPort([](Port& port) { port.verbs_provider = Denied(); }),
                "not permitted"),
      Passes("drv.out-of-tree", "the kernel's",
             WithHardware([](Port& port, PciFunction&) { port.out_of_tree = false; }),
             "the kernel's own driver"),
      DoesNotApply("drv.out-of-tree", "rxe", GoodHost(), "software device"),
      Fails("drv.out-of-tree", "of nobody's",
            WithHardware([](Port& port, PciFunction&) { port.out_of_tree = true; }),
            "outside of the kernel's source", {.fix = "ethtool -i dcb0"}),
      Passes("drv.out-of-tree", "its vendor's", WithHardware([](Port& port, PciFunction&) {
               port.out_of_tree = true;
               Netdev netdev = *port.netdev;
               netdev.driver = "mlx5_core";
               port.netdev = netdev;
             }),
             "its vendor's mlx5_core"),
      Passes("drv.out-of-tree", "its vendor's, of InfiniBand", ofed, "its vendor's mlx5_core"),
      IsUnknown("drv.out-of-tree", "whose is not known", unlisted, "not permitted"),
      IsUnknown("drv.out-of-tree", "denied",
                WithHardware([](Port& port, PciFunction&) { port.out_of_tree = Denied(); }), "not permitted")};
}

std::vector<CheckCase> DriverEquipmentRows() {
  using Nodes = std::vector<std::string>;
  return {
      Passes("drv.core-modules", "both", GoodHost(), "uverbs and rdma_cm"),
      Fails("drv.core-modules", "no rdma_cm", WithHost([](Facts& host) { host.rdma_nodes = Nodes{"uverbs0"}; }),
            "no rdma_cm", {.fix = "modprobe rdma_ucm"}),
      Fails("drv.core-modules", "no uverbs", WithHost([](Facts& host) { host.rdma_nodes = Nodes{"rdma_cm"}; }),
            "no uverbs"),
      Fails("drv.core-modules", "neither", WithHost([](Facts& host) { host.rdma_nodes = Nodes{}; }),
            "no uverbs, no rdma_cm"),
      IsUnknown("drv.core-modules", "not known", WithHost([](Facts& host) { host.rdma_nodes = Denied(); }),
                "not permitted")};
}

}  // namespace

std::vector<CheckCase> DriverCases() {
  return Joined({DriverFirmwareRows(), DriverNicRows(), DriverEquipmentRows()});
}

}  // namespace rdmaready
