// SPDX-License-Identifier: Apache-2.0
// Session: what both ends of a run share: the control conversation and every way in which waiting can end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/transfer/histogram.h"
#include "agent/transfer/interval_meter.h"
#include "agent/transfer/merge.h"
#include "agent/transfer/run.h"
#include "agent/transfer/start_gate.h"

namespace rdmaready {

// What one end saw in the measured part. Filled as it goes, so that it tells the truth after a failure too.
struct Phase {
  TransferCounts counts{};
  std::uint64_t messages = 0;  // for the result: complete, and for send those that came back too
  std::uint64_t bytes_verified = 0;
  std::uint64_t bytes_wrong = 0;
  std::optional<std::uint64_t> first_wrong_offset{};
  std::int64_t begun_ns = 0;  // steady clock
  std::int64_t elapsed_ns = 0;
  Histogram latencies{};
  std::vector<std::uint64_t> interval_bytes{};  // of each whole interval (RunOptions)
  std::int64_t cpu_ns = 0;
  Failure failure{};

  // Adds wrong bytes, or none, of message `number`, whose first byte is the transfer's byte `start`.
  void Compared(std::uint64_t bytes, std::uint64_t wrong, std::optional<std::uint64_t> first_offset,
                std::uint64_t start);
};

// How long to wait for the last words of the other end, as of now: less where the test was cancelled.
std::chrono::milliseconds FarewellOf(const RunOptions& options);
inline constexpr std::chrono::milliseconds kSessionLook{20};  // at the control channel and the cancel token

std::int64_t NowNs();        // steady clock
std::int64_t ThreadCpuNs();  // CPU time of the calling thread

class Session {
 public:
  // All references outlive the session. `gate` is that of the lanes of this end, null when there is but one.
  Session(Role role, const TransferCase& test, RdmaLink& link, PeerChannel& peer, const RunOptions& options,
          StartGate* gate);

  const TransferCase& test() const { return test_; }
  RdmaLink& link() const { return link_; }
  const RunOptions& options() const { return options_; }
  TimePoint deadline() const { return deadline_; }

  // --- control ---
  absl::Status Tell(const PeerMessage& message);
  // The next message of the other end, which must be of `kind`; anything else ends the conversation. `early`
  // may come after it, as of PatienceUntil: for a call of the RdmaLink that hears a message while it sets up.
  absl::StatusOr<PeerMessage> Expect(PeerMessageKind kind, TimePoint deadline,
                                     PeerMessageKind early = PeerMessageKind::kUnknown);
  // OK while the test may go on: not cancelled, the channel open, the other end not finished. Never blocks.
  absl::Status Interrupted();
  // For calls of the RdmaLink that wait in the set-up. A message of kind `early`, which the other end may send
  // before this end sees the call succeed, is kept for Expect; kUnknown when there is none.
  Patience PatienceUntil(TimePoint deadline, PeerMessageKind early = PeerMessageKind::kUnknown);
  // Both ends learn the smaller of their limits; nothing to do where the test has none. The responder waits for
  // the initiator's word, the initiator finds the responder's in its offer (0: it has none).
  absl::Status SayLimit();
  absl::Status HearLimit();
  absl::Status AgreeOnLimit(std::uint64_t offered_bytes_per_s);
  // What the other end said to end the test; nullptr while it has not.
  const PeerMessage* heard() const { return heard_ ? &*heard_ : nullptr; }
  // Waits for such a word of `kind` when there is none yet. nullptr when it does not come in time.
  const PeerMessage* AwaitLastWord(PeerMessageKind kind);

  // Why it did not come: this end gave up, or else the other one is gone, in the words of `absent`.
  Failure WhyNoLastWord(const std::string& absent) const;

  // --- start ---
  // This end can begin; the initiator waits until every lane can. LeaveGate when it never comes to that.
  absl::Status Start();
  void LeaveGate();

  // --- data ---
  // Completions of the link: at least one. Fails when the link does, when the test may not go on, after the
  // deadline and, at the initiator, when nothing completed for the stall limit (kStalled).
  // Also returns, with 0, at `wake`.
  absl::StatusOr<std::size_t> Wait(std::span<Completion> completions, TimePoint wake = TimePoint::max());
  // When the last Wait returned: the one reading of the clock for all that it brought.
  std::int64_t waited_ns() const { return std::chrono::nanoseconds(now_.time_since_epoch()).count(); }
  // Whether the test is in production: then this end has one message under way at a time, and each waits for
  // its turn. Returns when `message_bytes` may begin; at once without a limit. Fails as Interrupted does.
  bool paced() const { return options_.pacer != nullptr; }
  absl::Status Pace(std::uint64_t message_bytes);
  // Starts the stall limit again; called when the measured part begins.
  void Progress() { last_progress_ = now_ = std::chrono::steady_clock::now(); }

  // The failure behind a status of this session; none when the other end's last word explains it.
  Failure Explain(const absl::Status& status) const;

 private:
  bool IsLastWord(PeerMessageKind kind) const;
  absl::Status GivenUp() const;
  absl::Status Hear(PeerMessage message);

  const Role role_;
  const TransferCase& test_;
  RdmaLink& link_;
  PeerChannel& peer_;
  const RunOptions& options_;
  StartGate* gate_;  // null once arrived or left
  TimePoint deadline_;
  TimePoint now_;
  TimePoint next_look_{};  // at the control channel
  TimePoint last_progress_;
  bool awaits_began_ = false;  // a kBegan of the initiator
  PeerMessageKind early_kind_ = PeerMessageKind::kUnknown;
  std::optional<PeerMessage> early_{};
  std::optional<PeerMessage> heard_{};
};

// One end's view, as merged and as sent. `facts` is this end's link's.
EndView ViewOf(Role role, const TransferCase& test, const RunOptions& options, const LinkFacts& facts,
               const Phase& phase);

// The two rates, from bytes, messages and elapsed time.
void SetRates(TransferResult& result);

}  // namespace rdmaready
