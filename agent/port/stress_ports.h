// SPDX-License-Identifier: Apache-2.0
// StressPorts: the transfers of one stress test share the lock of a port, which every other test has for
// itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "agent/port/port_lock.h"

namespace rdmaready {

// A stress test may ask so much of this host. No caller can raise it.
struct StressLimits {
  bool allowed = false;
  std::uint32_t senders = 8;                   // transfers through one port at a time
  std::chrono::milliseconds duration{30'000};  // of each
};

// Threads: any.
class StressPorts {
 public:
  // The lock of the port `name` for one more transfer of `run`; `take` takes it where no transfer of the run
  // holds it. It is held until the last of them gives it back. kResourceExhausted: the run has `most` transfers
  // on this port already, or (of `take`) another test has the port.
  absl::StatusOr<std::shared_ptr<const PortLock>> Join(const std::string& name, const std::string& run,
                                                       std::uint32_t most,
                                                       const std::function<absl::StatusOr<PortLock>()>& take);

 private:
  struct Held {
    std::string run{};
    PortLock lock;
  };
  std::mutex mutex_;                                   // guards what follows, and is held while a lock is taken
  std::map<std::string, std::weak_ptr<Held>> held_{};  // by port
};

}  // namespace rdmaready
