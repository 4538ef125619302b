// SPDX-License-Identifier: Apache-2.0
// What every request must hold to, whatever its kind: checked by reflection, so that no new field is forgotten.
#pragma once

#include <google/protobuf/message.h>

#include "absl/status/status.h"

namespace rdmaready {

// kInvalidArgument, in one line, for
// - a number that its enum does not name, in `request` or in any message in it: "level: 77 is no value of
// Rung";
// - `caller`, `peer_name` or `run_id` above 128 bytes: they end in locks, messages and rows of others;
// - a `run_id` with anything but printable text: it is stored and shown as it is.
absl::Status CheckRequest(const google::protobuf::Message& request);

}  // namespace rdmaready
