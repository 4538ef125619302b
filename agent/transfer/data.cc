// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "agent/link/failure.h"
#include "agent/transfer/data_numbered.h"
#include "agent/transfer/data_smbd.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

// Longer than any device takes to show a completion whose acknowledgement the sender already has.
constexpr std::chrono::milliseconds kQuiet{200};

absl::Status Drain(Session& session, const Phase& phase, const TakeCompletions& take) {
  const std::uint64_t announced = session.heard()->counts.announced;
  std::array<Completion, kCompletionBatch> completions;
  while (phase.counts.received + phase.counts.missing < announced) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= session.deadline()) break;
    RR_ASSIGN_OR_RETURN(const std::size_t count, session.link().Wait(completions, now + kQuiet));
    if (count == 0) break;
    RR_RETURN_IF_ERROR(take(std::span(completions).first(count)));
  }
  return absl::OkStatus();
}

}  // namespace

LinkSettings SettingsOf(Role role, const TransferCase& test, const RunOptions& options) {
  if (options.numbered) {
    return {.sends = NumberedRing(test),
            .receives = NumberedRing(test),
            .tos = options.tos,
            .ack_timeout = options.ack_timeout,
            .retries = options.retries};
  }
  return {.sends = SlotsOf(test) + NoticeRing::kSlots,
          .receives = NoticeRing::kSlots,
          .busy_poll = options.busy_poll && !Lends(role, test, options),
          .tos = options.tos,
          .ack_timeout = options.ack_timeout,
          .retries = options.retries};
}

std::uint64_t PinnedBytesOf(const TransferCase& test) {
  if (test.wrapping == Wrapping::kSmbDirect) return SmbdPinnedBytes(test);
  const std::uint64_t slots = test.operation == Operation::kSend ? 2 * kSendSlots : SlotsOf(test);
  return slots * test.message_bytes;
}

absl::StatusOr<std::uint64_t> CountCompleted(const Completion& completion, TransferCounts& counts) {
  if (completion.id < counts.completed || completion.id >= counts.posted) {
    return MakeFailure(FailureKind::kCompletion,
                       fmt::format("message {} completed, although {} were complete of {} posted",
                                   completion.id, counts.completed, counts.posted));
  }
  const std::uint64_t messages = completion.id + 1 - counts.completed;
  counts.completed += messages;
  return messages;
}

absl::Status ServeUntilDone(Session& session, const Phase& phase, const TakeCompletions& take) {
  std::array<Completion, kCompletionBatch> completions;
  while (true) {
    const absl::StatusOr<std::size_t> count = session.Wait(completions);
    if (!count.ok()) {
      const PeerMessage* heard = session.heard();
      if (heard == nullptr || session.Explain(count.status()).kind != FailureKind::kNone) return count.status();
      return heard->kind == PeerMessageKind::kDone ? Drain(session, phase, take) : absl::OkStatus();
    }
    RR_RETURN_IF_ERROR(take(std::span(completions).first(*count)));
  }
}

bool IsStale(const Pattern& pattern, std::span<const std::byte> bytes, std::optional<std::uint64_t> before) {
  if (before) return pattern.Verify(bytes, *before).bytes == 0;
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

absl::Status CheckMemory(const TransferCase& test, const RemoteMemory& memory) {
  const std::uint64_t wanted = std::uint64_t{test.message_bytes} * SlotsOf(test);
  if (memory.length_bytes == wanted && memory.address <= std::numeric_limits<std::uint64_t>::max() - wanted) {
    return absl::OkStatus();
  }
  return MakeFailure(FailureKind::kPeerGone,
                     fmt::format("the responder broke the protocol: its memory is {} at {:#x}, {} is wanted",
                                 BytesText(memory.length_bytes), memory.address, BytesText(wanted)));
}

absl::Status WithProgress(const absl::Status& status, const char* what, const TransferCounts& counts) {
  const Failure failure = FailureOf(status);
  if (failure.kind != FailureKind::kStalled) return status;
  return MakeFailure(FailureKind::kStalled, fmt::format("{} {} posted, {} completed; {}", counts.posted, what,
                                                        counts.completed, failure.detail));
}

Failure FoundByCounting(const char* what, const TransferCase& test, const Phase& phase,
                        std::optional<std::uint64_t> first_missing) {
  if (phase.bytes_wrong > 0 && phase.first_wrong_offset) {
    const std::uint64_t first = *phase.first_wrong_offset;
    return {.kind = FailureKind::kCorrupt,
            .detail = fmt::format("{}: {} of {} bytes wrong, the first is byte {} of message {} (offset {})",
                                  what, phase.bytes_wrong, phase.bytes_verified, first % test.message_bytes,
                                  first / test.message_bytes, first)};
  }
  if (first_missing) {
    return {
        .kind = FailureKind::kLost,
        .detail = fmt::format("{}: {} complete at the sender, but memory still holds what was there before; "
                              "the first lost is message {}",
                              what, phase.counts.missing, *first_missing)};
  }
  return {};
}

}  // namespace rdmaready
