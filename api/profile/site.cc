// SPDX-License-Identifier: Apache-2.0
#include "api/profile/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

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
    reading_.site.text = yaml;
    const std::optional<YamlNode> root = ParseYaml(yaml, file_, reading_.faults);
    if (!root) return std::move(reading_);
    v1::Site message;
    places_ = FillMessage(*root, std::span(&file_, 1), {}, message, reading_.faults);
    if (message.groups().empty())
      Fault(std::string(kGroupsKey), "a site file names at least one group of hosts");
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
    absl::StatusOr<Profile> profile = LoadProfile(ProfileBeside(file_, follows.profile()));
    if (!profile.ok()) return Refused(place + ".profile", Message(profile.status()));
    v1::Profile message = ToProto(*profile);
    if (!follows.ports().empty()) *message.mutable_ports() = follows.ports();
    if (message.ports().empty() && follows.has_expected())
      return Refused(place + ".expected", "says nothing without `ports`");
    message.set_ports_expected(follows.expected() || (!follows.has_expected() && !message.ports().empty()));
    const std::vector<ProfileProblem> problems = FindProblems(message);
    for (const ProfileProblem& problem : problems) Fault(place + "." + problem.field, problem.text);
    if (!problems.empty()) return std::nullopt;
    absl::StatusOr<Profile> followed = Digested(message);
    if (!followed.ok()) return Refused(place, Message(followed.status()));
    return *std::move(followed);
  }

  std::optional<Profile> Refused(const std::string& place, const std::string& text) {
    Fault(place, text);
    return std::nullopt;
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

absl::StatusOr<const Site::Group*> Site::GroupOf(std::string_view host) const {
  const std::string_view plain = host.substr(0, host.find('.'));
  for (const Group& group : groups) {
    const bool named = std::ranges::any_of(group.hosts, [&](const std::string& pattern) {
      return MatchesPattern(pattern, host) || MatchesPattern(pattern, plain);
    });
    if (named) return &group;
  }
  return absl::InvalidArgumentError(fmt::format("{} names no group for host {}", file, host));
}

absl::StatusOr<std::vector<Profile>> Site::ProfilesOf(std::string_view host) const {
  RR_ASSIGN_OR_RETURN(const Group* const group, GroupOf(host));
  return group->profiles;
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

std::string ProfileBeside(const std::string& file, const std::string& name) {
  if (!BuiltInProfileText(name).empty() || !LooksLikeAPath(name)) return name;
  const std::filesystem::path path(name);
  return path.is_absolute() ? name : (std::filesystem::path(file).parent_path() / path).string();
}

std::vector<Profile::PortSelector> ReadPorts(const YamlNode& list, const std::string& file,
                                             std::vector<YamlFault>& faults) {
  YamlNode entry{.kind = YamlNode::Kind::kMap, .line = list.line, .entries = {}};
  entry.entries.push_back({.key = "ports", .line = list.line, .value = list});
  v1::Site::Follows follows;
  const std::size_t before = faults.size();
  const FieldPlaces places = FillMessage(entry, std::span(&file, 1), {}, follows, faults);
  if (faults.size() > before) return {};
  v1::Profile message;
  message.set_name("ports");
  *message.mutable_ports() = follows.ports();
  for (const ProfileProblem& problem : FindProblems(message)) {
    const auto place = places.find(problem.field);
    faults.push_back({.file = file,
                      .line = place == places.end() ? list.line : place->second.line,
                      .key = problem.field,
                      .text = fmt::format("key `{}`: {}", problem.field, problem.text)});
  }
  const absl::StatusOr<Profile> read = FromProto(message);
  return read.ok() ? read->ports : std::vector<Profile::PortSelector>{};
}

absl::StatusOr<Site> OnRails(const Site& site, std::span<const Rail> rails) {
  if (!site.file.empty() || site.groups.size() != 1 || site.groups.front().profiles.size() != 1 ||
      !site.groups.front().profiles.front().ports.empty()) {
    return absl::InvalidArgumentError(
        "rails divide the ports of one profile: not several, not one with `ports` of its own, not a site file");
  }
  const Profile& whole = site.groups.front().profiles.front();
  std::vector<Profile> divided;
  for (const Rail& rail : rails) {
    Profile profile = whole;
    profile.name = fmt::format("{}.{}", whole.name, rail.name);
    profile.ports = rail.ports;
    profile.ports_expected = true;
    profile.min_ports.reset();
    v1::Profile message = ToProto(profile);
    const std::vector<ProfileProblem> problems = FindProblems(message);
    if (!problems.empty())
      return absl::InvalidArgumentError(
          fmt::format("rail {}: {}: {}", rail.name, problems.front().field, problems.front().text));
    RR_ASSIGN_OR_RETURN(profile, Digested(message));
    divided.push_back(std::move(profile));
  }
  return SiteOf(std::move(divided));
}

SiteReading ReadSite(std::string_view yaml, const std::string& path) { return SiteReader(path).Read(yaml); }

}  // namespace rdmaready
