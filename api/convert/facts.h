// SPDX-License-Identifier: Apache-2.0
// Facts to and from the wire. Total both ways: every message gives some Facts, and what it does not say, or
// says out of range, is a Missing and never a healthy default.
#pragma once

#include "api/model/facts.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready {

v1::Facts ToProto(const Facts& facts);
Facts FromProto(const v1::Facts& message);

}  // namespace rdmaready
