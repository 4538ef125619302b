// SPDX-License-Identifier: Apache-2.0
// Flags: the agent's command line, as CLI11 reads it: which options there are, and what --help says of them.
#pragma once

#include <string_view>

#include "api/daemon/settings_flags.h"
#include "rdmaready/v1/settings.pb.h"

namespace rdmaready {

inline constexpr std::string_view kDefaultCheckInterval = "15m";

class FlagParser final : public SettingsFlags<v1::AgentSettings> {
 public:
  FlagParser();

 private:
  void AddLimitsOfStress();
};

}  // namespace rdmaready
