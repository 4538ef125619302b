// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/message_link.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // at what may interrupt
constexpr std::uint64_t kSendId = std::uint64_t{1} << 32;

}  // namespace

MessageLink::MessageLink(const LinkMaker& make_link, const Sizes& sizes)
    : sizes_(sizes), link_(make_link(Role::kInitiator, 0)) {}

MessageLink::~MessageLink() { link_->Disconnect(); }

absl::Status MessageLink::Prepare() {
  RR_ASSIGN_OR_RETURN(receive_,
                      Buffer::Make(*link_, sizes_.receive_bytes, sizes_.receives, Access::kReceiveTarget));
  RR_ASSIGN_OR_RETURN(send_, Buffer::Make(*link_, sizes_.send_bytes, 1, Access::kSendSource));
  for (std::uint64_t slot = 0; slot < sizes_.receives; ++slot)
    RR_RETURN_IF_ERROR(link_->PostReceive(slot, receive_->slice(slot)));
  return absl::OkStatus();
}

absl::Status MessageLink::Connect(const Endpoint& to, const std::string& local_address, Octets private_data,
                                  Explain explain, const Patience& patience) {
  LinkSettings settings{.sends = 1, .receives = sizes_.receives};
  settings.before_connected = [this] { return Prepare(); };
  std::vector<std::uint8_t> data;
  for (const std::byte byte : private_data) data.push_back(std::to_integer<std::uint8_t>(byte));
  const absl::Status status = link_->Connect(to, data, local_address, settings, patience);
  if (status.ok() || link_->handshake().refusal != Refusal::kConsumer) return status;
  const std::string why = explain(this->private_data());
  if (why.empty()) return status;
  return MakeFailure(FailureKind::kRejected, Message(status) + ": " + why);
}

absl::Status MessageLink::Progress(const std::string& what, const Patience& patience) {
  if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
  const TimePoint now = patience.clock->Now();
  if (now >= patience.deadline) return MakeFailure(FailureKind::kStalled, what + ": no answer in time");
  std::array<Completion, 8> completions{};
  RR_ASSIGN_OR_RETURN(const std::size_t count,
                      link_->Wait(completions, std::min(patience.deadline, now + kLook)));
  for (const Completion& done : std::span(completions).first(count)) {
    if (done.work == Work::kSend) sending_ = false;
    if (done.work == Work::kReceive) arrived_.push_back({.slot = done.id, .bytes = done.bytes});
  }
  return absl::OkStatus();
}

absl::Status MessageLink::Send(Octets message, const Patience& patience) {
  if (message.size() > sizes_.send_bytes) return MakeFailure(FailureKind::kSetup, "send: a message too long");
  while (sending_) RR_RETURN_IF_ERROR(Progress("send", patience));
  std::ranges::copy(message, send_->all().begin());
  Slice slice = send_->slice(0);
  slice.length = static_cast<std::uint32_t>(message.size());
  RR_RETURN_IF_ERROR(link_->PostSend(kSendId, slice));
  sending_ = true;
  return absl::OkStatus();
}

absl::StatusOr<Octets> MessageLink::Receive(const Patience& patience) {
  if (taken_) {
    RR_RETURN_IF_ERROR(link_->PostReceive(*taken_, receive_->slice(*taken_)));
    taken_.reset();
  }
  while (arrived_.empty()) RR_RETURN_IF_ERROR(Progress("wait for the server's message", patience));
  const Arrival arrival = arrived_.front();
  arrived_.erase(arrived_.begin());
  taken_ = arrival.slot;
  return Octets(receive_->bytes(arrival.slot)).first(std::min(arrival.bytes, sizes_.receive_bytes));
}

}  // namespace rdmaready
