// SPDX-License-Identifier: Apache-2.0
// ProfileTestsRun: the results of the tests of one file.
#pragma once

#include <string>
#include <vector>

#include "cli/expected.h"
#include "cli/style.h"

namespace rdmaready {

struct ProfileTestResult {
  std::string name{};
  int line = 0;  // of the file
  std::vector<Mismatch> differences{};
};

struct ProfileTestsRun {
  std::string file{};
  std::vector<ProfileTestResult> tests{};
};

// A line for each test; below one that failed what was wanted ("-") and what was seen ("+"). Then how many
// failed.
std::string ProfileTestsText(const ProfileTestsRun& run, const Style& style);
std::string ProfileTestsJson(const ProfileTestsRun& run);

}  // namespace rdmaready
