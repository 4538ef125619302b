// SPDX-License-Identifier: Apache-2.0
// EnvironmentRun: what `rdmaready env` found out, and how it is printed.
#pragma once

#include <string>
#include <vector>

#include "api/model/report.h"
#include "checks/consumer/environment.h"

namespace rdmaready {

struct EnvironmentRun {
  std::string host{};  // as the caller named it
  Consumer consumer = Consumer::kUnknown;
  std::vector<ProfileRef> profiles{};  // by which it was judged
  Environment environment{};           // kReady
};

// Lines for a POSIX shell: `export NAME='value'`, each below a comment that says why. No line has a character
// of a host's name by which a shell leaves a comment or a quotation.
std::string EnvironmentText(const EnvironmentRun& run);
std::string EnvironmentJson(const EnvironmentRun& run);

}  // namespace rdmaready
