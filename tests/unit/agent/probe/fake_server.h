// SPDX-License-Identifier: Apache-2.0
// FakeServer: the other end of a walk, on a thread of its own over a MemoryFabric: it answers each message as a
// test says, and writes and reads the memory that it was offered.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "agent/link/buffer.h"
#include "agent/probe/probe.h"
#include "checks/probe/answers.h"
#include "tests/unit/agent/link/memory_link.h"

namespace rdmaready {

using ServerMessage = std::vector<std::byte>;

class FakeServer {
 public:
  // Called on the server's thread: the messages to send back, in that order.
  using Handler = std::function<std::vector<ServerMessage>(FakeServer& server, Octets message)>;

  FakeServer(MemoryFabric& fabric, ServerMessage private_data, Handler handler)
      : link_(fabric, Role::kResponder), handler_(std::move(handler)) {
    const LinkSettings settings{
        .sends = 64, .receives = kSlots, .before_connected = [this] { return Prepare(); }};
    static_cast<void>(link_.Listen("10.0.0.2", settings));
    thread_ = std::thread([this, private_data = std::move(private_data)] { Run(private_data); });
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    stop_ = true;
    thread_.join();
  }

  // RDMA write and read, for handlers.
  void Write(std::uint64_t address, std::uint32_t key, Octets bytes) {
    std::ranges::copy(bytes, scratch_->all().begin());
    Move(Work::kWrite, address, key, bytes.size());
  }
  ServerMessage Read(std::uint64_t address, std::uint32_t key, std::size_t size) {
    Move(Work::kRead, address, key, size);
    const auto bytes = scratch_->all().first(size);
    return {bytes.begin(), bytes.end()};
  }

 private:
  static constexpr std::uint32_t kSlots = 32;
  static constexpr std::uint32_t kSlotBytes = 16 << 10;
  static constexpr std::uint64_t kMoveId = 1000;

  template <class T>
  static std::unique_ptr<T> Take(absl::StatusOr<std::unique_ptr<T>> made) {
    return made.ok() ? *std::move(made) : nullptr;
  }

  absl::Status Prepare() {
    receive_ = Take(Buffer::Make(link_, kSlotBytes, kSlots, Access::kReceiveTarget));
    send_ = Take(Buffer::Make(link_, kSlotBytes, kSlots, Access::kSendSource));
    scratch_ = Take(Buffer::Make(link_, 256 << 10, 1, Access::kReadDestination));
    for (std::uint64_t slot = 0; slot < kSlots; ++slot)
      if (const absl::Status status = link_.PostReceive(slot, receive_->slice(slot)); !status.ok())
        return status;
    return absl::OkStatus();
  }

  void Run(const ServerMessage& private_data) {
    const Patience patience{
        .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20),
        .interrupted = [this] { return stop_ ? absl::CancelledError("over") : absl::OkStatus(); }};
    const absl::Status status = link_.AcceptAnyone(
        [&](const Handshake&) -> absl::StatusOr<std::vector<std::uint8_t>> {
          std::vector<std::uint8_t> data;
          for (const std::byte byte : private_data) data.push_back(std::to_integer<std::uint8_t>(byte));
          return data;
        },
        patience);
    if (!status.ok()) return;
    while (!stop_ && Progress()) {
      while (!arrived_.empty()) Serve();
    }
    link_.Disconnect();
  }

  void Serve() {
    const Completion done = arrived_.front();
    arrived_.erase(arrived_.begin());
    const ServerMessage message = [&] {
      const auto bytes = receive_->bytes(done.id).first(done.bytes);
      return ServerMessage(bytes.begin(), bytes.end());
    }();
    static_cast<void>(link_.PostReceive(done.id, receive_->slice(done.id)));
    for (const ServerMessage& answer : handler_(*this, message)) {
      std::ranges::copy(answer, send_->bytes(sent_).begin());
      Slice slice = send_->slice(sent_);
      slice.length = static_cast<std::uint32_t>(answer.size());
      static_cast<void>(link_.PostSend(kMoveId + 1, slice));
      ++sent_;
    }
  }

  bool Progress() {
    std::array<Completion, 16> completions{};
    const auto count =
        link_.Wait(completions, std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    if (!count.ok()) return false;
    for (const Completion& done : std::span(completions).first(*count)) {
      if (done.work == Work::kReceive) arrived_.push_back(done);
      if (done.work == Work::kWrite || done.work == Work::kRead) moved_ = true;
    }
    return true;
  }

  void Move(Work work, std::uint64_t address, std::uint32_t key, std::size_t size) {
    Slice slice = scratch_->slice(0);
    slice.length = static_cast<std::uint32_t>(size);
    const WorkRequest request{
        .work = work, .id = kMoveId, .local = slice, .remote = {.address = address, .rkey = key}};
    moved_ = false;
    if (!link_.Post({&request, 1}).ok()) return;
    while (!moved_ && Progress()) {
    }
  }

  MemoryLink link_;
  const Handler handler_;
  std::unique_ptr<Buffer> receive_{};
  std::unique_ptr<Buffer> send_{};
  std::unique_ptr<Buffer> scratch_{};
  std::vector<Completion> arrived_{};
  std::uint64_t sent_ = 0;
  bool moved_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_{};
};

inline absl::StatusOr<std::unique_ptr<ByteStream>> NobodyByTcp(const Endpoint&, const Patience&) {
  return absl::UnavailableError("nobody");
}

// A walk of that protocol against what stands in `fabric`, ended after `time`.
inline ProbeResult WalkTo(MemoryFabric& fabric, Protocol protocol,
                          std::chrono::milliseconds time = std::chrono::seconds(10),
                          const ProbeTarget& target = {.address = "10.0.0.2", .local_address = "10.0.0.1"},
                          const TcpConnector& connect_tcp = &NobodyByTcp) {
  const ProbeRow& row = *FindProbe(protocol);
  ProbeResult result = BeginProbe(row, "fs1", target.prove);
  Walk walk(result, {.deadline = std::chrono::steady_clock::now() + time});
  const ProbeTools tools{
      .make_link = [&](Role role, std::uint32_t) { return std::make_unique<MemoryLink>(fabric, role); },
      .connect_tcp = connect_tcp};
  row.run(target, tools, walk);
  return result;
}

inline const ProbeStep& StepOf(const ProbeResult& result, std::string_view name) {
  return *std::ranges::find(result.steps, name, &ProbeStep::name);
}

inline std::string ValueOf(const ProbeResult& result, std::string_view name) {
  const std::vector<AnswerText> texts = AnswerTexts(result.answers);
  const auto found = std::ranges::find(texts, name, &AnswerText::name);
  return found == texts.end() ? "(not told)" : found->text;
}

// "rdma-connect nfs-null": the steps that were done, after those of the frame.
inline std::string Done(const ProbeResult& result) {
  std::string names;
  for (const ProbeStep& step : result.steps) {
    if (step.outcome == StepOutcome::kDone) names += (names.empty() ? "" : " ") + step.name;
  }
  return names;
}

}  // namespace rdmaready
