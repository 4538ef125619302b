// SPDX-License-Identifier: Apache-2.0
// drv.*: the kernel's doors for RDMA in user space, how the driver is set, and the firmware on the NIC.
#include <algorithm>
#include <array>
#include <optional>

#include "checks/device/boot_switch.h"
#include "checks/device/protocol_switches.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"
#include "checks/words/version.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

Fix NodesFix(bool verbs, bool cm) {
  const std::string_view modules = verbs ? "rdma_ucm" : cm ? "ib_uverbs" : "-a ib_uverbs rdma_ucm";
  return Fix(Cat("modprobe ", modules))
      .Because("nothing loaded the module that makes the node")
      .Do("for good: a line each in /etc/modules-load.d/rdma.conf")
      .CheckBy("ls /dev/infiniband");
}

Verdict JudgeDrvCoreModules(const HostView& view) {
  constexpr std::string_view kSource = "/dev/infiniband";
  constexpr std::string_view kExpected = "uverbs and rdma_cm";
  const Fact<std::vector<std::string>>& nodes = view.host.rdma_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), kExpected, kSource);
  const bool verbs =
      std::ranges::any_of(*nodes, [](const std::string& node) { return node.starts_with("uverbs"); });
  const bool cm = std::ranges::find(*nodes, "rdma_cm") != nodes->end();
  if (verbs && cm) return Judged(true, std::string(kExpected), kExpected, kSource);
  const std::string_view lacking = verbs ? "rdma_cm" : cm ? "uverbs" : "uverbs, no rdma_cm";
  return Judged(false, Cat("no ", lacking), kExpected, kSource, NodesFix(verbs, cm));
}

using Parameters = std::vector<DevlinkParameter>;

bool SpeaksIt(const Port& port, Profile::Transport transport) {
  if (!port.transport) return false;
  return *port.transport == (transport == Profile::Transport::kIwarp ? Transport::kIwarp : Transport::kRoce);
}

// What is in force, or will be; whether the driver takes a change at once decides the command.
struct SwitchState {
  std::string_view value{};
  std::string_view mode{};
};

SwitchState StateOf(const DevlinkParameter& parameter) {
  if (!parameter.runtime.empty()) return {parameter.runtime, "runtime"};
  if (!parameter.driverinit.empty()) return {parameter.driverinit, "driverinit"};
  return {parameter.permanent, "permanent"};
}

std::string SetCommand(const Port& port, std::string_view name, bool on, std::string_view mode) {
  const std::string device =
      port.pci && !port.pci->address.empty() ? "pci/" + ShellWord(port.pci->address) : "pci/ADDRESS";
  std::string command =
      Cat("devlink dev param set ", device, " name ", name, " value ", on ? "true" : "false", " cmode ", mode);
  if (mode == "driverinit") command += Cat(" && devlink dev reload ", device);
  return command;
}

Verdict JudgeDrvRoceEnabled(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable("a software device has no switches of devlink");
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: RoCE and iWARP are no matter of it");
  const Profile::Transport transport = view.profile.transport;
  if (SwitchesFor(transport).empty()) return NotApplicable(NotAsked(view.profile, "RoCE or iWARP"));
  if (std::optional<Verdict> at_boot = JudgeSwitchedOffAtBoot(view)) return *std::move(at_boot);
  const Fact<Parameters>& parameters = view.port.devlink.parameters;
  if (NotOffered(parameters)) return NotApplicable("the driver has no switches of devlink");
  // A port that speaks the protocol has it switched on.
  if (!parameters && SpeaksIt(view.port, transport))
    return NotApplicable(Cat("the port speaks ", Name(*view.port.transport), ", whatever its switches are"));
  constexpr std::string_view kSource = "devlink parameters";
  const std::string expected(Name(view.profile.transport));
  if (!parameters) return NoAnswer(parameters.missing(), expected, kSource);
  std::string wrong, right;
  Fix fix;
  for (const ProtocolSwitch& wanted : SwitchesFor(view.profile.transport)) {
    const auto found = std::ranges::find(*parameters, wanted.name, &DevlinkParameter::name);
    if (found == parameters->end()) continue;
    const SwitchState now = StateOf(*found);
    if (now.value.empty()) continue;
    const bool on = now.value == "true";
    std::string& text = on == wanted.on ? right : wrong;
    text += Cat(text.empty() ? "" : ", ", wanted.name, " ", now.value);
    if (on != wanted.on) fix = std::move(fix).Run(SetCommand(view.port, wanted.name, wanted.on, now.mode));
    if (on != wanted.on && now.mode == "permanent")
      fix = std::move(fix).Do("reboot: the device reads it at its reset");
  }
  if (!wrong.empty()) {
    return Judged(false, wrong, expected, kSource,
                  std::move(fix)
                      .Because("somebody switched the protocol off, or the driver's default is another",
                               Certainty::kCertain)
                      .Caution("the RDMA device is made anew, and a reload takes the interface down")
                      .CheckBy("rdma link show"));
  }
  return Judged(true, right.empty() ? std::string("the driver has no switch for it") : right, expected,
                kSource);
}

