// SPDX-License-Identifier: Apache-2.0
// Firmware, driver and bus settings of a NIC of hardware.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

Profile Asking(void (*change)(Profile&)) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

// The NIC of hardware as mlx5's, with a change.
template <class Change>
Facts Nic(Change change) {
  return WithHardware([&change](Port& port, PciFunction& pci) {
    Netdev netdev = *port.netdev;
    netdev.driver = "mlx5_core";
    netdev.driver_info = DriverInfo{.driver = "mlx5_core", .firmware = "16.35.4030 (MT_0000000080)"};
    port.netdev = netdev;
    port.devlink.versions =
        std::vector<FirmwareVersion>{{.name = "fw", .running = "16.35.4030", .stored = "16.35.4030"}};
    port.devlink.health =
        std::vector<HealthReporter>{{.name = "fw", .healthy = true}, {.name = "tx", .healthy = true}};
    port.devlink.parameters = std::vector<DevlinkParameter>{{.name = "enable_roce", .driverinit = "true"}};
    change(port, pci);
  });
}

Facts GoodNic() {
  return Nic([](Port&, PciFunction&) {});
}

template <class Change>
Facts NicPort(Change change) {
  return Nic([&change](Port& port, PciFunction&) { change(port); });
}

void AddFirmware(std::vector<CheckCase>& cases) {
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
  cases.insert(
      cases.end(),
      {{"drv.fw-version", "what is stored", GoodNic(), kPass, "firmware 16.35.4030"},
       {"drv.fw-version", "as old as allowed", GoodNic(), kPass, "firmware 16.35.4030", "", floor},
       {"drv.fw-version", "too old", GoodNic(), kFail, "firmware 16.35.4030", "devlink dev info", newer},
       {"drv.fw-version", "a floor of another driver", GoodNic(), kPass, "firmware", "", other},
       {"drv.fw-version", "one waits for a reset", pending, kFail, "fw 16.35.4030 runs, and 16.36.1 waits",
        "devlink dev reload pci/0000:3b:00.0 action fw_activate"},
       {"drv.fw-version", "denied", NicPort([](Port& port) { port.devlink.versions = Denied(); }), kUnknown,
        "not permitted"},
       {"drv.fw-version", "a floor, and no firmware told", nothing, kUnknown, "not permitted", "", floor},
       {"drv.fw-version", "no devlink, no floor", silent, kNotApplicable, "asks for no version"},
       {"drv.fw-version", "software", GoodHost(), kNotApplicable, "no firmware"},
       {"drv.health", "good", GoodNic(), kPass, "2 reporters, no error"},
       {"drv.health", "in error", reporter({.name = "fw_fatal", .errors = 3, .recovered = 1}), kFail,
        "in error: fw_fatal: 3 errors, 1 recovered from",
        "devlink health recover pci/0000:3b:00.0 reporter fw_fatal"},
       {"drv.health", "past errors", reporter({.name = "tx", .healthy = true, .errors = 1, .recovered = 1}),
        kWarn, "tx: 1 error, 1 recovered from, since"},
       {"drv.health", "denied", NicPort([](Port& port) { port.devlink.health = Denied(); }), kUnknown,
        "not permitted"},
       {"drv.health", "none reported", NicPort([](Port& port) { port.devlink.health = kUnsupported; }),
        kNotApplicable, "reports no health"},
       {"drv.health", "software", GoodHost(), kNotApplicable, "no firmware"}});
}

