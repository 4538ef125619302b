// SPDX-License-Identifier: Apache-2.0
#include "agent/request_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::vector<TransferCase>> ChooseCases(const std::vector<std::string>& names,
                                                      const TransferOptions& options,
                                                      const TransferLimits& limits) {
  if (options.over_tcp) return absl::InvalidArgumentError("a loopback test over TCP: only between two hosts");
  if (options.stress) return absl::InvalidArgumentError("a loopback test is never a part of a stress test");
  if (options.numbered)
    return absl::InvalidArgumentError("numbered writes on loopback: only between two hosts");
  if (options.max_bytes_per_s > 0)
    return absl::InvalidArgumentError("a loopback test has no limit of its rate");
  std::vector<TransferCase> chosen;
  for (const std::string& name : names) {
    const TransferCase* test = FindCase(name);
    if (test == nullptr) return absl::NotFoundError(fmt::format("no test case '{}'", name));
    if (std::ranges::find(chosen, test->name, &TransferCase::name) != chosen.end()) {
      return absl::InvalidArgumentError(fmt::format("test case '{}' is named twice", name));
    }
    chosen.push_back(*test);
  }
  if (names.empty()) chosen = CasesOn(Rung::kLoopback);
  for (TransferCase& test : chosen) {
    RR_ASSIGN_OR_RETURN(test, Customized(test, options, limits));
  }
  return chosen;
}

}  // namespace rdmaready
