// SPDX-License-Identifier: Apache-2.0
// Failure as a Status and back: the seams return absl::Status, a result holds a Failure.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "api/model/transfer.h"

namespace rdmaready {

// A Status that carries `kind` as a payload and `detail` as its message. `kind` is not kNone.
absl::Status MakeFailure(FailureKind kind, std::string_view detail);

// The same words and canonical code rules as ErrnoStatus ("action object: kernel's words"), with a kind.
absl::Status ErrnoFailure(FailureKind kind, int error_number, std::string_view action_and_object);

// The failure that a Status stands for; kNone when it is OK. A Status that no MakeFailure made is classified by
// its code: cancelled, deadline exceeded (stalled), unavailable (peer gone), all else set-up.
Failure FailureOf(const absl::Status& status);

// When both ends failed, or one end saw two things: the more telling one, `first` when they tell the same. What
// was seen on the wire (wrong bytes, a completion error) beats what was concluded (lost, stalled), and that
// beats the mere absence of the other end.
const Failure& MoreTelling(const Failure& first, const Failure& second);

}  // namespace rdmaready
