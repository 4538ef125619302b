// SPDX-License-Identifier: Apache-2.0
#include "agent/access/role_map.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready::access {
namespace {

class MapReader {
 public:
  MapReader(const std::string& file_name, std::vector<YamlFault>& faults)
      : file_name_(file_name), faults_(faults) {}

  std::vector<RoleMap::Row> Read(const YamlNode& root) {
    std::vector<RoleMap::Row> rows;
    if (root.kind == YamlNode::Kind::kNull) return rows;  // nobody has a role, which may be meant
    if (root.kind != YamlNode::Kind::kMap) {
      Blame(root.line, "a role map is `role: [patterns]`, a line for each role");
      return rows;
    }
    for (const YamlNode::Entry& entry : root.entries) ReadRole(entry, rows);
    if (rows.size() > kMaxPatterns) Blame(root.line, fmt::format("more than {} patterns", kMaxPatterns));
    return rows;
  }

 private:
  void Blame(int line, std::string text) {
    faults_.push_back({.file = file_name_, .line = line, .text = std::move(text)});
  }

  void ReadRole(const YamlNode::Entry& entry, std::vector<RoleMap::Row>& rows) {
    const Role role = RoleOfName(entry.key);
    if (role == Role::kNone) {
      std::vector<std::string> words;
      for (const Role known : kRoles) words.emplace_back(RoleName(known));
      const std::string meant = ClosestWord(entry.key, words);
      return Blame(entry.line,
                   fmt::format("unknown role `{}`{}", entry.key,
                               meant.empty() ? " (roles are " + fmt::format("{}", fmt::join(words, ", ")) + ")"
                                             : " (did you mean `" + meant + "`?)"));
    }
    if (entry.value.kind == YamlNode::Kind::kNull) return;
    if (entry.value.kind == YamlNode::Kind::kScalar) return ReadPattern(entry.value, role, rows);
    if (entry.value.kind != YamlNode::Kind::kList)
      return Blame(entry.line, fmt::format("role `{}`: a list of patterns is expected", entry.key));
    for (const YamlNode& item : entry.value.items) ReadPattern(item, role, rows);
  }

  void ReadPattern(const YamlNode& node, Role role, std::vector<RoleMap::Row>& rows) {
    const absl::StatusOr<SubjectPattern> who =
        SubjectPattern::Parse(node.kind == YamlNode::Kind::kScalar ? node.text : "");
    if (!who.ok()) return Blame(node.line, fmt::format("role `{}`: {}", RoleName(role), Message(who.status())));
    rows.push_back({role, *who});
  }

  const std::string& file_name_;
  std::vector<YamlFault>& faults_;
};

}  // namespace

RoleSet RoleMap::RolesOf(std::span<const SubjectName> names) const {
  RoleSet roles;
  for (const Row& row : rows_) {
    if (!roles.Has(row.role) && row.who.Matches(names)) roles.Add(row.role);
  }
  return roles;
}

absl::StatusOr<RoleMap> ParseRoleMap(std::string_view yaml, const std::string& file_name) {
  std::vector<YamlFault> faults;
  RoleMap map;
  if (const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults))
    map.rows_ = MapReader(file_name, faults).Read(*root);
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return map;
}

absl::StatusOr<RoleMap> LoadRoleMap(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadOwnedFile(path, kMaxYamlBytes, kOthersWrite));
  return ParseRoleMap(text, path);
}

}  // namespace rdmaready::access
