// SPDX-License-Identifier: Apache-2.0
#include "cli/render/profile_tests_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/words/words.h"

namespace rdmaready {

std::string ProfileTestsText(const ProfileTestsRun& run, const Style& style) {
  std::string text;
  for (const ProfileTestResult& test : run.tests) {
    const bool passed = test.differences.empty();
    text += fmt::format("{}  {}\n", passed ? style.Paint(Tone::kGood, "ok  ") : style.Paint(Tone::kBad, "FAIL"),
                        Printable(test.name));
    for (const Mismatch& difference : test.differences) {
      for (const std::string& line : difference.wanted) text += "      - " + Printable(line) + "\n";
      for (const std::string& line : difference.seen) text += "      + " + Printable(line) + "\n";
    }
  }
  const auto failed = static_cast<std::uint64_t>(std::ranges::count_if(
      run.tests, [](const ProfileTestResult& test) { return !test.differences.empty(); }));
  return text + fmt::format("{}: {}, {}\n", Printable(run.file), CountText(run.tests.size(), "test"),
                            failed == 0 ? std::string("all passed") : fmt::format("{} failed", failed));
}

}  // namespace rdmaready
