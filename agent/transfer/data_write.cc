// SPDX-License-Identifier: Apache-2.0
// Write: RDMA writes into the responder's slots. The initiator announces every half window by a notice, so that
// one half is verified and credited while the other is on its way and the pipeline does not drain.

#include <algorithm>
#include <array>
#include <optional>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr char kWriteWhat[] = "RDMA write";

std::uint64_t Half(std::uint32_t slots) { return std::max<std::uint64_t>(slots / 2, 1); }

}  // namespace

WriteInitiator::WriteInitiator(Session& session, const Pattern& pattern, const RemoteMemory& target)
    : session_(session),
      pattern_(pattern),
      target_(target),
      verify_(session.options().verify),
      chain_(ChainOf(session.test(), session.options())),
      notices_(Role::kInitiator, session.link(), pattern) {}

absl::Status WriteInitiator::Prepare() {
  const TransferCase& test = session_.test();
  RR_RETURN_IF_ERROR(CheckMemory(test, target_));
  RR_ASSIGN_OR_RETURN(source_,
                      Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kSendSource));
  if (verify_) return notices_.Prepare();
  for (std::uint64_t slot = 0; slot < source_->slots(); ++slot) pattern_.Fill(source_->bytes(slot), slot);
  return absl::OkStatus();
}

absl::Status WriteInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  std::array<Completion, kCompletionBatch> completions;
  absl::Status status;
  while (true) {
    status = Post(meter, phase);
    if (!status.ok() || Finished(phase)) break;
    const absl::StatusOr<std::size_t> count = session_.Wait(completions);
    status = count.status();
    if (!status.ok()) break;
    status = Take(std::span(completions).first(*count), meter, phase);
    if (!status.ok()) break;
  }
  phase.messages = phase.counts.completed;
  meter.Report(phase);
  return WithProgress(status, "RDMA writes", phase.counts);
}

// A source slot is free when its write completed; a target slot when it was credited.
std::uint64_t WriteInitiator::Limit(const Phase& phase) const {
  const std::uint64_t free = verify_ ? std::min(phase.counts.completed, credited_) : phase.counts.completed;
  return free + SlotsOf(session_.test());
}

bool WriteInitiator::Finished(const Phase& phase) const {
  if (!stopping_ || phase.counts.completed < phase.counts.posted) return false;
  return !verify_ || (credited_ == phase.counts.posted && notices_.idle());
}

absl::Status WriteInitiator::Post(Meter& meter, Phase& phase) {
  TransferCounts& counts = phase.counts;
  while (!stopping_ && counts.posted + chain_ <= Limit(phase)) {
    if (session_.paced() && counts.completed < counts.posted) break;
    const std::uint64_t messages = meter.MayPost(counts.posted, chain_, NowNs());
    if (messages == 0) {
      stopping_ = true;
      break;
    }
    RR_RETURN_IF_ERROR(session_.Pace(messages * session_.test().message_bytes));
    RR_RETURN_IF_ERROR(PostChain(messages, meter, phase));
    if (counts.posted - told_ >= Half(source_->slots())) RR_RETURN_IF_ERROR(PostNotice(counts.posted));
  }
  return stopping_ && told_ < counts.posted ? PostNotice(counts.posted) : absl::OkStatus();
}

absl::Status WriteInitiator::PostNotice(std::uint64_t posted) {
  if (!verify_ || !notices_.CanPost()) return absl::OkStatus();
  RR_RETURN_IF_ERROR(notices_.Post(posted));
  told_ = posted;
  return absl::OkStatus();
}

absl::Status WriteInitiator::PostChain(std::uint64_t messages, Meter& meter, Phase& phase) {
  const std::uint32_t bytes = session_.test().message_bytes;
  requests_.clear();
  for (std::uint64_t i = 0; i < messages; ++i) {
    const std::uint64_t number = phase.counts.posted + i;
    if (verify_) pattern_.Fill(source_->bytes(number), number);
    requests_.push_back({.work = Work::kWrite,
                         .id = number,
                         .local = source_->slice(number),
                         .remote = {target_.address + (number % source_->slots()) * bytes, target_.rkey},
                         .signaled = i + 1 == messages});
  }
  meter.Posted(phase.counts.posted + messages - 1, NowNs());
  RR_RETURN_IF_ERROR(session_.link().Post(requests_));
  phase.counts.posted += messages;
  return absl::OkStatus();
}

absl::Status WriteInitiator::Take(std::span<const Completion> completions, Meter& meter, Phase& phase) {
  for (const Completion& completion : completions) {
    switch (completion.work) {
      case Work::kWrite: {
        RR_ASSIGN_OR_RETURN(const std::uint64_t messages, CountCompleted(completion, phase.counts));
        meter.Completed(completion.id, session_.waited_ns(), messages * session_.test().message_bytes);
        break;
      }
      case Work::kSend:
        phase.counts.announced = notices_.Sent();
        break;
      case Work::kReceive: {
        RR_ASSIGN_OR_RETURN(credited_, notices_.Take(completion, told_));
        break;
      }
      case Work::kRead:
      case Work::kBind:
        break;  // never posted
    }
  }
  return absl::OkStatus();
}

WriteResponder::WriteResponder(Session& session, const Pattern& pattern)
    : session_(session), pattern_(pattern), notices_(Role::kResponder, session.link(), pattern) {}

absl::Status WriteResponder::Prepare() {
  const TransferCase& test = session_.test();
  RR_ASSIGN_OR_RETURN(target_,
                      Buffer::Make(session_.link(), test.message_bytes, SlotsOf(test), Access::kRemoteWrite));
  return session_.options().verify ? notices_.Prepare() : absl::OkStatus();
}

absl::Status WriteResponder::Run(Phase& phase) {
  const absl::Status status = ServeUntilDone(
      session_, phase, [&](std::span<const Completion> completions) { return Take(completions, phase); });
  phase.failure = FoundByCounting(kWriteWhat, session_.test(), phase, first_missing_);
  return status;
}

absl::Status WriteResponder::Take(std::span<const Completion> completions, Phase& phase) {
  for (const Completion& completion : completions) {
    if (completion.work != Work::kReceive) {
      notices_.Sent();
      continue;
    }
    RR_ASSIGN_OR_RETURN(const std::uint64_t told, notices_.Take(completion, credited_ + target_->slots()));
    for (; looked_at_ < told; ++looked_at_) Verify(looked_at_, phase);
    if (looked_at_ > credited_ && notices_.CanPost()) {
      RR_RETURN_IF_ERROR(notices_.Post(looked_at_));
      credited_ = looked_at_;
    }
  }
  if (looked_at_ > credited_ && notices_.CanPost()) {
    RR_RETURN_IF_ERROR(notices_.Post(looked_at_));
    credited_ = looked_at_;
  }
  return absl::OkStatus();
}

void WriteResponder::Verify(std::uint64_t number, Phase& phase) {
  const std::span<const std::byte> bytes = target_->bytes(number);
  const Pattern::Wrong wrong = pattern_.Verify(bytes, number);
  const std::uint64_t slots = target_->slots();
  if (wrong.bytes > 0 &&
      IsStale(pattern_, bytes, number < slots ? std::nullopt : std::optional(number - slots))) {
    if (!first_missing_) first_missing_ = number;
    ++phase.counts.missing;
    return;
  }
  ++phase.counts.received;
  phase.Compared(bytes.size(), wrong.bytes, wrong.first_offset, number * bytes.size());
}

}  // namespace rdmaready
