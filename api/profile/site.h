// SPDX-License-Identifier: Apache-2.0
// Site: which profiles a host follows. Of a site file, which says it host by host, or of profiles that a person
// names, which every host follows then.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/profile/load.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

struct Site {
  struct Group {
    std::vector<std::string> hosts{};  // patterns (api/base/name_pattern.h)
    std::vector<Profile> profiles{};   // not empty
  };
  std::string file{};  // empty: no file
  std::string text{};  // of the file
  std::vector<Group> groups{};

  // The first group that names the host, by the name it was called with or by its part before the first dot;
  // never null. kInvalidArgument where none does.
  absl::StatusOr<const Group*> GroupOf(std::string_view host) const;
  // Those of that group.
  absl::StatusOr<std::vector<Profile>> ProfilesOf(std::string_view host) const;
};

// Every host follows these.
Site SiteOf(std::vector<Profile> profiles);

// Each of `names` as LoadProfile takes it; one that stands alone may be a site file. Errors as LoadProfile's.
// Blocks on file access.
absl::StatusOr<Site> LoadSite(std::span<const std::string> names);

// Whether the text is meant as a site file and not as a profile: its top level has the key `groups`.
bool IsSiteText(std::string_view yaml);

struct SiteReading {
  Site site{};                      // of use only without faults
  std::vector<YamlFault> faults{};  // by line
};

// With every fault, those of the profiles that it names left to them. `path` is where `yaml` is from: files
// that it names are seen from its folder.
SiteReading ReadSite(std::string_view yaml, const std::string& path);

// What `file` means by the name of a profile or of a site file: a built-in one, else a path that is seen from
// the folder of `file`.
std::string ProfileBeside(const std::string& file, const std::string& name);

// Ports that belong together on every host: each rail is a network of its own.
struct Rail {
  std::string name{};
  std::vector<Profile::PortSelector> ports{};

  bool operator==(const Rail&) const = default;
};

// A list of ports as `ports` of a site file has it. What is wrong with it is added to `faults`, and is left
// out.
std::vector<Profile::PortSelector> ReadPorts(const YamlNode& list, const std::string& file,
                                             std::vector<YamlFault>& faults);

// The one profile of `site` once for each rail, as "PROFILE.RAIL": for its ports alone, which every host has to
// have. So each rail is judged, compared and tested by itself. It asks for no `min_ports`: the rails say it.
// kInvalidArgument in one line: several profiles, one for certain ports only, or a site file.
absl::StatusOr<Site> OnRails(const Site& site, std::span<const Rail> rails);

}  // namespace rdmaready
