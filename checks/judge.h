// SPDX-License-Identifier: Apache-2.0
// Judge: facts and a profile in, findings out. Pure: the clock is handed in, and may be absent.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/host_parts.h"

namespace rdmaready {

// Nanoseconds of a monotonic clock, for Finding::duration_ns. Null: durations stay 0.
using NowNs = std::function<std::int64_t()>;

// `judged_unix_ns` is when the host is judged, for what has a date; 0: not known.

// Every check of scope host and port, in the order of AllChecks; a port check once for each port, in port
// order, or once for each Ethernet port of it. Of the ports that the profile is for.
std::vector<Finding> JudgeHost(const Facts& host, const Profile& profile, const NowNs& now = {});

// The same by several profiles, one after the other; what all say of the host in the same words stands once, at
// the first. Finding::profile says whose the others are. Of a profile that is in use on no port, while another
// is, inv.ports-selected alone.
std::vector<Finding> JudgeHost(const HostParts& host, const NowNs& now = {}, std::int64_t judged_unix_ns = 0);

// One end of a pair. `findings` are those that JudgeHost made of its host: they hide what they explain.
struct PairSide {
  std::string_view name;  // the host, as the caller names it
  const Facts& host;
  const Port& port;
  std::span<const Finding> findings{};
};

// Every check of scope pair. The subject is "rxe0/1 -> rxe0/1", the rung kPeer.
std::vector<Finding> JudgePair(const PairSide& from, const PairSide& to, const Profile& profile,
                               const NowNs& now = {});

// "PFC on 4, wanted on 3 only": the finding in one line. `expected` is left out where it adds nothing (pass,
// not applicable).
std::string Sentence(const Finding& finding);

// What a person has to hear, worst first: blocking failures, blocking unknowns, other failures, warnings, other
// unknowns; in the order of the report among equals. Passes, what does not apply and what is waived are left
// out.
std::vector<const Finding*> WorthSaying(std::span<const Finding> findings);

}  // namespace rdmaready
