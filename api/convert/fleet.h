// SPDX-License-Identifier: Apache-2.0
// What a hub tells of its fleet, to and from the wire. Total both ways: what a message lacks is the default,
// which is the honest one (a condition is unknown, a verdict undetermined).
#pragma once

#include "api/model/fleet.h"
#include "api/model/fleet_past.h"
#include "rdmaready/v1/fleet.pb.h"

namespace rdmaready {

v1::FleetHost ToProto(const FleetHost& host);
FleetHost FromProto(const v1::FleetHost& message);

v1::FleetFinding ToProto(const FleetFinding& finding);
FleetFinding FromProto(const v1::FleetFinding& message);

v1::FleetChange ToProto(const FleetChange& change);
FleetChange FromProto(const v1::FleetChange& message);

v1::FleetDifference ToProto(const FleetDifference& difference);
FleetDifference FromProto(const v1::FleetDifference& message);

v1::FleetAuditEntry ToProto(const FleetAuditEntry& entry);
FleetAuditEntry FromProto(const v1::FleetAuditEntry& message);

v1::FleetPastTest ToProto(const FleetPastTest& test);
FleetPastTest FromProto(const v1::FleetPastTest& message);

v1::UsualValue ToProto(const UsualValue& usual);
UsualValue FromProto(const v1::UsualValue& message);
v1::FleetStatus ToProto(const FleetStatus& status);
FleetStatus FromProto(const v1::FleetStatus& message);

}  // namespace rdmaready
