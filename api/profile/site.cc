// SPDX-License-Identifier: Apache-2.0
#include "api/profile/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "api/base/digest.h"
#include "api/base/name_pattern.h"
#include "api/base/status.h"
#include "api/profile/chain.h"
#include "api/profile/profile_problems.h"
#include "api/profile/profile_proto.h"
#include "api/profile/yaml_message.h"
#include "rdmaready/v1/site.pb.h"

namespace rdmaready {
namespace {

constexpr std::string_view kGroupsKey = "groups";

class SiteReader {
 public:
  explicit SiteReader(const std::string& path) : file_(path) { reading_.site.file = path; }

  SiteReading Read(std::string_view yaml) && {
    const std::optional<YamlNode> root = ParseYaml(yaml, file_, reading_.faults);
    if (!root) return std::move(reading_);
    v1::Site message;
    places_ = FillMessage(*root, std::span(&file_, 1), {}, message, reading_.faults);
    if (message.groups().empty()) Fault(std::string(kGroupsKey), "a site file names at least one group of hosts");
    for (int i = 0; i < message.groups_size(); ++i) AddGroup(message.groups(i), fmt::format("groups[{}]", i));
    std::ranges::stable_sort(reading_.faults, {}, &YamlFault::line);
    return std::move(reading_);
  }

 private:
  void Fault(const std::string& key, const std::string& text) {
    const auto place = places_.find(key);
    reading_.faults.push_back({.file = file_,
                               .line = place == places_.end() ? 1 : place->second.line,
                               .key = key,
                               .text = fmt::format("key `{}`: {}", key, text)});
  }

  void AddGroup(const v1::Site::Group& message, const std::string& path) {
    Site::Group& group = reading_.site.groups.emplace_back();
    group.hosts.assign(message.hosts().begin(), message.hosts().end());
    if (group.hosts.empty()) Fault(path, "a group names its hosts, like hosts: [\"*\"]");
    if (message.profiles().empty()) Fault(path, "a group names its profiles");
    for (int i = 0; i < message.profiles_size(); ++i) {
      const std::string place = fmt::format("{}.profiles[{}]", path, i);
      std::optional<Profile> profile = ProfileOf(message.profiles(i), place);
      if (!profile) continue;
      if (std::ranges::find(group.profiles, profile->name, &Profile::name) != group.profiles.end())
        Fault(place, fmt::format("profile {} is there twice: its `ports` are a list", profile->name));
      group.profiles.push_back(*std::move(profile));
    }
  }

  // Nothing where there is a fault.
  std::optional<Profile> ProfileOf(const v1::Site::Follows& follows, const std::string& place) {
    if (follows.profile().empty()) return Refused(place, "an entry names its profile");
    absl::StatusOr<Profile> profile = LoadProfile(PathOf(follows.profile()));
    if (!profile.ok()) return Refused(place + ".profile", Message(profile.status()));
    v1::Profile message = ToProto(*profile);
    if (!follows.ports().empty()) *message.mutable_ports() = follows.ports();
    if (message.ports().empty() && follows.has_expected())
      return Refused(place + ".expected", "says nothing without `ports`");
    message.set_ports_expected(follows.expected() || (!follows.has_expected() && !message.ports().empty()));
    const std::vector<ProfileProblem> problems = FindProblems(message);
    for (const ProfileProblem& problem : problems) Fault(place + "." + problem.field, problem.text);
    if (!problems.empty()) return std::nullopt;
    const absl::StatusOr<std::string> digest = Sha256(message.SerializeAsString());
    if (digest.ok()) message.set_digest(*digest);
    absl::StatusOr<Profile> followed = FromProto(message);
    if (!followed.ok()) return Refused(place, Message(followed.status()));
    return *std::move(followed);
  }

  std::optional<Profile> Refused(const std::string& place, const std::string& text) {
    Fault(place, text);
    return std::nullopt;
  }

  // A name that is no built-in's is a file beside this one.
  std::string PathOf(const std::string& profile) const {
    if (!BuiltInProfileText(profile).empty() || !LooksLikeAPath(profile)) return profile;
    const std::filesystem::path path(profile);
    return path.is_absolute() ? profile : (std::filesystem::path(file_).parent_path() / path).string();
  }

  std::string file_;
  SiteReading reading_{};
  FieldPlaces places_{};
};

absl::StatusOr<Site> SiteOrFault(SiteReading reading) {
  if (reading.faults.empty()) return std::move(reading.site);
  std::string text = reading.faults.front().Line();
  const std::size_t more = reading.faults.size() - 1;
  if (more > 0) {
    text += fmt::format(" (and {} more fault{}: `rdmaready profile check {}`)", more, more > 1 ? "s" : "",
                        reading.site.file);
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace

absl::StatusOr<std::vector<Profile>> Site::ProfilesOf(std::string_view host) const {
  const std::string_view plain = host.substr(0, host.find('.'));
  for (const Group& group : groups) {
    const bool named = std::ranges::any_of(group.hosts, [&](const std::string& pattern) {
      return MatchesPattern(pattern, host) || MatchesPattern(pattern, plain);
    });
    if (named) return group.profiles;
  }
  return absl::InvalidArgumentError(fmt::format("{} names no group for host {}", file, host));
}

Site SiteOf(std::vector<Profile> profiles) {
  return {.groups = {{.hosts = {"*"}, .profiles = std::move(profiles)}}};
}

absl::StatusOr<Site> LoadSite(std::span<const std::string> names) {
  const bool alone = names.size() == 1 && BuiltInProfileText(names.front()).empty();
  if (alone) {
    const absl::StatusOr<std::string> text = ReadProfileFile(names.front());
    if (text.ok() && IsSiteText(*text)) return SiteOrFault(ReadSite(*text, names.front()));
  }
  std::vector<Profile> profiles;
  for (const std::string& name : names) {
    RR_ASSIGN_OR_RETURN(Profile profile, LoadProfile(name));
    profiles.push_back(std::move(profile));
  }
  return SiteOf(std::move(profiles));
}

bool IsSiteText(std::string_view yaml) {
  std::vector<YamlFault> faults;
  const std::optional<YamlNode> root = ParseYaml(yaml, "", faults);
  return root && std::ranges::find(root->entries, kGroupsKey, &YamlNode::Entry::key) != root->entries.end();
}

SiteReading ReadSite(std::string_view yaml, const std::string& path) {
  return SiteReader(path).Read(yaml);
}

}  // namespace rdmaready
