// SPDX-License-Identifier: Apache-2.0
// Votes: what the ports of one host say where hosts are compared, taken without looking at the others. So that
// many hosts can be compared, of which nobody holds all facts at once. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/check.h"

namespace rdmaready {

// What one port has for one check that is an Agreement.
struct PortVote {
  enum class Kind {
    kHas,      // `value`
    kUnknown,  // `value` says why
  };
  const Check* check = nullptr;
  Kind kind = Kind::kHas;
  std::string value{};
};

// A port, and what its votes are among.
struct VotingPort {
  std::string subject{};
  std::string subnet{};  // of its first address; empty: it has none
  std::string board{};   // empty: not known, or none
  std::vector<PortVote> votes{};
};

// Of every port that the profile is for and that is used. Left out are votes of checks that do not apply, and
// of those where the host's own findings (`findings`, those that JudgeHost made of it by that profile) say that
// the port is wrong.
std::vector<VotingPort> VotesOf(const Facts& facts, std::span<const Finding> findings, const Profile& profile);

// What explains a difference before it is looked for: the check's dependencies on the port's own host, also
// where they only warn, as between two ports. Null: nothing does. `begun` is of the port.
const Finding* ExplanationOf(const Check& check, const Finding& begun, std::span<const Finding> findings);

// Of the port's first address; empty: it has none.
std::string SubnetKeyOf(const Port& port);

}  // namespace rdmaready
