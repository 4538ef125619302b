// SPDX-License-Identifier: Apache-2.0
// What systemd is told of this service (sd_notify(3)), and whether it wants proof of life. Where no service
// manager started us, nothing is told and no proof is wanted. Any thread may call.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/base/clock.h"

namespace rdmaready {

// The service answers callers. `status` is what `systemctl status` shows: "answers on 127.0.0.1:7471".
void TellManagerReady(const std::string& status);

// The configuration is being read again; TellManagerReady ends that. `clock` must be CLOCK_MONOTONIC, as
// RealClock() is.
void TellManagerReloading(Clock& clock = RealClock());

void TellManagerStopping();

// Progress was proven: the next proof is due within the watchdog's period.
void TellManagerAlive();

// After how long without TellManagerAlive the service manager takes this process for dead; nothing: it does not
// watch.
std::optional<std::chrono::milliseconds> WatchdogPeriod();

}  // namespace rdmaready
