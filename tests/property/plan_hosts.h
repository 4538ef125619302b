// SPDX-License-Identifier: Apache-2.0
// Hosts and profiles made by chance, for the properties of plans: what a driver came up with, then writes that
// it took, then answers that are missing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "tests/property/chance.h"

namespace rdmaready::property {

struct PlanHost {
  std::string driver{};
  Facts facts{};
};

// "plain", "mlx5", "bnxt", ...: the NICs that hosts are made with.
std::span<const std::string_view> PlanDrivers();

// The seed and the driver of a message make the same host again.
PlanHost MakePlanHost(std::string_view driver, Chance& chance);

// Fills in receive buffers that the model left open behind a change of PFC, as a reading would: as mlx5's
// firmware lays them out, or as software had them. Other facts stay.
void ReadBuffersAgain(Facts& host, Chance& chance);

// A built-in profile, or one of values that contradict nothing (api/profile/profile_problems.h).
Profile MakePlanProfile(Chance& chance);

// One that extends a built-in profile and says a few keys of its own, as the loader takes it.
Profile MakeDerivedProfile(Chance& chance);

}  // namespace rdmaready::property
