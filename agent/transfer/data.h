// SPDX-License-Identifier: Apache-2.0
// Data phases: what each end does between kReady and kDone, by operation.
//
// Each is made after the connection stands, Prepare()d (memory registered, receives posted) before the peer may
// send, and Run() once: until the test is over at this end or waiting failed. Run fills the Phase as it goes
// and returns what ended it; wrong and missing bytes do not end it, they are counted. Destroyed only after
// RdmaLink::Disconnect or an orderly end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/buffer.h"
#include "agent/transfer/meter.h"
#include "agent/transfer/notice.h"
#include "agent/transfer/pattern.h"
#include "agent/transfer/session.h"

namespace rdmaready {

inline constexpr std::size_t kCompletionBatch = 64;

// Slots of a write's or read's target: at least two, so that consecutive messages of a slot differ in content.
inline std::uint32_t SlotsOf(const TransferCase& test) { return test.depth < 2 ? 2 : test.depth; }

// Slots of a send's buffers, so that one is refilled and a receive posted again beside the measured way.
inline constexpr std::uint32_t kSendSlots = 4;

// Memory for messages that one connection of this test registers at the end that registers more.
std::uint64_t PinnedBytesOf(const TransferCase& test);

// Messages that are handed to the device together and of which the last one alone is signaled: what a message
// costs the processor is mostly its own call, its own completion and its own wake-up.
inline std::uint64_t ChainOf(const TransferCase& test, const RunOptions& options) {
  return options.pacer ? 1 : std::clamp<std::uint64_t>(test.depth / 8, 1, 16);
}

// Whether this end only lends its memory: it waits for no completion, so it neither spins nor wakes up often.
inline bool Lends(Role role, const TransferCase& test, const RunOptions& options) {
  return role == Role::kResponder && test.wrapping == Wrapping::kNone && test.operation != Operation::kSend &&
         (test.operation == Operation::kRead || !options.verify);
}

// What a link must hold at once for this test and how it is used, at either end.
LinkSettings SettingsOf(Role role, const TransferCase& test, const RunOptions& options);

// --- send: ping-pong. Ping i is message 2i of the transfer, its answer is message 2i + 1. ---

class SendInitiator {
 public:
  SendInitiator(Session& session, const Pattern& pattern) : session_(session), pattern_(pattern) {}
  absl::Status Prepare();
  absl::Status Run(Phase& phase);

 private:
  absl::Status Exchange(std::uint64_t ping, Phase& phase);
  absl::Status TakeUntil(std::uint64_t answers, std::uint64_t completed, Phase& phase);

  Session& session_;
  const Pattern& pattern_;
  std::unique_ptr<Buffer> outgoing_{};
  std::unique_ptr<Buffer> incoming_{};
};

class SendResponder {
 public:
  SendResponder(Session& session, const Pattern& pattern) : session_(session), pattern_(pattern) {}
  absl::Status Prepare();
  absl::Status Run(Phase& phase);

 private:
  absl::Status Take(std::span<const Completion> completions, Phase& phase);
  absl::Status Answer(Phase& phase);
  void Refill(const Phase& phase);

  Session& session_;
  const Pattern& pattern_;
  std::unique_ptr<Buffer> outgoing_{};
  std::unique_ptr<Buffer> incoming_{};
  std::uint64_t filled_ = 0;  // answers that stand ready in `outgoing_`, from the first one of the test
};

// --- write: into the responder's slots in turn, announced by notices, verified there and credited. ---

class WriteInitiator {
 public:
  WriteInitiator(Session& session, const Pattern& pattern, const RemoteMemory& target);
  absl::Status Prepare();
  absl::Status Run(Phase& phase);

 private:
  absl::Status Post(Meter& meter, Phase& phase);
  absl::Status PostChain(std::uint64_t messages, Meter& meter, Phase& phase);
  absl::Status PostNotice(std::uint64_t posted);
  absl::Status Take(std::span<const Completion> completions, Meter& meter, Phase& phase);
  bool Finished(const Phase& phase) const;
  std::uint64_t Limit(const Phase& phase) const;

  Session& session_;
  const Pattern& pattern_;
  const RemoteMemory target_;
  const bool verify_;
  const std::uint64_t chain_;
  std::vector<WorkRequest> requests_{};  // of the chain that is being made
  std::unique_ptr<Buffer> source_{};
  NoticeRing notices_;
  std::uint64_t told_ = 0;      // messages named in notices
  std::uint64_t credited_ = 0;  // messages whose slots are free again
  bool stopping_ = false;
};

class WriteResponder {
 public:
  WriteResponder(Session& session, const Pattern& pattern);
  absl::Status Prepare();
  absl::Status Run(Phase& phase);
  RemoteMemory memory() const { return target_->remote(); }

 private:
  absl::Status Take(std::span<const Completion> completions, Phase& phase);
  void Verify(std::uint64_t number, Phase& phase);

