// SPDX-License-Identifier: Apache-2.0
#include "checks/consumer/consumer.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rdmaready {
namespace {

constexpr std::array<std::string_view, 9> kNames{"unknown", "nccl", "rccl", "ucx", "mori",
                                                 "spdk",    "smb",  "nvme", "nfs"};

}  // namespace

std::string_view Name(Consumer consumer) {
  const auto at = static_cast<std::size_t>(consumer);
  return at < kNames.size() ? kNames[at] : kNames.front();
}

std::vector<std::string> ConsumerNames() { return {kNames.begin() + 1, kNames.end()}; }

std::optional<Consumer> ConsumerFromName(std::string_view name) {
  const auto found = std::find(kNames.begin() + 1, kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Consumer>(found - kNames.begin());
}

bool MakesOwnQueuePairs(Consumer consumer) {
  return consumer == Consumer::kNccl || consumer == Consumer::kRccl || consumer == Consumer::kUcx ||
         consumer == Consumer::kMori;
}

}  // namespace rdmaready
