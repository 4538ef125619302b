// SPDX-License-Identifier: Apache-2.0
// What the probes have in common: the way to the server, whose fault a failure is, and what a proof must show.
#pragma once

#include <string>
#include <string_view>

#include "checks/probe/probe.h"

namespace rdmaready {

Verdict JudgeProbeAddress(const ProbeView& view);
Verdict JudgeProbeRoute(const ProbeView& view);

// Whether somebody listens by RDMA; where not, whether the address is alive at all. The check's own fix is that
// for a port on which nobody listens; other refusals bring theirs.
Verdict JudgeProbeListener(const ProbeView& view);

// Nothing answered by RDMA.
bool IsSilent(const RdmaRefusal& refusal);

// Of a server that TCP reaches at that address and RDMA does not: what to look at, by what this host speaks.
Fix FixOfSilentRdma(const ProbeView& view);

// As JudgeStep; but where this host could not set up its own side (FailureKind::kSetup), nothing was learnt of
// the server: unknown, with `local_fix`.
Verdict JudgeLocalStep(const ProbeView& view, std::string_view step, std::string observed, std::string expected,
                       std::string_view source, const Fix& local_fix, Fix fix = {});

// The same of a step that talks to the server: the local fix is that for a device or memory this host lacks.
Verdict JudgeServerStep(const ProbeView& view, std::string_view step, std::string observed,
                        std::string expected, std::string_view source, Fix fix = {});

// Unknown: the server said nothing about it, or the walk ended before.
Verdict NotTold(std::string_view source, std::string expected = {});

// Not applicable when the caller asked for no proof.
bool IsProofAsked(const ProbeView& view, std::string_view step);
Verdict NoProofAsked();

// Of the transfer of that name: that it moved bytes and none of them was wrong. `verified`: each byte was
// looked at.
Verdict JudgeProofTransfer(const ProbeView& view, std::string_view step, std::string_view case_name,
                           bool verified, std::string_view source);

// A command for the server, and not for this host.
Fix OnServer(std::string_view command);

// The remedies of the two steps on the way to the server.
Fix ProbeAddressFix();
Fix ProbeRouteFix();

inline constexpr std::string_view kProbeWhyAddress = "Without an address nothing can be tried";
inline constexpr std::string_view kProbeWhyRoute =
    "The connection goes out of the interface that routes to the server: without RDMA there it cannot be made";

}  // namespace rdmaready
