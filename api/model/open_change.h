// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model/apply_state.h"

namespace rdmaready {

// Whether the change goes back by itself, unless it is proven and confirmed. One that failed to go back is not
// open: it stands.
inline bool StillOpen(ChangeState state) {
  switch (state) {
    case ChangeState::kWriting:
    case ChangeState::kProving:
    case ChangeState::kAwaitingConfirm:
      return true;
    case ChangeState::kUnknown:
    case ChangeState::kNothingToDo:
    case ChangeState::kConfirmed:
    case ChangeState::kRolledBack:
    case ChangeState::kRollbackFailed:
      return false;
  }
  return false;
}

}  // namespace rdmaready
