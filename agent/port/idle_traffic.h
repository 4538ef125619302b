// SPDX-License-Identifier: Apache-2.0
// IdleTraffic: whether others use the Ethernet port under an RDMA port, before a stress test uses it. A pause
// stops their traffic, too, whether it is RDMA or not.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "api/base/clock.h"
#include "api/model/fact.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// A look takes longer than a second, since some drivers refresh these counters once a second (bnxt_en:
// BNXT_DEF_STATS_COAL_TICKS). The second one forgives one burst.
inline constexpr std::chrono::milliseconds kTrafficLook{1'100};
inline constexpr int kTrafficLooks = 2;
// So much of the port's rate may be used by others, in each direction.
inline constexpr std::uint64_t kIdlePermille = 1;

// The bytes of the netdev since it was made, as the kernel's statistics have them.
struct NetdevBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  Clock::TimePoint when{};
};

// /sys/class/net/NETDEV/statistics.
Fact<NetdevBytes> ReadNetdevBytes(HostReader& host, const std::string& netdev, Clock& clock);

// OK where others move kIdlePermille of the rate or less. kFailedPrecondition: they move more, the text has
// both rates and the limit; or that is not known. Pure.
absl::Status IsIdleBetween(const std::string& netdev, const Fact<std::uint32_t>& rate_mbps,
                           const Fact<NetdevBytes>& before, const Fact<NetdevBytes>& after);

// The look of one run that holds a port. Threads: any.
class IdleTraffic {
 public:
  // The first transfer of the run looks, before it is on the wire. The others wait for this.
  void Look(const std::function<absl::Status()>& look) {
    std::call_once(once_, [&] {
      const absl::Status found = look();
      const std::lock_guard lock(mutex_);
      found_ = found;
    });
  }

  // kFailedPrecondition: nobody has looked.
  absl::Status found() const {
    const std::lock_guard lock(mutex_);
    return found_;
  }

 private:
  std::once_flag once_;
  mutable std::mutex mutex_;  // guards found_
  absl::Status found_ = absl::FailedPreconditionError(
      "whether others use the Ethernet port was not looked at before the stress test began");
};

}  // namespace rdmaready
