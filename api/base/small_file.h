// SPDX-License-Identifier: Apache-2.0
// Files that people write for us: configuration, certificates.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace rdmaready {

// The whole text of a regular file of at most `max_bytes`; never waits (a FIFO is no file). kInvalidArgument
// with "read /x/ca.pem: No such file or directory".
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes);

}  // namespace rdmaready
