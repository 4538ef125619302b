// SPDX-License-Identifier: Apache-2.0
// What live tests of a fleet's hosts showed last, as a hub tells it.
#pragma once

#include <string>

#include "api/model/baseline.h"

namespace rdmaready {

// What the last test says beside the days before it: checks/live/own_past.h.
enum class PastState { kUnknown, kAsBefore, kSlower, kOld, kSoftware };

struct FleetPastTest {
  std::string host_id{};
  std::string host{};
  std::string group{};
  PastState state = PastState::kUnknown;
  CaseBaseline test{};

  bool operator==(const FleetPastTest&) const = default;
  void Fields(auto& list) const {
    list("host_id", host_id, "host", host, "group", group, "state", state, "test", test);
  }
};

}  // namespace rdmaready
