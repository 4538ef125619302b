// SPDX-License-Identifier: Apache-2.0
// The two classes of an ETS test, from the sender's facts and counters. Pure. All of it comes from an agent, so
// no number is trusted to be in range.
#pragma once

#include <string>

#include "api/model/ets.h"
#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

struct EtsClasses {
  EtsClass rdma{};
  EtsClass tcp{};
  std::string netdev{};       // the Ethernet port; empty: not known
  std::string why_unknown{};  // why the two have no shares to compare with; empty: they have
};

EtsClasses FindEtsClasses(const EtsRun& run, const Port& sender, const Profile& profile);

}  // namespace rdmaready
