// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/smbdirect/machine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "agent/smbdirect/iwarp.h"

namespace rdmaready::smbdirect {
namespace {

constexpr std::size_t kMostSubmitBytes = 200'000;
constexpr std::size_t kMostMoveBytes = 1 << 16;
constexpr std::size_t kMostMemory = 64;  // buffers of ours in use at a time

[[noreturn]] void Broken(const char* what) {
  std::fprintf(stderr, "contract broken: %s\n", what);
  std::abort();
}

void Require(bool holds, const char* what) {
  if (!holds) Broken(what);
}

// Takes `bytes` of a little-endian number off the front.
std::uint32_t TakeNumber(Bytes& operand, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes && i < operand.size(); ++i) {
    value |= std::to_integer<std::uint32_t>(operand[i]) << (8 * i);
  }
  operand = operand.subspan(std::min(bytes, operand.size()));
  return value;
}

void DecodeAlone(Bytes bytes) {
  const std::vector<std::byte> exact(bytes.begin(), bytes.end());
  if (const auto depths = DecodeDepths(exact)) {
    Require(depths->depths.ird > 0 && depths->depths.ird <= kMaxDepth, "IRD out of range");
    Require(depths->depths.ord > 0 && depths->depths.ord <= kMaxDepth, "ORD out of range");
    Require(DecodeDepths(EncodeDepths(depths->depths, depths->order)) == depths, "depths differ when encoded");
  }
  if (const auto request = DecodeNegotiateRequest(exact)) {
    Require(DecodeNegotiateRequest(Encode(*request)) == request, "a request differs when encoded");
  }
  if (const auto response = DecodeNegotiateResponse(exact)) {
    Require(DecodeNegotiateResponse(Encode(*response)) == response, "a response differs when encoded");
  }
}

}  // namespace

Role RoleOf(std::uint8_t configuration) {
  return (configuration & 1) == 0 ? Role::kInitiator : Role::kResponder;
}

