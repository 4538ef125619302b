// SPDX-License-Identifier: Apache-2.0
// Files that people write for us: configuration, certificates.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace rdmaready {

// The whole text of a regular file of at most `max_bytes`; never waits (a FIFO is no file). kInvalidArgument
// with "read /x/ca.pem: No such file or directory".
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, std::size_t max_bytes);

// The same of a file that says what may be done: it must be of the user `owner`, and have none of the bits of
// `forbidden` in its mode (S_IWGRP | S_IWOTH: nobody else writes it); else kFailedPrecondition, which names
// both. Owner and mode are those of the file that is read, whatever takes its name meanwhile.
absl::StatusOr<std::string> ReadGuardedFile(const std::string& path, std::size_t max_bytes, ::uid_t owner,
                                            ::mode_t forbidden);

// The same of a file that an administrator writes for us: it is of root or of this process's user. The error
// says what to do about it.
inline constexpr ::mode_t kOthersWrite = 0022;
inline constexpr ::mode_t kOthersWriteOrAllRead = 0026;  // forbidden of one that holds secrets
absl::StatusOr<std::string> ReadOwnedFile(const std::string& path, std::size_t max_bytes, ::mode_t forbidden);

// As ReadGuardedFile, and nobody else can have put the file there: the path itself is no symbolic link, and the
// directory that it is in is of `owner`, too, with none of those bits.
absl::StatusOr<std::string> ReadGuardedInPlace(const std::string& path, std::size_t max_bytes, ::uid_t owner,
                                               ::mode_t forbidden);

}  // namespace rdmaready
