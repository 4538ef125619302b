// SPDX-License-Identifier: Apache-2.0
// Lines of limits.conf(5) that let the users of RDMA lock memory, and nobody else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rdmaready {

// People who run programs of RDMA are put into it.
inline constexpr std::string_view kMemlockGroup = "rdma";

// Exactly 64 MiB is too little for many: a program registers what it moves, and a rank of a job gigabytes.
inline constexpr std::uint64_t kLeastMemlockOfUsers = std::uint64_t{1} << 30U;

// MemlockGrant::consumer of people who log in, and of those of them who are in that group.
inline constexpr std::string_view kLoginsConsumer = "logins";
inline constexpr std::string_view kGroupConsumer = "logins of @rdma";

// "@rdma soft memlock 1048576" and the same of "hard": the unit is KiB. All bits set: "unlimited".
std::string MemlockLines(std::uint64_t bytes);

}  // namespace rdmaready
