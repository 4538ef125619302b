// SPDX-License-Identifier: Apache-2.0
// RuleBook: by which profiles each host of the fleet is judged, and which group and rack it belongs to. Read
// from files once; a new reading is a new book.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/profile/site.h"
#include "hub/judge/host_places.h"

namespace rdmaready::hub {

// What hosts of one group of a site file share, found out once for all of them.
struct GroupRules {
  std::vector<Profile> profiles{};  // with the hub's waivers
  std::string digest{};             // of them; SHA-256, hexadecimal
  bool waives = false;              // any of them: a waiver ends with a day
};

struct HostRules {
  std::shared_ptr<const GroupRules> of_group{};  // null where there is trouble
  std::string trouble{};                         // why it cannot be judged: no group of the site file is for it
  std::string group{};
  std::string rack{};
  bool unlisted = false;  // there is an inventory, and it does not name this host
  // Names everything but the facts that the verdict depends on: profiles, waivers, the program with its checks.
  // Where two digests are equal, the same facts give the same verdict; a new build judges all hosts again.
  std::string digest{};

  const std::vector<Profile>& profiles() const;  // none where there is trouble
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
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  // `name` as the host calls itself. What the inventory says of profiles wins. The digest changes with the day
  // where there are waivers, which end with one. Any thread may call.
  HostRules RulesOf(const std::string& name, std::int64_t now_unix_ns) const;

  // Null: there is no inventory.
  const HostPlaces* places() const { return places_.get(); }

 private:
  void Add(const Site& site, const std::vector<Waiver>& waivers);

  const Site site_;
  const std::shared_ptr<const HostPlaces> places_;
  // Of every group of `site_` and of the sites of `places_`, which stay where they are.
  std::map<const Site::Group*, std::shared_ptr<const GroupRules>> groups_{};
};

}  // namespace rdmaready::hub
