// SPDX-License-Identifier: Apache-2.0
// Files as the kernel shows them: sysfs, procfs, configfs and plain ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready {

// The whole file; EFBIG when it is larger than 16 MiB.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// No octet beyond the first `most_bytes`, and the file is not asked for one.
absl::StatusOr<std::string> ReadFirstBytes(const std::string& path, std::size_t most_bytes);

// Sorted names, without "." and "..".
absl::StatusOr<std::vector<std::string>> ListWholeDirectory(const std::string& path);

// The link's own text.
absl::StatusOr<std::string> ReadLinkText(const std::string& path);

// OK when the class of devices at `path` is registered, that is, when its module is loaded or built in;
// else kFailedPrecondition. Asking before it is would let the kernel load the module.
absl::Status RequireClass(const std::string& path, std::string_view module);

}  // namespace rdmaready
