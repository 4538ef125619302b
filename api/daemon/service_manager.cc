// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/service_manager.h"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdint>

namespace rdmaready {
namespace {

// Whoever does not listen is not waited for: the state is told again by the next change.
void Notify(const std::string& state) { static_cast<void>(::sd_notify(0, state.c_str())); }

}  // namespace

void TellManagerReady(const std::string& status) { Notify("READY=1\nSTATUS=" + status); }

void TellManagerReloading(Clock& clock) {
  const auto now = clock.Now().time_since_epoch();
  Notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                     std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void TellManagerStopping() { Notify("STOPPING=1\nSTATUS=stopping"); }

void TellManagerAlive() { Notify("WATCHDOG=1"); }

std::optional<std::chrono::milliseconds> WatchdogPeriod() {
  std::uint64_t period_us = 0;
  if (::sd_watchdog_enabled(0, &period_us) <= 0) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds(period_us));
}

}  // namespace rdmaready
