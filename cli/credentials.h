// SPDX-License-Identifier: Apache-2.0
// What the command line is told of a share: its name, and a file of credentials.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/base/credentials.h"

namespace rdmaready {

struct ShareName {
  std::string server{};
  std::string share{};
};

// "//server/share", also with backslashes.
absl::StatusOr<ShareName> ParseShare(const std::string& text);

}  // namespace rdmaready