// libibverbs knows the device and found no /dev/infiniband/uverbsN for it, or one without a device behind it.
bool LacksNode(const Missing& why) {
  if (why.kind != Missing::Kind::kFailed || !why.detail.starts_with("open verbs device ")) return false;
  return why.detail.ends_with("No such file or directory") || why.detail.ends_with("No such device or address");
}

// The kernel makes the node with the device (devtmpfs): somebody removed it, or /dev is another.
Fix NodeFix(const Facts& host) {
  const bool some = host.rdma_nodes && std::ranges::any_of(*host.rdma_nodes, [](const std::string& node) {
                      return node.starts_with("uverbs");
                    });
  return Fix()
      .Because(some ? "the node of this device is missing, and other devices have theirs"
                    : "the node of the device is missing")
      .Do("make it: mknod -m 666 /dev/infiniband/uverbsN c MAJOR MINOR, with the numbers of "
          "/sys/class/infiniband_verbs/uverbsN/dev")
      .Or("reboot: the kernel makes all nodes anew")
      .CheckBy("ls -l /sys/class/infiniband_verbs /dev/infiniband");
}

// A container sees the devices of its node, and has the nodes of those that it was given.
bool IsOutsideOfContainers(const Facts& host) {
  return host.agent_group && host.agent_group->container.empty();
}

// Distributions ship the drivers of libibverbs in one package.
bool HasProviders(const Facts& host) {
  return host.ports && std::ranges::any_of(*host.ports, [](const Port& port) {
           return port.verbs_provider && *port.verbs_provider;
         });
}

constexpr std::string_view kShowAbi = "grep -H . /sys/class/infiniband_verbs/uverbs*/abi_version";

// Broadcom's own bnxt_re has ABI version 6, and the driver of rdma-core takes 1 alone: libibverbs leaves the
// device out.
Fix LibraryFix(const PortView& view) {
  const Port& port = view.port;
  if (port.out_of_tree && *port.out_of_tree) {
    return Fix(kShowAbi)
        .Because("the kernel's half is the vendor's, and the half of rdma-core does not take its ABI version")
        .Do("install the vendor's driver of libibverbs for {device}, in the images of containers too")
        .Or("use the kernel's own driver, which fits rdma-core")
        .CheckBy("ibv_devices");
  }
  if (!HasProviders(view.host)) return {};
  return Fix(kShowAbi)
      .Because(
          "libibverbs drives another device of this host: its driver for this one is missing, or does not take "
          "the kernel's ABI version")
      .Do("install an rdma-core that is as new as the kernel's driver of {device}")
      .CheckBy("ibv_devices");
}

Verdict JudgeDrvUserlib(const PortView& view) {
  constexpr std::string_view kSource = "libibverbs";
  constexpr std::string_view kExpected = "a driver of libibverbs for the device";
  const Fact<bool>& there = view.port.verbs_provider;
  if (!there && LacksNode(there.missing()) && IsOutsideOfContainers(view.host))
    return Judged(false, there.missing().detail, kExpected, kSource, NodeFix(view.host));
  if (!there) return NoAnswer(there.missing(), kExpected, kSource);
  return Judged(*there, Cat(*there ? "programs can open " : "libibverbs has no driver for ", view.port.device),
                kExpected, kSource, *there ? Fix() : LibraryFix(view));
}

// Those whose vendor publishes them for many kernels, and supports them (OFED, DOCA, and the like).
bool IsVendorsDriver(std::string_view driver) {
  constexpr std::array<std::string_view, 16> kVendors{
      "mlx5_core", "mlx4_en", "mlx4_core", "bnxt_en", "bng_en", "ice", "i40e",  "iavf",
      "idpf",      "qede",    "cxgb4",     "hns3",    "ionic",  "efa", "erdma", "hfi1"};
  return std::ranges::find(kVendors, driver) != kVendors.end();
}

Verdict JudgeDrvOutOfTree(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable("a software device is no vendor's");
  constexpr std::string_view kSource = "module taint";
  constexpr std::string_view kExpected = "the kernel's own driver, or its vendor's";
  const Fact<bool>& foreign = view.port.out_of_tree;
  if (!foreign) return NoAnswer(foreign.missing(), kExpected, kSource);
  if (!*foreign) return Judged(true, "the kernel's own driver", kExpected, kSource);
  const Fact<std::string> driver = DriverOf(view.host, view.port);
  if (!driver && !NotOffered(driver)) return NoAnswer(driver.missing(), kExpected, kSource);
  if (driver && IsVendorsDriver(*driver))
    return Judged(true, Cat("its vendor's ", *driver, ", of another age than the kernel"), kExpected, kSource);
  return Judged(false, "a driver from outside of the kernel's source", kExpected, kSource);
}

