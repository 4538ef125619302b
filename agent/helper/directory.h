// SPDX-License-Identifier: Apache-2.0
// The folder of the helpers' sockets, unless the agent's --helpers names another.
#pragma once

#include <string_view>

namespace rdmaready::helper {

inline constexpr std::string_view kHelpersDirectory = "/run/rdmaready/helpers";

}  // namespace rdmaready::helper
