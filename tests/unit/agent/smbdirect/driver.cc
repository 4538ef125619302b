// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/smbdirect/driver.h"

#include <algorithm>
#include <utility>

namespace rdmaready::smbdirect {
namespace {

constexpr std::byte kScribble{0xdd};  // a posted buffer belongs to the device: nobody may still read it

}  // namespace

Driver::Driver(Role role, const Settings& settings)
    : buffers_(ReceiveBufferCount(settings)),
      is_posted_(buffers_.size(), false),
      slot_used_(settings.max_sends_in_flight, false),
      connection_(role, settings) {
  connection_.Prepare(actions_);
  Execute();
}

void Driver::Breach(const std::string& what) {
  if (breach_.empty()) breach_ = what;
}

// By index: an action's execution may append (a message delivered, and answered at once).
void Driver::Execute() {
  if (executing_) return;
  executing_ = true;
  for (; executed_ < actions_.size(); ++executed_) {
    if (end) Breach("an action after Disconnect");
    const Action action = actions_[executed_];
    std::visit([this](const auto& one) { Do(one); }, action);
  }
  actions_.clear();
  executed_ = 0;
  executing_ = false;
}

void Driver::Do(const PostReceive& action) {
  if (action.buffer >= buffers_.size()) return Breach("posts a buffer that is not there");
  if (is_posted_[action.buffer]) return Breach("posts a posted buffer");
  std::ranges::fill(buffers_[action.buffer], kScribble);
  buffers_[action.buffer] = {};
  posted_.push_back(action.buffer);
  is_posted_[action.buffer] = true;
}

void Driver::Do(const Send& action) {
  if (action.slot >= slot_used_.size()) return Breach("a slot that is not there");
  if (slot_used_[action.slot]) Breach("a slot in use");
  slot_used_[action.slot] = true;
  slots_.push_back(action.slot);
  WireMessage message{.invalidate = action.invalidate, .solicited = action.solicited};
  message.bytes.reserve(action.head_size + action.payload.size());
  message.bytes.assign(action.head().begin(), action.head().end());
  message.bytes.insert(message.bytes.end(), action.payload.begin(), action.payload.end());
  wire.push_back(std::move(message));
}

void Driver::Do(const Established&) {
  if (std::exchange(established_, true)) Breach("established twice");
}

void Driver::Do(const Deliver& action) {
  if (on_deliver) return on_deliver(action.message, action.invalidated);
  delivered.emplace_back(action.message.begin(), action.message.end());
  invalidated.push_back(action.invalidated);
}

void Driver::Do(const Submitted& action) {
  if (on_submitted) return on_submitted(action.cookie);
  submitted.push_back(action.cookie);
}

void Driver::Connect(TimePoint now, std::uint32_t read_depth) {
  connection_.Connected(now, read_depth, actions_);
  Execute();
}

bool Driver::Arrive(const WireMessage& message, TimePoint now) {
  if (posted_.empty()) return false;
  const std::uint32_t buffer = posted_.front();
  posted_.pop_front();
  is_posted_[buffer] = false;
  buffers_[buffer] = {message.bytes.begin(),
                      message.bytes.end()};  // not a byte more: a sanitizer sees overreads
  connection_.Received(buffer, buffers_[buffer], message.invalidate, now, actions_);
  Execute();
  return true;
}

void Driver::ArriveIn(std::uint32_t buffer, Bytes bytes, TimePoint now) {
  connection_.Received(buffer, bytes, std::nullopt, now, actions_);
  Execute();
}

void Driver::CompleteSends(std::size_t count) {
  for (std::size_t left = std::min(count, slots_.size()); left > 0; --left) {
    slot_used_[slots_.front()] = false;
    slots_.pop_front();
    connection_.SendDone(actions_);
    Execute();
  }
}

void Driver::CompleteRead() {
  connection_.ReadDone(actions_);
  Execute();
}

void Driver::CompleteWrite() {
  connection_.WriteDone(actions_);
  Execute();
}

void Driver::Timer(TimePoint now) {
  connection_.TimerExpired(now, actions_);
  Execute();
}

void Driver::PeerClosed() {
  connection_.PeerClosed(actions_);
  Execute();
}

void Driver::Fail() {
  connection_.TransportFailed(actions_);
  Execute();
}

absl::Status Driver::Submit(const Message& message) {
  absl::Status status = connection_.Submit(message, actions_);
  Execute();
  return status;
}

absl::Status Driver::Read(std::span<std::byte> local, std::span<const BufferDescriptor> remote,
                          std::uint64_t offset, std::uint64_t cookie) {
  absl::Status status = connection_.ReadFromPeer(local, remote, offset, cookie, actions_);
  Execute();
  return status;
}

absl::Status Driver::Write(Bytes local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                           std::uint64_t cookie) {
  absl::Status status = connection_.WriteToPeer(local, remote, offset, cookie, actions_);
  Execute();
  return status;
}

void Driver::Close() {
  connection_.Close(actions_);
  Execute();
}

bool Exchange(Driver& from, Driver& to, TimePoint now) {
  while (!from.wire.empty()) {
    const WireMessage message = std::move(from.wire.front());
    from.wire.pop_front();
    if (!to.Arrive(message, now)) return false;
    from.CompleteSends(1);
  }
  return true;
}

bool Settle(Driver& a, Driver& b, TimePoint now, std::size_t limit) {
  for (std::size_t rounds = 0; rounds < limit; ++rounds) {
    if (a.wire.empty() && b.wire.empty()) return true;
    if (!Exchange(a, b, now) || !Exchange(b, a, now)) return false;
  }
  return false;
}

}  // namespace rdmaready::smbdirect
