// SPDX-License-Identifier: Apache-2.0
// Data phases of numbered writes: one path of a run. Each write goes into a slot that all paths share, a
// message behind it says so, and the responder answers when the write is in its log.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "agent/link/buffer.h"
#include "agent/transfer/meter.h"
#include "agent/transfer/numbered_log.h"
#include "agent/transfer/numbered_writes.h"
#include "agent/transfer/session.h"

namespace rdmaready {

// Messages that either end may have sent and not seen complete, and its receives. An answer may come before the
// completion of the message that it answers, so it is twice the number of writes under way.
constexpr std::uint32_t NumberedRing(const TransferCase& test) { return 2 * test.depth; }

class NumberedInitiator {
 public:
  // The run's writes outlive it.
  NumberedInitiator(Session& session, NumberedWrites& writes, const Pattern& pattern,
                    const RemoteMemory& target);
  absl::Status Prepare();
  absl::Status Run(Phase& phase);

  // The path is over. `view`: what the responder says of it, which means that it has no access any more; null:
  // nothing. Every write that was under way is given back.
  void Settle(const PeerMessage* view);

 private:
  struct UnderWay {
    NumberedMessage message{};
    bool sent = false;
    bool answered = false;
    bool free = true;
  };

  absl::Status Post(Meter& meter, Phase& phase);
  absl::Status PostOne(const NumberedMessage& message, std::uint32_t at, Meter& meter);
  absl::Status Take(const Completion& completion, Meter& meter, Phase& phase);
  absl::Status TakeAnswer(const Completion& completion, Meter& meter, Phase& phase);
  void Release(UnderWay& one);

  Session& session_;
  NumberedWrites& writes_;
  const Pattern& pattern_;
  const RemoteMemory target_;
  std::vector<UnderWay> under_way_;
  std::uint32_t busy_ = 0;
  std::unique_ptr<Buffer> source_{};
  std::unique_ptr<Buffer> messages_{};
  std::unique_ptr<Buffer> answers_{};
};

class NumberedResponder {
 public:
  // The run's log outlives it.
  NumberedResponder(Session& session, NumberedLog& log) : session_(session), log_(log) {}
  NumberedResponder(const NumberedResponder&) = delete;
  NumberedResponder& operator=(const NumberedResponder&) = delete;
  ~NumberedResponder();
  absl::Status Prepare();
  absl::Status Run(Phase& phase);
  RemoteMemory memory() const { return session_.link().Remote(*target_); }

  // The last writes of this path that are in the log: all that the initiator may not know of.
  std::vector<std::uint64_t> Numbers() const { return {last_.begin(), last_.end()}; }

 private:
  absl::Status Take(std::span<const Completion> completions, Phase& phase);
  absl::Status Log(const Completion& completion, Phase& phase);
  absl::Status Answer();

  Session& session_;
  NumberedLog& log_;
  std::optional<MemoryId> target_{};
  std::unique_ptr<Buffer> incoming_{};
  std::unique_ptr<Buffer> outgoing_{};
  std::deque<NumberedMessage> waiting_{};  // for a place in outgoing_
  std::deque<std::uint64_t> last_{};
  std::uint64_t posted_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace rdmaready
