// SPDX-License-Identifier: Apache-2.0
#include "api/profile/profile_proto.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <optional>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/convert/message.h"
#include "api/profile/profile_problems.h"

namespace rdmaready {
namespace {

// What the profile says of ETS stands in a message of its own, with what a strict class has not said twice.
void AddEts(const Profile& profile, v1::Profile& message) {
  for (const Profile::EtsClass& one : profile.ets_classes) {
    v1::Profile::TrafficClass& to = *message.mutable_ets()->add_classes();
    for (const std::uint8_t priority : one.priorities) to.add_priorities(priority);
    if (one.percent) to.set_percent(*one.percent);
    to.set_strict(!one.percent.has_value());
  }
  if (!profile.ets_rdma_percent) return;
  message.mutable_ets()->set_rdma_percent(*profile.ets_rdma_percent);
  message.mutable_ets()->set_tolerance_percent(profile.ets_tolerance_percent);
  message.mutable_ets()->set_at_least(profile.ets_at_least);
}

// Of a message that FindProblem passed: no number is too large.
void TakeEts(const v1::Profile::Ets& ets, Profile& profile) {
  const auto octet = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  profile.ets_rdma_percent = octet(ets.rdma_percent());
  if (ets.has_tolerance_percent()) profile.ets_tolerance_percent = octet(ets.tolerance_percent());
  profile.ets_at_least = ets.at_least();
  for (const v1::Profile::TrafficClass& from : ets.classes()) {
    Profile::EtsClass& one = profile.ets_classes.emplace_back();
    for (const std::uint32_t priority : from.priorities()) one.priorities.push_back(octet(priority));
    if (from.has_percent()) one.percent = octet(from.percent());
  }
}

}  // namespace

v1::Profile ToProto(const Profile& profile) {
  v1::Profile message = convert::Written<v1::Profile>(profile);
  AddEts(profile, message);
  return message;
}

absl::StatusOr<Profile> FromProto(const v1::Profile& message) {
  if (const std::optional<ProfileProblem> problem = FindProblem(message))
    return absl::InvalidArgumentError(fmt::format("profile field {}: {}", problem->field, problem->text));
  Profile profile;
  if (const auto lack = convert::ReadStruct(TypeOf<Profile>(), message, &profile))
    return absl::InvalidArgumentError("profile: " + lack->detail);
  if (message.has_ets()) TakeEts(message.ets(), profile);
  return profile;
}

v1::Profile ContentOf(const Profile& profile) {
  v1::Profile content = ToProto(profile);
  content.clear_digest();
  content.clear_summary();
  content.clear_waivers();
  return content;
}

absl::StatusOr<std::string> ProfileContentDigest(const Profile& profile) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    ContentOf(profile).SerializeToCodedStream(&coded);
  }
  return Sha256(bytes);
}

absl::StatusOr<Profile> Digested(const v1::Profile& message) {
  RR_ASSIGN_OR_RETURN(Profile profile, FromProto(message));
  RR_ASSIGN_OR_RETURN(profile.digest, ProfileContentDigest(profile));
  return profile;
}

}  // namespace rdmaready
