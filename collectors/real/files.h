// SPDX-License-Identifier: Apache-2.0
// Files as the kernel shows them: sysfs, procfs, configfs and plain ones.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

// The whole file; EFBIG when it is larger than 16 MiB.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Sorted names, without "." and "..".
absl::StatusOr<std::vector<std::string>> ListWholeDirectory(const std::string& path);

// The link's own text.
absl::StatusOr<std::string> ReadLinkText(const std::string& path);

}  // namespace rdmaready