  Session& session_;
  const Pattern& pattern_;
  std::unique_ptr<Buffer> target_{};
  NoticeRing notices_;
  std::uint64_t looked_at_ = 0;  // messages verified or missing
  std::uint64_t credited_ = 0;
  std::optional<std::uint64_t> first_missing_{};
};

// --- read: from the responder's slots, which hold fixed patterns, verified at the initiator. ---

class ReadInitiator {
 public:
  ReadInitiator(Session& session, const Pattern& pattern, const RemoteMemory& source);
  absl::Status Prepare();
  absl::Status Run(Phase& phase);
  void Conceal() { destination_.reset(); }  // which on iWARP the peer writes to

 private:
  absl::Status Post(Meter& meter, Phase& phase);
  absl::Status PostChain(std::uint64_t messages, Phase& phase);
  absl::Status Take(const Completion& completion, Meter& meter, Phase& phase);
  void Verify(std::uint64_t number, Phase& phase);
  std::uint64_t RemoteSlot(std::uint64_t number) const;

  Session& session_;
  const Pattern& pattern_;
  const RemoteMemory source_;
  const std::uint64_t chain_;
  std::vector<WorkRequest> requests_{};  // of the chain that is being made
  bool stopping_ = false;
  std::unique_ptr<Buffer> destination_{};
  std::optional<std::uint64_t> first_missing_{};
};

class ReadResponder {
 public:
  ReadResponder(Session& session, const Pattern& pattern) : session_(session), pattern_(pattern) {}
  absl::Status Prepare();
  absl::Status Run(Phase& phase);
  RemoteMemory memory() const { return source_->remote(); }

 private:
  Session& session_;
  const Pattern& pattern_;
  std::unique_ptr<Buffer> source_{};
};

// The phase of either end, made in place once the connection stands; none before.
template <class... Ends>
class DataPhase {
 public:
  template <class End, class... Arguments>
  End& Make(Arguments&&... arguments) {
    return data_.template emplace<End>(std::forward<Arguments>(arguments)...);
  }

  // Until the end of the test at this end; the CPU time of it is the phase's.
  absl::Status Run(Phase& phase) {
    const std::int64_t cpu_start_ns = ThreadCpuNs();
    const absl::Status status = std::visit(
        [&]<class End>(End& end) -> absl::Status {
          if constexpr (std::is_same_v<End, std::monostate>) {
            return absl::OkStatus();
          } else {
            return end.Run(phase);
          }
        },
        data_);
    phase.cpu_ns = ThreadCpuNs() - cpu_start_ns;
    return status;
  }

  // Whether the peer reaches memory of this end by itself; what it sends is no such reach.
  bool Reachable() const {
    return std::visit(
        []<class End>(const End&) {
          return requires(End end) { end.Conceal(); };
        },
        data_);
  }

  // After an orderly end of Run: gives back what the peer reaches, and keeps what its last messages arrive in.
  void Conceal() {
    std::visit(
        []<class End>(End& end) {
          if constexpr (requires { end.Conceal(); }) end.Conceal();
        },
        data_);
  }

  // After the last word of the responder: gives back the numbered writes that were under way.
  void Settle(const PeerMessage* view) {
    std::visit(
        [view]<class End>(End& end) {
          if constexpr (requires { end.Settle(view); }) end.Settle(view);
        },
        data_);
  }
  std::vector<std::uint64_t> Numbers() const {
    return std::visit(
        []<class End>(const End& end) -> std::vector<std::uint64_t> {
          if constexpr (requires { end.Numbers(); })
            return end.Numbers();
          else
            return {};
        },
        data_);
  }

  // Gives its memory back.
  void Reset() { data_.template emplace<std::monostate>(); }

 private:
  std::variant<std::monostate, Ends...> data_{};
};

// --- shared by the phases ---

// Whether `bytes` hold exactly what was in that slot before message `number`: message `before`, or zeros
// without one.
bool IsStale(const Pattern& pattern, std::span<const std::byte> bytes, std::optional<std::uint64_t> before);

// Whether `memory`, which came from the peer, can be the `SlotsOf(test)` slots of this test.
absl::Status CheckMemory(const TransferCase& test, const RemoteMemory& memory);

// A stall with what was in flight: "17 RDMA writes posted, 15 completed; nothing for 4.0 s". Others
// pass unchanged.
absl::Status WithProgress(const absl::Status& status, const char* what, const TransferCounts& counts);

// Checks that `completion` is of a message that was posted and not complete yet, the last one of a chain: then
// all up to it are complete. Returns how many that makes; counts them.
absl::StatusOr<std::uint64_t> CountCompleted(const Completion& completion, TransferCounts& counts);

using TakeCompletions = std::function<absl::Status(std::span<const Completion>)>;

// The responder's loop: hands completions to `take` until the initiator said kDone; then what it announced is
// already here, so only what stands in the completion queue is still taken. Returns what else ended it.
absl::Status ServeUntilDone(Session& session, const Phase& phase, const TakeCompletions& take);

// The failures that counting found, for the end of a phase: wrong bytes, missing messages, or none.
Failure FoundByCounting(const char* what, const TransferCase& test, const Phase& phase,
                        std::optional<std::uint64_t> first_missing);

}  // namespace rdmaready
