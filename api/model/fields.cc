// SPDX-License-Identifier: Apache-2.0
// The only place where the lists of fields of the model itself are instantiated: code that walks fields does so
// at run time.
#include "api/model/fields.h"

#include "api/model/baseline.h"
#include "api/model/change.h"
#include "api/model/describe.h"
#include "api/model/facts.h"
#include "api/model/fleet.h"
#include "api/model/fleet_past.h"
#include "api/model/history.h"
#include "api/model/peer_message.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/remembered.h"
#include "api/model/report.h"

namespace rdmaready {

template <class T>
const TypeInfo& TypeOf() {
  return describe::Described<T>::kType;
}

template const TypeInfo& TypeOf<Facts>();
template const TypeInfo& TypeOf<Remembered>();
template const TypeInfo& TypeOf<Port>();
template const TypeInfo& TypeOf<Netdev>();
template const TypeInfo& TypeOf<UpperNetdev>();
template const TypeInfo& TypeOf<Dcb>();
template const TypeInfo& TypeOf<HostReport>();
template const TypeInfo& TypeOf<Finding>();
template const TypeInfo& TypeOf<TransferResult>();
template const TypeInfo& TypeOf<Failure>();
template const TypeInfo& TypeOf<PeerMessage>();
template const TypeInfo& TypeOf<ProbeResult>();
template const TypeInfo& TypeOf<ProbeAnswers>();
template const TypeInfo& TypeOf<RunRecord>();
template const TypeInfo& TypeOf<TransferRecord>();
template const TypeInfo& TypeOf<StoreEvent>();
template const TypeInfo& TypeOf<CaseBaseline>();
template const TypeInfo& TypeOf<Profile>();
template const TypeInfo& TypeOf<Waiver>();
template const TypeInfo& TypeOf<FleetStatus>();
template const TypeInfo& TypeOf<FleetHost>();
template const TypeInfo& TypeOf<FleetFinding>();
template const TypeInfo& TypeOf<FleetChange>();
template const TypeInfo& TypeOf<FleetDifference>();
template const TypeInfo& TypeOf<FleetAuditEntry>();
template const TypeInfo& TypeOf<FleetPastTest>();
template const TypeInfo& TypeOf<UsualValue>();
template const TypeInfo& TypeOf<Plan>();
template const TypeInfo& TypeOf<Change>();
template const TypeInfo& TypeOf<ApplierStatus>();
template const TypeInfo& TypeOf<SettingObject>();
template const TypeInfo& TypeOf<Setting>();
template const TypeInfo& TypeOf<ChangeProof>();
template const TypeInfo& TypeOf<BootFile>();

void SetAllMissing(const TypeInfo& type, void* object, const Missing& why) {
  for (const FieldInfo& field : type.fields()) {
    void* member = MemberOf(object, field);
    if (field.type->form == TypeInfo::Form::kFact) field.type->set_gap(member, why);
    if (field.type->form == TypeInfo::Form::kStruct) SetAllMissing(*field.type, member, why);
  }
}

}  // namespace rdmaready
