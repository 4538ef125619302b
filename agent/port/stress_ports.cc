// SPDX-License-Identifier: Apache-2.0
#include "agent/port/stress_ports.h"

#include <fmt/format.h>

#include <utility>

#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::shared_ptr<const PortLock>> StressPorts::Join(
    const std::string& name, const std::string& run, std::uint32_t most,
    const std::function<absl::StatusOr<PortLock>()>& take) {
  const std::lock_guard lock(mutex_);
  std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
  if (const auto found = held_.find(name); found != held_.end()) {
    if (std::shared_ptr<Held> held = found->second.lock(); held != nullptr && held->run == run) {
      // Each transfer has one reference, and this one is another.
      if (held.use_count() > static_cast<long>(most)) {
        return absl::ResourceExhaustedError(
            fmt::format("too many transfers of one stress test on a port (limit {})", most));
      }
      const PortLock* const of_held = &held->lock;
      return std::shared_ptr<const PortLock>(std::move(held), of_held);
    }
  }
  RR_ASSIGN_OR_RETURN(PortLock taken, take());
  auto held = std::make_shared<Held>(Held{run, std::move(taken)});
  held_[name] = held;
  const PortLock* const of_held = &held->lock;
  return std::shared_ptr<const PortLock>(std::move(held), of_held);
}

}  // namespace rdmaready
