// SPDX-License-Identifier: Apache-2.0
// Run ids sort by time and do not collide: "20261120T191700Z-4f1c09aa".
#pragma once

#include <cstdint>
#include <string>

namespace rdmaready {

std::string MakeRunId();

// 32 hexadecimal digits from the system's random source.
std::string MakeInstanceId();

std::int64_t UnixNowNs();

}  // namespace rdmaready
