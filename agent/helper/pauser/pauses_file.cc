// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pauses_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "rdmaready/v1/pauses_file.pb.h"

namespace rdmaready::helper {
namespace {

constexpr std::size_t kMostPatternBytes = 64;

bool IsPattern(std::string_view text) {
  return !text.empty() && text.size() <= kMostPatternBytes &&
         std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~'; });
}

}  // namespace

absl::StatusOr<PauseRules> ParsePausesFile(std::string_view yaml, const std::string& file_name) {
  std::vector<YamlFault> faults;
  v1::PausesFile message;
  const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults);
  if (root) FillMessage(*root, std::span(&file_name, 1), {}, message, faults);
  const auto check = [&](std::string_view key, const auto& patterns) {
    if (!faults.empty() || std::ranges::all_of(patterns, IsPattern)) return;
    faults.push_back({.file = file_name,
                      .line = root->line,
                      .text = fmt::format(
                          "`{}`: patterns of interfaces, up to 64 printable characters without blanks", key)});
  };
  check("ports", message.ports());
  check("direct", message.direct());
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return PauseRules{.ports = {message.ports().begin(), message.ports().end()},
                    .direct = {message.direct().begin(), message.direct().end()}};
}

absl::StatusOr<PauseRules> LoadPausesFile(const std::string& path, ::uid_t owner) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadGuardedFile(path, kMaxYamlBytes, owner, S_IWGRP | S_IWOTH));
  return ParsePausesFile(text, path);
}

}  // namespace rdmaready::helper
