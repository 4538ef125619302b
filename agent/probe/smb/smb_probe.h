// SPDX-License-Identifier: Apache-2.0
// The way of an SMB client towards SMB Direct: TCP 445, SMB2 NEGOTIATE, then the same over RDMA. No secret is
// needed: a server answers NEGOTIATE before it knows who asks.
//
// What is offered suits every generation of servers: Windows refuses a PreferredSendSize above 8136, ksmbd the
// exact minima.
#pragma once

#include <string_view>
#include <vector>

#include "agent/probe/probe.h"

namespace rdmaready {

std::vector<std::string_view> SmbSteps();

// Goes on over RDMA also when TCP did not work: a Linux client mounts so. Tells, where it got to
// them, SmbTcpAnswers, RdmaAnswers and SmbAnswers.
void ProbeSmb(const ProbeTarget& target, const ProbeTools& tools, Walk& walk);

}  // namespace rdmaready
