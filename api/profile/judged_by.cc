// SPDX-License-Identifier: Apache-2.0
#include "api/profile/judged_by.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/convert/message.h"
#include "api/profile/profile_proto.h"
#include "api/profile/waivers.h"
#include "api/profile/yaml_tree.h"
#include "api/profile/yaml_writer.h"
#include "rdmaready/v1/judged_by.pb.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLongestWord = 256;  // of a group, a file's name, how the profiles were chosen
// A message takes two hundred times the memory of its shortest text "{}": counted before anything is made of
// it.
constexpr std::ptrdiff_t kMostObjects = 50'000;
constexpr std::ptrdiff_t kMostElements = 500'000;

absl::StatusOr<std::vector<Waiver>> WaiversOf(const v1::JudgedBy& message) {
  v1::Profile holder;
  *holder.mutable_waivers() = message.waivers();
  std::vector<ProfileProblem> problems;
  FindWaiverProblems(holder, problems);
  if (!problems.empty())
    return absl::InvalidArgumentError(fmt::format("{}: {}", problems.front().field, problems.front().text));
  std::vector<Waiver> waivers;
  for (const v1::Profile::Waiver& waiver : message.waivers())
    waivers.push_back(convert::ReadOrDefault<Waiver>(waiver));
  return waivers;
}

absl::Status CheckSizes(const v1::JudgedBy& message) {
  if (message.profiles().empty()) return absl::InvalidArgumentError("it names no profile");
  if (static_cast<std::size_t>(message.profiles_size()) > kMaxKeptProfiles)
    return absl::InvalidArgumentError(fmt::format("more than {} profiles", kMaxKeptProfiles));
  for (const std::string* word : {&message.chosen_by(), &message.group(), &message.site().name()}) {
    if (word->size() > kLongestWord)
      return absl::InvalidArgumentError(fmt::format("a name of more than {} bytes", kLongestWord));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::JudgedBy> ParseMessage(std::string_view text) {
  if (text.size() > kMaxJudgedByBytes)
    return absl::InvalidArgumentError(fmt::format("larger than {} MiB", kMaxJudgedByBytes >> 20));
  if (std::ranges::count(text, '{') > kMostObjects || std::ranges::count(text, ',') > kMostElements)
    return absl::InvalidArgumentError("of too many elements");
  v1::JudgedBy message;
  const auto read = google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &message);
  if (!read.ok())
    return absl::InvalidArgumentError("not of a form that this version knows: " +
                                      SafeLine(std::string(read.message()), 200));
  return message;
}

}  // namespace

std::vector<Profile> JudgedBy::WithWaivers(std::vector<Profile> some) const {
  for (Profile& profile : some) std::ranges::copy(waivers, std::back_inserter(profile.waivers));
  return some;
}

absl::StatusOr<std::string> EncodeJudgedBy(const JudgedBy& judged_by, bool people) {
  v1::JudgedBy message;
  for (const Profile& profile : judged_by.profiles) {
    *message.add_profiles() = ToProto(profile);
    if (people) message.add_yaml(ProfileYaml({.profile = profile, .files = {profile.name}}));
  }
  for (const Waiver& waiver : judged_by.waivers)
    *message.add_waivers() = convert::Written<v1::Profile::Waiver>(waiver);
  message.set_chosen_by(judged_by.chosen_by);
  message.set_group(judged_by.group);
  if (!judged_by.site_file.empty()) {
    message.mutable_site()->set_name(judged_by.site_file.substr(0, kLongestWord));
    message.mutable_site()->set_text(judged_by.site_text);
  }
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.add_whitespace = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok())
    return absl::InternalError("the profiles do not fit into JSON");
  if (text.size() > kMaxJudgedByBytes)
    return absl::ResourceExhaustedError(
        fmt::format("profiles and waivers of more than {} MiB", kMaxJudgedByBytes >> 20));
  return text;
}

absl::StatusOr<JudgedBy> DecodeJudgedBy(std::string_view text) {
  RR_ASSIGN_OR_RETURN(const v1::JudgedBy message, ParseMessage(text));
  RR_RETURN_IF_ERROR(CheckSizes(message));
  JudgedBy judged_by{.chosen_by = message.chosen_by(),
                     .group = message.group(),
                     .site_file = message.site().name(),
                     .site_text = message.site().text()};
  for (const v1::Profile& one : message.profiles()) {
    RR_ASSIGN_OR_RETURN(Profile profile, Digested(one));
    judged_by.profiles.push_back(std::move(profile));
  }
  RR_ASSIGN_OR_RETURN(judged_by.waivers, WaiversOf(message));
  return judged_by;
}

}  // namespace rdmaready
