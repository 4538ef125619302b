// SPDX-License-Identifier: Apache-2.0
// What was written to a netdev's DCB settings, in words.
#pragma once

#include <string>

#include "api/model/dcb.h"

namespace rdmaready {

// "PFC 3 -> 4 by a process, probably dcb (process 712); and 2 more", "nobody wrote in 35 s".
std::string DcbWritesText(const DcbWrites& writes);

}  // namespace rdmaready
