// SPDX-License-Identifier: Apache-2.0
// FleetRoles: who may do what with which hosts, by a file of the hub's administrator:
//
//   roles:
//     - who: ["URI:rdmaready:operator/alice"]
//       may: admit
//     - who: ["DNS:grafana.example.org"]
//       may: observe
//       groups: [storage, "gpu-*"]
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/subject_names.h"
#include "api/client/subject_pattern.h"

namespace rdmaready::hub {

// What a caller may do; each has in it what stands before it.
enum class FleetAsk { kUnknown, kObserve, kOperate, kAdmit };

// "observe".
std::string_view AskWord(FleetAsk ask);

// Whether these patterns of groups are for all hosts: "*" is among them, or there are none.
bool AreAllGroups(const std::vector<std::string>& groups);

class FleetRoles {
 public:
  // kInvalidArgument with the first fault: "roles.yaml:3: ..."; and the errors of ReadOwnedFile. Blocks on file
  // access.
  static absl::StatusOr<std::shared_ptr<const FleetRoles>> Load(const std::string& path);
  static absl::StatusOr<std::shared_ptr<const FleetRoles>> Parse(std::string_view yaml,
                                                                 const std::string& file_name);

  // Of hosts of which groups (patterns) who has one of these names may ask that; of none at all: nothing.
  std::optional<std::vector<std::string>> GroupsOf(std::span<const SubjectName> names, FleetAsk ask) const;

 private:
  struct Row {
    std::vector<SubjectPattern> who{};
    FleetAsk may = FleetAsk::kUnknown;
    std::vector<std::string> groups{};  // "*": all
  };
  std::vector<Row> rows_{};
};

}  // namespace rdmaready::hub
