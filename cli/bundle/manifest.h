// SPDX-License-Identifier: Apache-2.0
// The manifest of a bundle: one JSON object. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/bundle/bundle.h"

namespace rdmaready::bundle {

struct ListedMember {
  std::string path{};
  std::uint64_t bytes = 0;
  std::string sha256{};  // 64 lower-case hexadecimal digits
};

// `bundle` has the hosts without their members.
struct Manifest {
  Bundle bundle{};
  std::vector<ListedMember> members{};
};

// The same text for the same values. Text that is not UTF-8 is repaired.
std::string ManifestText(const Bundle& bundle, const std::vector<ListedMember>& members);

// kInvalidArgument in one line: not JSON, of another schema or a newer format, a member that is missing or
// unknown.
absl::StatusOr<Manifest> ReadManifest(std::string_view text);

}  // namespace rdmaready::bundle
