// SPDX-License-Identifier: Apache-2.0
// Fuzzes the octets that the peer of a TCP test sends. This end has memory of every access, and requests of
// every kind under way. Nothing is placed beside what that end registered for it.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "agent/tcp/exchange.h"

namespace rdmaready {
namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t kPart = 64;
constexpr std::byte kUntouched{0x5a};

// Memory between two strips that nobody registered.
struct Guarded {
  Guarded() { all.fill(kUntouched); }
  std::span<std::byte> middle() { return std::span(all).subspan(kPart, kPart); }
  void Check() const {
    const auto untouched = [](std::byte byte) { return byte == kUntouched; };
    Demand(std::ranges::all_of(std::span(all).first(kPart), untouched));
    Demand(std::ranges::all_of(std::span(all).last(kPart), untouched));
  }
  std::array<std::byte, 3 * kPart> all{};
};

struct FuzzedEnd {
  std::array<Guarded, 5> memory{};
  TcpExchange exchange{};

  FuzzedEnd() {
    constexpr std::array kAccess{Access::kRemoteWrite, Access::kRemoteRead, Access::kReceiveTarget,
                                 Access::kReadDestination, Access::kSendSource};
    std::array<MemoryId, kAccess.size()> ids{};
    for (std::size_t i = 0; i < kAccess.size(); ++i) ids[i] = exchange.Register(memory[i].middle(), kAccess[i]);
    for (std::uint64_t id = 0; id < 2; ++id)
      Demand(exchange.PostReceive(id, {.memory = ids[2], .offset = id * 32, .length = 32}).ok());
    const std::array<WorkRequest, 4> requests{
        WorkRequest{.id = 0, .local = {.memory = ids[4], .length = 16}},
        WorkRequest{
            .work = Work::kWrite, .id = 1, .local = {.memory = ids[4], .length = 16}, .signaled = false},
        WorkRequest{.work = Work::kRead, .id = 2, .local = {.memory = ids[3], .length = 48}},
        WorkRequest{.work = Work::kWrite, .id = 3, .local = {.memory = ids[4], .length = 64}}};
    Demand(exchange.Post(requests).ok());
  }

  // Memory that the peer only reads stays as it is.
  void Check() const {
    for (const Guarded& one : memory) one.Check();
    for (const std::size_t i : {1U, 4U}) {
      const std::span<const std::byte> bytes = std::span(memory[i].all).subspan(kPart, kPart);
      Demand(std::ranges::all_of(bytes, [](std::byte byte) { return byte == kUntouched; }));
    }
  }
};

// The frames of a peer that keeps the rules, as octets.
std::vector<std::uint8_t> Wire(std::span<const Frame> frames) {
  std::vector<std::uint8_t> wire{17};
  for (const Frame& frame : frames) {
    for (const std::byte octet : EncodeFrame(frame)) wire.push_back(std::to_integer<std::uint8_t>(octet));
    if (CarriesPayload(frame.kind)) wire.insert(wire.end(), frame.length, std::uint8_t{0x11});
  }
  return wire;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  TcpExchange numbers;  // gives the same keys and addresses as the one that is fuzzed
  std::array<std::byte, kPart> bytes{};
  const RemoteMemory write = numbers.Remote(numbers.Register(bytes, Access::kRemoteWrite));
  const RemoteMemory read = numbers.Remote(numbers.Register(bytes, Access::kRemoteRead));
  const std::array<Frame, 7> frames{
      Frame{.kind = FrameKind::kWrite,
            .signaled = true,
            .key = write.rkey,
            .address = write.address,
            .length = 40},
      Frame{.kind = FrameKind::kRead, .key = read.rkey, .id = 1, .address = read.address + 8, .length = 56},
      Frame{.kind = FrameKind::kSend, .signaled = true, .id = 2, .length = 24},
      Frame{.kind = FrameKind::kSend, .signaled = true, .id = 3, .length = 32},
      Frame{.kind = FrameKind::kDone, .id = 0},
      Frame{.kind = FrameKind::kData, .id = 2, .length = 48},
      Frame{.kind = FrameKind::kDone, .id = 3}};
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::size_t i = 0; i < 4; ++i) seeds.push_back(Wire(std::span(frames).subspan(i, 1)));
  seeds.push_back(Wire(std::span(frames).last(3)));
  seeds.push_back(Wire(frames));
  const Frame refused{.kind = FrameKind::kRefused, .id = 3};
  seeds.push_back(Wire({&refused, 1}));
  return seeds;
}

}  // namespace rdmaready

// The first octet says in pieces of which size the rest arrives, and whether payload is placed directly.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const bool directly = (data[0] & 0x80) != 0;
  FuzzedEnd end;
  Octets rest = std::as_bytes(std::span(data, size)).subspan(1);
  while (!rest.empty()) {
    const Octets next = rest.first(std::min(piece, rest.size()));
    const std::span<std::byte> wanted = end.exchange.Wanted();
    std::size_t taken = 0;
    if (directly && !wanted.empty()) {
      taken = std::min(wanted.size(), next.size());
      std::copy_n(next.begin(), taken, wanted.begin());
      end.exchange.Placed(taken);
    } else {
      taken = end.exchange.Take(next);
    }
    end.Check();
    rest = rest.subspan(taken);
    if (end.exchange.stalled() || !end.exchange.broken().ok()) break;
    Demand(taken > 0);
  }
  std::array<Completion, 16> completions;
  Demand(end.exchange.Completed(completions) <= 6);  // of two receives and four requests
  std::array<Octets, 8> parts;
  while (const std::size_t count = end.exchange.Gather(parts)) {
    for (const Octets part : std::span(parts).first(count)) Demand(!part.empty());
    end.exchange.Sent(parts[0].size());
  }
  return 0;
}
