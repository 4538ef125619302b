// SPDX-License-Identifier: Apache-2.0
// What a host's live tests showed, beside the days before them: cmp.own-past of each port, as the host's own
// agent finds it after a test, from what it has told of its tests. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/report.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

struct KnownPast {
  std::vector<KeptTest> tests{};
  std::set<std::string> told{};  // subjects of which a finding of this check holds
};

// One for each port of which loopback tests are remembered, and for each that is `told`: of that nothing is
// known any more, which is not well. A port that was never tested has none, as it has none at its agent.
std::vector<Finding> JudgeOwnPasts(const Facts& facts, const KnownPast& past, std::int64_t now_unix_ns);

// With which of them are through software devices.
std::vector<KeptTest> TestsOf(std::vector<CaseBaseline> tests, const Facts& facts);

}  // namespace rdmaready::hub
