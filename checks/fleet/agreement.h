// SPDX-License-Identifier: Apache-2.0
// Agreement: several hosts side by side, before any traffic. Which one is the odd one out?
//
// The ports that matter to each other vote; what more than half of them have is what the others are measured
// by. Without such a majority (two hosts that differ) every port is told what the others have. A port that
// differs from the profile, as its host's own findings say, neither votes nor is named a second time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/check.h"
#include "checks/judge.h"

namespace rdmaready {

struct ComparedHost {
  std::string_view name{};
  const Facts* facts = nullptr;         // null: it did not answer
  std::span<const Finding> findings{};  // those that JudgeHost made of it
};

// One port of the hosts that are compared.
struct Voter {
  std::string_view host{};
  const Facts* facts = nullptr;
  const Port* port = nullptr;
  bool votes = true;  // false: its own findings say that it is wrong
};

// What each voter is told, in their order. Pure; `ports` of one host only gives kNotApplicable throughout.
std::vector<Verdict> Compare(const Agreement& rule, std::span<const Voter> ports, const Profile& profile);

// The findings of every check that is an Agreement, for each host in their order: of scope kPort, on the rung
// of the host. None at all unless two hosts have a port.
std::vector<std::vector<Finding>> JudgeAgreement(std::span<const ComparedHost> hosts, const Profile& profile,
                                                 const NowNs& now = {});

// Puts them behind what each host of the report has already.
void AppendAgreement(std::vector<std::vector<Finding>> findings, Report& report);

}  // namespace rdmaready
