// SPDX-License-Identifier: Apache-2.0
#include "api/base/share_name.h"

#include <algorithm>
#include <cstddef>

namespace rdmaready {
namespace {

constexpr std::size_t kMostBytes = 80;  // NNLEN of Windows
constexpr std::string_view kForbidden = "/\\,:\"<>|?*";

}  // namespace

bool IsShareName(std::string_view name) {
  const auto is_control = [](unsigned char letter) { return letter < ' ' || letter == 0x7f; };
  return !name.empty() && name.size() <= kMostBytes && name.find_first_of(kForbidden) == name.npos &&
         std::ranges::none_of(name, is_control);
}

}  // namespace rdmaready
