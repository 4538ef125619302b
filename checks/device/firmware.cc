// SPDX-License-Identifier: Apache-2.0
// drv.fw-version, drv.health: what runs on the NIC itself, and how it feels.
#include <algorithm>
#include <optional>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/version.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

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

std::string FirmwareNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return std::string(kSoftware);
  if (FloorOf(view) == nullptr && NotOffered(view.port.devlink.versions))
    return "the driver does not tell what firmware is stored, and the profile asks for no version";
  return {};
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
  if (!versions) return NoAnswer(versions.missing(), std::string(kExpected), kSource);
  const FirmwareVersion* waits = Pending(*versions);
  if (waits == nullptr) return std::nullopt;
  return Judged(false,
                Cat(waits->name, " ", waits->running, " runs, and ", waits->stored, " waits for a reset"),
                std::string(kExpected), kSource,
                Cat("devlink dev reload ", DevlinkWord(view.port),
                    " action fw_activate  # the link goes down meanwhile; where the driver refuses, reboot"));
}

Verdict JudgeFirmware(const PortView& view) {
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

std::string HealthNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return std::string(kSoftware);
  return NotOffered(view.port.devlink.health) ? "the driver reports no health of its own" : "";
}

std::string ReporterText(const HealthReporter& reporter) {
  return Cat(reporter.name, ": ", reporter.errors, reporter.errors == 1 ? " error, " : " errors, ",
             reporter.recovered, " recovered from");
}

// An error that lasts is a fault; what was recovered from since the driver was loaded, worth knowing.
Verdict JudgeHealth(const PortView& view) {
  constexpr std::string_view kSource = "devlink health";
  constexpr std::string_view kExpected = "healthy, without errors";
  const Fact<std::vector<HealthReporter>>& health = view.port.devlink.health;
  if (!health) return NoAnswer(health.missing(), std::string(kExpected), kSource);
  const auto sick = std::ranges::find(*health, false, &HealthReporter::healthy);
  if (sick != health->end()) {
    return Judged(false, Cat("in error: ", ReporterText(*sick)), std::string(kExpected), kSource,
                  Cat("devlink health recover ", DevlinkWord(view.port), " reporter ", ShellWord(sick->name)));
  }
  const auto past =
      std::ranges::find_if(*health, [](const HealthReporter& reporter) { return reporter.errors > 0; });
  if (past != health->end())
    return Warned(Cat(ReporterText(*past), ", since the driver was loaded"), std::string(kExpected), kSource);
  return Judged(true, Cat(health->size(), health->size() == 1 ? " reporter" : " reporters", ", no error"),
                std::string(kExpected), kSource);
}

}  // namespace

Check DrvFwVersion() {
  return {
      .id = "drv.fw-version",
      .title = "The NIC runs the firmware that is stored, and none that is too old",
      .why = "Old firmware has faults that are mended since; one that is only stored does nothing",
      .fix = "devlink dev info  # update the NIC by its vendor's tool, then: devlink dev reload, or a reboot",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{FirmwareNotApplicable, JudgeFirmware}};
}

Check DrvHealth() {
  return {.id = "drv.health",
          .title = "The NIC's driver and firmware report no error",
          .why = "Firmware in error drops connections, or serves none at all, with a link that looks up",
          .fix = "devlink health show  # what it was: devlink health diagnose, and dmesg",
          .blocks_for = &kDemandsRdma,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{HealthNotApplicable, JudgeHealth}};
}

}  // namespace rdmaready
