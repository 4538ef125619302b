// SPDX-License-Identifier: Apache-2.0
// RuleBook: by which profiles each host of the fleet is judged, and which group and rack it belongs to. Read
// from files once; a new reading is a new book.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/profile/site.h"
#include "hub/judge/host_places.h"

namespace rdmaready::hub {

struct HostRules {
  std::vector<Profile> profiles{};  // with the hub's waivers
  std::string trouble{};            // why it cannot be judged: no group of the site file is for it
  std::string group{};
  std::string rack{};
  bool unlisted = false;  // there is an inventory, and it does not name this host
  // What the verdict depends on besides the facts: profiles, waivers, the version of the checks. Of equal ones
  // the same facts give the same verdict.
  std::string digest{};
};

struct RuleFiles {
  std::vector<std::string> profiles{};  // names or files, or one site file
  std::string waivers{};                // empty: none
  std::string inventory{};              // empty: none
};

class RuleBook {
 public:
  // Errors are those of LoadSite, LoadWaivers and HostPlaces::Load. Blocks on file access.
  static absl::StatusOr<std::shared_ptr<const RuleBook>> Load(const RuleFiles& files);
  explicit RuleBook(Site site, std::vector<Waiver> waivers = {},
                    std::shared_ptr<const HostPlaces> places = nullptr);

  // `name` as the host calls itself. What the inventory says of profiles wins. The digest changes with the day
  // where there are waivers, which end with one. Any thread may call.
  HostRules RulesOf(const std::string& name, std::int64_t now_unix_ns) const;

  // Null: there is no inventory.
  const HostPlaces* places() const { return places_.get(); }

 private:
  Site site_;
  std::vector<Waiver> waivers_;
  std::shared_ptr<const HostPlaces> places_;
};

}  // namespace rdmaready::hub
