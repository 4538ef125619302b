// SPDX-License-Identifier: Apache-2.0
// Profiles as people name them: built in, or a YAML file of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"

namespace rdmaready {

// What is judged by when nobody says otherwise.
inline constexpr std::string_view kDefaultProfileName = "smb-direct-roce";

// The profile in a YAML text. Every error is kInvalidArgument and names file, line and key: "p.yaml:7: unknown
// key `prioritie` (did you mean `priority`?)". `digest` becomes the SHA-256 of the text.
absl::StatusOr<Profile> ParseProfile(std::string_view yaml, std::string_view file_name);

// A built-in profile by its name, else the file of that path. kNotFound when it is neither. Blocks on file
// access; reads no more than the largest profile allowed, and only from a regular file.
absl::StatusOr<Profile> LoadProfile(const std::string& name_or_path);

// Sorted. The files of packaging/profiles at build time.
std::vector<std::string> BuiltInProfileNames();

// The YAML text of a built-in profile, comments included; empty for an unknown name.
std::string_view BuiltInProfileText(std::string_view name);

}  // namespace rdmaready
