// SPDX-License-Identifier: Apache-2.0
#include "agent/access/role_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "api/base/handle.h"
#include "api/base/name_pattern.h"
#include "api/base/status.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready::access {
namespace {

using Kind = SubjectName::Kind;

// Most names differ from most patterns before the first letter that stands for more than itself: comparing that
// far costs nothing.
bool MayMatch(std::string_view pattern, std::string_view text) {
  return text.starts_with(pattern.substr(0, pattern.find_first_of("*?[")));
}

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
    for (const Kind kind : {Kind::kDns, Kind::kUri}) {
      if (node.kind != YamlNode::Kind::kScalar || !node.text.starts_with(NamePrefix(kind))) continue;
      const std::string pattern = node.text.substr(NamePrefix(kind).size());
      if (pattern.empty() || pattern.size() > kMaxPatternBytes || !IsPrintableName(pattern)) {
        return Blame(node.line,
                     fmt::format("a pattern is 1 to {} printable characters without spaces", kMaxPatternBytes));
      }
      rows.push_back({role, kind, kind == Kind::kDns ? InSmallLetters(pattern) : pattern});
      return;
    }
    Blame(node.line, fmt::format("role `{}`: a pattern begins with DNS: or URI:", RoleName(role)));
  }

  const std::string& file_name_;
  std::vector<YamlFault>& faults_;
};

// Judged by the descriptor that is read, so that no other file comes between.
absl::StatusOr<std::string> ReadOwnedFile(const std::string& path) {
  const auto trouble = [&path](int error) {
    return absl::InvalidArgumentError(Message(ErrnoStatus(error, "read " + path)));
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return trouble(errno);
  struct ::stat info {};
  if (::fstat(fd.get(), &info) != 0) return trouble(errno);
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  const bool owned = info.st_uid == 0 || info.st_uid == ::geteuid();
  if (!owned || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: who may do what is root's to say, but the file is of user {} with mode {:04o}; chown "
                    "root and chmod go-w",
                    path, info.st_uid, info.st_mode & 07777U));
  }
  std::string text(kMaxYamlBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ::ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);  // one octet more than YAML may have is refused there
  return text;
}

}  // namespace

RoleSet RoleMap::RolesOf(std::span<const SubjectName> names) const {
  RoleSet roles;
  for (const Row& row : rows_) {
    if (roles.Has(row.role)) continue;
    for (const SubjectName& name : names.first(std::min(names.size(), kMaxNames))) {
      if (name.kind != row.kind || !MayMatch(row.pattern, name.text)) continue;
      if (name.text.size() > kMaxNameBytes || !MatchesPattern(row.pattern, name.text)) continue;
      roles.Add(row.role);
      break;
    }
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
  RR_ASSIGN_OR_RETURN(const std::string text, ReadOwnedFile(path));
  return ParseRoleMap(text, path);
}

}  // namespace rdmaready::access
