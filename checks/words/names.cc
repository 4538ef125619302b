// SPDX-License-Identifier: Apache-2.0
#include "checks/words/names.h"

#include <initializer_list>

namespace rdmaready {

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown:
      return "unknown";
    case Outcome::kPass:
      return "pass";
    case Outcome::kWarn:
      return "warn";
    case Outcome::kFail:
      return "fail";
    case Outcome::kNotApplicable:
      return "not-applicable";
  }
  return "unknown";
}

std::string_view Name(Scope scope) {
  switch (scope) {
    case Scope::kUnknown:
      return "unknown";
    case Scope::kHost:
      return "host";
    case Scope::kPort:
      return "port";
    case Scope::kPair:
      return "pair";
    case Scope::kTarget:
      return "target";
  }
  return "unknown";
}

std::string_view Name(Readiness readiness) {
  switch (readiness) {
    case Readiness::kUndetermined:
      return "undetermined";
    case Readiness::kReady:
      return "ready";
    case Readiness::kNotReady:
      return "not-ready";
  }
  return "unknown";
}

std::string_view Name(Rung rung) {
  switch (rung) {
    case Rung::kUnknown:
      return "unknown";
    case Rung::kHost:
      return "host";
    case Rung::kLoopback:
      return "loopback";
    case Rung::kPeer:
      return "peer";
    case Rung::kSmbDirect:
      return "smb-direct";
    case Rung::kServer:
      return "server";
    case Rung::kShare:
      return "share";
  }
  return "unknown";
}

