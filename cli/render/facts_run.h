// SPDX-License-Identifier: Apache-2.0
// FactsRun: the facts of some hosts, or why there are none.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "cli/exit_status.h"

namespace rdmaready {

struct HostFacts {
  std::string host{};   // as the caller named it
  std::string error{};  // why there are no facts; empty when there are
  ExitStatus failure = ExitStatus::kOk;
  Facts facts{};
};

struct FactsRun {
  bool lldp_asked = false;  // somebody wanted to listen: then it matters why nothing was heard
  std::vector<HostFacts> hosts{};
};

}  // namespace rdmaready
