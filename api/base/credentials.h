// SPDX-License-Identifier: Apache-2.0
// Credentials for a share, from a file as mount.cifs(8) reads it: lines username=, password= and domain=.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/model/probe.h"

namespace rdmaready {

// InvalidArgument names the file and, of a wrong line, its number, never what stands there. A file that others
// may read is refused.
absl::StatusOr<Credentials> ReadCredentials(const std::string& path);

}  // namespace rdmaready