Settings SettingsOf(std::uint8_t configuration) {
  const std::uint16_t credits[] = {1, 2, 10, 255};
  const std::uint16_t count = credits[(configuration >> 1) & 3];
  Settings settings{.receive_credit_max = count, .send_credit_target = count, .max_fragmented_bytes = 131'072};
  if ((configuration & 0x08) != 0) settings.max_send_bytes = settings.max_receive_bytes = 128;
  if ((configuration & 0x10) != 0) settings.max_sends_in_flight = 2;
  if ((configuration & 0x20) != 0) settings.policy = WindowsPolicy();
  if ((configuration & 0x40) != 0) settings.policy = OldKsmbdPolicy();
  settings.max_writes_in_flight = 4;
  settings.max_queued_messages = 16;
  settings.max_queued_rdma = 16;
  return settings;
}

Machine::Machine(std::uint8_t configuration)
    : settings_(SettingsOf(configuration)),
      driver_(RoleOf(configuration), settings_),
      now_(std::chrono::hours{1}),
      outgoing_(0xffffffff) {
  driver_.on_deliver = [this](Bytes message, std::optional<std::uint32_t>) { JudgeMessage(message); };
  driver_.on_submitted = [this](std::uint64_t cookie) {
    Require(memory_.erase(cookie) == 1, "completes what was not submitted");
  };
}

void Machine::JudgeMessage(Bytes message) {
  Require(!message.empty() && message.size() <= settings_.max_fragmented_bytes,
          "delivers a message of no such size");
  unsigned sum = 0;  // every byte is read
  for (const std::byte byte : message) sum += std::to_integer<unsigned>(byte);
  Require(sum <= 255u * message.size(), "cannot be");
}

void Machine::Apply(Op op, Bytes operand) {
  switch (op) {
    case Op::kConnect:
      if (!connected_) driver_.Connect(now_, TakeNumber(operand, 1));
      connected_ = true;
      break;
    case Op::kReceive:
      Receive(operand, std::nullopt);
      break;
    case Op::kReceiveInvalidate: {
      const std::uint32_t token = TakeNumber(operand, 4);
      Receive(operand, token);
      break;
    }
    case Op::kSendDone:
      driver_.CompleteSends(TakeNumber(operand, 1));
      break;
    case Op::kTimer:
      now_ += std::chrono::milliseconds(TakeNumber(operand, 4));
      driver_.Timer(now_);
      break;
    case Op::kSubmit:
      Submit(operand);
      break;
    case Op::kWrite:
    case Op::kRead:
      Move(op, operand);
      break;
    case Op::kWriteDone:
      if (writes_done_ == driver_.writes.size()) break;
      ++writes_done_;
      driver_.CompleteWrite();
      break;
    case Op::kReadDone:
      if (reads_done_ == driver_.reads.size()) break;
      ++reads_done_;
      driver_.CompleteRead();
      break;
    case Op::kLimits:
      driver_.connection().SetFragmentLimit(TakeNumber(operand, 2));
      driver_.connection().SetCreditTarget(static_cast<std::uint16_t>(TakeNumber(operand, 2)));
      break;
    case Op::kEnd:
      switch (TakeNumber(operand, 1) % 3) {
        case 0:
          driver_.PeerClosed();
          break;
        case 1:
          driver_.Close();
          break;
        default:
          driver_.Fail();
      }
      break;
    case Op::kDecode:
      DecodeAlone(operand);
  }
  Judge();
}

// A message longer than the buffer never reaches the connection: the device refuses it. One without a posted
// receive neither.
void Machine::Receive(Bytes message, std::optional<std::uint32_t> token) {
  if (message.size() > ReceiveBufferBytes(settings_)) return;
  if (driver_.posted() == 0) return;
  const WireMessage arrived{.bytes = {message.begin(), message.end()}, .invalidate = token};
  Require(driver_.Arrive(arrived, now_), "a posted receive takes a message");
}

void Machine::Submit(Bytes operand) {
  const std::size_t size = TakeNumber(operand, 3) % kMostSubmitBytes;
  const bool invalidate = TakeNumber(operand, 1) % 2 != 0;
  if (memory_.size() >= kMostMemory) return;
  const std::uint64_t cookie = next_cookie_++;
  std::vector<std::byte>& bytes = memory_[cookie];
  const Bytes content = SubmittedContent(cookie, size);
  bytes.assign(content.begin(), content.end());
  expected_.push_back(bytes);
  const Message message{
      .bytes = bytes, .cookie = cookie, .invalidate = invalidate ? std::optional(7u) : std::nullopt};
  if (driver_.Submit(message).ok()) return;
  expected_.pop_back();
  memory_.erase(cookie);
}

void Machine::Move(Op op, Bytes operand) {
  const std::uint32_t offset = TakeNumber(operand, 4);
  const std::size_t size = TakeNumber(operand, 4) % kMostMoveBytes;
  const auto remote = DecodeDescriptors(operand, 64);
  if (!remote || memory_.size() >= kMostMemory) return;
  const std::uint64_t cookie = next_cookie_++;
  std::vector<std::byte>& bytes = memory_[cookie];
  bytes.resize(size);
  const bool write = op == Op::kWrite;
  const absl::Status status =
      write ? driver_.Write(bytes, *remote, offset, cookie) : driver_.Read(bytes, *remote, offset, cookie);
  if (!status.ok()) memory_.erase(cookie);
}

void Machine::Judge() {
  if (!driver_.breach().empty()) Broken(driver_.breach().c_str());
  const Connection& connection = driver_.connection();
  for (const std::uint64_t cookie : driver_.moved) {
    Require(memory_.erase(cookie) == 1, "completes what was not requested");
  }
  driver_.moved.clear();
  for (; !driver_.wire.empty(); driver_.wire.pop_front()) {
    JudgeSent(driver_.wire.front());
    if (keep_sent) sent.push_back(driver_.wire.front());
  }
  Require(connection.reassembly_memory_bytes() <= settings_.max_fragmented_bytes, "too much memory");
  Require(driver_.sends_in_flight() <= settings_.max_sends_in_flight, "too many sends");
  Require(driver_.writes.size() - writes_done_ <= settings_.max_writes_in_flight, "too many writes");
  if (!connection.established()) return;
  Require(connection.receive_credits() == driver_.posted(), "grants what is not posted");
  Require(connection.receive_credits() <= ReceiveBufferCount(settings_), "more receives than buffers");
  Require(connection.waiting_messages() <= settings_.max_queued_messages, "too many messages");
}

// The stream of this end's own messages is as submitted, whatever the peer does to its credits and limits.
void Machine::JudgeSent(const WireMessage& message) {
  if (!std::exchange(negotiated_, true)) {
    Require(message.bytes.size() == kNegotiateRequestBytes || message.bytes.size() == kNegotiateResponseBytes,
            "no negotiation first");
    return;
  }
  const auto decoded = DecodeData(message.bytes);
  Require(std::holds_alternative<DataMessage>(decoded), "sends a bad message");
  Require(message.bytes.size() <= driver_.connection().agreement().max_send_bytes, "sends a long message");
  const auto added = outgoing_.Add(std::get<DataMessage>(decoded), message.invalidate);
  Require(!std::holds_alternative<EndReason>(added), "sends bad fragments");
  const Reassembled* whole = std::get_if<Reassembled>(&added);
  if (whole == nullptr) return;
  Require(!expected_.empty() && std::ranges::equal(whole->bytes, expected_.front()), "sends another message");
  expected_.pop_front();
}

Bytes SubmittedContent(std::uint64_t number, std::size_t size) {
  static const std::vector<std::byte> pool = [] {
    std::vector<std::byte> bytes(kMostSubmitBytes + 251);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>((i % 251 + i / 251 * 3) & 0xff);
    return bytes;
  }();
  return Bytes(pool).subspan(number % 251, size);
}

void Append(std::vector<std::byte>& script, Op op, Bytes operand) {
  const std::size_t size = std::min<std::size_t>(operand.size(), 0xffff);
  script.push_back(static_cast<std::byte>(op));
  script.push_back(static_cast<std::byte>(size & 0xff));
  script.push_back(static_cast<std::byte>(size >> 8));
  script.insert(script.end(), operand.begin(), operand.begin() + static_cast<std::ptrdiff_t>(size));
}

std::optional<EndReason> Play(Bytes script) {
  if (script.empty()) return std::nullopt;
  Machine machine(static_cast<std::uint8_t>(TakeNumber(script, 1)));
  while (!script.empty()) {
    const Op op = static_cast<Op>(TakeNumber(script, 1) % kOps);
    const std::size_t announced = TakeNumber(script, 2);
    const std::size_t size = std::min(announced, script.size());
    machine.Apply(op, script.first(size));
    script = script.subspan(size);
  }
  if (!machine.ended()) return std::nullopt;
  return machine.driver().end->reason;
}

}  // namespace rdmaready::smbdirect

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rdmaready::smbdirect::Play(std::as_bytes(std::span(data, size)));
  return 0;
}
