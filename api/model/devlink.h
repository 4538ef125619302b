// SPDX-License-Identifier: Apache-2.0
// What devlink tells of the device below an RDMA port (Documentation/networking/devlink of Linux).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// A part of the device's firmware. A running version that differs from the stored one waits for a reset.
struct FirmwareVersion {
  std::string name{};     // "fw", "fw.mgmt", "fw.psid"
  std::string running{};  // empty: not told
  std::string stored{};   // empty: not told
  bool fixed = false;     // of the board, not of software: never updated

  void Fields(auto& list) { list.Setting("name", name, "running", running, "stored", stored, "fixed", fixed); }

  bool operator==(const FirmwareVersion&) const = default;
};

// "true", "false", or a number in decimal; empty where the parameter has no value of that kind.
struct DevlinkParameter {
  std::string name{};        // "enable_roce"
  std::string runtime{};     // takes effect at once
  std::string driverinit{};  // at the next devlink reload
  std::string permanent{};   // at the next reset of the device

  void Fields(auto& list) {
    list.Setting("name", name, "runtime", runtime, "driverinit", driverinit, "permanent", permanent);
  }

  bool operator==(const DevlinkParameter&) const = default;
};

struct HealthReporter {
  std::string name{};  // "fw", "fw_fatal", "tx"
  bool healthy = false;
  std::uint64_t errors = 0;  // since the driver was loaded
  std::uint64_t recovered = 0;

  void Fields(auto& list) {
    list.Setting("name", name);
    list.State("healthy", healthy);
    list.Reading("errors", errors, "recovered", recovered);
  }

  bool operator==(const HealthReporter&) const = default;
};

struct Devlink {
  Fact<std::vector<FirmwareVersion>> versions{};
  Fact<std::vector<DevlinkParameter>> parameters{};
  Fact<std::vector<HealthReporter>> health{};
  Fact<std::string> eswitch_mode{};  // "legacy", "switchdev"

  void Fields(auto& list) {
    list.Setting("versions", versions, "parameters", parameters, "eswitch_mode", eswitch_mode);
    list.State("health", health);
  }

  bool operator==(const Devlink&) const = default;
};

}  // namespace rdmaready
