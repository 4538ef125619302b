// SPDX-License-Identifier: Apache-2.0
// Explained pairs: live tests that failed, put behind what is known to be their cause. Pure.
//
// The cause is one finding at its host, or one between the two hosts. The tests are hidden behind
// it, so that a host that has nothing to do with it has no failure of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/fleet/known_causes.h"

namespace rdmaready {

// The tests from one port to another.
struct TestedWay {
  std::size_t pair = 0;             // index into Report::pairs
  std::size_t first = 0;            // of the pair's findings: one for each case, then that of the traffic class
  std::vector<Failure> failures{};  // of each case; kNone: it passed, or was not made
  std::size_t from = 0;             // indices of hosts
  std::size_t to = 0;
  std::string subject{};                    // "rxe0/1 -> rxe1/1"
  std::string back{};                       // the subject of the other direction
  std::vector<KnownCause> causes{};         // of KnownCauses
  std::optional<KnownCause> route{};        // of RouteCause: this direction showed it
  std::optional<KnownCause> no_way_back{};  // of NoWayBack
  std::optional<Finding> other_vlan{};      // of VlanBetween

  // "rxe0/1": the ports of the subjects.
  std::string FromPort() const { return subject.substr(0, subject.find(" -> ")); }
  std::string ToPort() const { return back.substr(0, back.find(" -> ")); }
};

// The tests are over. Where VLANs differ and every test passes all the same, a switch brings the two
// together, and that difference passes.
void ExplainPairs(std::span<const TestedWay> ways, Report& report);

// Two checks may say one thing of a pair, one of them before any test: then one of them is hidden.
void FoldPairs(Report& report);

// A failed test by itself, without the findings of its hosts: with what is known of its cause, and the repair.
Finding WithCause(Finding live, const KnownCause& cause);

}  // namespace rdmaready
