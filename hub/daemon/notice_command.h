// SPDX-License-Identifier: Apache-2.0
// `rdmaready-hub notice-test --notices FILE`: one notice to each receiver now, and what came back.
#pragma once

#include <optional>

namespace rdmaready::hub {

// None: the command line is another one. Else it was done: 0: every receiver took it. 2: the command line or
// the file is wrong. 4: a receiver did not take it.
std::optional<int> RunNoticeCommand(int argc, const char* const* argv);

}  // namespace rdmaready::hub
