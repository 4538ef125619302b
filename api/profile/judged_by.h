// SPDX-License-Identifier: Apache-2.0
// JudgedBy: by what a host was judged when it was recorded, kept beside its answers so that it is judged by the
// same elsewhere. One JSON object: protobuf's of rdmaready.v1.JudgedBy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/profile.h"
#include "api/model/waiver.h"

namespace rdmaready {

struct JudgedBy {
  std::vector<Profile> profiles{};  // each for its ports; without `waivers`. Not empty in what was decoded
  std::vector<Waiver> waivers{};    // the agent's own: they hold whatever profile is named
  std::string chosen_by{};          // "--profile", "inventory", "agent"
  std::string group{};              // of an inventory; empty: of none
  std::string site_file{};          // the site file that chose the profiles; empty: none did
  std::string site_text{};

  // The profiles with the agent's waivers, as a live host is judged.
  std::vector<Profile> Effective() const { return WithWaivers(profiles); }
  // Those with the agent's waivers.
  std::vector<Profile> WithWaivers(std::vector<Profile> some) const;

  bool operator==(const JudgedBy&) const = default;
};

inline constexpr std::size_t kMaxJudgedByBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxKeptProfiles = 64;

// With the profiles as YAML for people, unless `people` is false. kResourceExhausted: larger than the bound;
// kInternal: protobuf does not write it.
absl::StatusOr<std::string> EncodeJudgedBy(const JudgedBy& judged_by, bool people = true);

// Reads a text that anybody wrote. Each profile is checked as one from a file is, and gets the digest of its
// content. Errors are kInvalidArgument in one line: too large, not of this form, of a newer version, no
// profile, too many profiles, or a profile that contradicts itself.
absl::StatusOr<JudgedBy> DecodeJudgedBy(std::string_view text);

}  // namespace rdmaready
