// SPDX-License-Identifier: Apache-2.0
#include "checks/words/memlock_lines.h"

#include "api/model/facts.h"
#include "checks/words/words.h"

namespace rdmaready {

std::string MemlockLines(std::uint64_t bytes) {
  constexpr std::uint64_t kKib = 1024;
  const std::string limit =
      bytes == Memlock::kUnlimited ? std::string("unlimited") : std::to_string((bytes + kKib - 1) / kKib);
  return Cat("@", kMemlockGroup, " soft memlock ", limit, "\n@", kMemlockGroup, " hard memlock ", limit, "\n");
}

}  // namespace rdmaready
