// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_file.h"

#include <optional>
#include <span>
#include <vector>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

absl::StatusOr<FieldPlaces> ReadYamlFile(const std::string& path, google::protobuf::Message& message) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxYamlBytes));
  std::vector<YamlFault> faults;
  FieldPlaces places;
  const std::optional<YamlNode> root = ParseYaml(text, path, faults);
  if (root) places = FillMessage(*root, std::span(&path, 1), {}, message, faults);
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return places;
}

}  // namespace rdmaready
