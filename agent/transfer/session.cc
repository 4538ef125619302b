// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string_view>
#include <thread>
#include <utility>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFarewellAfterCancel{200};
constexpr milliseconds kLenderLook{60};  // as kSessionLook, by who has nothing else to wake up for

std::string_view KindName(PeerMessageKind kind) {
  switch (kind) {
    case PeerMessageKind::kUnknown:
      return "an unknown message";
    case PeerMessageKind::kOffer:
      return "an offer";
    case PeerMessageKind::kReady:
      return "a ready";
    case PeerMessageKind::kDone:
      return "a done";
    case PeerMessageKind::kView:
      return "a view";
    case PeerMessageKind::kResult:
      return "a result";
    case PeerMessageKind::kLimit:
      return "a limit (it limits what it sends and this end does not; both need it, or neither)";
    case PeerMessageKind::kJoin:
      return "a join";
    case PeerMessageKind::kJoined:
      return "a joined";
    case PeerMessageKind::kBegan:
      return "a began";
    case PeerMessageKind::kHello:
    case PeerMessageKind::kSigned:
      return "a signed message (its agent has TLS and this one has not; both need it, or neither)";
  }
  return "a message of no known kind";
}

// Not a failure: the other end's last word came. No FailureKind has this code.
absl::Status Ended() { return absl::OutOfRangeError("the other end ended the test"); }

std::string_view OtherEnd(Role role) { return role == Role::kInitiator ? "responder" : "initiator"; }

