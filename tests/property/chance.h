// SPDX-License-Identifier: Apache-2.0
// Values made by chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace rdmaready::property {

using Chance = std::mt19937_64;

// 0 to `most`.
inline std::uint64_t Upto(Chance& chance, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>(0, most)(chance);
}
inline bool OneIn(Chance& chance, std::uint64_t n) { return Upto(chance, n - 1) == 0; }

template <class T>
T Any(Chance& chance, std::initializer_list<T> values) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(Upto(chance, values.size() - 1)));
}

}  // namespace rdmaready::property
