// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/smbdirect/record.h"

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "tests/fuzz/smbdirect/machine.h"

namespace rdmaready::smbdirect {
namespace {

constexpr int kSteps = 24;
constexpr std::size_t kMostRecordedBytes = 24 * 1024;

// One end: whatever is done to it is written down.
class Recorded {
 public:
  explicit Recorded(std::uint8_t configuration) : machine_(configuration) {
    machine_.keep_sent = true;
    script_.push_back(static_cast<std::byte>(configuration));
  }
  void Do(Op op, Bytes operand = {}) {
    Append(script_, op, operand);
    machine_.Apply(op, operand);
  }
  template <class... Octet>
  void Do(Op op, Octet... octets) {
    const std::array<std::byte, sizeof...(octets)> operand{static_cast<std::byte>(octets & 0xff)...};
    Do(op, Bytes(operand));
  }
  Machine& machine() { return machine_; }
  std::vector<std::byte> TakeScript() { return std::move(script_); }
  bool full() const { return script_.size() >= kMostRecordedBytes; }

 private:
  Machine machine_;
  std::vector<std::byte> script_{};
};

void Carry(Recorded& from, Recorded& to) {
  while (!from.machine().sent.empty()) {
    const WireMessage message = from.machine().sent.front();
    from.machine().sent.pop_front();
    if (message.invalidate) {
      std::vector<std::byte> operand(4);
      operand[0] = static_cast<std::byte>(*message.invalidate & 0xff);
      operand.insert(operand.end(), message.bytes.begin(), message.bytes.end());
      to.Do(Op::kReceiveInvalidate, Bytes(operand));
    } else {
      to.Do(Op::kReceive, Bytes(message.bytes));
    }
    from.Do(Op::kSendDone, 1);
  }
}

void Settle(Recorded& a, Recorded& b) {
  while (!a.machine().sent.empty() || !b.machine().sent.empty()) {
    Carry(a, b);
    Carry(b, a);
  }
}

void Move(Recorded& end, Op op, std::uint32_t length) {
  std::vector<std::byte> operand(8);
  operand[0] = std::byte{3};
  for (std::size_t i = 0; i < 4; ++i) operand[4 + i] = static_cast<std::byte>((length >> (8 * i)) & 0xff);
  const std::uint32_t half = length / 2 + 2;
  for (const std::uint32_t token : {1u, 2u}) {
    const auto descriptor =
        Encode(BufferDescriptor{.address = token << 20, .token = token, .length_bytes = half});
    operand.insert(operand.end(), descriptor.begin(), descriptor.end());
  }
  end.Do(op, Bytes(operand));
}

// The two ends' clocks go together, or one of them would end the other's patience.
void Pass(Recorded& a, Recorded& b, std::uint32_t time_ms) {
  for (Recorded* end : {&a, &b}) {
    end->Do(Op::kTimer, time_ms, time_ms >> 8, time_ms >> 16, time_ms >> 24);
  }
}

void Step(Recorded& end, Recorded& other, std::mt19937& random) {
  const std::uint32_t number = static_cast<std::uint32_t>(random());
  switch (number % 8) {
    case 0:
      return end.Do(Op::kSubmit, number >> 8, (number >> 16) & 7, 0, number >> 24);
    case 1:
      return end.Do(Op::kSubmit, 1 + (number >> 8) % 200, 0, 0, 0);
    case 2:
      return Move(end, Op::kWrite, 2 + (number >> 8) % 4000);
    case 3:
      return Move(end, Op::kRead, 2 + (number >> 8) % 4000);
    case 4:
      return end.Do(Op::kLimits, 1 + (number >> 8) % 100, 0, 1 + (number >> 16) % 20, 0);
    case 5:
      Settle(end, other);
      return Pass(end, other, (number >> 8) % 125'000);
    case 6:
      return Settle(end, other);
    default:
      end.Do(Op::kWriteDone);
      end.Do(Op::kReadDone);
  }
}

}  // namespace

std::vector<std::vector<std::byte>> RecordSessions() {
  std::vector<std::vector<std::byte>> scripts;
  for (std::uint8_t configuration = 0; configuration < 0x80;
       configuration = static_cast<std::uint8_t>(configuration + 2)) {
    std::mt19937 random(configuration);
    Recorded a(configuration);
    Recorded b(static_cast<std::uint8_t>(configuration + 1));
    b.Do(Op::kConnect, 8);
    a.Do(Op::kConnect, 8);
    Settle(a, b);
    for (int i = 0; i < kSteps && !a.full() && !b.full(); ++i) {
      const bool first = random() % 2 == 0;
      Step(first ? a : b, first ? b : a, random);
    }
    Settle(a, b);
    a.Do(Op::kEnd, 1);
    b.Do(Op::kEnd, 0);
    scripts.push_back(a.TakeScript());
    scripts.push_back(b.TakeScript());
  }
  return scripts;
}

}  // namespace rdmaready::smbdirect
