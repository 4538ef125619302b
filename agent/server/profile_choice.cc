// SPDX-License-Identifier: Apache-2.0
#include "agent/server/profile_choice.h"

#include <string_view>
#include <utility>

#include "agent/agent.h"
#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

absl::StatusOr<Profile> DecodeProfile(const v1::ProfileChoice& choice) {
  if (choice.has_profile()) return FromProto(choice.profile());
  // Built in, never a path: a caller must not make the agent open files.
  const std::string_view text = BuiltInProfileText(choice.name());
  if (text.empty()) return absl::NotFoundError("no profile '" + choice.name() + "'");
  return ParseProfile(text, choice.name());
}

}  // namespace

absl::StatusOr<std::vector<Profile>> ChosenProfiles(
    const google::protobuf::RepeatedPtrField<v1::ProfileChoice>& choices, const Agent& agent) {
  if (choices.empty()) return *agent.default_profiles();
  std::vector<Profile> profiles;
  for (const v1::ProfileChoice& choice : choices) {
    RR_ASSIGN_OR_RETURN(Profile profile, DecodeProfile(choice));
    profiles.push_back(std::move(profile));
  }
  return agent.WithOwnWaivers(std::move(profiles));
}

}  // namespace rdmaready
