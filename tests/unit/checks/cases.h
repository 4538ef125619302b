// SPDX-License-Identifier: Apache-2.0
// The table of cases: what each check says when all is well, when its thing is wrong, and when it cannot be
// known. A test over the registry holds that no check is without all three.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {

struct CheckCase {
  std::string_view id;
  std::string_view name;  // what was done to the good host
  Facts host;             // of a pair: the first one, the other is good
  Outcome expected = Outcome::kUnknown;
  std::string observed{};  // a part of it
  std::string fix{};       // a part of it; empty: not looked at
  Profile profile{};
};

std::vector<CheckCase> AllCheckCases();

}  // namespace rdmaready
