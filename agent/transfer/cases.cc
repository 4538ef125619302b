// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/cases.h"

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDuration{500};
constexpr milliseconds kDeadline{10'000};
constexpr std::uint32_t kKiB = 1024;

constexpr std::array<TransferCase, 5> kCases{{
    {.name = "send-1k",
     .stands_for = "log writes: 1 KB send and receive, latency",
     .operation = Operation::kSend,
     .message_bytes = 1 * kKiB,
     .depth = 1,
     .duration = kDuration,
     .deadline = kDeadline},
    {.name = "write-8k",
     .stands_for = "small I/O: 8 KB RDMA write, operations per second",
     .operation = Operation::kWrite,
     .message_bytes = 8 * kKiB,
     .depth = 64,
     .duration = kDuration,
     .deadline = kDeadline},
    {.name = "read-8k",
     .stands_for = "small I/O: 8 KB RDMA read, operations per second",
     .operation = Operation::kRead,
     .message_bytes = 8 * kKiB,
     .depth = 64,
     .duration = kDuration,
     .deadline = kDeadline},
    {.name = "write-512k",
     .stands_for = "large I/O: 512 KB RDMA write, bandwidth",
     .operation = Operation::kWrite,
     .message_bytes = 512 * kKiB,
     .depth = 16,
     .duration = kDuration,
     .deadline = kDeadline},
    {.name = "read-512k",
     .stands_for = "large I/O: 512 KB RDMA read, bandwidth",
     .operation = Operation::kRead,
     .message_bytes = 512 * kKiB,
     .depth = 16,
     .duration = kDuration,
     .deadline = kDeadline},
}};

}  // namespace

std::span<const TransferCase> AllCases() { return kCases; }

const TransferCase* FindCase(std::string_view name) {
  const auto found = std::ranges::find(kCases, name, &TransferCase::name);
  return found == kCases.end() ? nullptr : &*found;
}

}  // namespace rdmaready
