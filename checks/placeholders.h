// SPDX-License-Identifier: Apache-2.0
// Placeholders: {netdev} in a check's text becomes dcb0 in a finding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/fact_ref.h"

namespace rdmaready {

// Knows {device} {port} {netdev} {priority} {dscp} {tos} {mtu} {speed} {transport} {memlock}, {pid},
// {profile}, and {install SOFTWARE} of checks/words/packages.h. What is not known here is replaced by its own
// name in capitals ("NETDEV"), so that it is plain what the reader has to put in. `port` may be null. {netdev}
// is `ethernet` where that is given and known, else the port's. Braces around anything else stay as they are.
std::string FillIn(std::string_view text, const Facts& host, const Port* port, const Profile& profile,
                   const NetdevRef* ethernet = nullptr);

// The same in every text of the finding's remedy.
void FillIn(Finding& finding, const Facts& host, const Port* port, const Profile& profile,
            const NetdevRef* ethernet = nullptr);

// The ToS that marks RDMA traffic under this profile: `tos`, else the DSCP, with leave for switches to mark the
// packet (ECT(0)) where the profile asks for ECN.
std::optional<unsigned> WantedTos(const Profile& profile);

}  // namespace rdmaready
