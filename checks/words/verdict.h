// SPDX-License-Identifier: Apache-2.0
// Verdict: the answer of a check's pure function. verdicts.h has the ways to make one.
#pragma once

#include <string>

#include "api/model/report.h"
#include "checks/words/fix.h"

namespace rdmaready {

// Empty `expected`, `fix`: nothing beyond the check's own text.
struct Verdict {
  Outcome outcome = Outcome::kUnknown;
  std::string observed{};
  std::string expected{};
  std::string source{};  // where it was read: "dcbnl IEEE PFC"
  Fix fix{};             // overrides the check's own where the case asks for another
  bool independent =
      false;  // no other finding explains this answer, whatever the check depends on: nothing hides it

  bool operator==(const Verdict&) const = default;
};

}  // namespace rdmaready
