// SPDX-License-Identifier: Apache-2.0
// The verdict of one host in a sentence about traffic: "NOT READY: 1 of 8 RDMA ports is down: mlx5_10/1".
#pragma once

#include <string>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// `host` is one of the report.
std::string VerdictSentence(const HostReport& host, const Report& report);

Tone ToneOf(Readiness verdict);

}  // namespace rdmaready
