// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/coverage.h"

#include <bit>
#include <cstdint>

namespace {

constexpr std::size_t kPlaces = 1 << 16;

// Plain arrays: a library template here could be linked to the copy that is compiled with coverage, and
// call back.
std::uint8_t hits[kPlaces];      // by the script that runs, saturating
std::uint8_t reached[kPlaces];   // a bit for each power of two of hits, over all scripts
std::uint32_t touched[kPlaces];  // places with hits
std::size_t touched_count = 0;

}  // namespace

// Called at the start of each basic block.
extern "C" void __sanitizer_cov_trace_pc() {
  // Relative, because the program lies elsewhere each time and a seed should do the same each time.
  std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                      reinterpret_cast<std::uintptr_t>(&__sanitizer_cov_trace_pc);
  pc ^= pc >> 16;
  const auto place = static_cast<std::uint32_t>(pc % kPlaces);
  if (hits[place] == 0) touched[touched_count++] = place;
  if (hits[place] < 0xff) ++hits[place];
}

namespace rdmaready::fuzz {

void StartCoverage() {
  for (std::size_t i = 0; i < touched_count; ++i) hits[touched[i]] = 0;
  touched_count = 0;
}

bool FoundNewCoverage() {
  bool found = false;
  for (std::size_t i = 0; i < touched_count; ++i) {
    const std::uint32_t place = touched[i];
    const auto bit = static_cast<std::uint8_t>(1u << (std::bit_width(hits[place]) - 1));
    if ((reached[place] & bit) != 0) continue;
    reached[place] = static_cast<std::uint8_t>(reached[place] | bit);
    found = true;
  }
  return found;
}

std::size_t CoveredPlaces() {
  std::size_t count = 0;
  for (const std::uint8_t bits : reached) count += bits != 0 ? 1 : 0;
  return count;
}

}  // namespace rdmaready::fuzz
