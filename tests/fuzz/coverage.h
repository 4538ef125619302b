// SPDX-License-Identifier: Apache-2.0
// Which code a script reached, by the compiler's -fsanitize-coverage=trace-pc. This file's own code and its
// callers' must not be compiled with it.
#pragma once

#include <cstddef>

namespace rdmaready::fuzz {

// Forgets what the last script reached.
void StartCoverage();

// True when code was reached since StartCoverage that no script reached before; or more often, by the power
// of two.
bool FoundNewCoverage();

// Places reached so far. 0 when the code under test was compiled without coverage.
std::size_t CoveredPlaces();

}  // namespace rdmaready::fuzz
