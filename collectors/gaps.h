// SPDX-License-Identifier: Apache-2.0
// Gaps: what could not be read although it may be there. Whoever leaves such a part out of a list says that the
// host has none of it.
#pragma once

#include "absl/status/status.h"

namespace rdmaready {

// Not read, by right, by a recording that has no answer, or in time.
inline bool IsGap(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsOutOfRange(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace rdmaready
