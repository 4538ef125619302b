// SPDX-License-Identifier: Apache-2.0
// A process that gets no more threads, for death tests of style "threadsafe": nothing else ran in it before.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace rdmaready {

// There is memory left, but none for another stack.
inline void EndThreads() {
  constexpr ::rlim_t kRoom = 2 << 20;  // a stack has 8 MiB
  ::rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  ::rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<::rlim_t>(::sysconf(_SC_PAGESIZE)) + kRoom;
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace rdmaready
