// SPDX-License-Identifier: Apache-2.0
// Profiles as people name them: built in, or a YAML file of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

// What is judged by when nobody says otherwise.
inline constexpr std::string_view kDefaultProfileName = "smb-direct-roce";

// A profile as it was read, with all that is wrong with it.
struct ProfileReading {
  std::optional<Profile> profile{};  // nothing when there are faults
  std::vector<YamlFault> faults{};   // the extending profile's before the extended one's, by line
  std::vector<std::string> files{};  // the profile itself, then what it extends (api/profile/chain.h)
  FieldPlaces places{};              // where each value is from; sources are indices into `files`
};

// A value that a file says itself, and that stays advice because a profile that it extends says so.
struct InheritedAdvice {
  std::string key{};                // as YAML has it: "mtu_bytes"
  int line = 0;                     // of the file's own value
  std::string base{};               // the file whose `advice` holds: "nvidia-lossless.yaml"
  std::vector<std::string> left{};  // what `advice` would hold without the key, as it is written there
};

// In the order of `advice`; empty where the profile has faults, or says its own `advice`.
std::vector<InheritedAdvice> AdviceOnOwnValues(const ProfileReading& reading);

// The profile in a YAML text that is no file: it may extend built-in profiles only. Every error is
// kInvalidArgument and names file, line and key of the first fault (of the first contradiction when there is no
// other): "p.yaml:7: unknown key `prioritie` (did you mean `priority`?)". `digest` becomes that of
// ProfileContentDigest.
absl::StatusOr<Profile> ParseProfile(std::string_view yaml, std::string_view file_name);

// The same with every fault.
ProfileReading ReadProfileText(std::string_view yaml, std::string_view file_name);

// A built-in profile by its name, else the file of that path. kNotFound when it is neither. Blocks on file
// access; reads no more than the largest profile allowed, and only from a regular file.
absl::StatusOr<Profile> LoadProfile(const std::string& name_or_path);

// The same with every fault; a status when there is nothing to read.
absl::StatusOr<ProfileReading> ReadProfile(const std::string& name_or_path);

// Sorted. The files of packaging/profiles at build time.
std::vector<std::string> BuiltInProfileNames();

// The YAML text of a built-in profile, comments included; empty for an unknown name.
std::string_view BuiltInProfileText(std::string_view name);

// Whether a name that is no built-in's is meant as a path.
bool LooksLikeAPath(std::string_view name);

// kNotFound: what is built in, and what was perhaps meant.
absl::Status NoSuchProfile(const std::string& name);

}  // namespace rdmaready
