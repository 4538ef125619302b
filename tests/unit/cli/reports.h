// SPDX-License-Identifier: Apache-2.0
// Reports to render: made by hand, so that they change only when the renderers should.
#pragma once

#include <string>

#include "cli/fleet/check_summary.h"
#include "cli/fleet/transfer_run.h"

namespace rdmaready {

Finding Pass(const std::string& id, const std::string& observed);
Finding Fail(const std::string& id, const std::string& observed, const std::string& expected,
             const std::string& fix);
Finding NotApplicable(const std::string& id, const std::string& reason);
Finding HiddenBehind(const std::string& id, const std::string& by);

HostReport HealthyHost(const std::string& name, bool loopback);

// Concluded, as the commands hand them to a renderer.
CheckSummary HealthyCheck();
CheckSummary SickCheck();
CheckSummary PeerCheck();
CheckSummary UnreachableCheck();

TransferRow GoodTransfer();
TransferRow CorruptTransfer();

}  // namespace rdmaready
