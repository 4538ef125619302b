// SPDX-License-Identifier: Apache-2.0
// HostPlaces: what the inventory of the fleet says of hosts: group, rack, and by what they are judged. Hosts
// are known by the names that they report; an inventory may write them with a port or a domain, which are left
// out of the comparison where one of the two has none.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/profile/site.h"

namespace rdmaready::hub {

struct HostPlace {
  std::string name{};  // as the inventory has it, without the port
  std::string group{};
  std::string rack{};
  std::shared_ptr<const Site> site{};  // null: the inventory does not say; hosts share it
};

class HostPlaces {
 public:
  // Errors are those of ReadSmallFile, ParseInventory and SitesOf; they name the file, and the line where there
  // is one. An inventory without any host is refused. Blocks on file access.
  static absl::StatusOr<std::shared_ptr<const HostPlaces>> Load(const std::string& file);
  explicit HostPlaces(std::vector<HostPlace> places);

  // Null: it is not in the inventory. Of two hosts that have one name before the first dot, neither is meant by
  // that alone. Any thread.
  const HostPlace* Find(std::string_view name) const;

  // In the order of the inventory, each host once.
  const std::vector<HostPlace>& all() const { return places_; }

 private:
  std::vector<HostPlace> places_{};
  std::map<std::string, std::size_t, std::less<>> by_name_{};  // in small letters
  std::map<std::string, std::size_t, std::less<>>
      by_short_{};  // before the first dot; only where one host has it
};

}  // namespace rdmaready::hub
