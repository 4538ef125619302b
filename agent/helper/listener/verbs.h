// SPDX-License-Identifier: Apache-2.0
// What rdmaready-listener can be asked: to listen, for a bounded time, for LLDP on netdevs that are named, and
// for notices of DCB settings that are written. It sends nothing. Closing the connection ends it early.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agent/helper/verb.h"

namespace rdmaready::helper {

inline constexpr std::string_view kHearLldp = "lldp";             // {"netdevs": [...], "longest_ms": N}
inline constexpr std::string_view kHearDcbWrites = "dcb-writes";  // {"longest_ms": N}

// Bounds of one question.
inline constexpr std::size_t kMostNetdevs = 1024;
inline constexpr std::chrono::milliseconds kLongestListening = std::chrono::hours(1);

// Each listens on this host, and answers with WriteAnswerFiles.
std::vector<Verb> ListenerVerbs();

}  // namespace rdmaready::helper
