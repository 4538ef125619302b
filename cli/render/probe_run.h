// SPDX-License-Identifier: Apache-2.0
// ProbeSummary: what `rdmaready probe` found out.
#pragma once

#include <string>

#include "api/client/agent_calls.h"

namespace rdmaready {

struct ProbeSummary {
  std::string host{};  // from which, as the caller named it
  ProbeAnswer answer{};
};

}  // namespace rdmaready
