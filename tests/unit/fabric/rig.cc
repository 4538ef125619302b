// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/fabric/rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/fabric/hub/control.h"

namespace fabric {
namespace {

constexpr std::size_t kIpv4Bytes = 20;
constexpr std::size_t kIpv6Bytes = 40;
constexpr std::size_t kVectorAt = 17;
constexpr std::size_t kQuantaAt = 18;

void Write16(Bytes& bytes, std::size_t at, std::size_t value) {
  bytes[at] = static_cast<std::uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<std::uint8_t>(value);
}

std::uint32_t Read16(const Bytes& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 8 | bytes[at + 1]);
}

}  // namespace

Bytes AddressOf(int port) { return {0x52, 0x54, 0, 0, 1, static_cast<std::uint8_t>(port)}; }

Bytes Broadcast() { return Bytes(kMacBytes, 0xff); }

Bytes EthernetFrame(int to, int from, std::uint16_t type, std::size_t bytes) {
  Bytes frame(std::max<std::size_t>(bytes, kIpAt));
  const Bytes destination = AddressOf(to), source = AddressOf(from);
  std::copy(destination.begin(), destination.end(), frame.begin());
  std::copy(source.begin(), source.end(), frame.begin() + kMacBytes);
  Write16(frame, kTypeAt, type);
  return frame;
}

std::uint32_t HeaderSum(const Bytes& frame) {
  std::uint32_t sum = 0;
  for (std::size_t at = kIpAt; at < kIpAt + kIpv4Bytes; at += 2) sum += Read16(frame, at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

Bytes Ipv4Frame(int to, int from, int dscp, int ecn, std::size_t bytes) {
  Bytes frame = EthernetFrame(to, from, 0x0800, std::max(bytes, kIpAt + kIpv4Bytes));
  frame[kIpAt] = 0x45;
  frame[kIpAt + 1] = static_cast<std::uint8_t>(dscp << 2 | ecn);
  Write16(frame, kIpAt + 2, frame.size() - kIpAt);
  frame[kIpAt + 8] = 64;  // time to live
  frame[kIpAt + 9] = 17;  // UDP
  Write16(frame, kIpAt + 10, 0xffff - HeaderSum(frame));
  return frame;
}

Bytes Ipv6Frame(int to, int from, int dscp, int ecn, std::size_t bytes) {
  Bytes frame = EthernetFrame(to, from, 0x86dd, std::max(bytes, kIpAt + kIpv6Bytes));
  const int traffic_class = dscp << 2 | ecn;
  frame[kIpAt] = static_cast<std::uint8_t>(0x60 | traffic_class >> 4);
  frame[kIpAt + 1] = static_cast<std::uint8_t>(traffic_class << 4);
  Write16(frame, kIpAt + 4, frame.size() - kIpAt - kIpv6Bytes);
  frame[kIpAt + 6] = 17;
  return frame;
}

Bytes Tagged(Bytes frame, int pcp, std::uint16_t type) {
  const Bytes tag = {static_cast<std::uint8_t>(type >> 8), static_cast<std::uint8_t>(type),
                     static_cast<std::uint8_t>(pcp << 5 | 2), 0xc7};
  frame.insert(frame.begin() + kTypeAt, tag.begin(), tag.end());
  return frame;
}

Bytes PauseFrame(int from, std::uint8_t priorities, std::uint16_t quanta) {
  Bytes frame(kPauseFrameBytes);
  std::uint16_t each[kPriorities];
  std::fill(std::begin(each), std::end(each), quanta);
  PauseWrite(frame.data(), AddressOf(from).data(), priorities, each);
  return frame;
}

bool IsPause(const Bytes& frame) { return Read16(frame, kTypeAt) == kTypeControl; }

std::uint8_t PausedPriorities(const Bytes& frame) { return frame[kVectorAt]; }

std::uint16_t QuantaOf(const Bytes& frame, int priority) {
  return static_cast<std::uint16_t>(Read16(frame, kQuantaAt + 2 * static_cast<std::size_t>(priority)));
}

int DscpOf(const Bytes& frame) { return frame[kIpAt + 1] >> 2; }

int PriorityOf(const Bytes& frame) { return DscpOf(frame) / kDscpsOfAPriority; }

Rig::Rig(int ports, std::uint32_t mbps) : switch_(SwitchNew(ports, mbps)), answer_(kMostAnswerBytes, 0) {
  for (int i = 0; i < ports; i++) SwitchLinkUp(get(), i);
}

void Rig::Introduce() {
  for (int port = 1; port <= switch_->port_count; port++) {
    Bytes frame = EthernetFrame(port, port, 0x9999, 60);
    std::fill_n(frame.begin(), kMacBytes, 0xff);
    Receive(port, frame);
  }
  for (int port = 1; port <= switch_->port_count; port++) DrainUntil(port, now_ns + kSecond);
}

std::string Rig::Ask(std::string line) {
  Text text;
  TextBegin(&text, answer_.data(), answer_.size());
  ControlAnswer(get(), line.data(), now_ns, &text);
  return answer_.substr(0, text.bytes);
}

void Rig::Set(const std::string& words) { EXPECT_EQ(Ask("set " + words), "ok\n") << words; }

// From memory of exactly its size, so that the sanitizer sees a read beyond its end.
void Rig::Receive(int port, const Bytes& frame) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[frame.size()]);
  std::copy(frame.begin(), frame.end(), exact.get());
  SwitchReceive(get(), port - 1, exact.get(), static_cast<std::uint32_t>(frame.size()), now_ns);
}

Bytes Rig::Transmit(int port) {
  Frame* frame = SwitchTransmit(get(), port - 1, now_ns);
  if (!frame) return {};
  Bytes bytes(frame->data, frame->data + frame->bytes);
  FrameFree(frame);
  return bytes;
}

std::vector<Bytes> Rig::Drain(int port) {
  std::vector<Bytes> frames;
  for (Bytes frame = Transmit(port); !frame.empty(); frame = Transmit(port)) frames.push_back(std::move(frame));
  return frames;
}

std::vector<Bytes> Rig::DrainUntil(int port, std::uint64_t end_ns) {
  std::vector<Bytes> frames;
  while (std::max(now_ns, SwitchWakesNs(get(), port - 1)) <= end_ns) {
    now_ns = std::max(now_ns, SwitchWakesNs(get(), port - 1));
    frames.push_back(Transmit(port));
  }
  now_ns = std::max(now_ns, end_ns);
  return frames;
}

std::uint64_t Rig::Drops(int port, int priority) {
  std::uint64_t sum = 0;
  for (const Tally& tally : Of(port, priority).dropped) sum += tally.frames;
  return sum;
}

}  // namespace fabric
