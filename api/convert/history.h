// SPDX-License-Identifier: Apache-2.0
// History to and from the wire. Total both ways.
#pragma once

#include "api/model/history.h"
#include "rdmaready/v1/agent.pb.h"

namespace rdmaready {

v1::StoredRun ToProto(const RunRecord& record);
RunRecord FromProto(const v1::StoredRun& message);

v1::StoredTransfer ToProto(const TransferRecord& record);
TransferRecord FromProto(const v1::StoredTransfer& message);

v1::StoreEvent ToProto(const StoreEvent& event);
StoreEvent FromProto(const v1::StoreEvent& message);

// The limit is the receiver's to bound: FromProto takes 0 as the default.
v1::ListHistoryRequest ToProto(const HistoryQuery& query);
HistoryQuery FromProto(const v1::ListHistoryRequest& message);

}  // namespace rdmaready
