// SPDX-License-Identifier: Apache-2.0
// DriftEvent: settings of one netdev, port or of the host that became others, who did it as far as that is
// known, and what it does to the verdict.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/drift/settings.h"
#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready::drift {

struct DriftEvent {
  std::string where{};  // "dcb0", "rxe0/1", "host"
  std::vector<Change> changes{};
  bool own = false;         // rdmaready-applier wrote it
  std::string change_id{};  // of which change; empty: it kept a confirmed setting, or the change is not known
  bool announced = false;   // by the kernel; else a reading showed it, and it may be as old as the one before
  std::vector<std::string> suspects{};  // "dcb (process 712)": a guess; empty: nobody is known
  std::vector<std::string> worse{};     // ids of checks that passed and do not any more
  std::vector<std::string> better{};

  bool operator==(const DriftEvent&) const = default;
};

// "dcb0: pfc on 3 delay 0 -> on 4 delay 0, by dcb (process 712)?; not well now: pfc.lossless-priority". At most
// kMostTold changes are spelled out.
inline constexpr std::size_t kMostTold = 8;
std::string TextOf(const DriftEvent& event);

// What the change does to the verdict on the ports that `event` is about: fills `worse` and `better`. Judges
// those ports twice by the rung host, a few milliseconds each; nothing where the profiles do not divide the
// host.
void JudgeDrift(const Facts& before, const Facts& after, std::span<const Profile> profiles, DriftEvent& event);

}  // namespace rdmaready::drift
