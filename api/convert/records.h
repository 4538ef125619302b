// SPDX-License-Identifier: Apache-2.0
// What agents and callers tell each other, and what the store keeps, to and from the wire: findings, host
// reports, transfers, probes, history. Total both ways.
//
// A field that is absent although every sender says it (api/convert/absent.h), or a value that cannot be, never
// makes anything look better: a finding is unknown or fails, a host's report is undetermined and says why in
// `error`, a transfer has failed as before or with FailureKind::kUnknown, any other message is the default.
#pragma once

#include "api/model/baseline.h"
#include "api/model/change.h"
#include "api/model/history.h"
#include "api/model/peer_message.h"
#include "api/model/probe.h"
#include "api/model/remembered.h"
#include "api/model/report.h"
#include "rdmaready/v1/agent.pb.h"
#include "rdmaready/v1/apply.pb.h"

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

// The engine checks what control messages of a live test say; here only their shape is checked: a port or a
// nonce of the wrong size, or a field that is left out, gives a message of kind kUnknown, which ends the test.
v1::PeerMessage ToProto(const PeerMessage& message);
PeerMessage FromProto(const v1::PeerMessage& message);

v1::ProbeResult ToProto(const ProbeResult& result);
ProbeResult FromProto(const v1::ProbeResult& message);

v1::Remembered ToProto(const Remembered& remembered);
Remembered FromProto(const v1::Remembered& message);

v1::StoredRun ToProto(const RunRecord& record);
RunRecord FromProto(const v1::StoredRun& message);

v1::StoredTransfer ToProto(const TransferRecord& record);
TransferRecord FromProto(const v1::StoredTransfer& message);

v1::StoreEvent ToProto(const StoreEvent& event);
StoreEvent FromProto(const v1::StoreEvent& message);

v1::CaseBaseline ToProto(const CaseBaseline& baseline);
CaseBaseline FromProto(const v1::CaseBaseline& message);

// A step or a change that lacks a word is of state kUnknown; nothing is ever written because of one.
v1::Plan ToProto(const Plan& plan);
Plan FromProto(const v1::Plan& message);

v1::Change ToProto(const Change& change);
Change FromProto(const v1::Change& message);

v1::ChangeProof ToProto(const ChangeProof& proof);
ChangeProof FromProto(const v1::ChangeProof& message);

v1::SettingObject ToProto(const SettingObject& object);
SettingObject FromProto(const v1::SettingObject& message);

v1::Setting ToProto(const Setting& setting);
Setting FromProto(const v1::Setting& message);

v1::ApplierStatus ToProto(const ApplierStatus& status);
ApplierStatus FromProto(const v1::ApplierStatus& message);

// The limit is the receiver's to bound: FromProto takes 0 as the default.
v1::ListHistoryRequest ToProto(const HistoryQuery& query);
HistoryQuery FromProto(const v1::ListHistoryRequest& message);

}  // namespace rdmaready