constexpr std::string_view kSoftware = "a software device has no firmware";

// "pci/0000:3b:00.0", as devlink names the device.
std::string DevlinkWord(const Port& port) {
  return port.pci && !port.pci->address.empty() ? "pci/" + ShellWord(port.pci->address) : "pci/ADDRESS";
}

// What the profile asks of this port's driver; null: nothing.
const Profile::FirmwareFloor* FloorOf(const PortView& view) {
  if (!view.port.netdev) return nullptr;
  const auto floor =
      std::ranges::find(view.profile.firmware, view.port.netdev->driver, &Profile::FirmwareFloor::driver);
  return floor == view.profile.firmware.end() ? nullptr : &*floor;
}

// As the network driver tells it, which is what vendors publish by; else as the RDMA device does.
Fact<std::string> FirmwareOf(const Port& port) {
  if (port.netdev && port.netdev->driver_info && IsVersion(port.netdev->driver_info->firmware))
    return port.netdev->driver_info->firmware;
  return port.firmware;
}

// The part of the firmware that waits for a reset; null: none does.
const FirmwareVersion* Pending(const std::vector<FirmwareVersion>& versions) {
  const auto waits = [](const FirmwareVersion& one) {
    return !one.fixed && !one.running.empty() && !one.stored.empty() && one.running != one.stored;
  };
  const auto found = std::ranges::find_if(versions, waits);
  return found == versions.end() ? nullptr : &*found;
}

std::optional<Verdict> JudgePending(const PortView& view) {
  constexpr std::string_view kSource = "devlink info";
  constexpr std::string_view kExpected = "what is stored";
  const Fact<std::vector<FirmwareVersion>>& versions = view.port.devlink.versions;
  if (NotOffered(versions)) return std::nullopt;
  if (!versions) return NoAnswer(versions.missing(), kExpected, kSource);
  const FirmwareVersion* waits = Pending(*versions);
  if (waits == nullptr) return std::nullopt;
  return Judged(
      false, Cat(waits->name, " ", waits->running, " runs, and ", waits->stored, " waits for a reset"),
      kExpected, kSource,
      Fix(Cat("devlink dev reload ", DevlinkWord(view.port), " action fw_activate"))
          .Because("the firmware was updated, and the device was not reset since", Certainty::kCertain)
          .Caution("the link goes down while the firmware starts")
          .Or("reboot, where the driver refuses the reload")
          .CheckBy(Cat("devlink dev info ", DevlinkWord(view.port))));
}

Verdict JudgeDrvFwVersion(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable(std::string(kSoftware));
  if (FloorOf(view) == nullptr && NotOffered(view.port.devlink.versions))
    return NotApplicable(
        "the driver does not tell what firmware is stored, and the profile asks for no version");
  constexpr std::string_view kSource = "ethtool driver information, RDMA netlink, devlink info";
  const Profile::FirmwareFloor* floor = FloorOf(view);
  const std::string expected = floor == nullptr ? std::string("what is stored") : Cat(floor->min, " or newer");
  const Fact<std::string> now = FirmwareOf(view.port);
  if (floor != nullptr && now && CompareVersions(*now, floor->min) < 0)
    return Judged(false, Cat("firmware ", *now), expected, kSource);
  if (const std::optional<Verdict> pending = JudgePending(view)) return *pending;
  if (!now) return NoAnswer(now.missing(), expected, kSource);
  return Judged(true, Cat("firmware ", *now), expected, kSource);
}

std::string ReporterText(const HealthReporter& reporter) {
  return Cat(reporter.name, ": ", reporter.errors, reporter.errors == 1 ? " error, " : " errors, ",
             reporter.recovered, " recovered from");
}

