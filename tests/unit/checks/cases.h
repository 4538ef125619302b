// SPDX-License-Identifier: Apache-2.0
// Cases: what each check says when all is well, when its thing is wrong, and when it cannot be known. A family
// of checks has its cases in a file beside its mirror: those of checks/dcb/pfc.cc are in dcb/pfc_cases.cc.
// cases_test.cc asks every case, and sees to it that no check is without one that passes, one that fails and
// one that is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

// What a case has beside its host and its words.
struct CaseExtra {
  std::string fix{};  // a part of it; empty: not looked at
  Profile profile = VirtualFabricProfile();
  std::size_t port = 0;        // which port of the host
  Facts (*other)() = nullptr;  // the second host of a pair; null: the good one
  std::int64_t judged_unix_ns = 0;
};

struct CheckCase {
  std::string_view id;
  std::string_view name;  // what was done to the good host
  Facts host;             // of a pair: the first one, the other is good
  Outcome expected = Outcome::kUnknown;
  std::string observed{};  // a part of it
  CaseExtra extra{};
};

// Fails("pfc.only-one", "all eight", WithPfc(0xff), "PFC on 0, 1", {.fix = "prio-pfc all:off 3:on"}): this
// check says that of this host. Of a check alone: nothing hides it, and what would only warn under a profile
// fails here.
inline CheckCase Passes(std::string_view id, std::string_view name, Facts host, std::string observed,
                        CaseExtra extra = {}) {
  return {id, name, std::move(host), Outcome::kPass, std::move(observed), std::move(extra)};
}
inline CheckCase Warns(std::string_view id, std::string_view name, Facts host, std::string observed,
                       CaseExtra extra = {}) {
  return {id, name, std::move(host), Outcome::kWarn, std::move(observed), std::move(extra)};
}
inline CheckCase Fails(std::string_view id, std::string_view name, Facts host, std::string observed,
                       CaseExtra extra = {}) {
  return {id, name, std::move(host), Outcome::kFail, std::move(observed), std::move(extra)};
}
inline CheckCase IsUnknown(std::string_view id, std::string_view name, Facts host, std::string observed,
                           CaseExtra extra = {}) {
  return {id, name, std::move(host), Outcome::kUnknown, std::move(observed), std::move(extra)};
}
inline CheckCase DoesNotApply(std::string_view id, std::string_view name, Facts host, std::string observed,
                              CaseExtra extra = {}) {
  return {id, name, std::move(host), Outcome::kNotApplicable, std::move(observed), std::move(extra)};
}

// All of them, made once.
const std::vector<CheckCase>& AllCheckCases();

// ---- for the files of cases ----

// The virtual fabric's profile with a change.
template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

inline const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

inline std::vector<CheckCase> Joined(std::vector<std::vector<CheckCase>> parts) {
  std::vector<CheckCase> all;
  for (std::vector<CheckCase>& part : parts) {
    for (CheckCase& one : part) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace rdmaready
