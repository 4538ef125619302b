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
constexpr std::string_view kInvalidate = "smbd-invalidate";

constexpr std::array kCases = std::to_array<TransferCase>({
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
});

constexpr TransferCase SmbDirect(std::string_view name, std::string_view stands_for, Operation operation,
                                 std::uint32_t message_bytes, std::uint32_t depth) {
  return {.name = name,
          .stands_for = stands_for,
          .operation = operation,
          .message_bytes = message_bytes,
          .depth = depth,
          .duration = kDuration,
          .deadline = kDeadline,
          .wrapping = Wrapping::kSmbDirect};
}

constexpr TransferCase WithCredits(TransferCase test, std::uint16_t credits) {
  test.credits = credits;
  return test;
}

constexpr TransferCase OnConnections(TransferCase test, std::uint32_t connections) {
  test.connections = connections;
  return test;
}

constexpr std::array kSmbDirectCases = std::to_array<TransferCase>({
    SmbDirect("smbd-send-1k", "requests and answers: 1 KB messages, latency", Operation::kSend, 1 * kKiB, 1),
    SmbDirect("smbd-8k", "small reads of a share: 8 KB, the responder writes by RDMA, operations per second",
              Operation::kWrite, 8 * kKiB, 32),
    SmbDirect(kInvalidate,
              "reads of a share by SMB 3.0.2: 64 KB, the responder writes by RDMA, and its answer takes the "
              "memory window away",
              Operation::kWrite, 64 * kKiB, 16),
    SmbDirect("smbd-512k-write", "large reads of a share: 512 KB, the responder writes by RDMA, bandwidth",
              Operation::kWrite, 512 * kKiB, 16),
    SmbDirect("smbd-512k-read", "large writes to a share: 512 KB, the responder reads by RDMA, bandwidth",
              Operation::kRead, 512 * kKiB, 16),
    SmbDirect("smbd-fragments", "messages of 1 byte to 1 MiB in fragments", Operation::kSend, 1024 * kKiB, 2),
    WithCredits(SmbDirect("smbd-one-credit", "64 KB in fragments with one credit each way", Operation::kSend,
                          64 * kKiB, 1),
                1),
    WithCredits(
        SmbDirect("smbd-credit-burst", "bursts of 128 messages on 16 credits", Operation::kSend, 1 * kKiB, 128),
        16),
    OnConnections(
        WithCredits(SmbDirect("smbd-16-connections",
                              "many clients: 8 KB, the responder writes by RDMA, 16 connections at once",
                              Operation::kWrite, 8 * kKiB, 8),
                    32),
        16),
});

}  // namespace

std::span<const TransferCase> AllCases() { return kCases; }

std::span<const TransferCase> SmbDirectCases() { return kSmbDirectCases; }

bool TakesWindowsAway(const TransferCase& test) { return test.name == kInvalidate; }

const TransferCase* FindCase(std::string_view name) {
  for (const std::span<const TransferCase> cases : {AllCases(), SmbDirectCases()}) {
    const auto found = std::ranges::find(cases, name, &TransferCase::name);
    if (found != cases.end()) return &*found;
  }
  return nullptr;
}

}  // namespace rdmaready