std::string_view Name(RungOutcome outcome) {
  switch (outcome) {
    case RungOutcome::kNotRun:
      return "not-run";
    case RungOutcome::kPass:
      return "pass";
    case RungOutcome::kFail:
      return "fail";
    case RungOutcome::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view Name(Operation operation) {
  switch (operation) {
    case Operation::kUnknown:
      return "unknown";
    case Operation::kSend:
      return "send";
    case Operation::kWrite:
      return "write";
    case Operation::kRead:
      return "read";
  }
  return "unknown";
}

std::string_view Name(Protocol protocol) {
  switch (protocol) {
    case Protocol::kUnknown:
      return "unknown";
    case Protocol::kSmb:
      return "smb";
    case Protocol::kNvme:
      return "nvme";
    case Protocol::kIser:
      return "iser";
    case Protocol::kNfs:
      return "nfs";
  }
  return "unknown";
}

std::string_view Name(StepOutcome outcome) {
  switch (outcome) {
    case StepOutcome::kNotReached:
      return "not-reached";
    case StepOutcome::kDone:
      return "done";
    case StepOutcome::kFailed:
      return "failed";
  }
  return "unknown";
}

std::string_view Name(FailureKind kind) {
  switch (kind) {
    case FailureKind::kUnknown:
      return "unknown";
    case FailureKind::kNone:
      return "";
    case FailureKind::kSetup:
      return "setup";
    case FailureKind::kRejected:
      return "rejected";
    case FailureKind::kUnreachable:
      return "unreachable";
    case FailureKind::kCompletion:
      return "completion";
    case FailureKind::kDisconnected:
      return "disconnected";
    case FailureKind::kPeerGone:
      return "peer-gone";
    case FailureKind::kStalled:
      return "stalled";
    case FailureKind::kLost:
      return "lost";
    case FailureKind::kCorrupt:
      return "corrupt";
    case FailureKind::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string_view Name(CounterChange::Kind kind) {
  switch (kind) {
    case CounterChange::Kind::kUnknown:
      return "unknown";
    case CounterChange::Kind::kUnchanged:
      return "unchanged";
    case CounterChange::Kind::kGrew:
      return "grew";
    case CounterChange::Kind::kWrapped:
      return "wrapped";
    case CounterChange::Kind::kReset:
      return "reset";
    case CounterChange::Kind::kSaturated:
      return "saturated";
    case CounterChange::Kind::kAppeared:
      return "appeared";
    case CounterChange::Kind::kGone:
      return "gone";
  }
  return "unknown";
}

std::string_view Name(Missing::Kind kind) {
  switch (kind) {
    case Missing::Kind::kNotCollected:
      return "not-collected";
    case Missing::Kind::kUnsupported:
      return "unsupported";
    case Missing::Kind::kDenied:
      return "denied";
    case Missing::Kind::kFailed:
      return "failed";
  }
  return "unknown";
}

std::string_view Name(RdmaStack stack) {
  switch (stack) {
    case RdmaStack::kUnknown:
      return "unknown";
    case RdmaStack::kAbsent:
      return "absent";
    case RdmaStack::kNotLoaded:
      return "not-loaded";
    case RdmaStack::kLoaded:
      return "loaded";
  }
  return "unknown";
}

std::string_view Name(Transport transport) {
  switch (transport) {
    case Transport::kUnknown:
      return "unknown";
    case Transport::kInfiniBand:
      return "infiniband";
    case Transport::kRoce:
      return "roce";
    case Transport::kIwarp:
      return "iwarp";
  }
  return "unknown";
}

std::string_view Name(PortState state) {
  switch (state) {
    case PortState::kUnknown:
      return "unknown";
    case PortState::kDown:
      return "down";
    case PortState::kInit:
      return "init";
    case PortState::kArmed:
      return "armed";
    case PortState::kActive:
      return "active";
    case PortState::kActiveDefer:
      return "active-defer";
  }
  return "unknown";
}

std::string_view Name(GidType type) {
  switch (type) {
    case GidType::kUnknown:
      return "unknown";
    case GidType::kIb:
      return "ib";
    case GidType::kRoceV1:
      return "roce-v1";
    case GidType::kRoceV2:
      return "roce-v2";
  }
  return "unknown";
}

std::string_view Name(Tsa tsa) {
  switch (tsa) {
    case Tsa::kStrict:
      return "strict";
    case Tsa::kCbShaper:
      return "cbs";
    case Tsa::kEts:
      return "ets";
    case Tsa::kVendor:
      return "vendor";
  }
  return "unknown";
}

std::string_view Name(Profile::Transport transport) {
  switch (transport) {
    case Profile::Transport::kAny:
      return "any";
    case Profile::Transport::kRoceV2:
      return "roce-v2";
    case Profile::Transport::kIwarp:
      return "iwarp";
    case Profile::Transport::kInfiniBand:
      return "infiniband";
  }
  return "unknown";
}

std::string_view Name(Profile::Trust trust) {
  switch (trust) {
    case Profile::Trust::kAny:
      return "any";
    case Profile::Trust::kDscp:
      return "dscp";
    case Profile::Trust::kPcp:
      return "pcp";
  }
  return "unknown";
}

std::string_view Name(Profile::Dcbx dcbx) {
  switch (dcbx) {
    case Profile::Dcbx::kAny:
      return "any";
    case Profile::Dcbx::kStatic:
      return "static";
  }
  return "unknown";
}

std::string_view Name(Profile::Role role) {
  switch (role) {
    case Profile::Role::kUnknown:
      return "unknown";
    case Profile::Role::kSmbServer:
      return "smb-server";
    case Profile::Role::kSmbClient:
      return "smb-client";
    case Profile::Role::kNvmeTarget:
      return "nvme-target";
    case Profile::Role::kNvmeHost:
      return "nvme-host";
    case Profile::Role::kIserTarget:
      return "iser-target";
    case Profile::Role::kIserInitiator:
      return "iser-initiator";
    case Profile::Role::kNfsServer:
      return "nfs-server";
    case Profile::Role::kNfsClient:
      return "nfs-client";
  }
  return "unknown";
}

std::string_view Name(ModuleState state) {
  switch (state) {
    case ModuleState::kUnknown:
      return "unknown";
    case ModuleState::kAbsent:
      return "absent";
    case ModuleState::kInstalled:
      return "installed";
    case ModuleState::kBuiltIn:
      return "built-in";
    case ModuleState::kLoaded:
      return "loaded";
  }
  return "unknown";
}

std::string_view Name(Profile::Vlan vlan) {
  switch (vlan) {
    case Profile::Vlan::kAny:
      return "any";
    case Profile::Vlan::kTagged:
      return "tagged";
  }
  return "unknown";
}

std::optional<Rung> RungFromName(std::string_view name) {
  for (const Rung value :
       {Rung::kHost, Rung::kLoopback, Rung::kPeer, Rung::kSmbDirect, Rung::kServer, Rung::kShare}) {
    if (Name(value) == name) return value;
  }
  return std::nullopt;
}

std::optional<Protocol> ProtocolFromName(std::string_view name) {
  for (const Protocol value : {Protocol::kSmb, Protocol::kNvme, Protocol::kIser, Protocol::kNfs}) {
    if (Name(value) == name) return value;
  }
  return std::nullopt;
}

std::optional<Outcome> OutcomeFromName(std::string_view name) {
  for (const Outcome value :
       {Outcome::kUnknown, Outcome::kPass, Outcome::kWarn, Outcome::kFail, Outcome::kNotApplicable}) {
    if (Name(value) == name) return value;
  }
  return std::nullopt;
}

std::optional<Readiness> ReadinessFromName(std::string_view name) {
  for (const Readiness value : {Readiness::kUndetermined, Readiness::kReady, Readiness::kNotReady}) {
    if (Name(value) == name) return value;
  }
  return std::nullopt;
}

}  // namespace rdmaready