void AddDriver(std::vector<CheckCase>& cases) {
  const auto switches = [](std::vector<DevlinkParameter> parameters) {
    return NicPort([&parameters](Port& port) { port.devlink.parameters = parameters; });
  };
  const Profile iwarp = Asking([](Profile& profile) { profile.transport = Profile::Transport::kIwarp; });
  const Profile any = Asking([](Profile& profile) { profile.transport = Profile::Transport::kAny; });
  const Facts mute = NicPort([](Port& port) {
    port.devlink.parameters = Denied();
    port.transport = Transport::kUnknown;
  });
  cases.insert(
      cases.end(),
      {{"drv.roce-enabled", "mlx5", GoodNic(), kPass, "enable_roce true"},
       {"drv.roce-enabled", "switched off", switches({{.name = "enable_roce", .driverinit = "false"}}), kFail,
        "enable_roce false",
        "devlink dev param set pci/0000:3b:00.0 name enable_roce value true cmode driverinit && devlink dev "
        "reload "
        "pci/0000:3b:00.0"},
       {"drv.roce-enabled", "ice as iWARP",
        switches({{.name = "enable_roce", .runtime = "false"}, {.name = "enable_iwarp", .runtime = "true"}}),
        kFail, "enable_iwarp true, enable_roce false",
        "name enable_iwarp value false cmode runtime; devlink dev param set pci/0000:3b:00.0 name enable_roce"},
       {"drv.roce-enabled", "ice as iWARP, wished",
        switches({{.name = "enable_roce", .runtime = "false"}, {.name = "enable_iwarp", .runtime = "true"}}),
        kPass, "enable_iwarp true", "", iwarp},
       {"drv.roce-enabled", "a driver without", switches({}), kPass, "no switch for it"},
       {"drv.roce-enabled", "denied, and no transport told", mute, kUnknown, "not permitted"},
       {"drv.roce-enabled", "denied, and it speaks RoCE",
        NicPort([](Port& port) { port.devlink.parameters = Denied(); }), kNotApplicable, "speaks roce"},
       {"drv.roce-enabled", "any transport", GoodNic(), kNotApplicable, "does not ask", "", any},
       {"drv.roce-enabled", "software", GoodHost(), kNotApplicable, "software"},
       {"drv.userlib", "there", GoodHost(), kPass, "programs can open rxe0"},
       {"drv.userlib", "none", WithPort([](Port& port) { port.verbs_provider = false; }), kFail,
        "no driver for rxe0", "apt-get install ibverbs-providers"},
       {"drv.userlib", "denied", WithPort([](Port& port) { port.verbs_provider = Denied(); }), kUnknown,
        "not permitted"},
       {"drv.out-of-tree", "the kernel's",
        WithHardware([](Port& port, PciFunction&) { port.out_of_tree = false; }), kPass,
        "the kernel's own driver"},
       {"drv.out-of-tree", "rxe", GoodHost(), Outcome::kNotApplicable, "software device"},
       {"drv.out-of-tree", "a vendor's",
        WithHardware([](Port& port, PciFunction&) { port.out_of_tree = true; }), kFail,
        "outside of the kernel's source", "ethtool -i dcb0"},
       {"drv.out-of-tree", "denied",
        WithHardware([](Port& port, PciFunction&) { port.out_of_tree = Denied(); }), kUnknown,
        "not permitted"}});
}

template <class Change>
Facts WithHops(Change change) {
  return Nic([&change](Port&, PciFunction& pci) {
    std::vector<PciHop> path = *pci.path;
    change(path);
    pci.path = path;
  });
}

Facts Domain(Fact<std::string> domain) {
  return Nic([&domain](Port&, PciFunction& pci) { pci.iommu_domain = domain; });
}

void AddBus(std::vector<CheckCase>& cases) {
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
  const Facts without_acs = WithHops([](std::vector<PciHop>& path) { path[1].acs_redirect = kUnsupported; });
  cases.insert(cases.end(), {{"pcie.mps", "alike", GoodNic(), kPass, "256 bytes on 2 devices"},
                             {"pcie.mps", "different", payload(512, 256), kFail,
                              "0000:3b:00.0 has 512 bytes, 0000:3a:00.0 on its way 256", "pci=pcie_bus_safe"},
                             {"pcie.mps", "small", payload(128, 128), kWarn, "128 bytes"},
                             {"pcie.mps", "denied", unread, kUnknown, "not permitted"},
                             {"pcie.mps", "software", GoodHost(), kNotApplicable, "no PCIe"},
                             {"pcie.mrrs", "good", GoodNic(), kPass, "4096 bytes"},
                             {"pcie.mrrs", "128", request(128), kFail, "128 bytes at 0000:3b:00.0",
                              "setpci -s 0000:3b:00.0 CAP_EXP+8.w=5000:7000"},
                             {"pcie.mrrs", "256 at 25 Gb/s", request(256), kWarn, "256 bytes"},
                             {"pcie.mrrs", "denied", unread, kUnknown, "not permitted"},
                             {"pcie.mrrs", "software", GoodHost(), kNotApplicable, "no PCIe"},
                             {"pcie.acs", "none redirects", GoodNic(), kPass, "none of 2 devices", "", gpu},
                             {"pcie.acs", "a port without", without_acs, kPass, "none of 2 devices", "", gpu},
                             {"pcie.acs", "redirected", redirecting, kFail, "0000:3a:00.0 sends",
                              "setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000:000c", gpu},
                             {"pcie.acs", "denied", unread, kUnknown, "not permitted", "", gpu},
                             {"pcie.acs", "not asked", redirecting, kNotApplicable, "does not ask"},
                             {"pcie.iommu", "identity", GoodNic(), kPass, "identity"},
                             {"pcie.iommu", "translated", Domain(std::string("DMA-FQ")), kFail,
                              "translated: DMA-FQ", "iommu=pt"},
                             {"pcie.iommu", "denied", Domain(Denied()), kUnknown, "not permitted"},
                             {"pcie.iommu", "none", Domain(kUnsupported), kNotApplicable, "no IOMMU"},
                             {"pcie.iommu", "software", GoodHost(), kNotApplicable, "no PCIe"}});
}

}  // namespace

void AddNicCases(std::vector<CheckCase>& cases) {
  AddFirmware(cases);
  AddDriver(cases);
  AddBus(cases);
}

}  // namespace rdmaready