// An error that lasts is a fault; what was recovered from since the driver was loaded, worth knowing.
// Errors that were recovered from, since the driver was loaded: that is at most as long ago as the boot.
Verdict JudgePastErrors(const Facts& host, const HealthReporter& past, std::string_view expected,
                        std::string_view source) {
  constexpr std::uint64_t kOneInS = 30 * std::uint64_t{86'400};
  if (!host.uptime_s) return NoAnswer(host.uptime_s.missing(), expected, source);
  const std::string observed = Cat(ReporterText(past), ", since the driver was loaded");
  if (past.errors <= *host.uptime_s / kOneInS)
    return Judged(true, Cat(observed, ": not more than one in 30 days"), expected, source);
  return Warned(observed, expected, source);
}

Verdict JudgeDrvHealth(const PortView& view) {
  if (IsSoftware(view.port)) return NotApplicable(std::string(kSoftware));
  if (NotOffered(view.port.devlink.health)) return NotApplicable("the driver reports no health of its own");
  constexpr std::string_view kSource = "devlink health";
  constexpr std::string_view kExpected = "healthy, without errors";
  const Fact<std::vector<HealthReporter>>& health = view.port.devlink.health;
  if (!health) return NoAnswer(health.missing(), kExpected, kSource);
  const auto sick = std::ranges::find(*health, false, &HealthReporter::healthy);
  if (sick != health->end()) {
    return Judged(
        false, Cat("in error: ", ReporterText(*sick)), kExpected, kSource,
        Fix(Cat("devlink health diagnose ", DevlinkWord(view.port), " reporter ", ShellWord(sick->name)))
            .Because("the firmware or a queue of the NIC stopped, and did not recover by itself")
            .Caution("a recovery resets what stopped: its connections end")
            .Run(Cat("devlink health recover ", DevlinkWord(view.port), " reporter ", ShellWord(sick->name)))
            .CheckBy(Cat("devlink health show ", DevlinkWord(view.port))));
  }
  const auto past =
      std::ranges::find_if(*health, [](const HealthReporter& reporter) { return reporter.errors > 0; });
  if (past != health->end()) return JudgePastErrors(view.host, *past, kExpected, kSource);
  return Judged(true, Cat(health->size(), health->size() == 1 ? " reporter" : " reporters", ", no error"),
                kExpected, kSource);
}

}  // namespace

// mlx5 has enable_roce and enable_rdma; ice enable_roce and enable_iwarp, of which one at a time is on.
std::vector<ProtocolSwitch> SwitchesFor(Profile::Transport transport) {
  switch (transport) {
    case Profile::Transport::kRoceV2:
      return {{"enable_rdma", true}, {"enable_iwarp", false}, {"enable_roce", true}};
    case Profile::Transport::kIwarp:
      return {{"enable_rdma", true}, {"enable_roce", false}, {"enable_iwarp", true}};
    case Profile::Transport::kAny:
    case Profile::Transport::kInfiniBand:
      return {};
  }
  return {};
}

std::vector<Check> DriverChecks() {
  return {
      {.id = "drv.roce-enabled",
       .title = "The device's driver is set to speak the profile's transport",
       .why = "With the switch off the driver makes no such RDMA device, or one that only carries raw frames",
       .fix = Fix("devlink dev param show")
                  .Because("enable_roce, enable_iwarp or enable_rdma of the device is off")
                  .CheckBy("rdma link show"),
       .blocks_for = &kDemandsTransport,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDrvRoceEnabled},
      {.id = "drv.core-modules",
       .title = "Programs can reach RDMA: uverbs and rdma_cm are there",
       .why = "Without these device nodes no program opens an RDMA device, and no live test can be made",
       .fix = NodesFix(false, false),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDrvCoreModules},
      {.id = "drv.userlib",
       .title = "Programs have a verbs driver for the device",
       .why = "The kernel's half alone serves the kernel: no program opens the device, no test runs, and what "
              "verbs tell of the port stays unknown",
       .fix = Fix("{install verbs-drivers}")
                  .Because("the package with the user space half of the driver is not installed")
                  .Or("install the package that came with the vendor's driver")
                  .CheckBy("ibv_devices"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.rdma-present", "drv.core-modules"},
       .judge = JudgeDrvUserlib},
      {.id = "drv.fw-version",
       .title = "The NIC runs the firmware that is stored, and none that is too old",
       .why = "Old firmware has faults that are mended since; one that is only stored does nothing",
       .fix = Fix("devlink dev info")
                  .Because("the firmware is older than the profile asks")
                  .Caution("the new firmware runs after a reset: the link goes down")
                  .Do("update the firmware of {device} by its vendor's tool, then reboot")
                  .CheckBy("devlink dev info"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDrvFwVersion},
      {.id = "drv.health",
       .title = "The NIC's driver and firmware report no error",
       .why = "Firmware in error drops connections, or serves none at all, with a link that looks up",
       .fix = Fix("devlink health show")
                  .Because("the driver recovered from an error since it was loaded")
                  .Do("read the kernel's log of that time; update firmware and driver where it comes again")
                  .CheckBy("devlink health show"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDrvHealth},
      {.id = "drv.out-of-tree",
       .title = "The RDMA driver is the kernel's own",
       .why = "A vendor's own has other defaults, files and counters: what is said of this port holds for the "
              "kernel's, and updates of the kernel may break it",
       .fix = Fix("ethtool -i {netdev}")
                  .Because("somebody installed a driver from outside of the kernel", Certainty::kCertain)
                  .Or("keep it, with the kernels that its maker names"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDrvOutOfTree},
  };
}

}  // namespace rdmaready
