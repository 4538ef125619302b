// SPDX-License-Identifier: Apache-2.0
// NearNic: who tests a NIC runs near it. On another NUMA node every byte crosses the link between the nodes,
// and the NIC would be blamed for what that link is short of.
#pragma once

#include <sched.h>

#include <cstdint>
#include <optional>
#include <set>

namespace rdmaready {

// For as long as it lives the calling thread, and those that it makes meanwhile, run on those of `cpus` that it
// may run on; memory that they are first to touch comes from there. Nothing changes where it may run on none of
// them, or all of its CPUs are among them. Made and destroyed by one thread.
class NearNic {
 public:
  explicit NearNic(const std::set<std::uint32_t>& cpus);
  NearNic(const NearNic&) = delete;
  NearNic& operator=(const NearNic&) = delete;
  ~NearNic();

 private:
  std::optional<::cpu_set_t> before_{};
};

}  // namespace rdmaready
