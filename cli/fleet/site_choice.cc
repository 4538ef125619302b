// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/site_choice.h"

#include <fmt/format.h>

#include <cstddef>

#include "api/base/status.h"
#include "checks/known_ids.h"

namespace rdmaready {

absl::StatusOr<Site> ChooseSite(std::span<const std::string> names) {
  RR_ASSIGN_OR_RETURN(Site site, LoadSite(names));
  RR_RETURN_IF_ERROR(CheckWaivers(site));
  return site;
}

absl::Status CheckWaivers(const Site& site) {
  for (const Site::Group& group : site.groups) {
    for (const Profile& profile : group.profiles) {
      for (const Waiver& waiver : profile.waivers) {
        const std::string why = WhyForNoCheck(waiver);
        if (!why.empty())
          return absl::InvalidArgumentError(
              fmt::format("waive a finding under profile {}: {}; `rdmaready profile check FILE` names the line",
                          profile.name, why));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckWaivers(std::span<const HostOrigin> origins) {
  const Site* checked = nullptr;  // hosts of one group follow each other and share it
  for (const HostOrigin& origin : origins) {
    if (origin.site == nullptr || origin.site.get() == checked) continue;
    checked = origin.site.get();
    RR_RETURN_IF_ERROR(CheckWaivers(*checked));
  }
  return absl::OkStatus();
}

void AddWaiverFaults(ProfileReading& reading) {
  if (!reading.profile) return;
  const std::vector<Waiver>& waivers = reading.profile->waivers;
  for (std::size_t i = 0; i < waivers.size(); ++i) {
    const std::string why = WhyForNoCheck(waivers[i]);
    if (why.empty()) continue;
    const std::string key = fmt::format("waivers[{}].check", i);
    const auto place = reading.places.find(key);
    const FieldPlace at = place == reading.places.end() ? FieldPlace{.line = 1} : place->second;
    reading.faults.push_back({.file = reading.files[static_cast<std::size_t>(at.source)],
                              .line = at.line,
                              .key = key,
                              .text = "key `" + key + "`: " + why});
  }
}

}  // namespace rdmaready