std::int64_t ClockNs(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Whether the set-up has a limit of its own.
bool ByItself(const RunOptions& options) { return options.set_up_limit.count() > 0; }

std::int64_t Nanoseconds(steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

}  // namespace

std::int64_t NowNs() { return ClockNs(CLOCK_MONOTONIC); }
std::int64_t ThreadCpuNs() { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }

std::chrono::milliseconds FarewellOf(const RunOptions& options) {
  return options.cancel.stop_requested() ? std::min(kFarewellAfterCancel, options.farewell) : options.farewell;
}

void Phase::Compared(std::uint64_t bytes, std::uint64_t wrong, std::optional<std::uint64_t> first_offset,
                     std::uint64_t start) {
  bytes_verified += bytes;
  bytes_wrong += wrong;
  if (first_offset) {
    const std::uint64_t offset = start + *first_offset;
    first_wrong_offset = std::min(first_wrong_offset.value_or(offset), offset);
  }
}

// The responder outlasts the initiator, which sees the cause of a stall and is the one that names it.
Session::Session(Role role, const TransferCase& test, RdmaLink& link, PeerChannel& peer,
                 const RunOptions& options, StartGate* gate)
    : role_(role),
      test_(test),
      link_(link),
      peer_(peer),
      options_(options),
      gate_(gate),
      deadline_(steady_clock::now() + (ByItself(options) ? options.set_up_limit : test.deadline) +
                (role == Role::kResponder ? options.farewell : milliseconds::zero())),
      now_(steady_clock::now()),
      last_progress_(now_) {}

absl::Status Session::Tell(const PeerMessage& message) { return peer_.Send(message); }

bool Session::IsLastWord(PeerMessageKind kind) const {
  if (role_ == Role::kInitiator) return kind == PeerMessageKind::kView;
  return kind == PeerMessageKind::kDone || kind == PeerMessageKind::kResult;
}

absl::Status Session::GivenUp() const {
  const std::string why = options_.why_cancelled ? options_.why_cancelled() : std::string();
  return MakeFailure(FailureKind::kCancelled, why.empty() ? "the caller gave up" : why);
}

absl::Status Session::SayLimit() {
  if (!options_.pacer) return absl::OkStatus();
  return Tell({.kind = PeerMessageKind::kLimit, .limit_bytes_per_s = options_.pacer->limit_bytes_per_s()});
}

absl::Status Session::HearLimit() {
  if (!options_.pacer) return absl::OkStatus();
  // An initiator that is not in production says nothing and waits for the offer. One that is may still read its
  // host and look at its port.
  const TimePoint latest = std::min(deadline_, steady_clock::now() + 2 * options_.connect_limit);
  const absl::StatusOr<PeerMessage> said = Expect(PeerMessageKind::kLimit, latest);
  if (!said.ok() && !heard_ && steady_clock::now() >= latest) return AgreeOnLimit(0);
  if (!said.ok()) return said.status();
  return AgreeOnLimit(said->limit_bytes_per_s);
}

absl::Status Session::AgreeOnLimit(std::uint64_t offered_bytes_per_s) {
  if (!options_.pacer) return absl::OkStatus();
  if (offered_bytes_per_s == 0) {
    return MakeFailure(
        FailureKind::kCancelled,
        fmt::format("the {} does not limit what it sends: its agent is older, or was not asked for a limit. "
                    "Nothing was sent",
                    OtherEnd(role_)));
  }
  options_.pacer->LowerTo(offered_bytes_per_s);
  if (FitsShare(test_.message_bytes, options_.pacer->limit_bytes_per_s())) return absl::OkStatus();
  return MakeFailure(
      FailureKind::kCancelled,
      fmt::format("a message of {} is too large for the {} that the slower port may send in a second, in "
                  "production or by its limit: choose a smaller case",
                  BytesText(test_.message_bytes), BytesText(options_.pacer->limit_bytes_per_s())));
}

absl::Status Session::Pace(std::uint64_t message_bytes) {
  if (!options_.pacer) return absl::OkStatus();
  while (true) {
    RR_RETURN_IF_ERROR(Interrupted());
    now_ = steady_clock::now();
    const std::optional<TimePoint> turn = options_.pacer->Take(message_bytes, now_);
    if (!turn) {
      last_progress_ = now_;  // waiting for a turn is no stall
      return absl::OkStatus();
    }
    if (now_ >= deadline_) {
      return MakeFailure(FailureKind::kStalled, fmt::format("not finished by the deadline of {}",
                                                            DurationText(Nanoseconds(test_.deadline))));
    }
    std::this_thread::sleep_until(std::min({*turn, deadline_, now_ + kSessionLook}));
  }
}

absl::Status Session::Hear(PeerMessage message) {
  if (message.kind == PeerMessageKind::kBegan && std::exchange(awaits_began_, false)) {
    if (options_.began) options_.began();
    return absl::OkStatus();
  }
  if (!IsLastWord(message.kind)) {
    return MakeFailure(FailureKind::kPeerGone, fmt::format("the {} broke the protocol: it sent {} out of turn",
                                                           OtherEnd(role_), KindName(message.kind)));
  }
  message.result = Sanitized(std::move(message.result));
  heard_ = std::move(message);
  return Ended();
}

absl::StatusOr<PeerMessage> Session::Expect(PeerMessageKind kind, TimePoint deadline, PeerMessageKind early) {
  early_kind_ = early;
  if (early_ && early_->kind == kind) return *std::exchange(early_, std::nullopt);
  while (true) {
    if (options_.cancel.stop_requested()) return GivenUp();
    const TimePoint now = steady_clock::now();
    absl::StatusOr<PeerMessage> message = peer_.Receive(std::min(deadline, now + kSessionLook));
    if (message.ok()) {
      if (message->kind == kind) return message;
      return Hear(*std::move(message));
    }
    if (!absl::IsDeadlineExceeded(message.status())) return message.status();
    if (now >= deadline) {
      return MakeFailure(FailureKind::kPeerGone,
                         fmt::format("the {} did not send {} in time", OtherEnd(role_), KindName(kind)));
    }
  }
}

absl::Status Session::Interrupted() {
  if (heard_) return Ended();
  if (options_.cancel.stop_requested()) return GivenUp();
  switch (peer_.Poll()) {
    case PeerState::kQuiet:
      return absl::OkStatus();
    case PeerState::kClosed:
      break;
    case PeerState::kMessage: {
      absl::StatusOr<PeerMessage> message = peer_.Receive(steady_clock::now());
      if (message.ok() && !early_ && message->kind == early_kind_ && early_kind_ != PeerMessageKind::kUnknown) {
        early_ = *std::move(message);
        return absl::OkStatus();
      }
      if (message.ok()) return Hear(*std::move(message));
      return absl::IsDeadlineExceeded(message.status()) ? absl::OkStatus() : message.status();
    }
  }
  return MakeFailure(FailureKind::kPeerGone,
                     fmt::format("the control channel to the {} closed", OtherEnd(role_)));
}

Patience Session::PatienceUntil(TimePoint deadline, PeerMessageKind early) {
  early_kind_ = early;
  return {.deadline = std::min(deadline, deadline_), .interrupted = [this] { return Interrupted(); }};
}

const PeerMessage* Session::AwaitLastWord(PeerMessageKind kind) {
  const TimePoint start = steady_clock::now();
  while (!heard_ || heard_->kind != kind) {
    const milliseconds limit = FarewellOf(options_);
    const TimePoint now = steady_clock::now();
    if (now >= start + limit) return nullptr;
    absl::StatusOr<PeerMessage> message = peer_.Receive(std::min(start + limit, now + kSessionLook));
    if (message.ok()) {
      // What was under way when this end stopped (a ready, say) is of no use any more.
      if (IsLastWord(message->kind)) static_cast<void>(Hear(*std::move(message)));
    } else if (!absl::IsDeadlineExceeded(message.status())) {
      return nullptr;
    }
  }
  return &*heard_;
}

Failure Session::WhyNoLastWord(const std::string& absent) const {
  if (options_.cancel.stop_requested()) return FailureOf(GivenUp());
  return {.kind = FailureKind::kPeerGone, .detail = absent};
}

absl::Status Session::Start() {
  if (StartGate* const gate = std::exchange(gate_, nullptr)) {
    gate->Arrive();
    if (role_ == Role::kInitiator) RR_RETURN_IF_ERROR(gate->Await([this] { return Interrupted(); }));
  }
  Progress();
  if (ByItself(options_)) {
    // The responder starts when it is ready, and the initiator where the caller lets it.
    const bool waits = role_ == Role::kResponder;
    deadline_ =
        now_ + test_.deadline + (waits ? options_.set_up_limit + options_.farewell : milliseconds::zero());
  }
  awaits_began_ = role_ == Role::kResponder && options_.says_began;
  if (!awaits_began_ && options_.began) options_.began();
  if (role_ == Role::kInitiator && options_.says_began) return Tell({.kind = PeerMessageKind::kBegan});
  return absl::OkStatus();
}

void Session::LeaveGate() {
  if (StartGate* const gate = std::exchange(gate_, nullptr)) gate->GiveUp();
}

// Judges by the time at which the last wait ended, at most one batch ago: one reading of the clock for each.
absl::StatusOr<std::size_t> Session::Wait(std::span<Completion> completions, TimePoint wake) {
  while (true) {
    if (now_ >= next_look_) {
      RR_RETURN_IF_ERROR(Interrupted());
      next_look_ = now_ + (Lends(role_, test_, options_) ? kLenderLook : kSessionLook);
    }
    if (now_ >= deadline_) {
      return MakeFailure(FailureKind::kStalled, fmt::format("not finished by the deadline of {}",
                                                            DurationText(Nanoseconds(test_.deadline))));
    }
    if (role_ == Role::kInitiator && now_ - last_progress_ >= options_.stall_limit) {
      return MakeFailure(FailureKind::kStalled,
                         fmt::format("nothing for {}", DurationText(Nanoseconds(now_ - last_progress_))));
    }
    absl::StatusOr<std::size_t> count = link_.Wait(completions, std::min({deadline_, next_look_, wake}));
    if (!count.ok()) return count;
    now_ = steady_clock::now();
    if (*count == 0 && now_ >= wake) return 0;
    if (*count == 0) continue;
    last_progress_ = now_;
    return count;
  }
}

Failure Session::Explain(const absl::Status& status) const {
  if (absl::IsOutOfRange(status)) return {};
  const Failure failure = FailureOf(status);
  // The other end may have obeyed the same caller first, and hung up.
  const bool given_up = failure.kind != FailureKind::kNone && options_.cancel.stop_requested();
  return given_up ? MoreTelling(failure, FailureOf(GivenUp())) : failure;
}

void SetRates(TransferResult& result) {
  if (result.elapsed_ns <= 0) return;
  const double seconds = static_cast<double>(result.elapsed_ns) / 1e9;
  result.throughput_bytes_per_s = static_cast<std::uint64_t>(static_cast<double>(result.bytes) / seconds);
  result.operations_per_s = static_cast<std::uint64_t>(static_cast<double>(result.messages) / seconds);
}

EndView ViewOf(Role role, const TransferCase& test, const RunOptions& options, const LinkFacts& facts,
               const Phase& phase) {
  const bool initiator = role == Role::kInitiator;
  EndView view{.counts = phase.counts};
  TransferResult& result = view.result;
  result.case_name = std::string(test.name);
  result.operation = test.operation;
  result.message_bytes = test.message_bytes;
  result.local_gid = initiator ? facts.local_gid : facts.remote_gid;
  result.remote_gid = initiator ? facts.remote_gid : facts.local_gid;
  result.transport = facts.transport;
  result.marking = facts.marking;
  result.marking.tos = options.tos;
  result.path_mtu_bytes = facts.path_mtu_bytes;
  result.connection = options.connection;
  result.depth = test.depth;
  result.busy_poll = options.busy_poll;
  result.unverified = !options.verify;
  result.bidirectional = options.bidirectional;
  if (options.pacer) result.limit_bytes_per_s = options.pacer->limit_bytes_per_s();
  result.messages = phase.messages;
  result.bytes = phase.messages * test.message_bytes;
  result.bytes_verified = phase.bytes_verified;
  result.bytes_wrong = phase.bytes_wrong;
  result.first_wrong_offset = phase.first_wrong_offset;
  result.elapsed_ns = phase.elapsed_ns;
  SetRates(result);
  result.worst_interval_bytes_per_s = WorstBytesPerSecond(phase.interval_bytes, options.interval_ms);
  result.latency = phase.latencies.Summary();
  (initiator ? result.cpu_initiator_ns : result.cpu_responder_ns) = phase.cpu_ns;
  result.failure = phase.failure;
  return view;
}

}  // namespace rdmaready
