// SPDX-License-Identifier: Apache-2.0
// Rows that were written before the wire had an "unknown" at the zero of each enum: their bodies do not hold
// zeros, and RUNG_HOST, SCOPE_HOST and Failure.KIND_NONE were such zeros.
#pragma once

#include <google/protobuf/message.h>

namespace rdmaready {

// Makes a parsed v1::HostReport or v1::TransferResult of such a row what would be written today: says the
// zeros, and renumbers the enums. To be called once.
void RenewBody(google::protobuf::Message& message);

}  // namespace rdmaready
