// SPDX-License-Identifier: Apache-2.0
// AsCheck: what another command judged, as a check of its hosts, for renderers that know findings only. Pure.
#pragma once

#include "cli/fleet/check_summary.h"
#include "cli/fleet/transfer_run.h"
#include "cli/render/probe_run.h"

namespace rdmaready {

// One host. Its verdict is the probe's.
CheckSummary AsCheck(const ProbeSummary& run);

// A pair for each two ends; what one host does with itself is that host's. A test that did not come to its end
// is an error of its first host.
CheckSummary AsCheck(const TransferRun& run);

}  // namespace rdmaready
