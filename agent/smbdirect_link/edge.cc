// SPDX-License-Identifier: Apache-2.0
#include "agent/smbdirect_link/edge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready::smbdirect {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kCompletionsAtOnce = 64;
// The last of so many requests tells for all of them: a completion costs more than a request.
constexpr std::size_t kSignalEvery = 16;

FailureKind KindOf(EndReason reason) {
  switch (reason) {
    case EndReason::kClosedLocally:
    case EndReason::kPeerClosed:
      return FailureKind::kDisconnected;
    case EndReason::kTransportFailed:
    case EndReason::kMisuse:
      return FailureKind::kCompletion;
    case EndReason::kNegotiationTimeout:
    case EndReason::kKeepaliveTimeout:
      return FailureKind::kStalled;
    case EndReason::kPeerClosedInNegotiation:
    case EndReason::kResponseRefused:
      return FailureKind::kRejected;
    default:
      return FailureKind::kCorrupt;
  }
}

absl::Status StatusOf(const Disconnect& end, const absl::Status& lost) {
  const bool by_link = end.reason == EndReason::kPeerClosed || end.reason == EndReason::kTransportFailed;
  if (by_link && !lost.ok()) return lost;
  std::string text = fmt::format("SMB Direct: {}", Text(end.reason));
  if (end.status != kStatusSuccess) text += fmt::format(" (NTSTATUS {:#010x})", end.status);
  if (!lost.ok()) text += ": " + FailureOf(lost).detail;
  return MakeFailure(KindOf(end.reason), text);
}

}  // namespace

LinkSettings Edge::SettingsOf(const Settings& settings) {
  return {.sends = settings.max_sends_in_flight + settings.max_writes_in_flight + kMaxReadDepth,
          .receives = ReceiveBufferCount(settings),
          .gather = 2,
          .receiver_not_ready_retries = 0};  // a send without a receive at the peer is a breach of the protocol
}

std::uint64_t Edge::PinnedBytes(const Settings& settings) {
  return std::uint64_t{ReceiveBufferBytes(settings)} * ReceiveBufferCount(settings) +
         std::uint64_t{kNegotiateResponseBytes} * settings.max_sends_in_flight;
}

Edge::Edge(Role role, const Settings& settings, RdmaLink& link, Upper upper, WaitForCompletions wait)
    : settings_(settings),
      link_(link),
      upper_(std::move(upper)),
      wait_(wait ? std::move(wait)
                 : [&link](std::span<Completion> completions,
                           TimePoint deadline) { return link.Wait(completions, deadline); }),
      connection_(role, settings) {}

absl::Status Edge::Prepare() {
  RR_ASSIGN_OR_RETURN(receives_, Buffer::Make(link_, ReceiveBufferBytes(settings_),
                                              ReceiveBufferCount(settings_), Access::kReceiveTarget));
  RR_ASSIGN_OR_RETURN(
      heads_, Buffer::Make(link_, kNegotiateResponseBytes, settings_.max_sends_in_flight, Access::kSendSource));
  connection_.Prepare(actions_);
  Follow();
  return status_;
}

void Edge::Lend(const Buffer& memory) {
  lent_.push_back({.bytes = memory.all(), .memory = memory.slice(0).memory});
}

absl::Status Edge::Start() {
  const std::uint32_t depth = std::min(link_.Describe().read_depth, kMaxReadDepth);
  connection_.Connected(steady_clock::now(), std::max(depth, 1u), actions_);
  Follow();
  return status_;
}

absl::Status Edge::Step(TimePoint until) {
  if (!status_.ok()) return status_;
  if (const TimePoint now = steady_clock::now(); now >= timer_) {
    timer_ = TimePoint::max();
    connection_.TimerExpired(now, actions_);
    Follow();
    return status_;
  }
  std::array<Completion, kCompletionsAtOnce> completions;
  const absl::StatusOr<std::size_t> count = wait_(completions, std::min(until, timer_));
  if (!count.ok()) {
    const FailureKind kind = FailureOf(count.status()).kind;
    if (kind != FailureKind::kCompletion && kind != FailureKind::kDisconnected) return count.status();
    Lose(count.status());
    return status_;
  }
  const TimePoint now = steady_clock::now();
  RR_RETURN_IF_ERROR(Together([&] {
    for (const Completion& completion : std::span(completions).first(*count)) Report(completion, now);
    return absl::OkStatus();
  }));
  return status_;
}

