// SPDX-License-Identifier: Apache-2.0
// ApplyState: what the applier of a host says of its changes, as a fact of that host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rdmaready {

enum class ChangeState : std::uint8_t {
  kUnknown = 0,
  kNothingToDo,      // the plan was empty: nothing was written, nothing is armed
  kWriting,          // armed; settings are being written
  kProving,          // all written and read back; waits for the proof
  kAwaitingConfirm,  // proven; goes back by itself at the deadline
  kConfirmed,
  kRolledBack,      // all is as it was; `reason` says why
  kRollbackFailed,  // sticky: something is neither old nor new, or could not be read; a person must look
};

// A change of which whoever judges the host has to know: it is open, or it failed to go back.
struct StandingChange {
  std::string id{};
  ChangeState state = ChangeState::kUnknown;
  std::string requester{};
  std::uint32_t settings = 0;    // how many it is about
  std::uint32_t back_in_ms = 0;  // until it goes back by itself; 0: it does not
  std::string reason{};          // as Change::reason

  void Fields(auto& list) {
    list.State("id", id, "state", state, "requester", requester, "settings", settings, "reason", reason);
    list.Reading("back_in_ms", back_in_ms);
  }

  bool operator==(const StandingChange&) const = default;
};

struct ApplyState {
  std::vector<StandingChange> changes{};  // empty: all that was applied is confirmed, or as it was
  std::vector<std::string> notices{};     // ApplierStatus::notices

  void Fields(auto& list) { list.State("changes", changes, "notices", notices); }

  bool operator==(const ApplyState&) const = default;
};

}  // namespace rdmaready
