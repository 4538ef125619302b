// SPDX-License-Identifier: Apache-2.0
// `rdmaready-agent enrol`: what the agent's program does instead of serving.
#pragma once

#include <optional>

namespace rdmaready {

// The exit status, where the first argument is "enrol"; nothing: it is not.
std::optional<int> RunEnrolCommand(int argc, const char* const* argv);

}  // namespace rdmaready