// Executed one by one: a message that was put together is good until the next one is reported.
void Edge::Report(const Completion& completion, TimePoint now) {
  if (completion.work != Work::kReceive) return ReportSendSide(completion);
  if (completion.id >= receives_->slots() || completion.bytes > receives_->bytes(completion.id).size()) {
    return Lose(MakeFailure(FailureKind::kCompletion,
                            fmt::format("receive {}: {} bytes", completion.id, completion.bytes)));
  }
  connection_.Received(static_cast<std::uint32_t>(completion.id),
                       receives_->bytes(completion.id).first(completion.bytes), completion.invalidated, now,
                       actions_);
  Execute();
}

// What was not signaled is told by what was. RDMA reads tell only for themselves, and the others for the
// others: iWARP's siw completes a send before the reads that were posted ahead of it.
void Edge::ReportSendSide(const Completion& completion) {
  UnderWay& under_way = Among(completion.work);
  while (under_way.first_id <= completion.id && !under_way.works.empty()) {
    const Work work = under_way.works.front();
    under_way.works.pop_front();
    ++under_way.first_id;
    if (work == Work::kSend) connection_.SendDone(actions_);
    if (work == Work::kRead) connection_.ReadDone(actions_);
    if (work == Work::kWrite) connection_.WriteDone(actions_);
    Execute();
  }
}

void Edge::Lose(const absl::Status& why) {
  if (lost_.ok()) lost_ = why;
  if (FailureOf(why).kind == FailureKind::kDisconnected) {
    connection_.PeerClosed(actions_);
  } else {
    connection_.TransportFailed(actions_);
  }
  Execute();
}

void Edge::Follow() {
  Execute();
  if (!gathering_ && !executing_) Flush();
}

// By index: what an action calls may append more.
void Edge::Execute() {
  if (std::exchange(executing_, true)) return;
  for (; executed_ < actions_.size(); ++executed_) {
    const Action action = actions_[executed_];
    const absl::Status status = std::visit([this](const auto& one) { return Do(one); }, action);
    if (status.ok()) continue;
    // What was asked for behind it counts on it.
    actions_.clear();
    executed_ = 0;
    if (lost_.ok()) lost_ = status;
    connection_.TransportFailed(actions_);
    --executed_;  // wraps round to the first of the new ones
  }
  actions_.clear();
  executed_ = 0;
  executing_ = false;
}

void Edge::Flush() {
  if (requests_.empty() || !status_.ok()) return;
  bool read_tells = false;
  bool other_tells = false;
  for (std::size_t i = requests_.size(); i-- > 0;) {
    bool& tells = requests_[i].work == Work::kRead ? read_tells : other_tells;
    requests_[i].signaled = !std::exchange(tells, true) || i % kSignalEvery == 0;
  }
  const absl::Status status = link_.Post(requests_);
  requests_.clear();
  if (!status.ok()) Lose(status);
}

absl::StatusOr<Slice> Edge::SliceOf(Bytes bytes) const {
  for (const Lent& lent : lent_) {
    if (bytes.data() < lent.bytes.data() || bytes.data() >= lent.bytes.data() + lent.bytes.size()) continue;
    const auto offset = static_cast<std::size_t>(bytes.data() - lent.bytes.data());
    if (bytes.size() > lent.bytes.size() - offset) continue;
    return Slice{.memory = lent.memory, .offset = offset, .length = static_cast<std::uint32_t>(bytes.size())};
  }
  return absl::InvalidArgumentError("memory that was not lent to the connection");
}

