// SPDX-License-Identifier: Apache-2.0
// SaveRun: which hosts were saved, and where.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_status.h"

namespace rdmaready {

struct HostSave {
  std::string host{};    // as the caller named it
  std::string folder{};  // where its recording lies
  std::string error{};   // why there is none; empty when there is
  ExitStatus failure = ExitStatus::kOk;
};

struct SaveRun {
  std::vector<HostSave> hosts{};
};

}  // namespace rdmaready
