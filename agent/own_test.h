// SPDX-License-Identifier: Apache-2.0
// The loopback tests that the agent makes of its own accord, so that there is a past to hold a test against.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/event.h"

namespace rdmaready::access {
class Gate;
}

namespace rdmaready {

class Agent;

// Of one case through one port.
inline constexpr std::chrono::milliseconds kShortestOwnTest{100};
inline constexpr std::chrono::milliseconds kLongestOwnTest{10'000};

struct OwnTestOptions {
  std::chrono::milliseconds interval{};  // 0: none
  std::vector<std::string> cases{};      // empty: those that `check` makes on loopback
  std::chrono::milliseconds duration{};  // 0: as the case says
};

// One round, as a caller of the role test with a quota of his own: through the same locks and limits, and with
// a line in the audit. A port that somebody uses is left alone; the log (own-test-skipped) and the history say
// so.
void TestByItself(Agent& agent, access::Gate& gate, const OwnTestOptions& options, const EventSink& events,
                  std::stop_token stop);

}  // namespace rdmaready
