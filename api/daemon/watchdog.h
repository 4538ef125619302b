// SPDX-License-Identifier: Apache-2.0
// Watchdog: tells the service manager that this process gets on with its work, as often as that is proven. A
// thread that only keeps time would prove nothing: each round asks for every proof, and one that fails leaves
// the service manager untold, until its patience ends and it starts the service again.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "api/base/clock.h"
#include "api/base/event.h"

namespace rdmaready {

struct ProofOfLife {
  std::string_view what{};  // a literal: "calls are answered"
  // Returns within `patience`. Not OK: it could not be proven, and why.
  std::function<absl::Status(std::chrono::milliseconds patience)> prove{};
};

class Watchdog {
 public:
  // Asks for all proofs three times in each `period`, and calls `alive` when they all hold. The log hears when
  // one begins to fail, and when they all hold again. `clock` outlives this; so does what the proofs use.
  Watchdog(std::chrono::milliseconds period, Clock& clock, std::vector<ProofOfLife> proofs,
           std::function<void()> alive, EventSink events);

 private:
  std::jthread thread_;
};

}  // namespace rdmaready
