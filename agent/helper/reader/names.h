// SPDX-License-Identifier: Apache-2.0
// What the builders of the reader's questions share: which names are taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "agent/helper/frame.h"
#include "collectors/questions.h"

namespace rdmaready::helper {

using Built = absl::StatusOr<Question>;
using Recognised = std::optional<Json>;

inline constexpr std::size_t kLongestName = 255;

inline absl::Status NoName(std::string_view what) {
  return absl::InvalidArgumentError(std::string(what) + " is no name");
}

// A name that stays one part of a path whatever it holds.
inline bool IsPathPart(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

// Of netdevs and RDMA devices: no byte that a message could take for the end of the name.
inline bool IsDeviceName(std::string_view name) {
  constexpr std::size_t kLongestDevice = 63;
  return IsPathPart(name) && name.size() <= kLongestDevice && name.front() != '.' &&
         std::ranges::all_of(name, [](char letter) { return letter > ' ' && letter <= '~'; });
}

template <class T>
const T* As(const Question& question) {
  return std::get_if<T>(&question);
}

// The index of the first that equals, or nothing.
template <class List, class T>
std::optional<std::size_t> IndexOf(const List& list, const T& one) {
  const auto found = std::ranges::find(list, one);
  if (found == std::ranges::end(list)) return std::nullopt;
  return static_cast<std::size_t>(found - std::ranges::begin(list));
}

}  // namespace rdmaready::helper
