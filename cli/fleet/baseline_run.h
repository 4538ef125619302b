// SPDX-License-Identifier: Apache-2.0
// BaselineRun: what live tests of some hosts showed last, and in the days before. A value: renderers read it.
#pragma once

#include <string>
#include <vector>

#include "api/model/baseline.h"
#include "cli/exit_status.h"

namespace rdmaready {

struct HostBaselines {
  std::string host{};   // as the caller named it
  std::string error{};  // why there are none; empty when the host answered
  ExitStatus failure = ExitStatus::kOk;
  std::vector<CaseBaseline> baselines{};
};

struct BaselineRun {
  std::vector<HostBaselines> hosts{};
};

}  // namespace rdmaready
