// SPDX-License-Identifier: Apache-2.0
// Read: RDMA reads from the responder's slots. Slot k always holds message pattern k; the initiator's slots
// take them in an order shifted by one each round, so that what a slot held before is never what the next read
// must bring. That is the poison: a read that completes without bytes shows, at no cost in memory traffic.
#include <array>
#include <optional>
#include <utility>

#include "agent/transfer/data.h"
#include "agent/transfer/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr char kWhat[] = "RDMA read";

}  // namespace

ReadInitiator::ReadInitiator(Session& session, const Pattern& pattern, const RemoteMemory& source)
    : session_(session), pattern_(pattern), source_(source) {}

absl::Status ReadInitiator::Prepare() {
  const TransferCase& test = session_.test();
  RR_RETURN_IF_ERROR(CheckMemory(test, source_));
  absl::StatusOr<std::unique_ptr<Buffer>> destination =
      Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kReadDestination);
  if (!destination.ok()) return destination.status();
  destination_ = *std::move(destination);
  return absl::OkStatus();
}

std::uint64_t ReadInitiator::RemoteSlot(std::uint64_t number) const {
  const std::uint64_t slots = destination_->slots();
  return (number + number / slots) % slots;
}

absl::Status ReadInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  TransferCounts& counts = phase.counts;
  std::array<Completion, kCompletionBatch> completions;
  absl::Status status = Post(meter, phase);
  while (status.ok() && counts.completed < counts.posted) {
    const absl::StatusOr<std::size_t> count = session_.Wait(completions);
    status = count.status();
    if (!status.ok()) break;
    const std::int64_t now_ns = NowNs();
    for (std::size_t i = 0; status.ok() && i < *count; ++i) {
      const std::uint64_t number = counts.completed;
      meter.Completed(number, now_ns, session_.test().message_bytes);
      if (session_.options().verify) Verify(number, phase);
      ++counts.completed;
      status = Post(meter, phase);
    }
  }
  phase.messages = counts.completed;
  meter.Report(phase);
  phase.failure = FoundByCounting(kWhat, session_.test(), phase, first_missing_);
  return WithProgress(status, "RDMA reads", counts);
}

absl::Status ReadInitiator::Post(Meter& meter, Phase& phase) {
  TransferCounts& counts = phase.counts;
  while (counts.posted < counts.completed + destination_->slots() && meter.MayPost(counts.posted)) {
    const std::uint64_t number = counts.posted;
    meter.Posted(number);
    const std::uint64_t address = source_.address + RemoteSlot(number) * session_.test().message_bytes;
    RR_RETURN_IF_ERROR(session_.link().PostRead(number, destination_->slice(number), {address, source_.rkey}));
    ++counts.posted;
  }
  return absl::OkStatus();
}

void ReadInitiator::Verify(std::uint64_t number, Phase& phase) {
  const std::span<const std::byte> bytes = destination_->bytes(number);
  const Pattern::Wrong wrong = pattern_.Verify(bytes, RemoteSlot(number));
  const std::uint64_t slots = destination_->slots();
  if (wrong.bytes > 0 &&
      IsStale(pattern_, bytes, number < slots ? std::nullopt : std::optional(RemoteSlot(number - slots)))) {
    if (!first_missing_) first_missing_ = number;
    ++phase.counts.missing;
    return;
  }
  ++phase.counts.received;
  phase.Compared(bytes.size(), wrong.bytes, wrong.first_offset, number * bytes.size());
}

absl::Status ReadResponder::Prepare() {
  const TransferCase& test = session_.test();
  absl::StatusOr<std::unique_ptr<Buffer>> source =
      Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kRemoteRead);
  if (!source.ok()) return source.status();
  source_ = *std::move(source);
  for (std::uint64_t slot = 0; slot < source_->slots(); ++slot) pattern_.Fill(source_->bytes(slot), slot);
  return absl::OkStatus();
}

absl::Status ReadResponder::Run(Phase& phase) {
  return ServeUntilDone(session_, phase, [](std::span<const Completion>) {
    return MakeFailure(FailureKind::kCorrupt,
                       "RDMA read: the responder got a completion although it posted nothing");
  });
}

}  // namespace rdmaready
