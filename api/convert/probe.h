// SPDX-License-Identifier: Apache-2.0
// Probe results to and from the wire; as api/convert/report.h.
#pragma once

#include "api/model/probe.h"
#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {

v1::ProbeAnswers ToProto(const ProbeAnswers& answers);
ProbeAnswers FromProto(const v1::ProbeAnswers& message);

v1::ProbeResult ToProto(const ProbeResult& result);
ProbeResult FromProto(const v1::ProbeResult& message);

}  // namespace rdmaready
