// SPDX-License-Identifier: Apache-2.0
// history_year DIRECTORY [WEEKS]: lives through a year and says what it took. Fails at 64 MiB.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tests/unit/agent/history/year.h"

int main(int argc, char** argv) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  constexpr int kYear = 53;  // weeks, so that 365 days are in them
  if (argc < 2) return 2;
  const rdmaready::YearResult year = rdmaready::LiveThrough(argv[1], argc > 2 ? std::atoi(argv[2]) : kYear);
  fmt::print("{} checks, {} bodies, {} bytes; {} baselines in {:.1f} ms\n", year.checks, year.bodies,
             year.file_bytes, year.baselines, static_cast<double>(year.baseline_time.count()) / 1e6);
  if (!year.error.empty()) std::fprintf(stderr, "%s\n", year.error.c_str());
  return year.error.empty() && year.file_bytes < kMost ? 0 : 1;
}
