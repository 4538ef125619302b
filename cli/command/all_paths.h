// SPDX-License-Identifier: Apache-2.0
// `rdmaready test peer A B --all-paths`: the same transfer on every path, each alone and then all at once.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/model/transfer.h"
#include "cli/commands.h"

namespace rdmaready {

struct AllPathsTest {
  std::vector<std::string> hosts{};  // two
  std::vector<std::string> cases{};  // one at most; none: kAllPathsCase
  TransferOptions how{};             // no duration: kAllPathsTime
};

// kInvalidArgument: a case that is not of plain RDMA, or several; both directions at once.
ExitStatus RunAllPaths(const Context& context, const AllPathsTest& test,
                       const absl::StatusOr<Profile>& profile);

}  // namespace rdmaready
