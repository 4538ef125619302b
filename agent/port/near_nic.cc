// SPDX-License-Identifier: Apache-2.0
#include "agent/port/near_nic.h"

namespace rdmaready {

NearNic::NearNic(const std::set<std::uint32_t>& cpus) {
  ::cpu_set_t allowed;
  // Refused on a machine of more CPUs than the set can hold.
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  ::cpu_set_t near;
  CPU_ZERO(&near);
  for (const std::uint32_t cpu : cpus) {
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &near);
  }
  if (CPU_COUNT(&near) == 0 || CPU_EQUAL(&near, &allowed)) return;
  if (::sched_setaffinity(0, sizeof(near), &near) == 0) before_ = allowed;
}

NearNic::~NearNic() {
  if (before_) ::sched_setaffinity(0, sizeof(*before_), &*before_);
}

}  // namespace rdmaready
