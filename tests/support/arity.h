// SPDX-License-Identifier: Apache-2.0
// Arity<T>(): how many members a struct has, so that a test finds the one that a list of fields forgot.
#pragma once

#include <cstddef>

namespace rdmaready::test {

// Stands for a member of any type; never made.
struct AnyMember {
  template <class T>
  operator T&() const&& noexcept;  // NOLINT(google-explicit-constructor)
  template <class T>
  operator T&() const& noexcept;  // NOLINT(google-explicit-constructor)
};

template <class T, class... Members>
consteval std::size_t Arity() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; }) {
    return Arity<T, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

}  // namespace rdmaready::test
