// SPDX-License-Identifier: Apache-2.0
#include "hub/access/fleet_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "rdmaready/v1/hub_roles.pb.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostPatterns = 1'000;  // of names and of groups, in the whole file
constexpr char kAllGroups[] = "*";

FleetAsk AskOf(v1::HubRoles::Role::May may) {
  switch (may) {
    case v1::HubRoles::Role::MAY_OPERATE:
      return FleetAsk::kOperate;
    case v1::HubRoles::Role::MAY_ADMIT:
      return FleetAsk::kAdmit;
    default:
      return FleetAsk::kObserve;
  }
}

}  // namespace

std::string_view AskWord(FleetAsk ask) {
  switch (ask) {
    case FleetAsk::kObserve:
      return "observe";
    case FleetAsk::kOperate:
      return "operate";
    case FleetAsk::kAdmit:
      return "admit hosts";
    case FleetAsk::kUnknown:
      break;
  }
  return "ask that";
}

bool AreAllGroups(const std::vector<std::string>& groups) {
  return groups.empty() || std::ranges::find(groups, kAllGroups) != groups.end();
}

absl::StatusOr<std::shared_ptr<const FleetRoles>> FleetRoles::Load(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadOwnedFile(path, kMaxYamlBytes, kOthersWrite));
  return Parse(text, path);
}

absl::StatusOr<std::shared_ptr<const FleetRoles>> FleetRoles::Parse(std::string_view yaml,
                                                                    const std::string& file_name) {
  std::vector<YamlFault> faults;
  v1::HubRoles message;
  FieldPlaces places;
  if (const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults, {.what = "file of roles"}))
    places = FillMessage(*root, std::span(&file_name, 1), {}, message, faults);
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  auto roles = std::make_shared<FleetRoles>();
  std::size_t patterns = 0;
  for (int i = 0; i < message.roles_size(); ++i) {
    const v1::HubRoles::Role& role = message.roles(i);
    const auto blame = [&](std::string_view why) {
      const auto place = places.lower_bound(fmt::format("roles[{}].", i));
      const int line = place == places.end() ? 1 : place->second.line;
      return absl::InvalidArgumentError(fmt::format("{}:{}: role {}: {}", file_name, line, i + 1, why));
    };
    Row row{.may = AskOf(role.may()), .groups = {role.groups().begin(), role.groups().end()}};
    if (row.groups.empty()) row.groups = {kAllGroups};
    for (const std::string& text : role.who()) {
      absl::StatusOr<SubjectPattern> who = SubjectPattern::Parse(text);
      if (!who.ok()) return blame(Message(who.status()));
      row.who.push_back(*std::move(who));
    }
    if (row.who.empty()) return blame("`who` names nobody");
    patterns += row.who.size() + row.groups.size();
    if (patterns > kMostPatterns) return blame(fmt::format("more than {} patterns in the file", kMostPatterns));
    roles->rows_.push_back(std::move(row));
  }
  return roles;
}

std::optional<std::vector<std::string>> FleetRoles::GroupsOf(std::span<const SubjectName> names,
                                                             FleetAsk ask) const {
  std::vector<std::string> groups;
  for (const Row& row : rows_) {
    const auto is_meant = [&](const SubjectPattern& who) { return who.Matches(names); };
    if (row.may < ask || !std::ranges::any_of(row.who, is_meant)) continue;
    groups.insert(groups.end(), row.groups.begin(), row.groups.end());
  }
  if (groups.empty()) return std::nullopt;
  return groups;
}

}  // namespace rdmaready::hub
