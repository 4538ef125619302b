// SPDX-License-Identifier: Apache-2.0
// BootFiles: which settings the files of the boot give their values.
//
// The rule after a boot: an unconfirmed change goes back where a device kept what the change wrote. A value
// that a file of the boot sets is the site's own, also where the change wrote the same one, and is left. A file
// whose value is not known counts as one that sets it. A file that could not be read does not: the promise that
// an unconfirmed change goes back is kept.
//
// A confirmed setting has the other rule: it is written over the value that a file of the boot sets, once for
// each life of its device. A person confirmed it, and apply.yaml allows it; `forget` ends that.
#pragma once

#include <optional>
#include <string>

#include "agent/apply/applier.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/table.h"

namespace rdmaready::apply {

// One thread at a time. Reads the host when it is asked for the first time, which takes seconds.
class BootFiles {
 public:
  explicit BootFiles(const ApplierSeams& seams) : seams_(seams) {}

  // The file that gives the setting this value; empty: none is known.
  std::string ThatSets(const SettingObject& object, const std::string& value) {
    if (!facts_) facts_ = seams_.read();
    return FileThatSets(*facts_, PlaceOf(*facts_, object), value);
  }

 private:
  const ApplierSeams& seams_;
  std::optional<Facts> facts_{};
};

}  // namespace rdmaready::apply
