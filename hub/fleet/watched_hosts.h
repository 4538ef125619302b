// SPDX-License-Identifier: Apache-2.0
// WatchedHosts: what one watcher has of each host, so that he hears of nothing twice in one stream, and of
// nothing that his filter or his role leaves out. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/base/clock.h"
#include "hub/fleet/fleet_view.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

class WatchedHosts {
 public:
  using Told = std::function<bool(const FleetChange&)>;  // false: he is gone

  // What is named outlives it.
  WatchedHosts(FleetStore& store, const FleetView& view, FleetFilter filter, Clock& clock)
      : store_(store), view_(view), filter_(std::move(filter)), clock_(clock) {}

  void Saw(const std::string& host_id, std::uint64_t number) { seen_[host_id] = number; }

  // What the store has of it after what he saw; of hosts that he saw nothing of, since then. Errors of the
  // store.
  absl::Status CatchUp(std::int64_t since_unix_ns, const Told& tell);

  // What is told as it happens may come out of order: what lies between is read.
  absl::Status OfferLive(FleetChange&& change, const Told& tell);

 private:
  // Unless he has it, or the filter leaves it out. False: he is gone.
  bool Offer(FleetChange&& change, const Told& tell);
  absl::Status ReadAfter(const std::string& host_id, const std::string& name, std::uint64_t number,
                         std::vector<FleetChange>& changes);
  bool MaySee(const std::string& host_id) const;
  FleetFilter OfHosts() const;

  FleetStore& store_;
  const FleetView& view_;
  const FleetFilter filter_;
  Clock& clock_;
  std::unordered_map<std::string, std::uint64_t> seen_{};
};

}  // namespace rdmaready::hub
