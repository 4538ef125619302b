// SPDX-License-Identifier: Apache-2.0
// Soundness: whether a path can be a database of ours, and whether the one that is open is damaged.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "api/base/clock.h"
#include "api/sqlite/sqlite.h"

namespace rdmaready {

// kFailedPrecondition when the path is something else than a regular file or nothing at all: SQLite would wait
// for ever on a FIFO, and say little of a directory.
absl::Status CheckFileKind(const std::string& path);

// Makes an empty file that is nobody else's to read, whatever the umask; SQLite gives its log the same mode.
// One that is there already stays as it is.
void MakePrivateFile(const std::string& path);

// The structure of the file: kDataLoss when it is damaged. A look that took longer than `at_most` found
// nothing; zero: does not look.
absl::Status LookForDamage(const Database& database, std::chrono::milliseconds at_most,
                           Clock& clock = RealClock());

// The directory, made when it is absent (0700) and written so that its name survives a power cut.
absl::Status MakePrivateDirectory(const std::string& directory);

// A name in a directory lasts when the directory was written.
absl::Status SyncDirectory(const std::string& directory);

}  // namespace rdmaready
