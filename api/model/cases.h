// SPDX-License-Identifier: Apache-2.0
// Cases: the table of live transfers. A new one is a new row: the agent makes it, the checks judge and explain
// it, the command line lists it and shows its figure, all by that row.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

// What a case is looked at for.
enum class Figure { kUnknown, kRate, kOperations, kLatency };

// What the bytes are wrapped in.
enum class Wrapping { kNone, kSmbDirect };

// Bounded by time, not by a message count.
struct TransferCase {
  std::string_view name{};   // "write-512k": never changed and never reused
  std::string_view moves{};  // what it stands for: "<moves> arrives intact between the two hosts"
  std::string_view why{};    // why a storage user needs it
  Operation operation = Operation::kUnknown;
  std::uint32_t message_bytes = 0;
  std::uint32_t depth = 1;  // messages in flight
  Figure figure = Figure::kUnknown;
  bool checked = true;  // `check` makes it on its rung; false: only `test` does

  // Of SMB Direct: for send, `depth` messages go out at once and are all answered before the next ones; write
  // and read are the responder's, into and from the buffers that the initiator describes in a request.
  Wrapping wrapping = Wrapping::kNone;
  std::uint32_t connections = 1;  // each with `depth`, where the caller asks for no number of queue pairs
  std::uint16_t credits = 0;      // receives that either end offers the other; 0: the protocol's usual 255
  // The initiator shows its memory through memory windows, each of which goes away with the answer. Needs
  // devices with memory windows of type 2 that a peer can invalidate.
  bool remote_invalidation = false;

