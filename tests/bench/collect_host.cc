// SPDX-License-Identifier: Apache-2.0
// collect_host [TIMES]: reads the host's facts that often and prints the microseconds of each reading, a line
// each. The first, which loads the verbs drivers as the first check of an agent does, is not printed.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "collectors/collect.h"
#include "collectors/real/host.h"

int main(int count, char** words) {
  unsigned times = 1;
  if (count > 1) {
    const char* end = words[1] + std::strlen(words[1]);
    if (count > 2 || std::from_chars(words[1], end, times).ptr != end || times == 0) {
      std::fputs("usage: collect_host [TIMES]\n", stderr);
      return 2;
    }
  }
  rdmaready::RealHost host;
  if (!rdmaready::CollectFacts(host).ports) {
    std::fputs("collect_host: the ports of this host cannot be read\n", stderr);
    return 1;
  }
  for (unsigned i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const rdmaready::Facts facts = rdmaready::CollectFacts(host);
    const auto took = std::chrono::steady_clock::now() - begin;
    std::printf("%lld\n",
                static_cast<long long>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  }
  return 0;
}
