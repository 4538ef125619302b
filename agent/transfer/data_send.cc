// SPDX-License-Identifier: Apache-2.0
// Send: ping-pong of two-sided messages, verified in both directions.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

std::uint64_t PingNumber(std::uint64_t ping) { return 2 * ping; }
std::uint64_t PongNumber(std::uint64_t ping) { return 2 * ping + 1; }

absl::Status PrepareBoth(RdmaLink& link, std::uint32_t bytes, std::unique_ptr<Buffer>& outgoing,
                         std::unique_ptr<Buffer>& incoming) {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> out, Buffer::Make(link, bytes, kSendSlots, Access::kSendSource));
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> in,
                      Buffer::Make(link, bytes, kSendSlots, Access::kReceiveTarget));
  outgoing = std::move(out);
  incoming = std::move(in);
  for (std::uint64_t i = 0; i < kSendSlots; ++i) RR_RETURN_IF_ERROR(link.PostReceive(i, incoming->slice(i)));
  return absl::OkStatus();
}

absl::Status CheckLength(const Completion& completion, const TransferCase& test, std::uint64_t number) {
  if (completion.bytes == test.message_bytes) return absl::OkStatus();
  return MakeFailure(FailureKind::kCorrupt, fmt::format("send: message {} arrived with {} bytes instead of {}",
                                                        number, completion.bytes, test.message_bytes));
}

void Verify(const Pattern& pattern, std::span<const std::byte> bytes, std::uint64_t number, Phase& phase) {
  const Pattern::Wrong wrong = pattern.Verify(bytes, number);
  phase.Compared(bytes.size(), wrong.bytes, wrong.first_offset, number * bytes.size());
}

}  // namespace

absl::Status SendInitiator::Prepare() {
  RR_RETURN_IF_ERROR(PrepareBoth(session_.link(), session_.test().message_bytes, outgoing_, incoming_));
  pattern_.Fill(outgoing_->bytes(0), PingNumber(0));
  return absl::OkStatus();
}

// Only the way there and back is between the two clock readings of a round trip: filling and verifying are
// outside. Without them the reading that ends one round trip begins the next.
absl::Status SendInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  const bool verify = session_.options().verify;
  const std::uint64_t round_trip_bytes = 2ull * session_.test().message_bytes;
  std::int64_t now_ns = NowNs();
  absl::Status status;
  for (std::uint64_t ping = 0; status.ok() && meter.MayPost(ping, 1, now_ns) > 0; ++ping) {
    if (session_.paced()) {
      status = session_.Pace(session_.test().message_bytes);
      if (!status.ok()) break;
      now_ns = session_.waited_ns();
    }
    meter.Posted(ping, now_ns);
    status = Exchange(ping, phase);
    if (!status.ok()) break;
    meter.Completed(ping, session_.waited_ns(), round_trip_bytes, 2);
    if (verify) Verify(pattern_, incoming_->bytes(ping), PongNumber(ping), phase);
    status = session_.link().PostReceive(ping % kSendSlots, incoming_->slice(ping));
    if (verify) pattern_.Fill(outgoing_->bytes(ping + 1), PingNumber(ping + 1));
    now_ns = verify ? NowNs() : session_.waited_ns();
  }
  if (status.ok()) status = TakeUntil(0, phase.counts.posted, phase);
  phase.messages = phase.counts.completed + phase.counts.received;
  meter.Report(phase);
  phase.failure = FoundByCounting("send, in the answers", session_.test(), phase, std::nullopt);
  return WithProgress(status, "sends", phase.counts);
}

// An answer says more than the completion of the ping, which is taken when it comes: only its slot must
// be free.
absl::Status SendInitiator::Exchange(std::uint64_t ping, Phase& phase) {
  RR_RETURN_IF_ERROR(TakeUntil(0, ping < kSendSlots ? 0 : ping - kSendSlots + 1, phase));
  RR_RETURN_IF_ERROR(session_.link().PostSend(ping, outgoing_->slice(ping)));
  ++phase.counts.posted;
  return TakeUntil(ping + 1, 0, phase);
}

absl::Status SendInitiator::TakeUntil(std::uint64_t answers, std::uint64_t completed, Phase& phase) {
  TransferCounts& counts = phase.counts;
  std::array<Completion, std::size_t{2} * kSendSlots> completions;
  while (counts.completed < completed || counts.received < answers) {
    RR_ASSIGN_OR_RETURN(const std::size_t count, session_.Wait(completions));
    for (const Completion& completion : std::span(completions).first(count)) {
      if (completion.work == Work::kSend) {
        ++counts.completed;
        ++counts.announced;
        continue;
      }
      RR_RETURN_IF_ERROR(CheckLength(completion, session_.test(), PongNumber(counts.received)));
      if (++counts.received > counts.posted) {
        return MakeFailure(FailureKind::kCorrupt, fmt::format("send: an answer came before message {}",
                                                              PingNumber(counts.received - 1)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status SendResponder::Prepare() {
  RR_RETURN_IF_ERROR(PrepareBoth(session_.link(), session_.test().message_bytes, outgoing_, incoming_));
  Refill({});
  return absl::OkStatus();
}

absl::Status SendResponder::Run(Phase& phase) {
  const absl::Status status = ServeUntilDone(
      session_, phase, [&](std::span<const Completion> completions) { return Take(completions, phase); });
  phase.failure = FoundByCounting("send", session_.test(), phase, std::nullopt);
  return status;
}

absl::Status SendResponder::Take(std::span<const Completion> completions, Phase& phase) {
  TransferCounts& counts = phase.counts;
  for (const Completion& completion : completions) {
    if (completion.work == Work::kSend) {
      ++counts.completed;
      ++counts.announced;
      continue;
    }
    RR_RETURN_IF_ERROR(CheckLength(completion, session_.test(), PingNumber(counts.received)));
    ++counts.received;
  }
  while (counts.posted < counts.received && counts.posted < counts.completed + kSendSlots) {
    RR_RETURN_IF_ERROR(Answer(phase));
  }
  Refill(phase);
  return absl::OkStatus();
}

// The answer first, then the work: the initiator measures the way, not our verification.
absl::Status SendResponder::Answer(Phase& phase) {
  const std::uint64_t ping = phase.counts.posted;
  Refill(phase);
  RR_RETURN_IF_ERROR(session_.link().PostSend(ping, outgoing_->slice(ping)));
  ++phase.counts.posted;
  if (session_.options().verify) Verify(pattern_, incoming_->bytes(ping), PingNumber(ping), phase);
  return session_.link().PostReceive(ping % kSendSlots, incoming_->slice(ping));
}

void SendResponder::Refill(const Phase& phase) {
  if (!session_.options().verify) return;
  for (; filled_ < phase.counts.completed + kSendSlots; ++filled_) {
    pattern_.Fill(outgoing_->bytes(filled_), PongNumber(filled_));
  }
}

}  // namespace rdmaready
