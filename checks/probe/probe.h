// SPDX-License-Identifier: Apache-2.0
// Probe checks: what the answers of a storage server mean for its clients. Ids are "<family>.<what>":
// "server.smb3" of SMB. A row of a table for each; a family for each protocol.
//
// A finding about a step that was not reached is hidden behind the one that explains it. Unlike a host's, a
// finding that passed is never hidden: a client that goes by RDMA at once does not mind a closed TCP port.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/probe.h"
#include "api/model/report.h"
#include "checks/words/verdict.h"

namespace rdmaready {

// What a check of a probe may look at.
struct ProbeView {
  const ProbeResult& result;
  const ProbeAnswers& answers = result.answers;

  const ProbeStep* Step(std::string_view name) const;  // null when the walk has no such step
  bool Done(std::string_view name) const;
};

// The fix is as that of checks/check.h; its placeholders are {target}, {address} and {port}.
struct ProbeCheck {
  std::string_view id;  // for ever, never reused
  Rung rung = Rung::kServer;
  std::string_view title;
  std::string_view why;
  Fix fix;
  bool blocking = false;
  bool proof = false;                          // passing, it proves the rung
  std::vector<std::string_view> depends_on{};  // earlier checks that may explain that this one is not passed
  Verdict (*judge)(const ProbeView&) = nullptr;
};

// Every check of every protocol, in the order of the report.
const std::vector<ProbeCheck>& AllProbeChecks();

// Null when there is none of that id.
const ProbeCheck* FindProbeCheck(std::string_view id);

// "smb server.example"
std::string ProbeSubject(Protocol protocol, std::string_view target);

// All of the protocol's findings; those on Rung::kShare only of a walk that goes on to a share. None for a
// protocol without checks.
std::vector<Finding> JudgeProbe(const ProbeResult& result);

// A probe that was not made (the port is busy, the time was up): the proof's finding, unknown.
Finding NotProbed(Protocol protocol, std::string_view target, std::string_view reason);

// The rungs that the findings of a probe are about: server, and share where it went on to one.
std::vector<RungResult> LadderOfProbe(const std::vector<Finding>& findings);

// Of the findings of one probe: ready when it proved its rungs and nothing prevents readiness.
Readiness ReadinessOfProbe(const std::vector<Finding>& findings);

// The fix as `explain` shows it: TARGET for {target}.
std::string GeneralFix(const ProbeCheck& check);

// For the families. The verdict on a step: passed with `observed`, failed with the step's own words; unknown
// when it was given up, not reached, or cut short by the end of the walk's time.
Verdict JudgeStep(const ProbeView& view, std::string_view step, std::string observed, std::string expected,
                  std::string_view source, Fix fix = {});

}  // namespace rdmaready
