// SPDX-License-Identifier: Apache-2.0
// Copies of the hub's store: one that is taken while the hub works, and the way back.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"

namespace rdmaready::hub {

// A sound copy of the store as it is at one moment, also while a hub writes to it. `to` must not be there
// (kAlreadyExists); it is there whole or not at all. Errors are those of sqlite.h.
absl::Status BackUp(const std::string& store, const std::string& to);

// The copy takes the place of the store, which is moved aside; the name of what was moved, empty when there was
// none. kUnavailable: a hub holds the store. kFailedPrecondition: the copy is none of a hub, or of a newer
// version; kDataLoss: it is damaged. Then nothing was touched.
absl::StatusOr<std::string> Restore(const std::string& store, const std::string& from,
                                    Clock& clock = RealClock());

}  // namespace rdmaready::hub
