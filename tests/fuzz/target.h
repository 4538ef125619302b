// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: the first byte of an input chooses a decoder, the rest is what it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rdmaready {

inline constexpr std::size_t kMaxInputBytes = 5000;  // more than the longest message

// One well-formed input for each decoder.
std::vector<std::vector<std::uint8_t>> FuzzSeeds();

}  // namespace rdmaready
