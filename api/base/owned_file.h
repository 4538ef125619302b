// SPDX-License-Identifier: Apache-2.0
// A file in which root says who may do what: it is read only where nobody else could have written it.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace rdmaready {

// At most `most` octets and one more, which shows that there are more. The file belongs to root or to this
// process's user, and nobody else may write it: else kFailedPrecondition, which names owner and mode. It is
// judged by the descriptor that is read, so that no other file comes between. kInvalidArgument: it cannot be
// read, or is not a regular file. Blocks on file access.
absl::StatusOr<std::string> ReadOwnedFile(const std::string& path, std::size_t most);

}  // namespace rdmaready
