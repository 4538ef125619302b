// SPDX-License-Identifier: Apache-2.0
// KeptSettings: what was confirmed, so that it can be set again when the kernel forgot it; and what a device
// still had to get back when it went away.
//
// The kernel forgot when the host was booted or the device was made anew. Each setting therefore has the life
// of both in which it was last seen as it is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/boot_record.h"
#include "agent/apply/disk.h"
#include "api/model/setting.h"

namespace rdmaready::apply {

struct KeptSetting {
  Setting setting{};
  std::string subject{};     // PlanStep::subject, for the permission
  std::string change{};      // by which it was confirmed
  std::string boot_id{};     // the life of the kernel, and
  std::uint64_t device = 0;  // of the device (ApplierSeams::device) in which it was last so; 0: in none yet
  std::string identity{};    // of the hardware (ApplierSeams::identity); empty: not known
  // An owed setting is written only where it is this value, which a change wrote before the host was started
  // anew. Empty: whatever it is.
  std::string written{};

  bool operator==(const KeptSetting&) const = default;
};

struct KeptSettings {
  std::vector<KeptSetting> kept{};  // one an object, sorted by it
  // Of changes that were rolled back while the device was away: set once, when it is there again, unless the
  // object is kept; of this boot only.
  std::vector<KeptSetting> owed{};
  std::vector<KeptFile> files{};  // for the next boot; a link after its unit

  bool operator==(const KeptSettings&) const = default;
};

// Replaces the entry of the same object.
void Put(std::vector<KeptSetting>& list, KeptSetting entry);
// Whether there was one.
bool Remove(std::vector<KeptSetting>& list, const SettingObject& object);
const KeptSetting* Find(const std::vector<KeptSetting>& list, const SettingObject& object);

// One line of JSON, and back. kDataLoss: it is no such text, or holds a value that is not canonical.
std::string TextOf(const KeptSettings& settings);
absl::StatusOr<KeptSettings> KeptSettingsOf(std::string_view text);

// No file: nothing is kept. kDataLoss: the file says something else than settings; kFailedPrecondition: it is
// not this user's alone.
absl::StatusOr<KeptSettings> LoadKept(const std::string& path);
// The file is the new or the old one, whatever happens.
absl::Status SaveKept(Disk& disk, const std::string& path, const KeptSettings& settings);

}  // namespace rdmaready::apply
