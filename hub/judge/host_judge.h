// SPDX-License-Identifier: Apache-2.0
// Judging one host at the hub: its facts and the rules in, what is kept of it out. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/report.h"
#include "hub/judge/fleet_agreement.h"
#include "hub/judge/own_past.h"
#include "hub/judge/rule_book.h"
#include "hub/store/fleet_store.h"

namespace rdmaready::hub {

// Verdict, counts, what is not well, and what is told first. Who reports, when and with which digest is left to
// the caller. A host that no rule is for is undetermined, and `trouble` says why.
// `name`: as the rules were chosen by, and waivers are. Of a host with more than kMostFindings the first ones
// are kept, and texts are cut at kMostTextBytes: what one host says has its bounds.
inline constexpr std::size_t kMostFindings = 4096;
inline constexpr std::size_t kMostTextBytes = 1024;
JudgedHost JudgeFacts(const Facts& facts, const HostRules& rules, const std::string& name,
                      std::int64_t now_unix_ns);

// The same, with what was found by comparing it with others (FleetAgreement::OddOf) and with its own past, and
// what it votes there.
struct JudgedFacts {
  JudgedHost host{};
  std::vector<ProfileVotes> votes{};
};
JudgedFacts JudgeInFleet(const Facts& facts, const HostRules& rules, const std::string& name,
                         std::int64_t now_unix_ns, std::vector<Finding> of_fleet, const KnownPast& past = {});

// Gives each row the remedy that its finding has by these facts. A row that is over, or whose finding has
// another outcome by these facts, gets none. `of_fleet` and `past` as in JudgeInFleet.
void PutRemedies(const Facts& facts, const HostRules& rules, const std::string& name, std::int64_t now_unix_ns,
                 std::vector<Finding> of_fleet, const KnownPast& past, std::span<FleetFinding> rows);

}  // namespace rdmaready::hub
