// SPDX-License-Identifier: Apache-2.0
// Who may ask what: a row for each thing that can be asked.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "agent/access/role.h"

namespace rdmaready::access {

enum class Ask {
  kUnknown = 0,
  kGetVersion,
  kGetFacts,
  kGetRecording,
  kListHistory,
  kBaseline,
  kGetEvents,
  kGetMetrics,
  kCheckHost,
  kCheckLoopback,
  kTestLoopback,
  kTestPeer,
  kProbe,
  kProbeProve,
  kMakePlan,
  kGetApplier,
  kApply,
  kProvePeer,
  kConfirm,
  kRollBack,
  kForget,
  kStress,
  kSendPauses,
};

struct AskRow {
  Ask ask = Ask::kUnknown;
  std::string_view rpc{};
  std::string_view argument{};  // which makes it this row; empty: any other
  Role role = Role::kNone;      // kNone: whoever is let in at all
  bool audited = false;         // it moves data, or changes something
};

inline constexpr std::array kAskRows = {
    AskRow{Ask::kGetVersion, "GetVersion", "", Role::kNone, false},
    AskRow{Ask::kGetFacts, "GetFacts", "", Role::kObserve, false},
    AskRow{Ask::kGetRecording, "GetRecording", "", Role::kObserve, false},
    AskRow{Ask::kListHistory, "ListHistory", "", Role::kObserve, false},
    AskRow{Ask::kBaseline, "Baseline", "", Role::kObserve, false},
    AskRow{Ask::kGetEvents, "GetEvents", "", Role::kObserve, false},
    AskRow{Ask::kGetMetrics, "/metrics", "", Role::kObserve, false},  // by HTTP: agent/metrics
    AskRow{Ask::kCheckHost, "Check", "level host", Role::kObserve, false},
    AskRow{Ask::kCheckLoopback, "Check", "level loopback", Role::kTest, true},
    AskRow{Ask::kTestLoopback, "TestLoopback", "", Role::kTest, true},
    AskRow{Ask::kTestPeer, "TestPeer", "", Role::kTest, true},
    AskRow{Ask::kProbe, "Probe", "", Role::kTest, true},
    AskRow{Ask::kProbeProve, "Probe", "prove", Role::kProve, true},
    AskRow{Ask::kMakePlan, "MakePlan", "", Role::kObserve, false},
    AskRow{Ask::kGetApplier, "GetApplier", "", Role::kObserve, false},
    AskRow{Ask::kApply, "Apply", "", Role::kApply, true},
    AskRow{Ask::kProvePeer, "ProvePeer", "", Role::kApply, true},
    AskRow{Ask::kConfirm, "Confirm", "", Role::kApply, true},
    AskRow{Ask::kRollBack, "RollBack", "", Role::kApply, true},
    AskRow{Ask::kForget, "Forget", "", Role::kApply, true},
    AskRow{Ask::kStress, "TestPeer", "stress", Role::kStress, true},
    AskRow{Ask::kSendPauses, "SendPauses", "", Role::kStress, true},
};

// The enumerators stand in the table's order: a row of each, and none is forgotten.
constexpr bool RowsAreComplete() {
  for (std::size_t i = 0; i < kAskRows.size(); ++i) {
    if (static_cast<std::size_t>(kAskRows[i].ask) != i + 1) return false;
  }
  return kAskRows.size() == static_cast<std::size_t>(Ask::kSendPauses);
}
static_assert(RowsAreComplete());

// `ask` is not kUnknown.
constexpr const AskRow& RowOf(Ask ask) { return kAskRows[static_cast<std::size_t>(ask) - 1]; }

}  // namespace rdmaready::access
