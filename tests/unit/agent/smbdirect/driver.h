// SPDX-License-Identifier: Apache-2.0
// Driver: executes the actions of one Connection as a reliable connection would, and holds it to its contract.
// What it sends lies in `wire` until a test takes it; what completes, completes when a test says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/smbdirect/connection.h"

namespace rdmaready::smbdirect {

struct WireMessage {
  std::vector<std::byte> bytes{};
  std::optional<std::uint32_t> invalidate{};
  bool solicited = false;
};

class Driver {
 public:
  // Prepared; not connected.
  Driver(Role role, const Settings& settings);

  Connection& connection() { return connection_; }

  // --- events; each executes what the connection asks for ---
  void Connect(TimePoint now, std::uint32_t read_depth = 8);
  // False when no receive was posted: on a real connection its death (RNR).
  [[nodiscard]] bool Arrive(const WireMessage& message, TimePoint now);
  void CompleteSends(std::size_t count = ~std::size_t{0});  // at most what is in flight
  void CompleteRead();
  void CompleteWrite();
  void Timer(TimePoint now);
  void PeerClosed();
  void Fail();
  // A completion of a buffer that the connection did not post.
  void ArriveIn(std::uint32_t buffer, Bytes bytes, TimePoint now);

  // --- requests ---
  absl::Status Submit(const Message& message);
  absl::Status Read(std::span<std::byte> local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                    std::uint64_t cookie);
  absl::Status Write(Bytes local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                     std::uint64_t cookie);
  void Close();

  // --- what came of it ---
  std::deque<WireMessage> wire{};  // sent, not yet taken by the test
  std::vector<RdmaRead> reads{};   // posted, in order
  std::vector<RdmaWrite> writes{};
  std::vector<std::uint64_t> submitted{};  // cookies
  std::vector<std::uint64_t> moved{};
  std::vector<std::vector<std::byte>> delivered{};  // when there is no on_deliver
  std::vector<std::optional<std::uint32_t>> invalidated{};
  std::function<void(Bytes, std::optional<std::uint32_t>)> on_deliver{};
  std::function<void(std::uint64_t)> on_submitted{};
  std::optional<TimePoint> timer{};
  std::optional<Disconnect> end{};
  std::size_t posted() const { return posted_.size(); }
  std::size_t sends_in_flight() const { return slots_.size(); }
  // The first breach of the contract by the connection; empty when there was none.
  const std::string& breach() const { return breach_; }

 private:
  void Execute();
  void Do(const PostReceive& action);
  void Do(const Send& action);
  void Do(const RdmaRead& action) { reads.push_back(action); }
  void Do(const RdmaWrite& action) { writes.push_back(action); }
  void Do(const Established& action);
  void Do(const Deliver& action);
  void Do(const Submitted& action);
  void Do(const RdmaComplete& action) { moved.push_back(action.cookie); }
  void Do(const SetTimer& action) { timer = action.at; }
  void Do(const Disconnect& action) { end = action; }
  void Breach(const std::string& what);

  std::vector<std::vector<std::byte>> buffers_;
  std::vector<bool> is_posted_;
  std::vector<bool> slot_used_;
  std::deque<std::uint32_t> posted_{};
  std::deque<std::uint32_t> slots_{};  // of sends in flight
  Actions actions_{};
  std::size_t executed_ = 0;
  bool executing_ = false;
  bool established_ = false;
  std::string breach_{};
  Connection connection_;
};

// Takes everything that `from` has sent into `to` and completes it; false when a receive was missing.
[[nodiscard]] bool Exchange(Driver& from, Driver& to, TimePoint now);

// The same to and fro until both are silent; false also when they are not after `limit` messages.
[[nodiscard]] bool Settle(Driver& a, Driver& b, TimePoint now, std::size_t limit = 10'000);

}  // namespace rdmaready::smbdirect
