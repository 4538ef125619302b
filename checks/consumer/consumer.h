// SPDX-License-Identifier: Apache-2.0
// Consumer: a library, a server or a file system that uses RDMA, as `rdmaready env --for` names it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

enum class Consumer {
  kUnknown,
  kNccl,
  kRccl,
  kUcx,
  kMori,
  kSpdk,
  kSmb,   // the kernel's SMB client
  kNvme,  // the kernel's NVMe initiator
  kNfs,   // the kernel's NFS client
};

std::string_view Name(Consumer consumer);  // "unknown", "nccl", "rccl", ... "nfs"

// All but "unknown", in the order of the enumeration.
std::vector<std::string> ConsumerNames();
// Nothing for any other word.
std::optional<Consumer> ConsumerFromName(std::string_view name);

// It makes its queue pairs without RDMA-CM: it names GIDs by their index, and marks its packets by itself.
bool MakesOwnQueuePairs(Consumer consumer);

}  // namespace rdmaready
