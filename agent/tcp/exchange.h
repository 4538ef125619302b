// SPDX-License-Identifier: Apache-2.0
// TcpExchange: one end of a TcpLink without its socket: octets in, octets out, completions.
//
// It keeps the order of a reliable connection: requests are carried out and completed as they were posted. A
// send that finds no receive holds up all that comes behind it, until there is one (stalled()).
//
// Each octet from the peer is placed only where this end registered memory for it. A send goes into a posted
// receive, a write where its key and bounds allow it, and the answer of a read into that read's memory.
// Frames that break the rules end the exchange (broken()). So does a peer that lets more than kMostReplies
// wait. No memory is allocated by a number of the peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "agent/link/link.h"
#include "agent/tcp/frame.h"
#include "agent/tcp/memory_table.h"
#include "api/base/octets.h"

namespace rdmaready {

// Replies that this end owes: more than any case has requests under way.
inline constexpr std::size_t kMostReplies = 4096;

class TcpExchange {
 public:
  // --- memory ---
  MemoryId Register(std::span<std::byte> bytes, Access access) { return memory_.Add(bytes, access); }
  // Receives into it are forgotten. Where a request that is under way still uses it, the exchange is broken.
  void Unregister(MemoryId memory);
  RemoteMemory Remote(MemoryId memory) const { return memory_.Remote(memory); }

  // --- work: see RdmaLink ---
  absl::Status PostReceive(std::uint64_t id, const Slice& to);
  absl::Status Post(std::span<const WorkRequest> requests);
  std::size_t Completed(std::span<Completion> completions);

  // --- what comes in ---
  // Where the next octets belong, which may be read there directly; empty: they belong to Take.
  std::span<std::byte> Wanted() const { return stalled_ ? std::span<std::byte>() : target_; }
  void Placed(std::size_t octets);  // so many were read there
  // Takes octets in order and returns how many. Less than all: it is stalled, or broken.
  std::size_t Take(Octets octets);
  bool stalled() const { return stalled_; }  // until a receive is posted
  // OK while more can come. kCompletion: the peer refused a request; kDisconnected: this end refuses to go on.
  const absl::Status& broken() const { return broken_; }

  // --- what goes out ---
  bool has_output() const { return !outgoing_.empty(); }
  // Whether the peer waits for some of it. An answer that only frees a place at the peer may go with the next
  // request.
  bool urgent() const { return urgent_; }
  // Fills `parts` with what goes next, in order, and returns how many parts. Valid until the next call.
  std::size_t Gather(std::span<Octets> parts) const;
  void Sent(std::size_t octets);  // of what Gather returned

 private:
  struct Outgoing {
    FrameHeader header{};
    std::array<Octets, 2> payload{};
    std::array<std::optional<MemoryId>, 2> memory{};  // that the payload is in
    bool reply = false;
  };
  struct Pending {
    Work work = Work::kSend;
    std::uint64_t id = 0;
    bool signaled = true;
    MemoryId memory{};
    std::span<std::byte> local{};  // of a read
  };
  struct Receive {
    std::uint64_t id = 0;
    MemoryId memory{};
    std::span<std::byte> to{};
  };

  absl::Status PostOne(const WorkRequest& request);
  void Reply(const Frame& frame, Octets payload = {}, std::optional<MemoryId> memory = std::nullopt);
  void Break(std::string_view why);
  void Refuse(std::string_view why);
  void Dispatch();
  void BeginSend();
  void BeginWrite();
  void AnswerRead();
  void BeginData();
  void EndRequest();  // of kDone
  void HearRefusal();
  void Finish();
  bool DropUnsignaled();  // pending requests that tell nothing; false: the peer skipped a read

  MemoryTable memory_{};
  std::deque<Pending> pending_{};  // requests of this end, as posted
  std::deque<Receive> receives_{};
  std::deque<Completion> completions_{};

  FrameHeader header_{};
  std::size_t header_octets_ = 0;
  std::optional<Frame> frame_{};   // whose header has come
  std::span<std::byte> target_{};  // where the rest of its payload goes
  std::optional<MemoryId> target_memory_{};
  bool stalled_ = false;
  absl::Status broken_{};

  std::deque<Outgoing> outgoing_{};
  std::size_t sent_ = 0;     // of the first of them
  std::size_t replies_ = 0;  // among them
  bool urgent_ = false;
};

}  // namespace rdmaready
