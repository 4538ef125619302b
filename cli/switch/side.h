// SPDX-License-Identifier: Apache-2.0
// SwitchSide: what the switch between the hosts must be set to, so that it fits a profile.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"

namespace rdmaready {

inline constexpr std::array<std::string_view, 3> kSwitchKinds{"cumulus", "nxos", "sonic"};

// What only the reader knows: it stands in the text as it is.
struct Placeholder {
  std::string name{};     // "<PORTS>"
  std::string meaning{};  // one line
};

struct SwitchSide {
  std::vector<Placeholder> placeholders{};  // those that the text holds, in its order
  std::string text{};                       // begins with comments that list them
};

// For one of kSwitchKinds. kInvalidArgument for another, and for a profile that has no such side (InfiniBand).
// Values are the profile's alone; what neither it nor a source gives is a placeholder or left to the
// switch. Pure.
absl::StatusOr<SwitchSide> MakeSwitchSide(const Profile& profile, std::string_view kind);

}  // namespace rdmaready
