// SPDX-License-Identifier: Apache-2.0
// The verb of rdmaready-pauser: to pause one priority of a link partner, for a bounded time.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/helper/pauser/bursts.h"
#include "agent/helper/pauser/pause_budget.h"
#include "agent/helper/pauser/pause_port.h"
#include "agent/helper/verb.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

struct PauserOptions {
  std::string pauses_file{};
  ::uid_t owner = 0;          // whose that file must be
  std::string budget_file{};  // PauseBudget's
  BootTime boot{};
  Clock* clock = &RealClock();  // of the bursts

  // Reads an interface (ReadPausePort), and opens it for sending (OpenSender).
  std::function<absl::StatusOr<PausePort>(const std::string& netdev)> read_port{};
  std::function<absl::StatusOr<FrameSender>(const PausePort& port)> open{};
  // The audit: one line for each burst, and for each order that is refused. Any thread.
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

// `pause`; see order.h. Root's file is read for each order, so its changes count at once. The whole time of an
// order is taken from the port's budget before its first frame, and stays taken when the order is stopped. One
// order at a time: kUnavailable for the next one.
std::vector<Verb> PauserVerbs(PauserOptions options);

// Sends on the interface and hears nothing: a packet socket of protocol 0, which needs CAP_NET_RAW.
absl::StatusOr<FrameSender> OpenSender(const PausePort& port);

}  // namespace rdmaready::helper
