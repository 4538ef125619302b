// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/data_numbered.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// A path that has nothing to do looks so often for a write that another path gave back.
constexpr std::chrono::milliseconds kNumberedLook{2};

absl::Status CheckSlots(const TransferCase& test, const RemoteMemory& memory) {
  TransferCase whole = test;
  whole.depth = kNumberedSlots;
  return CheckMemory(whole, memory);
}

}  // namespace

NumberedInitiator::NumberedInitiator(Session& session, NumberedWrites& writes, const Pattern& pattern,
                                     const RemoteMemory& target)
    : session_(session),
      writes_(writes),
      pattern_(pattern),
      target_(target),
      under_way_(session.test().depth) {}

absl::Status NumberedInitiator::Prepare() {
  const TransferCase& test = session_.test();
  RR_RETURN_IF_ERROR(CheckSlots(test, target_));
  RdmaLink& link = session_.link();
  RR_ASSIGN_OR_RETURN(source_, Buffer::Make(link, test.message_bytes, test.depth, Access::kSendSource));
  RR_ASSIGN_OR_RETURN(messages_, Buffer::Make(link, kNumberedMessageBytes, test.depth, Access::kSendSource));
  const std::uint32_t receives = NumberedRing(test);
  RR_ASSIGN_OR_RETURN(answers_, Buffer::Make(link, kNumberedMessageBytes, receives, Access::kReceiveTarget));
  for (std::uint32_t i = 0; i < receives; ++i) RR_RETURN_IF_ERROR(link.PostReceive(i, answers_->slice(i)));
  return absl::OkStatus();
}

absl::Status NumberedInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  std::array<Completion, kCompletionBatch> completions;
  writes_.Begin();
  absl::Status status;
  while (status.ok()) {
    status = Post(meter, phase);
    if (!status.ok() || (busy_ == 0 && writes_.Finished())) break;
    if (busy_ == 0) session_.Progress();  // a path that has nothing to do is not lost
    const absl::StatusOr<std::size_t> count =
        session_.Wait(completions, std::chrono::steady_clock::now() + kNumberedLook);
    status = count.status();
    for (std::size_t i = 0; status.ok() && i < *count; ++i) status = Take(completions[i], meter, phase);
  }
  meter.Report(phase);
  return WithProgress(status, "numbered writes", phase.counts);
}

absl::Status NumberedInitiator::Post(Meter& meter, Phase& phase) {
  while (busy_ < under_way_.size()) {
    const std::optional<NumberedMessage> next = writes_.Next();
    if (!next) return absl::OkStatus();
    const auto free = std::ranges::find(under_way_, true, &UnderWay::free);
    *free = {.message = *next, .free = false};
    if (busy_++ == 0) session_.Progress();
    ++phase.counts.posted;
    RR_RETURN_IF_ERROR(PostOne(*next, static_cast<std::uint32_t>(free - under_way_.begin()), meter));
  }
  return absl::OkStatus();
}

// The message is behind the write on the same connection: it arrives when the bytes are in memory.
absl::Status NumberedInitiator::PostOne(const NumberedMessage& message, std::uint32_t at, Meter& meter) {
  EncodeNumbered(message, Role::kInitiator, pattern_, messages_->bytes(at));
  meter.Posted(at, NowNs());
  const WorkRequest says{.work = Work::kSend, .id = at, .local = messages_->slice(at)};
  if (message.number == kNoNumber) return session_.link().Post({&says, 1});
  pattern_.Fill(source_->bytes(at), PayloadOf(message.number, message.generation));
  const std::uint64_t offset = std::uint64_t{message.slot} * session_.test().message_bytes;
  const std::array<WorkRequest, 2> both{WorkRequest{.work = Work::kWrite,
                                                    .id = at,
                                                    .local = source_->slice(at),
                                                    .remote = {target_.address + offset, target_.rkey},
                                                    .signaled = false},
                                        says};
  return session_.link().Post(both);
}

void NumberedInitiator::Release(UnderWay& one) {
  if (!one.sent || !one.answered) return;
  one.free = true;
  --busy_;
}

absl::Status NumberedInitiator::Take(const Completion& completion, Meter& meter, Phase& phase) {
  if (completion.work == Work::kReceive) return TakeAnswer(completion, meter, phase);
  if (completion.work != Work::kSend || completion.id >= under_way_.size()) return absl::OkStatus();
  UnderWay& one = under_way_[completion.id];
  ++phase.counts.announced;
  one.sent = true;
  Release(one);
  return absl::OkStatus();
}