  std::chrono::milliseconds duration{500};     // of the measured part
  std::chrono::milliseconds deadline{10'000};  // of the whole case, set-up included
};

// Every row keeps `message_bytes` x `depth` at or below this, so that one end never pins more than 16 MiB.
inline constexpr std::uint64_t kMaxCaseBytes = 8ull << 20;

// In the order in which they run: small to large, plain RDMA before SMB Direct.
inline constexpr std::array kTransferCases = std::to_array<TransferCase>({
    {.name = "send-1k",
     .moves = "A 1 KB message by send and receive",
     .why = "Log writes and all control messages of SMB Direct go this way",
     .operation = Operation::kSend,
     .message_bytes = 1 << 10,
     .figure = Figure::kLatency},
    {.name = "write-4k",
     .moves = "4 KB by RDMA write",
     .why = "Replication between storage hosts is judged by its 4 KB operations per second",
     .operation = Operation::kWrite,
     .message_bytes = 4 << 10,
     .depth = 64,
     .figure = Figure::kOperations,
     .checked = false},
    {.name = "read-4k",
     .moves = "4 KB by RDMA read",
     .why = "Storage that fetches what it replicates is judged by its 4 KB operations per second",
     .operation = Operation::kRead,
     .message_bytes = 4 << 10,
     .depth = 64,
     .figure = Figure::kOperations,
     .checked = false},
    {.name = "write-8k",
     .moves = "8 KB by RDMA write",
     .why = "Small reads of a client are answered this way; they decide the operations per second",
     .operation = Operation::kWrite,
     .message_bytes = 8 << 10,
     .depth = 64,
     .figure = Figure::kOperations},
    {.name = "read-8k",
     .moves = "8 KB by RDMA read",
     .why = "Small writes of a client are fetched this way; they decide the operations per second",
     .operation = Operation::kRead,
     .message_bytes = 8 << 10,
     .depth = 64,
     .figure = Figure::kOperations},
    {.name = "write-256k",
     .moves = "256 KB by RDMA write",
     .why = "Sequential reads of 256 KB, as backups and scans make them, are answered this way",
     .operation = Operation::kWrite,
     .message_bytes = 256 << 10,
     .depth = 32,
     .figure = Figure::kRate,
     .checked = false},
    {.name = "read-256k",
     .moves = "256 KB by RDMA read",
     .why = "Sequential writes of 256 KB, as backups and copies make them, are fetched this way",
     .operation = Operation::kRead,
     .message_bytes = 256 << 10,
     .depth = 32,
     .figure = Figure::kRate,
     .checked = false},
    {.name = "write-512k",
     .moves = "512 KB by RDMA write",
     .why = "Large reads of a client are answered this way; they decide the bandwidth",
     .operation = Operation::kWrite,
     .message_bytes = 512 << 10,
     .depth = 16,
     .figure = Figure::kRate},
    {.name = "read-512k",
     .moves = "512 KB by RDMA read",
     .why = "Large writes of a client are fetched this way; they decide the bandwidth",
     .operation = Operation::kRead,
     .message_bytes = 512 << 10,
     .depth = 16,
     .figure = Figure::kRate},

    {.name = "smbd-send-1k",
     .moves = "A 1 KB message of SMB Direct and its answer",
     .why = "Every request and answer of a share is such a message; its way decides the latency of small I/O",
     .operation = Operation::kSend,
     .message_bytes = 1 << 10,
     .figure = Figure::kLatency,
     .wrapping = Wrapping::kSmbDirect},
    {.name = "smbd-8k",
     .moves = "8 KB that the responder writes by RDMA, asked by an SMB Direct message,",
     .why = "Small reads of a share go exactly this way; they decide its operations per second",
     .operation = Operation::kWrite,
     .message_bytes = 8 << 10,
     .depth = 32,
     .figure = Figure::kOperations,
     .wrapping = Wrapping::kSmbDirect},
    // Its size is a rate's, but what the invalidation costs is paid by the operation.
    {.name = "smbd-invalidate",
     .moves = "64 KB that the responder writes by RDMA through a memory window, which its answer takes away,",
     .why = "Clients of SMB 3.0.2 and later have the server take their memory out of its reach with the answer "
            "(SMB2_CHANNEL_RDMA_V1_INVALIDATE)",
     .operation = Operation::kWrite,
     .message_bytes = 64 << 10,
     .depth = 16,
     .figure = Figure::kOperations,
     .wrapping = Wrapping::kSmbDirect,
     .remote_invalidation = true},
    {.name = "smbd-512k-write",
     .moves = "512 KB that the responder writes by RDMA, asked by an SMB Direct message,",
     .why = "Large reads of a share go exactly this way; they decide its bandwidth",
     .operation = Operation::kWrite,
     .message_bytes = 512 << 10,
     .depth = 16,
     .figure = Figure::kRate,
     .wrapping = Wrapping::kSmbDirect},
    {.name = "smbd-512k-read",
     .moves = "512 KB that the responder reads by RDMA, asked by an SMB Direct message,",
     .why = "Large writes of a share go exactly this way; they decide its bandwidth",
     .operation = Operation::kRead,
     .message_bytes = 512 << 10,
     .depth = 16,
     .figure = Figure::kRate,
     .wrapping = Wrapping::kSmbDirect},
    // Messages of 1 byte to 1 MiB.
    {.name = "smbd-fragments",
     .moves = "A message of up to 1 MiB in fragments of SMB Direct",
     .why =
         "Answers that do not go by RDMA (directory listings, encrypted data) are put together from fragments",
     .operation = Operation::kSend,
     .message_bytes = 1 << 20,
     .depth = 2,
     .figure = Figure::kRate,
     .wrapping = Wrapping::kSmbDirect},
    // 64 KB in fragments, one after the other: what is seen is how long a credit takes.
    {.name = "smbd-one-credit",
     .moves = "A message with a single credit of SMB Direct each way",
     .why = "With the last credit a peer must grant another one, or both ends wait for ever",
     .operation = Operation::kSend,
     .message_bytes = 64 << 10,
     .figure = Figure::kLatency,
     .wrapping = Wrapping::kSmbDirect,
     .credits = 1},
    {.name = "smbd-credit-burst",
     .moves = "A burst of messages beyond the credits of SMB Direct",
     .why = "A message without a receive at the peer ends the connection: credits keep bursts from that",
     .operation = Operation::kSend,
     .message_bytes = 1 << 10,
     .depth = 128,
     .figure = Figure::kOperations,
     .wrapping = Wrapping::kSmbDirect,
     .credits = 16},
    {.name = "smbd-16-connections",
     .moves = "8 KB on 16 SMB Direct connections at once",
     .why = "Multichannel opens several connections for each interface, and a server has many clients",
     .operation = Operation::kWrite,
     .message_bytes = 8 << 10,
     .depth = 8,
     .figure = Figure::kOperations,
     .wrapping = Wrapping::kSmbDirect,
     .connections = 16,
     .credits = 32},
});

// Whether a stress test may write it: plain writes.
constexpr bool IsStressCase(const TransferCase& test) {
  return test.operation == Operation::kWrite && test.wrapping == Wrapping::kNone;
}

// Null when there is no such case.
constexpr const TransferCase* FindCase(std::string_view name) {
  const auto found = std::ranges::find(kTransferCases, name, &TransferCase::name);
  return found == kTransferCases.end() ? nullptr : &*found;
}

// The rung that a case between two hosts stands for. A case that this version does not know is plain RDMA.
constexpr Rung PairRungOf(std::string_view case_name) {
  const TransferCase* row = FindCase(case_name);
  return row != nullptr && row->wrapping == Wrapping::kSmbDirect ? Rung::kSmbDirect : Rung::kPeer;
}

// The cases that have an id on the rung: plain RDMA on loopback and peer, SMB Direct on smb-direct.
inline std::vector<TransferCase> CasesOn(Rung rung) {
  const Rung pairs = rung == Rung::kLoopback ? Rung::kPeer : rung;
  std::vector<TransferCase> cases;
  std::ranges::copy_if(kTransferCases, std::back_inserter(cases),
                       [=](const TransferCase& row) { return PairRungOf(row.name) == pairs; });
  return cases;
}

// Those of them that `check` makes.
inline std::vector<TransferCase> CheckedCasesOn(Rung rung) {
  std::vector<TransferCase> cases = CasesOn(rung);
  std::erase_if(cases, [](const TransferCase& row) { return !row.checked; });
  return cases;
}

// What the result is judged by. A case that this version does not know is told by its size.
constexpr Figure FigureOf(const TransferResult& result) {
  const TransferCase* row = FindCase(result.case_name);
  if (row != nullptr) return row->figure;
  return result.message_bytes >= (64 << 10) ? Figure::kRate : Figure::kLatency;
}

}  // namespace rdmaready
