// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: the text of a profile, and of a site file, as a stranger may have written it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/profile/load.h"
#include "api/profile/site.h"
#include "api/profile/yaml_writer.h"

namespace rdmaready {
namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

// A profile, or reasons: never both, never neither. A reason names a file of the chain and a line of it.
void DemandReading(const ProfileReading& reading, std::string_view text) {
  Demand(reading.profile.has_value() == reading.faults.empty());
  Demand(!reading.files.empty() && reading.files.front() == "p.yaml");
  const auto lines = 2 + std::ranges::count(text, '\n');
  for (const YamlFault& fault : reading.faults) {
    Demand(!fault.text.empty() && fault.line >= 1);
    Demand(std::ranges::find(reading.files, fault.file) != reading.files.end());
    // yaml-cpp counts a carriage return as the end of a line, too.
    Demand(fault.file != "p.yaml" || fault.line <= lines + std::ranges::count(text, '\r'));
  }
}

// What is shown of a profile reads back as that profile.
void DemandRoundTrip(const ProfileReading& reading) {
  const ProfileReading again = ReadProfileText(ProfileYaml(reading), "shown.yaml");
  Demand(again.profile.has_value());
  Profile shown = *again.profile;
  shown.digest = reading.profile->digest;
  Demand(shown == *reading.profile);
}

// Without a fault each group has hosts and profiles, and a profile with `ports_expected` has ports.
void DemandSite(const SiteReading& reading) {
  for (const YamlFault& fault : reading.faults) Demand(!fault.text.empty() && fault.line >= 1);
  if (!reading.faults.empty()) return;
  Demand(!reading.site.groups.empty());
  for (const Site::Group& group : reading.site.groups) {
    Demand(!group.hosts.empty() && !group.profiles.empty());
    for (const Profile& profile : group.profiles) Demand(!profile.ports_expected || !profile.ports.empty());
  }
  static_cast<void>(reading.site.ProfilesOf("host.example"));
}

}  // namespace
}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const rdmaready::ProfileReading reading = rdmaready::ReadProfileText(text, "p.yaml");
  rdmaready::DemandReading(reading, text);
  if (reading.profile) rdmaready::DemandRoundTrip(reading);
  if (rdmaready::IsSiteText(text)) rdmaready::DemandSite(rdmaready::ReadSite(text, "s.yaml"));
  return 0;
}
