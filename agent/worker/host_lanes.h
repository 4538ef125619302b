// SPDX-License-Identifier: Apache-2.0
// What a reading that does not return keeps from being asked. A reading of a NIC whose firmware is dead may
// sleep in the kernel for minutes, or for ever, and what waits for the same thing would sleep behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "collectors/questions.h"

namespace rdmaready {

// Where a question goes: questions of one lane wait for the same thing, and `root` is what several lanes stand
// on. Both end with '/': "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/" of
// "/sys/class/infiniband/mlx5_0/".
struct Lane {
  std::string lane{};
  std::string root{};
};

// Generic netlink is below that of the lock: ethtool's family takes it. Everything else that takes the kernel's
// lock of network settings (RTNL) is one lane: settings of links and of DCB, ethtool, and the files of a netdev
// that take it.
Lane LaneOf(const Question& question);

// What is asked, in the words of an error: "read /sys/class/net/eth0/mtu".
std::string WhatIsAsked(const Question& question);

// The lanes in which a reading has not returned. Any thread may call.
class StuckLanes {
 public:
  // Why the question is not asked, or nothing: then it is.
  std::optional<absl::Status> WhyNot(const Question& question) const;

  // Closes the lane of a question that did not return in time; where another lane of the same root is closed
  // already, the whole root. The answer is for Open.
  std::uint64_t Close(const Question& question);

  // The reading has returned after all.
  void Open(std::uint64_t closed);

  // How many readings have not returned.
  std::size_t count() const;

 private:
  struct Closed {
    std::string lane{};
    std::string root{};
    std::string what{};
    bool whole = false;  // all that is below the root
  };

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Closed> closed_{};
  std::uint64_t next_ = 1;
};

}  // namespace rdmaready
