// SPDX-License-Identifier: Apache-2.0
#include "api/profile/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>

#include "api/base/digest.h"
#include "api/profile/builtin.h"
#include "api/profile/profile_proto.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {
namespace {

// The line of the field, or of the message it is in; 1 when the file does not have it.
int LineOf(const FieldLines& lines, std::string_view field) {
  while (!field.empty()) {
    if (const auto found = lines.find(field); found != lines.end()) return found->second;
    const std::size_t dot = field.rfind('.');
    field = field.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return 1;
}

absl::StatusOr<std::string> ReadProfileFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) return absl::NotFoundError("read profile " + path + ": " + error.message());
  if (!std::filesystem::is_regular_file(status))
    return absl::InvalidArgumentError("read profile " + path + ": not a regular file");
  std::ifstream file(path, std::ios::binary);
  // One byte more than allowed, so that the parser sees what is too large.
  std::string text(kMaxYamlBytes + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    return absl::PermissionDeniedError("read profile " + path + ": cannot be read");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

absl::Status NoSuchProfile(const std::string& name) {
  const std::vector<std::string> names = BuiltInProfileNames();
  const std::string close = ClosestWord(name, names);
  std::string known;
  for (const std::string& built_in : names) known += (known.empty() ? "" : ", ") + built_in;
  const std::string hint = close.empty() ? "" : " (did you mean `" + close + "`?)";
  return absl::NotFoundError("no profile `" + name + "`" + hint + "; built in are " + known +
                             "; one of your own is named by the path of its file");
}

}  // namespace

absl::StatusOr<Profile> ParseProfile(std::string_view yaml, std::string_view file_name) {
  const absl::StatusOr<YamlNode> root = ParseYaml(yaml, file_name);
  if (!root.ok()) return root.status();
  v1::Profile message;
  const absl::StatusOr<FieldLines> lines = FillMessage(*root, file_name, "digest", message);
  if (!lines.ok()) return lines.status();
  if (const std::optional<ProfileProblem> problem = FindProblem(message)) {
    return YamlError(file_name, LineOf(*lines, problem->field),
                     "key `" + problem->field + "`: " + problem->text);
  }
  absl::StatusOr<std::string> digest = Sha256(yaml);
  if (!digest.ok()) return digest.status();
  message.set_digest(*std::move(digest));
  return FromProto(message);
}

absl::StatusOr<Profile> LoadProfile(const std::string& name_or_path) {
  const std::string_view built_in = BuiltInProfileText(name_or_path);
  if (!built_in.empty()) return ParseProfile(built_in, name_or_path + ".yaml");
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml") ||
                       name_or_path.ends_with(".yml");
  std::error_code error;
  if (!is_path && !std::filesystem::exists(name_or_path, error)) return NoSuchProfile(name_or_path);
  const absl::StatusOr<std::string> text = ReadProfileFile(name_or_path);
  if (!text.ok()) return text.status();
  return ParseProfile(*text, name_or_path);
}

std::vector<std::string> BuiltInProfileNames() {
  std::vector<std::string> names;
  for (const BuiltInProfile& profile : BuiltInProfiles()) names.emplace_back(profile.name);
  return names;
}

std::string_view BuiltInProfileText(std::string_view name) {
  const std::span<const BuiltInProfile> all = BuiltInProfiles();
  const auto found = std::ranges::find(all, name, &BuiltInProfile::name);
  return found == all.end() ? std::string_view() : found->text;
}

}  // namespace rdmaready
