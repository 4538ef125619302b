// SPDX-License-Identifier: Apache-2.0
// SubjectPattern: which names of certificates a person means: "DNS:*.storage.example.org",
// "URI:spiffe://example.org/ops/*".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/client/subject_names.h"

namespace rdmaready {

inline constexpr std::size_t kMaxPatternBytes = 256;

// A pattern (api/base/name_pattern.h) stands for the whole of a subject alternative name; `*` passes over dots
// and slashes. DNS names have no case, URIs have.
struct SubjectPattern {
  SubjectName::Kind kind = SubjectName::Kind::kDns;
  std::string pattern{};

  // kInvalidArgument: "a pattern begins with DNS: or URI:".
  static absl::StatusOr<SubjectPattern> Parse(std::string_view text);

  // Whether it is for one of the first kMaxNames names.
  bool Matches(std::span<const SubjectName> names) const;
};

}  // namespace rdmaready
