// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace rdmaready {
namespace {

constexpr std::size_t kMostNamesAsked = 1000;  // words of a filter that a hub takes
constexpr std::size_t kMostNameBytes = 255;
constexpr std::string_view kPatterns = "*?[]";

}  // namespace

void HostNames::Add(const std::string& name, const std::string& id) {
  if (!id.empty()) ids_[name].insert(id);  // a host that was never heard has none
}

void HostNames::AskHub(FleetClient& hub) {
  FleetFilterWords filter;
  for (const auto& [name, ids] : ids_) {
    const bool plain = name.find_first_of(kPatterns) == std::string::npos && name.size() <= kMostNameBytes;
    if (plain && !name.empty()) filter.hosts.push_back(name);
  }
  if (!filter.hosts.empty() && filter.hosts.size() <= kMostNamesAsked) AskHub(hub, filter);
}

void HostNames::AskHub(FleetClient& hub, const FleetFilterWords& filter) {
  const absl::StatusOr<std::vector<FleetHost>> hosts = hub.Hosts(filter);
  if (!hosts.ok()) return;
  for (const FleetHost& host : *hosts) Add(host.name, host.host_id);
}

std::string HostNames::Of(const std::string& name, const std::string& id) const {
  const auto known = ids_.find(name);
  if (id.empty() || known == ids_.end() || known->second.size() < 2) return name;
  return fmt::format("{} (id {})", name, id);
}

}  // namespace rdmaready
