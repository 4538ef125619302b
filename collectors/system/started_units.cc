// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/started_units.h"

#include <algorithm>

#include "api/base/status.h"

namespace rdmaready {

StartedUnits ReadStartedUnits(HostReader& host) {
  using Names = std::vector<std::string>;
  StartedUnits started;
  const absl::StatusOr<Names> folders = host.ListDirectory(kUnitFolder);
  if (!folders.ok()) return started;
  for (const std::string& folder : *folders) {
    if (!folder.ends_with(".wants") && !folder.ends_with(".requires")) continue;
    const absl::StatusOr<Names> links = host.ListDirectory(std::string(kUnitFolder) + "/" + folder);
    if (links.ok()) {
      started.links.insert(started.links.end(), links->begin(), links->end());
    } else {
      started.gap = MissingFrom(links.status());
    }
  }
  return started;
}

bool StartsUnit(std::string_view link, std::string_view unit) {
  const auto stem = [](std::string_view name) {
    name = name.substr(0, name.rfind('.'));
    return name.substr(0, name.find('@'));
  };
  return stem(link) == stem(unit);
}

bool IsStarted(const StartedUnits& started, std::string_view unit) {
  return std::ranges::any_of(started.links, [unit](const std::string& link) { return StartsUnit(link, unit); });
}

}  // namespace rdmaready
