// SPDX-License-Identifier: Apache-2.0
// Names: the contract's words for our enums ("not-applicable", "roce-v2"), for JSON, flags and people.
#pragma once

#include <optional>
#include <string_view>

#include "api/model/change.h"
#include "api/model/facts.h"
#include "api/model/fleet.h"
#include "api/model/fleet_past.h"
#include "api/model/probe.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

std::string_view Name(Outcome outcome);           // "unknown", "pass", "warn", "fail", "not-applicable"
std::string_view Name(Scope scope);               // "host", "port", "pair", "target"
std::string_view Name(Readiness readiness);       // "undetermined", "ready", "not-ready"
std::string_view Name(Rung rung);                 // "host", "loopback", "peer", "smb-direct", "server", "share"
std::string_view Name(RungOutcome outcome);       // "not-run", "pass", "fail", "unknown"
std::string_view Name(Certainty certainty);       // "unknown", "possible", "likely", "certain"
std::string_view Name(StepSite site);             // "unknown", "host", "port", "switch"
std::string_view Name(Operation operation);       // "unknown", "send", "write", "read"
std::string_view Name(ConnectionKind kind);       // "unknown", "rdma-cm", "verbs"
std::string_view Name(FailureKind kind);          // "", "setup", "rejected", ... "peer-gone"
std::string_view Name(CounterChange::Kind kind);  // "unknown", "unchanged", "grew", ... "gone"
std::string_view Name(Protocol protocol);         // "unknown", "smb", "nvme", "iser", "nfs"
std::string_view Name(StepOutcome outcome);       // "not-reached", "done", "failed"
// "unknown", "nothing-to-do", "writing", "proving", "awaiting-confirm", "confirmed", "rolled-back",
// "rollback-failed"
std::string_view Name(ChangeState state);
// "unknown", "not-begun", "written", "refused", "not-taken", "foreign-write", "taken-back", "not-taken-back"
std::string_view Name(StepState state);
std::string_view Name(BootFileState state);
std::string_view Name(Missing::Kind kind);   // "not-collected", "unsupported", "denied", "failed"
std::string_view Name(RdmaStack stack);      // "unknown", "absent", "not-loaded", "loaded"
std::string_view Name(Transport transport);  // "unknown", "infiniband", "roce", "iwarp"
std::string_view Name(PortState state);      // "unknown", "down", "init", "armed", "active", "active-defer"
std::string_view Name(GidType type);         // "unknown", "ib", "roce-v1", "roce-v2"
std::string_view Name(Tsa tsa);              // "strict", "cbs", "ets", "vendor": as `dcb` writes them
std::string_view Name(Profile::Transport transport);  // "any", "roce-v2", "iwarp", "infiniband"
std::string_view Name(Profile::Trust trust);          // "any", "dscp", "pcp"
std::string_view Name(Profile::Dcbx dcbx);            // "any", "static"
std::string_view Name(Profile::Vlan vlan);            // "any", "tagged"
std::string_view Name(Profile::Role role);            // "unknown", "smb-server", "nvme-host", ...
std::string_view Name(ModuleState state);             // "unknown", "absent", "installed", "built-in", "loaded"
// "unknown", "ready", "not-ready", "undetermined", "silent", "never-reported", "revoked"
std::string_view Name(HostCondition condition);
// "unknown", "alike", "odd-ones", "no-majority", "too-few", "no-quorum"
std::string_view Name(ComparisonState state);
std::string_view Name(PastState state);  // "unknown", "as-before", "slower", "old", "software"

// The other way round; nothing for any other word.
std::optional<Rung> RungFromName(std::string_view name);
std::optional<Protocol> ProtocolFromName(std::string_view name);
std::optional<Outcome> OutcomeFromName(std::string_view name);
std::optional<Readiness> ReadinessFromName(std::string_view name);

}  // namespace rdmaready
