// SPDX-License-Identifier: Apache-2.0
// PairPlan: what there is to test between hosts, and in which order. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/client/peer_test.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/live/transfer.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

// One host of a check; `facts` is null when it could not be asked.
struct PlanHost {
  std::string name{};
  const Facts* facts = nullptr;
  std::span<const Finding> findings{};
};

// Every case once, from one port to another.
struct PairJob {
  std::size_t pair = 0;  // index into PairPlan::pairs
  std::size_t from = 0;  // indices of hosts
  std::size_t to = 0;
  PortSelection from_port{};
  PortSelection to_port{};
  TransferPlace place{};
};

// The pair reports hold what is known without a test: settings that must agree, judged once for both
// directions, why there is nothing to test, ports without a partner (not proven, so the verdict stays open),
// and tests that a finding of a host makes pointless.
struct PairPlan {
  std::vector<PairReport> pairs{};
  std::vector<PairJob> jobs{};
};

// Two pair reports for each edge, one for each direction.
PairPlan PlanPairs(std::span<const PlanHost> hosts, std::span<const Edge> edges, const Profile& profile);

// The place of a test between two ports: the hints of a failure name it.
TransferPlace PlaceOf(const Port& from, const Port& to, const std::string& to_host,
                      const std::string& to_address);

// Jobs by index, in rounds: no port of a host is in two jobs of a round. Jobs keep their order where they can.
std::vector<std::vector<std::size_t>> Rounds(std::span<const PairJob> jobs);

// One case of a job, judged.
struct PeerVerdict {
  Finding finding{};
  TransferResult result{};
  std::vector<EndCounters> counters{};
  std::string from_error{};  // the agent went away: nothing more can be asked of it
  std::string to_error{};
};

// A test that an agent refused (the port is busy) was not made; one whose agent went away failed, and names it.
// `from_host` is the initiator's host, as the caller named it.
PeerVerdict JudgePeer(PeerAnswer answer, std::string_view case_name, const TransferPlace& place,
                      const std::string& from_host);

}  // namespace rdmaready
