// SPDX-License-Identifier: Apache-2.0
// The cases of loopback tests, as somebody asks for them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/transfer/limits.h"
#include "api/model/cases.h"
#include "api/model/transfer.h"

namespace rdmaready {

// Empty `names`: all. kNotFound (no such case), kInvalidArgument (twice, options beyond the limits, or such as
// only a test between two hosts has).
absl::StatusOr<std::vector<TransferCase>> ChooseCases(const std::vector<std::string>& names,
                                                      const TransferOptions& options,
                                                      const TransferLimits& limits);

}  // namespace rdmaready
