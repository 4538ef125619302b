// SPDX-License-Identifier: Apache-2.0
// The threads of this process. The kernel names an RDMA object's thread. The process of a thread that has just
// ended can no longer be read. A reader that has this list from before knows that the object is its own.
#pragma once

#include <cstdint>
#include <set>

namespace rdmaready {

// Their ids in this process' own PID namespace (/proc/self/task). Empty where they cannot be read.
std::set<std::int64_t> OwnThreads();

}  // namespace rdmaready