absl::Status Edge::CheckLent(Bytes bytes) const {
  return bytes.empty() ? absl::OkStatus() : SliceOf(bytes).status();
}

absl::Status Edge::CheckInvalidate(const std::optional<std::uint32_t>& token) const {
  if (!token || link_.can_invalidate()) return absl::OkStatus();
  return absl::InvalidArgumentError("the RDMA device knows no remote invalidation");
}

absl::Status Edge::Queue(Work work, Bytes local, std::uint64_t address, std::uint32_t token) {
  RR_ASSIGN_OR_RETURN(const Slice slice, SliceOf(local));
  requests_.push_back({.work = work,
                       .id = Among(work).Add(work),
                       .local = slice,
                       .remote = {.address = address, .rkey = token}});
  return absl::OkStatus();
}

absl::Status Edge::Do(const PostReceive& action) {
  return link_.PostReceive(action.buffer, receives_->slice(action.buffer));
}

absl::Status Edge::Do(const Send& action) {
  RR_RETURN_IF_ERROR(CheckInvalidate(action.invalidate));
  WorkRequest request{
      .work = Work::kSend, .local = heads_->slice(action.slot), .invalidate = action.invalidate};
  request.local.length = action.head_size;
  std::ranges::copy(action.head(), heads_->bytes(action.slot).begin());
  if (!action.payload.empty()) {
    RR_ASSIGN_OR_RETURN(request.behind, SliceOf(action.payload));
  }
  request.id = others_.Add(Work::kSend);
  requests_.push_back(request);
  return absl::OkStatus();
}

absl::Status Edge::Do(const RdmaRead& action) {
  return Queue(Work::kRead, action.local, action.address, action.token);
}

absl::Status Edge::Do(const RdmaWrite& action) {
  return Queue(Work::kWrite, action.local, action.address, action.token);
}

absl::Status Edge::Do(const Established& action) {
  if (upper_.established) upper_.established(action.agreement);
  return absl::OkStatus();
}

absl::Status Edge::Do(const Deliver& action) {
  if (action.invalidated && upper_.invalidated) upper_.invalidated(*action.invalidated);
  if (upper_.deliver) upper_.deliver(action.message);
  return absl::OkStatus();
}

absl::Status Edge::Do(const Submitted& action) {
  if (upper_.submitted) upper_.submitted(action.cookie);
  return absl::OkStatus();
}

absl::Status Edge::Do(const RdmaComplete& action) {
  if (upper_.moved) upper_.moved(action.cookie);
  return absl::OkStatus();
}

absl::Status Edge::Do(const SetTimer& action) {
  timer_ = action.at;
  return absl::OkStatus();
}

absl::Status Edge::Do(const Disconnect& action) {
  status_ = StatusOf(action, lost_);
  requests_.clear();
  link_.Disconnect();
  return absl::OkStatus();
}

absl::Status Edge::Submit(const Message& message) {
  RR_RETURN_IF_ERROR(CheckInvalidate(message.invalidate));
  RR_RETURN_IF_ERROR(CheckLent(message.bytes));
  RR_RETURN_IF_ERROR(connection_.Submit(message, actions_));
  Follow();
  return absl::OkStatus();
}

absl::Status Edge::ReadFromPeer(std::span<std::byte> local, std::span<const BufferDescriptor> remote,
                                std::uint64_t offset, std::uint64_t cookie) {
  RR_RETURN_IF_ERROR(CheckLent(local));
  RR_RETURN_IF_ERROR(connection_.ReadFromPeer(local, remote, offset, cookie, actions_));
  Follow();
  return absl::OkStatus();
}

absl::Status Edge::WriteToPeer(Bytes local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                               std::uint64_t cookie) {
  RR_RETURN_IF_ERROR(CheckLent(local));
  RR_RETURN_IF_ERROR(connection_.WriteToPeer(local, remote, offset, cookie, actions_));
  Follow();
  return absl::OkStatus();
}

void Edge::Close() {
  connection_.Close(actions_);
  Follow();
}

}  // namespace rdmaready::smbdirect
