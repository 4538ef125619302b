// SPDX-License-Identifier: Apache-2.0
// drv.roce-enabled, drv.userlib, drv.out-of-tree: how the driver was built and what it was told to be.
#include <algorithm>
#include <array>
#include <optional>

#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Parameters = std::vector<DevlinkParameter>;

// A switch of devlink and how it has to stand (Documentation/networking/devlink/devlink-params.rst).
struct Switch {
  std::string_view name;
  bool on;
};

// mlx5 has enable_roce and enable_rdma; ice enable_roce and enable_iwarp, of which one at a time is on.
std::vector<Switch> SwitchesFor(Profile::Transport transport) {
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

bool SpeaksIt(const Port& port, Profile::Transport transport) {
  if (!port.transport) return false;
  return *port.transport == (transport == Profile::Transport::kIwarp ? Transport::kIwarp : Transport::kRoce);
}

std::string EnabledNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return "a software device has no switches of devlink";
  if (IsInfiniBand(view.port)) return "InfiniBand: RoCE and iWARP are no matter of it";
  const Profile::Transport transport = view.profile.transport;
  if (SwitchesFor(transport).empty()) return NotAsked(view.profile, "RoCE or iWARP");
  const Fact<Parameters>& parameters = view.port.devlink.parameters;
  if (NotOffered(parameters)) return "the driver has no switches of devlink";
  // What the driver speaks it was told to.
  if (!parameters && SpeaksIt(view.port, transport))
    return Cat("the port speaks ", Name(*view.port.transport), ", whatever its switches are");
  return {};
}

// What is in force, or will be; whether the driver takes a change at once decides the command.
struct Setting {
  std::string_view value{};
  std::string_view mode{};
};

Setting SettingOf(const DevlinkParameter& parameter) {
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
  if (mode == "permanent") command += "  # then a reboot";
  return command;
}

Verdict JudgeEnabled(const PortView& view) {
  constexpr std::string_view kSource = "devlink parameters";
  const std::string expected(Name(view.profile.transport));
  const Fact<Parameters>& parameters = view.port.devlink.parameters;
  if (!parameters) return NoAnswer(parameters.missing(), expected, kSource);
  std::string wrong, right, fix;
  for (const Switch& wanted : SwitchesFor(view.profile.transport)) {
    const auto found = std::ranges::find(*parameters, wanted.name, &DevlinkParameter::name);
    if (found == parameters->end()) continue;
    const Setting now = SettingOf(*found);
    if (now.value.empty()) continue;
    const bool on = now.value == "true";
    std::string& text = on == wanted.on ? right : wrong;
    text += Cat(text.empty() ? "" : ", ", wanted.name, " ", now.value);
    if (on != wanted.on)
      fix += Cat(fix.empty() ? "" : "; ", SetCommand(view.port, wanted.name, wanted.on, now.mode));
  }
  if (!wrong.empty()) return Judged(false, wrong, expected, kSource, fix);
  return Judged(true, right.empty() ? std::string("the driver has no switch for it") : right, expected,
                kSource);
}

std::string NeverNotApplicable(const PortView&) { return {}; }

Verdict JudgeUserlib(const PortView& view) {
  constexpr std::string_view kSource = "libibverbs";
  constexpr std::string_view kExpected = "a driver of libibverbs for the device";
  const Fact<bool>& there = view.port.verbs_provider;
  if (!there) return NoAnswer(there.missing(), std::string(kExpected), kSource);
  return Judged(*there, Cat(*there ? "programs can open " : "libibverbs has no driver for ", view.port.device),
                std::string(kExpected), kSource);
}

std::string OriginNotApplicable(const PortView& view) {
  return IsSoftware(view.port) ? "a software device is no vendor's" : "";
}

Verdict JudgeOrigin(const PortView& view) {
  constexpr std::string_view kSource = "module taint";
  constexpr std::string_view kExpected = "the kernel's own driver";
  const Fact<bool>& foreign = view.port.out_of_tree;
  if (!foreign) return NoAnswer(foreign.missing(), std::string(kExpected), kSource);
  return Judged(!*foreign,
                *foreign ? "a driver from outside of the kernel's source" : "the kernel's own driver",
                std::string(kExpected), kSource);
}

}  // namespace

Check DrvRoceEnabled() {
  return {
      .id = "drv.roce-enabled",
      .title = "The device's driver is told to speak the profile's transport",
      .why = "With the switch off the driver makes no such RDMA device, or one that only carries raw frames",
      .fix = "devlink dev param show  # enable_roce, enable_iwarp, enable_rdma of the device",
      .blocks_for = &kDemandsTransport,
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{EnabledNotApplicable, JudgeEnabled}};
}

Check DrvUserlib() {
  return {.id = "drv.userlib",
          .title = "Programs have a verbs driver for the device",
          .why =
              "The kernel's half alone serves the kernel: no program opens the device, no test runs, and what "
              "verbs tell of the port stays unknown",
          .fix = "apt-get install ibverbs-providers  # or the package that came with the vendor's driver",
          .blocks_for = &kDemandsRdma,
          .depends_on = {"inv.rdma-present", "drv.core-modules"},
          .rule = Rule<PortView>{NeverNotApplicable, JudgeUserlib}};
}

Check DrvOutOfTree() {
  return {.id = "drv.out-of-tree",
          .title = "The RDMA driver is the kernel's own",
          .why =
              "A vendor's own has other defaults, files and counters: what is said of this port holds for the "
              "kernel's, and updates of the kernel may break it",
          .fix = "ethtool -i {netdev}  # with a vendor's driver on purpose: keep to the kernels that it names",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{OriginNotApplicable, JudgeOrigin}};
}

}  // namespace rdmaready
