// SPDX-License-Identifier: Apache-2.0
// Comparer: the thread that has the hosts of a fleet compared. At the start it reads what each host votes, as
// it is kept; then it counts, seldom, and has those judged again of which the count says something else than
// the one before.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/model/fleet.h"
#include "hub/judge/fleet_agreement.h"
#include "hub/judge/rule_book.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

struct ComparerSeams {
  FleetStore& store;
  FleetAgreement& agreement;
  std::function<std::shared_ptr<const RuleBook>()> rules{};
  std::function<absl::StatusOr<std::vector<FleetHost>>()> hosts{};  // all
  std::function<void(std::vector<std::string>)> judge_again{};
  // Whether many hosts are about to be judged: what is half done is not counted, for a while.
  std::function<bool()> busy{};
};

class Comparer {
 public:
  // Counts at most once in `every`, and once a minute where nothing changed: hosts fall silent, too.
  // `clock` outlives it.
  Comparer(ComparerSeams seams, std::chrono::milliseconds every, Clock& clock = RealClock());

  // Whether the votes that were kept at the start are there.
  bool complete() const { return complete_; }

 private:
  void Run(const std::stop_token& stop);
  void ReadVotes();
  void Count();

  ComparerSeams seams_;
  const std::chrono::milliseconds every_;
  Clock& clock_;
  std::atomic<bool> complete_ = false;
  std::jthread thread_;
};

}  // namespace rdmaready::hub
