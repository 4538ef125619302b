// SPDX-License-Identifier: Apache-2.0
#include "api/client/subject_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/name_pattern.h"

namespace rdmaready {
namespace {

// Most names differ from most patterns before the first letter that stands for more than itself: comparing that
// far costs nothing.
bool MayMatch(std::string_view pattern, std::string_view text) {
  return text.starts_with(pattern.substr(0, pattern.find_first_of("*?[")));
}

}  // namespace

absl::StatusOr<SubjectPattern> SubjectPattern::Parse(std::string_view text) {
  for (const SubjectName::Kind kind : {SubjectName::Kind::kDns, SubjectName::Kind::kUri}) {
    if (!text.starts_with(NamePrefix(kind))) continue;
    const std::string pattern(text.substr(NamePrefix(kind).size()));
    if (pattern.empty() || pattern.size() > kMaxPatternBytes || !IsPrintableName(pattern)) {
      return absl::InvalidArgumentError(
          fmt::format("a pattern is 1 to {} printable characters without spaces", kMaxPatternBytes));
    }
    return SubjectPattern{kind, kind == SubjectName::Kind::kDns ? InSmallLetters(pattern) : pattern};
  }
  return absl::InvalidArgumentError("a pattern begins with DNS: or URI:");
}

bool SubjectPattern::Matches(std::span<const SubjectName> names) const {
  return std::ranges::any_of(names.first(std::min(names.size(), kMaxNames)), [&](const SubjectName& name) {
    return name.kind == kind && MayMatch(pattern, name.text) && name.text.size() <= kMaxNameBytes &&
           MatchesPattern(pattern, name.text);
  });
}

}  // namespace rdmaready
