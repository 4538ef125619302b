// SPDX-License-Identifier: Apache-2.0
// rdmaready profile test: saved hosts are judged, and found to be as a file expects.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/commands.h"
#include "cli/render/profile_tests_run.h"

namespace rdmaready {

// Judges what the file names. kInvalidArgument in one line, with file and line: the file is not of that form,
// or what a test names cannot be read. Blocks on file access.
absl::StatusOr<ProfileTestsRun> RunProfileTests(const std::string& file);

// The same as a command: kOk, kNotReady where an expectation does not hold, kUsage.
ExitStatus TestProfiles(const Context& context, const std::string& file);

}  // namespace rdmaready
