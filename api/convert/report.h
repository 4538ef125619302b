// SPDX-License-Identifier: Apache-2.0
// Findings, host reports and transfer results to and from the wire. Total both ways; numbers of an enum that
// this version does not know read as the honest zero.
//
// A field that is absent although every sender says it (api/convert/absent.h) never makes anything look better:
// a finding without it is unknown or fails, a host's report is undetermined and says why in `error`, a transfer
// has failed as before or with FailureKind::kUnknown.
#pragma once

#include "api/model/report.h"
#include "api/model/transfer.h"
#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {

v1::Finding ToProto(const Finding& finding);
Finding FromProto(const v1::Finding& message);

v1::HostReport ToProto(const HostReport& report);
v1::HostReport WithoutFindings(const HostReport& report);  // the rest of it
HostReport FromProto(const v1::HostReport& message);

v1::TransferResult ToProto(const TransferResult& result);
TransferResult FromProto(const v1::TransferResult& message);

v1::TransferOptions ToProto(const TransferOptions& options);
TransferOptions FromProto(const v1::TransferOptions& message);

v1::Failure ToProto(const Failure& failure);
Failure FromProto(const v1::Failure& message);

}  // namespace rdmaready
