// SPDX-License-Identifier: Apache-2.0
// Data phases that speak SMB Direct. The contract is that of data.h, but for the set-up: each end is made
// before its link is connected, and link_settings() is what to connect with; memory is registered and the first
// receive posted by then.
//
// Two kinds. Send: messages and their answers, both verified. Move: a request with the descriptors of a buffer,
// whereupon the responder writes or reads that buffer by RDMA, and answers; the end that received the bytes
// verifies them. Where the case has windows, each request shows its buffer through one that the answer takes
// away; the initiator looks whether it was that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "agent/link/buffer.h"
#include "agent/smbdirect_link/edge.h"
#include "agent/transfer/data.h"
#include "agent/transfer/meter.h"
#include "agent/transfer/pattern.h"
#include "agent/transfer/session.h"

namespace rdmaready {

// See PinnedBytesOf.
std::uint64_t SmbdPinnedBytes(const TransferCase& test);

class SmbdEnd {
 public:
  SmbdEnd(Role role, Session& session, const Pattern& pattern);
  SmbdEnd(const SmbdEnd&) = delete;
  SmbdEnd& operator=(const SmbdEnd&) = delete;
  virtual ~SmbdEnd() = default;

  // For Connect or Listen; refers to this end.
  LinkSettings link_settings();

  // Once connected. The initiator's returns when the ends agree, the responder's at once.
  absl::Status Negotiate();

 protected:
  // Memory beside that of the edge; called before the connection stands.
  virtual absl::Status MakeMemory() = 0;
  virtual absl::Status Deliver(std::span<const std::byte> message) = 0;
  virtual void TakenAway(std::uint32_t /*key*/) {}
  virtual void Submitted(std::uint64_t cookie) = 0;
  virtual absl::Status Moved(std::uint64_t /*cookie*/) { return absl::OkStatus(); }

  absl::Status Make(std::unique_ptr<Buffer>& buffer, std::uint32_t bytes, std::uint32_t slots, Access access);
  // One step of the edge; fails also when one of the functions above did.
  absl::Status Step();
  // The responder's loop: `after` follows each step. OK when the initiator said that it is done.
  absl::Status ServeUntilDone(const std::function<absl::Status()>& after);
  void Verify(std::span<const std::byte> bytes, std::uint64_t number, Phase& phase) const;

  std::uint64_t slots() const { return SlotsOf(session_.test()); }
  bool verify() const { return session_.options().verify; }

  Session& session_;
  const Pattern& pattern_;
  std::unique_ptr<smbdirect::Edge> edge_;

 private:
  const Role role_;
  absl::Status fault_{};
};

// --- send. Message i of the initiator is number 2i of the transfer, its answer number 2i + 1. A large one goes
// as several messages of SMB Direct, of sizes from 1 byte to all of it. ---

class SmbdSendEnd : public SmbdEnd {
 protected:
  using SmbdEnd::SmbdEnd;
  absl::Status MakeMemory() override;
  absl::Status Deliver(std::span<const std::byte> message) override;
  void Submitted(std::uint64_t cookie) override;

  virtual std::uint64_t NumberOf(std::uint64_t index) const = 0;  // of an outgoing message
  // Fills what may be used already, beside the measured way.
  void FillAhead();
  // Sends slot `index`, which may be used, as its pieces.
  absl::Status Send(std::uint64_t index);
  // A slot may be filled and sent again when it went out and what was received in its turn was looked at.
  bool MayUse(std::uint64_t index) const { return index < counts_.completed + slots(); }

  std::unique_ptr<Buffer> outgoing_{};
  std::unique_ptr<Buffer> incoming_{};  // copies: what is delivered is gone after the delivery
  TransferCounts counts_{};
  std::size_t piece_ = 0;           // of the message that is being received
  std::size_t received_bytes_ = 0;  // of it
  std::uint64_t looked_at_ = 0;

 private:
  std::uint64_t filled_ = 0;
};

class SmbdSendInitiator final : public SmbdSendEnd {
 public:
  SmbdSendInitiator(Session& session, const Pattern& pattern)
      : SmbdSendEnd(Role::kInitiator, session, pattern) {}
  absl::Status Run(Phase& phase);

