// SPDX-License-Identifier: Apache-2.0
// Agreement: several hosts side by side, before any traffic. Which one is the odd one out?
//
// The hosts whose ports matter to each other vote, each host once; what more than half of them have is what the
// others are measured by. A host whose own ports differ has no vote. Where two hosts differ nobody can say
// which one is right: that is one finding between the two, with both values. Without a majority among more
// hosts each port has a finding that names the other values. A port that differs from the profile, as its
// host's own findings say, neither votes nor is named a second time.
#pragma once

#include <cstddef>
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

// Two hosts contradict each other, and nothing says which one is right.
struct Between {
  std::size_t first = 0;  // index of a voter, as `second` is, of another host
  std::size_t second = 0;
  std::vector<std::size_t> about{};  // every voter that it speaks for, these two among them
  Verdict verdict{};
};

struct Compared {
  std::vector<Verdict> verdicts{};  // of each voter, in their order; also of those that `between` speaks for
  std::vector<Between> between{};
};

// Pure; `ports` of one host only gives kNotApplicable throughout.
Compared Compare(const Agreement& rule, std::span<const Voter> ports, const Profile& profile);

// A finding about two hosts together.
struct PairFinding {
  std::size_t from = 0;  // indices of hosts
  std::size_t to = 0;
  Finding finding{};  // of scope kPair, on the rung of the host; its subject names both ports
};

struct Agreed {
  std::vector<std::vector<Finding>> of_hosts{};  // of scope kPort, on the rung of the host; for each host
  std::vector<PairFinding> between{};
};

// The findings of every check that compares hosts. None at all unless two hosts have a port. Near linear in the
// number of ports.
Agreed JudgeAgreement(std::span<const ComparedHost> hosts, const Profile& profile, const NowNs& now = {});

// Puts them behind what each host and each pair of hosts of the report has already.
void AppendAgreement(Agreed agreed, Report& report);

}  // namespace rdmaready
