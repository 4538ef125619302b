// SPDX-License-Identifier: Apache-2.0
// Read: RDMA reads from the responder's slots. Slot k always holds message pattern k; the initiator's slots
// take them in an order shifted by one each round, so that what a slot held before is never what the next read
// must bring. That is the poison: a read that completes without bytes shows, at no cost in memory traffic.
#include <array>
#include <optional>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr char kWhat[] = "RDMA read";

}  // namespace

ReadInitiator::ReadInitiator(Session& session, const Pattern& pattern, const RemoteMemory& source)
    : session_(session),
      pattern_(pattern),
      source_(source),
      chain_(ChainOf(session.test(), session.options())) {}

absl::Status ReadInitiator::Prepare() {
  const TransferCase& test = session_.test();
  RR_RETURN_IF_ERROR(CheckMemory(test, source_));
  RR_ASSIGN_OR_RETURN(
      destination_, Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kReadDestination));
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
    for (std::size_t i = 0; status.ok() && i < *count; ++i) status = Take(completions[i], meter, phase);
  }
  phase.messages = counts.completed;
  meter.Report(phase);
  phase.failure = FoundByCounting(kWhat, session_.test(), phase, first_missing_);
  return WithProgress(status, "RDMA reads", counts);
}

absl::Status ReadInitiator::Take(const Completion& completion, Meter& meter, Phase& phase) {
  const std::uint64_t first = phase.counts.completed;
  RR_ASSIGN_OR_RETURN(const std::uint64_t messages, CountCompleted(completion, phase.counts));
  meter.Completed(completion.id, session_.waited_ns(), messages * session_.test().message_bytes);
  if (session_.options().verify) {
    for (std::uint64_t number = first; number < phase.counts.completed; ++number) Verify(number, phase);
  }
  return Post(meter, phase);
}

absl::Status ReadInitiator::Post(Meter& meter, Phase& phase) {
  TransferCounts& counts = phase.counts;
  while (!stopping_ && counts.posted + chain_ <= counts.completed + destination_->slots()) {
    if (session_.paced() && counts.completed < counts.posted) break;
    std::int64_t now_ns = NowNs();
    const std::uint64_t messages = meter.MayPost(counts.posted, chain_, now_ns);
    if (messages == 0) {
      stopping_ = true;
      break;
    }
    if (session_.paced()) {
      RR_RETURN_IF_ERROR(session_.Pace(messages * session_.test().message_bytes));
      now_ns = session_.waited_ns();
    }
    meter.Posted(counts.posted + messages - 1, now_ns);
    RR_RETURN_IF_ERROR(PostChain(messages, phase));
  }
  return absl::OkStatus();
}

absl::Status ReadInitiator::PostChain(std::uint64_t messages, Phase& phase) {
  requests_.clear();
  for (std::uint64_t i = 0; i < messages; ++i) {
    const std::uint64_t number = phase.counts.posted + i;
    const std::uint64_t address = source_.address + RemoteSlot(number) * session_.test().message_bytes;
    requests_.push_back({.work = Work::kRead,
                         .id = number,
                         .local = destination_->slice(number),
                         .remote = {address, source_.rkey},
                         .signaled = i + 1 == messages});
  }
  RR_RETURN_IF_ERROR(session_.link().Post(requests_));
  phase.counts.posted += messages;
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
  RR_ASSIGN_OR_RETURN(source_,
                      Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kRemoteRead));
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
