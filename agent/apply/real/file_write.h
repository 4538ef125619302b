// SPDX-License-Identifier: Apache-2.0
// Writing to one file of the kernel's, whose path is made of names that were checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace rdmaready {

// Whether it can be the name of one directory entry and nothing else: not empty, not "." or "..", no slash, no
// control character, at most 255 octets.
bool IsPlainName(std::string_view name);

// Writes `text` in one write to the file that `names` lead to below `folder`, the last one's name last. No
// component below `folder` may be a symbolic link, and nothing is created. The error's text is "<what>: <the
// kernel's words>".
absl::Status WriteKernelFile(const std::string& folder, const std::vector<std::string>& names,
                             std::string_view text, std::string_view what);

}  // namespace rdmaready
