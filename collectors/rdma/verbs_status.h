// SPDX-License-Identifier: Apache-2.0
// Answers of HostReader's Verbs functions that mean more than that they failed.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace rdmaready {

// libibverbs does not list the device: it has no driver ("provider") for it.
inline absl::Status VerbsDeviceNotListed(const std::string& device) {
  return absl::NotFoundError("open verbs device " + device + ": No such device");
}

}  // namespace rdmaready
