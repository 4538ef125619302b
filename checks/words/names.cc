// SPDX-License-Identifier: Apache-2.0
#include "checks/words/names.h"

#include <cstddef>

namespace rdmaready {
namespace {

// One of the names, which are those of all enumerators up to `last` in their order; "unknown" for the number of
// a newer version.
template <auto last, std::size_t size>
std::string_view NameIn(const std::string_view (&names)[size], decltype(last) value) {
  static_assert(size == static_cast<std::size_t>(last) + 1);
  const auto number = static_cast<std::size_t>(value);
  return number < size ? names[number] : "unknown";
}

template <auto last>
std::optional<decltype(last)> FromName(std::string_view name) {
  for (int number = 0; number <= static_cast<int>(last); ++number) {
    const auto value = static_cast<decltype(last)>(number);
    if (Name(value) == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(Outcome outcome) {
  return NameIn<Outcome::kNotApplicable>({"unknown", "pass", "warn", "fail", "not-applicable"}, outcome);
}

std::string_view Name(Scope scope) {
  return NameIn<Scope::kTarget>({"unknown", "host", "port", "pair", "target"}, scope);
}

std::string_view Name(Readiness readiness) {
  return NameIn<Readiness::kNotReady>({"undetermined", "ready", "not-ready"}, readiness);
}

std::string_view Name(Rung rung) {
  return NameIn<Rung::kShare>({"unknown", "host", "loopback", "peer", "smb-direct", "server", "share"}, rung);
}

std::string_view Name(RungOutcome outcome) {
  return NameIn<RungOutcome::kFail>({"unknown", "not-run", "pass", "fail"}, outcome);
}

std::string_view Name(Operation operation) {
  return NameIn<Operation::kRead>({"unknown", "send", "write", "read"}, operation);
}

std::string_view Name(Protocol protocol) {
  return NameIn<Protocol::kNfs>({"unknown", "smb", "nvme", "iser", "nfs"}, protocol);
}

std::string_view Name(ChangeState state) {
  return NameIn<ChangeState::kRollbackFailed>(
      {"unknown", "nothing-to-do", "writing", "proving", "awaiting-confirm", "confirmed", "rolled-back",
       "rollback-failed"},
      state);
}

std::string_view Name(StepState state) {
  return NameIn<StepState::kNotTakenBack>({"unknown", "not-begun", "written", "refused", "not-taken",
                                           "foreign-write", "taken-back", "not-taken-back"},
                                          state);
}

std::string_view Name(BootFileState state) {
  return NameIn<BootFileState::kLeft>(
      {"unknown", "planned", "written", "there", "not-written", "removed", "left"}, state);
}

std::string_view Name(Certainty certainty) {
  return NameIn<Certainty::kCertain>({"unknown", "possible", "likely", "certain"}, certainty);
}

std::string_view Name(StepSite site) {
  return NameIn<StepSite::kSwitch>({"unknown", "host", "port", "switch"}, site);
}

std::string_view Name(StepOutcome outcome) {
  return NameIn<StepOutcome::kFailed>({"not-reached", "done", "failed"}, outcome);
}

std::string_view Name(ConnectionKind kind) {
  return NameIn<ConnectionKind::kVerbs>({"unknown", "rdma-cm", "verbs"}, kind);
}

std::string_view Name(FailureKind kind) {
  return NameIn<FailureKind::kCancelled>(
      {"unknown", "", "setup", "rejected", "unreachable", "completion", "disconnected", "peer-gone", "stalled",
       "lost", "corrupt", "cancelled"},
      kind);
}

std::string_view Name(CounterChange::Kind kind) {
  return NameIn<CounterChange::Kind::kGone>(
      {"unknown", "unchanged", "grew", "wrapped", "reset", "saturated", "appeared", "gone"}, kind);
}

std::string_view Name(Missing::Kind kind) {
  return NameIn<Missing::Kind::kFailed>({"not-collected", "unsupported", "denied", "failed"}, kind);
}

std::string_view Name(RdmaStack stack) {
  return NameIn<RdmaStack::kLoaded>({"unknown", "absent", "not-loaded", "loaded"}, stack);
}

std::string_view Name(Transport transport) {
  return NameIn<Transport::kIwarp>({"unknown", "infiniband", "roce", "iwarp"}, transport);
}

std::string_view Name(PortState state) {
  return NameIn<PortState::kActiveDefer>({"unknown", "down", "init", "armed", "active", "active-defer"}, state);
}

std::string_view Name(GidType type) {
  return NameIn<GidType::kRoceV2>({"unknown", "ib", "roce-v1", "roce-v2"}, type);
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
  return NameIn<Profile::Transport::kInfiniBand>({"any", "roce-v2", "iwarp", "infiniband"}, transport);
}

std::string_view Name(Profile::Trust trust) {
  return NameIn<Profile::Trust::kPcp>({"any", "dscp", "pcp"}, trust);
}

std::string_view Name(Profile::Dcbx dcbx) { return NameIn<Profile::Dcbx::kStatic>({"any", "static"}, dcbx); }

std::string_view Name(Profile::Role role) {
  return NameIn<Profile::Role::kNfsClient>({"unknown", "smb-server", "smb-client", "nvme-target", "nvme-host",
                                            "iser-target", "iser-initiator", "nfs-server", "nfs-client"},
                                           role);
}

std::string_view Name(ModuleState state) {
  return NameIn<ModuleState::kLoaded>({"unknown", "absent", "installed", "built-in", "loaded"}, state);
}

std::string_view Name(Profile::Vlan vlan) { return NameIn<Profile::Vlan::kTagged>({"any", "tagged"}, vlan); }

std::string_view Name(HostCondition condition) {
  if (condition == HostCondition::kRevoked) return "revoked";
  return NameIn<HostCondition::kNeverReported>(
      {"unknown", "ready", "not-ready", "undetermined", "silent", "never-reported"}, condition);
}

std::string_view Name(ComparisonState state) {
  return NameIn<ComparisonState::kNoQuorum>(
      {"unknown", "alike", "odd-ones", "no-majority", "too-few", "no-quorum"}, state);
}

std::string_view Name(PastState state) {
  return NameIn<PastState::kSoftware>({"unknown", "as-before", "slower", "old", "software"}, state);
}

std::optional<Rung> RungFromName(std::string_view name) {
  const std::optional<Rung> rung = FromName<Rung::kShare>(name);
  return rung == Rung::kUnknown ? std::nullopt : rung;  // nobody asks for that one
}

std::optional<Outcome> OutcomeFromName(std::string_view name) {
  return FromName<Outcome::kNotApplicable>(name);
}

std::optional<Readiness> ReadinessFromName(std::string_view name) {
  return FromName<Readiness::kNotReady>(name);
}

std::optional<Protocol> ProtocolFromName(std::string_view name) {
  const std::optional<Protocol> protocol = FromName<Protocol::kNfs>(name);
  return protocol == Protocol::kUnknown ? std::nullopt : protocol;
}

}  // namespace rdmaready
