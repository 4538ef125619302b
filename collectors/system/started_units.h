// SPDX-License-Identifier: Apache-2.0
// Which of the units below /etc/systemd/system something starts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/fact.h"
#include "collectors/host_reader.h"

namespace rdmaready {

inline constexpr std::string_view kUnitFolder = "/etc/systemd/system";

// The names in systemd's folders of links: what is started.
struct StartedUnits {
  std::vector<std::string> links{};
  std::optional<Missing> gap{};  // a folder that cannot be listed
};

StartedUnits ReadStartedUnits(HostReader& host);

// Whether a unit's link, "roce@eth0.service" or "roce.timer", starts the unit file: both but for instance and
// kind.
bool StartsUnit(std::string_view link, std::string_view unit);

bool IsStarted(const StartedUnits& started, std::string_view unit);

}  // namespace rdmaready
