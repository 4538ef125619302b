// SPDX-License-Identifier: Apache-2.0
// The files of packaging/profiles, put into the binary at build time (see CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace rdmaready {

struct BuiltInProfile {
  std::string_view name{};  // the file's name without ".yaml"
  std::string_view text{};
};

// Sorted by name.
std::span<const BuiltInProfile> BuiltInProfiles();

}  // namespace rdmaready
