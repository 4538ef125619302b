// SPDX-License-Identifier: Apache-2.0
// TcpLink: a RdmaLink over one TCP connection, for what RDMA is compared with. Depth, pattern, nonce and
// verification are the engine's, as over RDMA. The receiving program places the octets and acknowledges them,
// so a write completes when it is in the memory of the other end.
//
// An end makes progress only in Wait, and Post sends what the socket takes. Both are non-blocking; a Wait that
// finds nothing sleeps in poll().
//
// The responder listens on a port that the system chooses, until the peer with the nonce has come. Up to
// kMostCallers connections may be silent at a time. One that is silent for kLongestHello is closed, so it holds
// up the right peer for no longer. The listener is closed before the first frame.
//
// A connection that has more than a little under way ends with a reset, also when this process dies. Else the
// kernel would go on sending what it has buffered.
//
// `tos` sets IP_TOS, and with it the socket's priority; of IPv6 the traffic class alone. TCP has no plain verbs
// connections, no AcceptAnyone and no memory windows: kSetup.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/link/link.h"
#include "agent/tcp/exchange.h"
#include "api/base/handle.h"

namespace rdmaready {

inline constexpr std::size_t kMostCallers = 16;
inline constexpr std::chrono::milliseconds kLongestHello{1'000};

class TcpLink final : public RdmaLink {
 public:
  TcpLink() = default;
  TcpLink(const TcpLink&) = delete;
  TcpLink& operator=(const TcpLink&) = delete;
  ~TcpLink() override = default;

  absl::StatusOr<Endpoint> Listen(const std::string& local_address, const LinkSettings& settings) override;
  absl::Status Accept(const Nonce& nonce, const Patience& patience) override;
  absl::Status AcceptAnyone(const Greeter& greet, const Patience& patience) override;
  absl::Status Connect(const Endpoint& endpoint, PrivateData private_data, const std::string& local_address,
                       const LinkSettings& settings, const Patience& patience) override;
  const Handshake& handshake() const override { return handshake_; }

  absl::StatusOr<MemoryId> Register(std::span<std::byte> memory, Access access) override;
  void Unregister(MemoryId memory) override { exchange_.Unregister(memory); }
  RemoteMemory Remote(MemoryId memory) const override { return exchange_.Remote(memory); }

  bool can_invalidate() const override { return false; }
  absl::StatusOr<WindowId> MakeWindow(MemoryId memory) override;
  absl::StatusOr<RemoteMemory> Bind(WindowId window, std::uint64_t offset, std::uint32_t length) override;

  absl::Status PostReceive(std::uint64_t id, const Slice& to) override;
  absl::Status Post(std::span<const WorkRequest> requests) override;
  absl::StatusOr<std::size_t> Wait(std::span<Completion> completions, TimePoint deadline) override;

  void Disconnect() override;
  LinkFacts Describe() const override;

 private:
  // A connection that has not said its nonce yet.
  struct Caller {
    UniqueFd socket{};
    std::string address{};
    Greeting greeting{};
    std::size_t octets = 0;  // of it
    TimePoint since{};
  };
  enum class Said { kNothingYet, kNonce, kOther };

  // --- set-up (tcp_setup.cc) ---
  absl::Status Open(int family, UniqueFd& socket) const;
  absl::Status Mark(int socket, int family) const;
  absl::Status Admit(std::vector<Caller>& callers);
  static Said Hear(Caller& caller, const Nonce& nonce);
  // The one with the nonce, once it has said it; nothing before. Those that said something else are closed.
  absl::StatusOr<UniqueFd> PickFrom(std::vector<Caller>& callers, const Nonce& nonce);
  void Reject(const Caller& caller);
  absl::Status NobodyCame() const;
  absl::Status Settle();
  absl::Status Take(UniqueFd socket);
  absl::Status Reach(const Endpoint& endpoint, const std::string& local_address, const Patience& patience);
  absl::Status Greet(PrivateData nonce, const Patience& patience);
  absl::Status Failed(int error, Refusal otherwise);

  // --- data path (tcp_link.cc) ---
  bool Pump();  // whether something came
  void Flush();
  bool Read();
  void Hung(int error, const char* action);
  absl::Status Sleep(TimePoint deadline);

  UniqueFd listener_{};
  UniqueFd socket_{};
  int family_ = 0;
  LinkSettings settings_{};
  TcpExchange exchange_{};
  std::vector<std::byte> staged_{};  // what came behind the payload that was asked for
  std::size_t staged_begin_ = 0;
  std::size_t staged_end_ = 0;
  bool connected_ = false;
  bool full_ = false;       // the socket took no more
  int send_error_ = 0;      // what it said before it hung up is still read
  absl::Status hung_up_{};  // why nothing more comes
  LinkFacts described_{};   // once disconnected
  Handshake handshake_{};
  std::uint64_t rejected_ = 0;   // connections without the right nonce
  std::string last_rejected_{};  // the address of the last one
  std::string place_{};          // "10.0.0.1 port 40123": for messages
};

}  // namespace rdmaready
