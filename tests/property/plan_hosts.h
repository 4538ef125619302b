// SPDX-License-Identifier: Apache-2.0
// Hosts and profiles made by chance, for the properties of plans: what a driver came up with, then writes that
// it took, then answers that are missing.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready::property {

using Chance = std::mt19937_64;

struct PlanHost {
  std::string driver{};  // "plain", "mlx5", "bnxt", "ice", "fabric-ice"
  Facts facts{};
};

// What the fault in a test's message is found again by.
PlanHost MakePlanHost(Chance& chance);

// A built-in profile, or one of values that contradict nothing (api/profile/profile_problems.h).
Profile MakePlanProfile(Chance& chance);

// One that extends a built-in profile and says a few keys of its own, as the loader takes it.
Profile MakeDerivedProfile(Chance& chance);

}  // namespace rdmaready::property
