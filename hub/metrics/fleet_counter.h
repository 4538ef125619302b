// SPDX-License-Identifier: Apache-2.0
// FleetCounter: sums over all hosts, counted when somebody asks, and not again for a while: whoever scrapes,
// and how often, costs at most one reading of the store in that time. Threads: any thread may call.
#pragma once

#include <chrono>
#include <mutex>

#include "api/base/clock.h"
#include "hub/fleet/fleet_view.h"
#include "hub/metrics/exposition.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

class FleetCounter {
 public:
  // What is named outlives it.
  FleetCounter(FleetStore& store, const FleetView& view, Clock& clock = RealClock(),
               std::chrono::milliseconds rest = std::chrono::seconds(10))
      : store_(store), view_(view), clock_(clock), rest_(rest) {}

  // When the store does not answer: without counted_unix_ns.
  FleetSums Now();

 private:
  FleetSums Counted() const;

  FleetStore& store_;
  const FleetView& view_;
  Clock& clock_;
  const std::chrono::milliseconds rest_;
  std::mutex mutex_;
  FleetSums sums_{};
  Clock::TimePoint counted_{};
};

}  // namespace rdmaready::hub
