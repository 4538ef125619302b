// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/host_places.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/inventory/inventory.h"
#include "api/inventory/sites.h"

namespace rdmaready::hub {
namespace {

// "[::1]:7472" and "node1:7472" without the port.
std::string WithoutPort(const std::string& name) {
  if (name.starts_with('[')) {
    const std::size_t close = name.find(']');
    return close == std::string::npos ? name : name.substr(1, close - 1);
  }
  const std::size_t colon = name.find(':');
  // Several colons: an address of IPv6, which has no port without brackets.
  const bool one = colon != std::string::npos && name.find(':', colon + 1) == std::string::npos;
  return one ? name.substr(0, colon) : name;
}

std::string ShortOf(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace

absl::StatusOr<std::shared_ptr<const HostPlaces>> HostPlaces::Load(const std::string& file) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(file, kMostInventoryBytes));
  RR_ASSIGN_OR_RETURN(Inventory inventory, ParseInventory(text, file));
  if (inventory.hosts.empty()) return absl::InvalidArgumentError("inventory " + file + " names no host");
  RR_ASSIGN_OR_RETURN(const std::vector<std::shared_ptr<const Site>> sites, SitesOf(inventory));
  std::vector<HostPlace> places;
  for (ListedHost& host : inventory.hosts) {
    places.push_back({.name = WithoutPort(host.name),
                      .group = std::move(host.group),
                      .rack = std::move(host.rack),
                      .site = host.judging ? sites[*host.judging] : nullptr});
  }
  return std::make_shared<const HostPlaces>(std::move(places));
}

HostPlaces::HostPlaces(std::vector<HostPlace> places) {
  std::set<std::string> ambiguous;
  for (HostPlace& place : places) {
    const std::string name = absl::AsciiStrToLower(place.name);
    // Two agents of one host, at two ports, are one host here.
    if (!by_name_.emplace(name, places_.size()).second) continue;
    const std::string brief = ShortOf(name);
    if (!by_short_.emplace(brief, places_.size()).second) ambiguous.insert(brief);
    places_.push_back(std::move(place));
  }
  for (const std::string& brief : ambiguous) by_short_.erase(brief);
}

const HostPlace* HostPlaces::Find(std::string_view name) const {
  const std::string wanted = absl::AsciiStrToLower({name.data(), name.size()});
  if (const auto found = by_name_.find(wanted); found != by_name_.end()) return &places_[found->second];
  const std::string brief = ShortOf(wanted);
  const auto found = by_short_.find(brief);
  if (found == by_short_.end()) return nullptr;
  const HostPlace& place = places_[found->second];
  // Two domains are two hosts.
  const bool one_is_short = brief == wanted || place.name.find('.') == std::string::npos;
  return one_is_short ? &place : nullptr;
}

}  // namespace rdmaready::hub
