// SPDX-License-Identifier: Apache-2.0
// Lifetime, negotiation and time; connection_data.cc has the established connection's traffic.
#include "agent/smbdirect/connection.h"

#include <algorithm>

namespace rdmaready::smbdirect {

Connection::Connection(Role role, const Settings& settings)
    : role_(role),
      settings_(settings),
      buffers_(ReceiveBufferCount(settings)),
      credits_(settings.receive_credit_max),
      reassembler_(settings.max_fragmented_bytes),
      credit_target_(settings.send_credit_target) {
  writes_.SetDepth(settings.max_writes_in_flight);
}

void Connection::Prepare(Actions& actions) {
  if (state_ == State::kIdle) Post(1, actions);
}

void Connection::Connected(TimePoint now, std::uint32_t read_depth, Actions& actions) {
  reads_.SetDepth(read_depth);
  if (state_ != State::kIdle) return;  // a message was faster than the event
  StartNegotiation(now, actions);
  if (role_ == Role::kResponder) return;
  request_ = MakeRequest(settings_);
  SendControl(Encode(*request_), actions);
}

void Connection::StartNegotiation(TimePoint now, Actions& actions) {
  state_ = State::kNegotiating;
  const std::chrono::milliseconds limit =
      role_ == Role::kInitiator ? settings_.timers.negotiate_active : settings_.timers.negotiate_passive;
  if (limit == std::chrono::milliseconds::zero()) {
    deadline_ = TimePoint::max();
    return;
  }
  deadline_ = now + limit;
  actions.push_back(SetTimer{.at = deadline_});
}

void Connection::End(EndReason reason, std::uint32_t status, Actions& actions) {
  state_ = State::kEnded;
  actions.push_back(Disconnect{.reason = reason, .status = status});
}

void Connection::Received(std::uint32_t buffer, Bytes bytes, std::optional<std::uint32_t> invalidated,
                          TimePoint now, Actions& actions) {
  if (state_ == State::kEnded) return;
  if (!buffers_.Completed(buffer)) return End(EndReason::kMisuse, kStatusSuccess, actions);
  Receive(bytes, invalidated, now, actions);
}

void Connection::Receive(Bytes bytes, std::optional<std::uint32_t> invalidated, TimePoint now,
                         Actions& actions) {
  if (state_ == State::kIdle && role_ == Role::kResponder) StartNegotiation(now, actions);
  switch (state_) {
    case State::kIdle:
      return End(EndReason::kMessageTooEarly, kStatusSuccess, actions);
    case State::kNegotiating:
      return role_ == Role::kResponder ? ReceiveRequest(bytes, now, actions)
                                       : ReceiveResponse(bytes, now, actions);
    case State::kEstablished:
      return ReceiveData(bytes, invalidated, now, actions);
    case State::kRefusing:
    case State::kEnded:
      return;
  }
}

void Connection::ReceiveRequest(Bytes bytes, TimePoint now, Actions& actions) {
  const std::variant<Agreement, Refusal> judgement = JudgeRequest(bytes, settings_);
  request_ = DecodeNegotiateRequest(bytes);
  if (const Refusal* refusal = std::get_if<Refusal>(&judgement)) {
    if (!refusal->answer) return End(refusal->reason, kStatusSuccess, actions);
    // Disconnecting at once could overtake the answer, so that is done when it has arrived.
    state_ = State::kRefusing;
    refusal_ = refusal->reason;
    refusal_status_ = refusal->status;
    response_ = MakeFailure(refusal->status);
    return SendControl(Encode(*response_), actions);
  }
  const Agreement& agreement = std::get<Agreement>(judgement);
  Post(agreement.credits_granted, actions);
  response_ = MakeResponse(agreement, settings_);
  SendControl(Encode(*response_), actions);
  // The initiator grants with its first data transfer message; until then we may send nothing.
  credits_.Start(0, agreement.credits_granted, agreement.peer_credits_requested);
  Establish(agreement, now, actions);
}

void Connection::ReceiveResponse(Bytes bytes, TimePoint now, Actions& actions) {
  const std::variant<Agreement, Refusal> judgement = JudgeResponse(bytes, settings_);
  response_ = DecodeNegotiateResponse(bytes);
  if (const Refusal* refusal = std::get_if<Refusal>(&judgement)) {
    return End(refusal->reason, refusal->status, actions);
  }
  const Agreement& agreement = std::get<Agreement>(judgement);
  credits_.Start(agreement.credits_granted, 0, agreement.peer_credits_requested);
  Establish(agreement, now, actions);
  Pump(actions);
}

void Connection::Establish(const Agreement& agreement, TimePoint now, Actions& actions) {
  state_ = State::kEstablished;
  agreement_ = agreement;
  last_heard_ = now;
  // The negotiation's time no longer counts; without an idle time the timer runs into nothing.
  if (settings_.timers.idle > std::chrono::milliseconds::zero()) {
    actions.push_back(SetTimer{.at = now + settings_.timers.idle});
  }
  actions.push_back(Established{.agreement = agreement});
}

void Connection::TimerExpired(TimePoint now, Actions& actions) {
  switch (state_) {
    case State::kIdle:
    case State::kEnded:
      return;
    case State::kNegotiating:
    case State::kRefusing:
      if (deadline_ == TimePoint::max()) return;
      if (now < deadline_) return actions.push_back(SetTimer{.at = deadline_});
      if (state_ == State::kRefusing) return End(refusal_, refusal_status_, actions);
      return End(EndReason::kNegotiationTimeout, kStatusSuccess, actions);
    case State::kEstablished:
      return TimerWhileEstablished(now, actions);
  }
}

// Not armed again with each message: it looks at what came since (3.1.2.2).
void Connection::TimerWhileEstablished(TimePoint now, Actions& actions) {
  if (settings_.timers.idle == std::chrono::milliseconds::zero()) return;
  if (keepalive_ != Keepalive::kNone) {
    if (now >= deadline_) return End(EndReason::kKeepaliveTimeout, kStatusSuccess, actions);
    return actions.push_back(SetTimer{.at = deadline_});
  }
  const TimePoint idle_at = last_heard_ + settings_.timers.idle;
  if (now < idle_at) return actions.push_back(SetTimer{.at = idle_at});
  keepalive_ = Keepalive::kPending;
  deadline_ = now + settings_.timers.keepalive_answer;
  actions.push_back(SetTimer{.at = deadline_});
  Pump(actions);
}

void Connection::PeerClosed(Actions& actions) {
  switch (state_) {
    case State::kEnded:
      return;
    case State::kRefusing:
      return End(refusal_, refusal_status_, actions);
    case State::kEstablished:
      return End(EndReason::kPeerClosed, kStatusSuccess, actions);
    case State::kIdle:
    case State::kNegotiating:
      return End(EndReason::kPeerClosedInNegotiation, kStatusSuccess, actions);
  }
}

void Connection::TransportFailed(Actions& actions) {
  if (state_ == State::kEnded) return;
  // A refused peer may be gone before the answer is acknowledged; the refusal is still why.
  if (state_ == State::kRefusing) return End(refusal_, refusal_status_, actions);
  End(EndReason::kTransportFailed, kStatusSuccess, actions);
}

void Connection::Close(Actions& actions) {
  if (state_ != State::kEnded) End(EndReason::kClosedLocally, kStatusSuccess, actions);
}

}  // namespace rdmaready::smbdirect
