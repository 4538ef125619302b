// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fleet.h"

#include <utility>

#include "api/convert/message.h"

namespace rdmaready {

using convert::ReadOrDefault;
using convert::Written;

v1::FleetHost ToProto(const FleetHost& host) { return Written<v1::FleetHost>(host); }
FleetHost FromProto(const v1::FleetHost& message) { return ReadOrDefault<FleetHost>(message); }

v1::FleetFinding ToProto(const FleetFinding& finding) { return Written<v1::FleetFinding>(finding); }

namespace {

// An older hub has no remedy, and its fix may end with a comment.
void ReadRemedy(FleetFinding& finding) {
  if (finding.remedy && (finding.remedy->empty() || !IsWithinLimits(*finding.remedy))) finding.remedy.reset();
  if (!finding.remedy) {
    Remedy older = RemedyOfFix(finding.fix);
    if (!older.empty() && FirstCommand(older) != finding.fix) finding.remedy = std::move(older);
  }
  if (finding.remedy) finding.fix = FirstCommand(*finding.remedy);
}

}  // namespace

FleetFinding FromProto(const v1::FleetFinding& message) {
  FleetFinding finding = ReadOrDefault<FleetFinding>(message);
  ReadRemedy(finding);
  return finding;
}

v1::FleetChange ToProto(const FleetChange& change) { return Written<v1::FleetChange>(change); }
FleetChange FromProto(const v1::FleetChange& message) { return ReadOrDefault<FleetChange>(message); }

v1::FleetDifference ToProto(const FleetDifference& difference) {
  return Written<v1::FleetDifference>(difference);
}
FleetDifference FromProto(const v1::FleetDifference& message) {
  return ReadOrDefault<FleetDifference>(message);
}

v1::FleetAuditEntry ToProto(const FleetAuditEntry& entry) { return Written<v1::FleetAuditEntry>(entry); }
FleetAuditEntry FromProto(const v1::FleetAuditEntry& message) {
  return ReadOrDefault<FleetAuditEntry>(message);
}

v1::FleetPastTest ToProto(const FleetPastTest& test) { return Written<v1::FleetPastTest>(test); }
FleetPastTest FromProto(const v1::FleetPastTest& message) { return ReadOrDefault<FleetPastTest>(message); }

v1::UsualValue ToProto(const UsualValue& usual) { return Written<v1::UsualValue>(usual); }
UsualValue FromProto(const v1::UsualValue& message) { return ReadOrDefault<UsualValue>(message); }

v1::FleetStatus ToProto(const FleetStatus& status) { return Written<v1::FleetStatus>(status); }
FleetStatus FromProto(const v1::FleetStatus& message) { return ReadOrDefault<FleetStatus>(message); }

}  // namespace rdmaready
