// SPDX-License-Identifier: Apache-2.0
// Facts to and from the wire. Total both ways: every message gives some Facts.
//
// What a message does not say reads as not collected, never as zero or empty; what it says out of range as
// failed. That holds of a fact, and of the fact that a field without one of its own stands in. The host's own
// names stand in none: without them nothing of it counts as collected.
#pragma once

#include "api/model/facts.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready {

v1::Facts ToProto(const Facts& facts);
Facts FromProto(const v1::Facts& message);

}  // namespace rdmaready