 private:
  std::uint64_t NumberOf(std::uint64_t index) const override { return 2 * index; }
  absl::Status Burst(std::uint64_t messages, Meter& meter);
  absl::Status AwaitAnswers(Meter& meter, Phase& phase);
};

class SmbdSendResponder final : public SmbdSendEnd {
 public:
  SmbdSendResponder(Session& session, const Pattern& pattern)
      : SmbdSendEnd(Role::kResponder, session, pattern) {}
  absl::Status Run(Phase& phase);

 private:
  std::uint64_t NumberOf(std::uint64_t index) const override { return 2 * index + 1; }
  absl::Status Deliver(std::span<const std::byte> message) override;
  absl::Status Answer();
};

// --- move. Even requests describe their buffer as one piece, odd ones in three that meet at odd places. ---

inline constexpr std::size_t kMoveDescriptors = 3;
inline constexpr std::size_t kMoveMessageBytes = 16 + kMoveDescriptors * smbdirect::kDescriptorBytes;

// What a request says; its bytes are ours, as those of a file server's protocol are its own.
struct MoveRequest {
  std::uint64_t number = 0;
  std::vector<smbdirect::BufferDescriptor> buffer{};
};

class SmbdMoveEnd : public SmbdEnd {
 protected:
  using SmbdEnd::SmbdEnd;

  std::uint64_t Tag(std::uint64_t number, bool answer) const;
  bool writes() const { return session_.test().operation == Operation::kWrite; }
  bool windows() const { return session_.test().remote_invalidation; }
  // Fails where the case needs windows and the device has none.
  absl::Status CheckDevice() const;

  std::unique_ptr<Buffer> memory_{};    // of the data
  std::unique_ptr<Buffer> messages_{};  // requests or answers, as they go out
  TransferCounts counts_{};
  std::uint64_t looked_at_ = 0;  // data verified, or not to be
};

class SmbdMoveInitiator final : public SmbdMoveEnd {
 public:
  SmbdMoveInitiator(Session& session, const Pattern& pattern)
      : SmbdMoveEnd(Role::kInitiator, session, pattern) {}
  absl::Status Run(Phase& phase);
  void Conceal() { memory_.reset(); }  // its windows go with it

 private:
  absl::Status MakeMemory() override;
  absl::Status Deliver(std::span<const std::byte> message) override;
  void Submitted(std::uint64_t cookie) override;
  void TakenAway(std::uint32_t key) override { taken_away_ = key; }
  absl::Status Ask();
  // What the request of that number shows the peer.
  absl::StatusOr<RemoteMemory> Show(std::uint64_t number);
  std::span<const std::byte> Request(std::uint64_t number, const RemoteMemory& memory) const;
  absl::Status AskAll(Meter& meter);

  struct Window {
    WindowId id{};
    std::uint32_t key = 0;  // as it was shown last
  };

  bool stopping_ = false;
  std::vector<Window> windows_{};              // by slot, where the case has any
  std::optional<std::uint32_t> taken_away_{};  // by the answer that is delivered next
};

class SmbdMoveResponder final : public SmbdMoveEnd {
 public:
  SmbdMoveResponder(Session& session, const Pattern& pattern)
      : SmbdMoveEnd(Role::kResponder, session, pattern) {}
  absl::Status Run(Phase& phase);

 private:
  absl::Status MakeMemory() override;
  absl::Status Deliver(std::span<const std::byte> message) override;
  void Submitted(std::uint64_t cookie) override;
  absl::Status Moved(std::uint64_t cookie) override;
  absl::Status Serve();
  absl::Status MoveData(const MoveRequest& request);
  absl::Status SendAnswer(std::uint64_t number, std::optional<std::uint32_t> taking_away);

  std::deque<MoveRequest> waiting_{};  // for the memory of their slots; at most `slots`
  std::uint64_t moved_ = 0;
};

}  // namespace rdmaready
