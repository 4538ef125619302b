// SPDX-License-Identifier: Apache-2.0
// Readiness: from findings to rungs, from rungs to a host's verdict, from hosts to the verdict of a run.
//
//   a rung:  a blocking finding that fails -> fail; else one that is unknown -> unknown; else at least one
//            blocking finding that passed -> pass; else not run. Above `host` only a live transfer counts as
//            having passed: settings that agree prove nothing about bytes.
//   a host:  any rung up to the level failed -> not ready; every one passed -> ready; else undetermined. A host
//            that is checked alone at level server or above leaves out the rungs that need a second one.
//   a run:   any host not ready -> not ready; every host ready -> ready; else undetermined, also without hosts.
// Warnings, findings that do not block and waived ones change none of this: a waiver is for its finding and for
// what that one explains, and it proves nothing.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/report.h"

namespace rdmaready {

// Every rung, from the host up.
inline constexpr std::array<Rung, 6> kRungs{Rung::kHost,      Rung::kLoopback, Rung::kPeer,
                                            Rung::kSmbDirect, Rung::kServer,   Rung::kShare};

// A blocking failure, or a blocking unknown, that nobody waived.
bool BlocksReadiness(const Finding& finding);

// Of the findings of this rung among `findings`; one whose rung is not told stands in the way of every rung,
// and proves none. A hidden blocking finding whose hiding one is not itself a blocking failure or unknown among
// `findings`, nor a waived one of either, counts as unknown on the host rung; pair findings may be hidden by
// another host's.
RungOutcome OutcomeOf(Rung rung, std::span<const Finding* const> findings);

// The rungs up to `level`. `of_pairs`: the findings of all pairs in which the host takes part.
std::vector<RungResult> MakeLadder(std::span<const Finding> own, std::span<const Finding* const> of_pairs,
                                   Rung level);

// Not run when the ladder lacks the rung.
RungOutcome OutcomeOn(std::span<const RungResult> ladder, Rung rung);

// The rungs between two hosts.
constexpr bool NeedsSecondHost(Rung rung) { return rung == Rung::kPeer || rung == Rung::kSmbDirect; }

// One host, and a level above the rungs that need two: they are left out.
inline bool IsAlone(const Report& report) {
  return report.hosts.size() == 1 && report.level > Rung::kSmbDirect;
}

// Judged up to `level`; what is above it does not count. Undetermined for a level that is not known. `alone`:
// nor do the rungs that need a second host.
Readiness ReadinessOf(std::span<const RungResult> ladder, Rung level, bool alone = false);

// The verdict of several hosts.
Readiness ReadinessOf(std::span<const HostReport> hosts);

// Fills in every ladder and verdict of the report from its findings, its level and its pairs. A host that could
// not be asked (`error`) is never ready.
void Conclude(Report& report);

struct FirstStep {
  std::string where{};  // "on host 1", or "between 1 and 2"
  const Finding* finding = nullptr;
};

// What to do first: the lowest rung's first blocking failure, over all hosts and then pairs; without any
// failure the first blocking unknown. Nothing when no finding up to the report's level prevents readiness.
// Points into `report`.
std::optional<FirstStep> FirstThingToDo(const Report& report);

// The verdict in a line: "not ready: 1 (pfc.lossless-priority and 2 more); no answer: 3, 4; ready: 2". Every
// host is accounted for: a host that is not named is among "and N more", or, where all hosts answered, ready.
// How many findings are waived is said, too. `errors_follow`: below it each host shows why it gave no answer.
std::string Headline(const Report& report, bool errors_follow = false);

}  // namespace rdmaready