absl::Status NumberedInitiator::TakeAnswer(const Completion& completion, Meter& meter, Phase& phase) {
  const std::span<const std::byte> bytes =
      answers_->bytes(completion.id).first(std::min<std::size_t>(completion.bytes, kNumberedMessageBytes));
  RR_ASSIGN_OR_RETURN(const NumberedMessage answer, DecodeNumbered(bytes, Role::kResponder, pattern_));
  RR_RETURN_IF_ERROR(session_.link().PostReceive(completion.id, answers_->slice(completion.id)));
  const auto asked = std::ranges::find_if(
      under_way_, [&](const UnderWay& one) { return !one.free && !one.answered && one.message == answer; });
  if (asked == under_way_.end())
    return MakeFailure(FailureKind::kCorrupt,
                       "the responder answers a numbered write that it was not asked for");
  writes_.Answered(answer);
  asked->answered = true;
  ++phase.counts.completed;
  if (answer.number != kNoNumber) {
    ++phase.messages;
    meter.Completed(static_cast<std::uint64_t>(asked - under_way_.begin()), session_.waited_ns(),
                    session_.test().message_bytes);
  }
  Release(*asked);
  return absl::OkStatus();
}

void NumberedInitiator::Settle(const PeerMessage* view) {
  for (UnderWay& one : under_way_) {
    if (one.free || one.answered) continue;
    one.free = true;
    if (view == nullptr)
      writes_.NotConfirmed(one.message);
    else
      writes_.GiveBack(one.message,
                       std::ranges::find(view->numbers, one.message.number) != view->numbers.end());
  }
}

NumberedResponder::~NumberedResponder() {
  if (target_) session_.link().Unregister(*target_);
}

absl::Status NumberedResponder::Prepare() {
  RdmaLink& link = session_.link();
  const std::uint32_t ring = NumberedRing(session_.test());
  RR_ASSIGN_OR_RETURN(target_, link.Register(log_.memory(), Access::kRemoteWrite));
  RR_ASSIGN_OR_RETURN(incoming_, Buffer::Make(link, kNumberedMessageBytes, ring, Access::kReceiveTarget));
  RR_ASSIGN_OR_RETURN(outgoing_, Buffer::Make(link, kNumberedMessageBytes, ring, Access::kSendSource));
  for (std::uint32_t i = 0; i < ring; ++i) RR_RETURN_IF_ERROR(link.PostReceive(i, incoming_->slice(i)));
  return absl::OkStatus();
}

absl::Status NumberedResponder::Run(Phase& phase) {
  return ServeUntilDone(session_, phase,
                        [&](std::span<const Completion> completions) { return Take(completions, phase); });
}

absl::Status NumberedResponder::Take(std::span<const Completion> completions, Phase& phase) {
  for (const Completion& completion : completions) {
    if (completion.work == Work::kSend) ++sent_;
    if (completion.work == Work::kReceive) RR_RETURN_IF_ERROR(Log(completion, phase));
  }
  return Answer();
}

absl::Status NumberedResponder::Log(const Completion& completion, Phase& phase) {
  const std::span<const std::byte> bytes =
      incoming_->bytes(completion.id).first(std::min<std::size_t>(completion.bytes, kNumberedMessageBytes));
  RR_ASSIGN_OR_RETURN(const NumberedMessage message, DecodeNumbered(bytes, Role::kInitiator, log_.pattern()));
  RR_RETURN_IF_ERROR(session_.link().PostReceive(completion.id, incoming_->slice(completion.id)));
  RR_ASSIGN_OR_RETURN(const bool right, log_.Take(message));
  ++phase.counts.received;
  if (waiting_.size() >= NumberedRing(session_.test()))
    return MakeFailure(FailureKind::kCorrupt, "the initiator has more numbered writes under way than it said");
  waiting_.push_back(message);
  if (message.number == kNoNumber) return absl::OkStatus();
  const std::uint64_t size = log_.message_bytes();
  phase.Compared(size, right ? 0 : size, right ? std::nullopt : std::optional<std::uint64_t>(0),
                 message.number * size);
  last_.push_back(message.number);
  if (last_.size() > NumberedRing(session_.test())) last_.pop_front();
  return absl::OkStatus();
}

absl::Status NumberedResponder::Answer() {
  for (; !waiting_.empty() && posted_ - sent_ < outgoing_->slots(); ++posted_) {
    EncodeNumbered(waiting_.front(), Role::kResponder, log_.pattern(), outgoing_->bytes(posted_));
    RR_RETURN_IF_ERROR(session_.link().PostSend(posted_, outgoing_->slice(posted_)));
    waiting_.pop_front();
  }
  return absl::OkStatus();
}

}  // namespace rdmaready
