// SPDX-License-Identifier: Apache-2.0
// Memory that RDMA can pin: who may lock how much of it, and what of it cannot be pinned for long.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "api/model/fact.h"

namespace rdmaready {

// RLIMIT_MEMLOCK of the process that registers memory (the agent), soft limit.
struct Memlock {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t limit_bytes = 0;
  bool cap_ipc_lock = false;  // the kernel does not enforce the limit on this process
  std::int64_t pid = 0;       // whose limit it is

  void Fields(auto& list) {
    list.Setting("limit_bytes", limit_bytes, "cap_ipc_lock", cap_ipc_lock);
    list.Passing("pid", pid);
  }

  bool operator==(const Memlock&) const = default;
};

// RLIMIT_MEMLOCK of somebody in user space who registers memory, by configuration.
struct MemlockGrant {
  std::string consumer{};         // "slurmd.service"; "logins": sessions that PAM opens
  std::uint64_t limit_bytes = 0;  // soft; Memlock::kUnlimited
  std::string source{};           // the file that says so

  void Fields(auto& list) { list.Setting("consumer", consumer, "limit_bytes", limit_bytes, "source", source); }

  bool operator==(const MemlockGrant&) const = default;
};

// The memory that the kernel keeps for allocations in one piece (CMA), by /proc/meminfo. Pages must move out of
// it before they are pinned for long.
struct CmaMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;

  void Fields(auto& list) {
    list.Setting("total_bytes", total_bytes);
    list.Passing("free_bytes", free_bytes);
  }

  bool operator==(const CmaMemory&) const = default;
};

// The control group, and the container, of the process that registers memory (the agent).
struct ControlGroup {
  std::string container{};  // the sign of one: "kubepods", "docker", "overlay"; empty: no sign
  // The least memory.max of the group and of those above it that the process sees; Memlock::kUnlimited.
  // kUnsupported: its memory is in no group of version 2.
  Fact<std::uint64_t> memory_max_bytes{};

  void Fields(auto& list) { list.Setting("container", container, "memory_max_bytes", memory_max_bytes); }

  bool operator==(const ControlGroup&) const = default;
};

}  // namespace rdmaready
