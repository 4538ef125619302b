// SPDX-License-Identifier: Apache-2.0
// MemoryLink: a RdmaLink between two threads over plain memory, ordered like a reliable connection, that does
// on request what a broken device, cable or peer would do. It checks what a device would check, so an engine
// that posts outside of its buffers or uses a dead key fails here too.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/link/link.h"

namespace rdmaready {

struct Fault {
  enum class Kind {
    kCorrupt,     // flips the byte at `offset`
    kTruncate,    // brings only the first `offset` bytes
    kDrop,        // completes at the sender, brings nothing
    kDelay,       // this and everything after it comes `delay` later
    kError,       // the transport gives up
    kDisconnect,  // the connection ends
    kKeepWindow,  // what should take a window away brings its bytes, and leaves the window
    kThen,        // all is well, but `then` happens
  };
  Kind kind = Kind::kDrop;
  Role from = Role::kInitiator;  // who posts the work request
  Work work = Work::kWrite;
  std::uint64_t number = 0;  // counted by end and work
  std::uint64_t offset = 0;
  std::chrono::milliseconds delay{};
  std::function<void()> then{};
};

// The world between the two links of a test; outlives both.
struct MemoryFabric {
  struct Region {
    std::span<std::byte> bytes{};
    Access access = Access::kSendSource;
    bool registered = false;
  };
  struct Window {
    std::size_t region = 0;
    std::span<std::byte> bytes{};
    std::uint32_t rkey = 0;
    bool bound = false;
  };
  struct Request {
    Work work = Work::kSend;
    std::uint64_t id = 0;
    std::span<std::byte> local{};
    std::span<std::byte> behind{};
    RemoteSlice remote{};
    std::optional<std::uint32_t> invalidate{};
    bool signaled = true;
    TimePoint ready_at{};
    const Fault* fault = nullptr;
  };
  struct Receive {
    std::uint64_t id = 0;
    std::span<std::byte> to{};
  };
  struct End {
    LinkSettings settings{};
    std::vector<Region> regions{};
    std::vector<Window> windows{};
    std::deque<Request> outgoing{};
    std::deque<Receive> receives{};
    std::deque<Completion> completions{};
    std::array<std::uint64_t, 5> posted{};  // by Work
    std::uint64_t signaled = 0;             // of those
    absl::Status broken{};
  };

  // What goes wrong, set before the test runs.
  std::vector<Fault> faults{};
  bool unreachable = false;
  std::array<std::uint32_t, 2> path_mtu_bytes{4096, 4096};  // by Role
  std::optional<Role> cannot_register{};
  std::optional<Role> cannot_invalidate{};
  std::chrono::milliseconds slow_connect{};  // from the accept to the initiator's knowing of it
  std::chrono::milliseconds slow_reads{};  // RDMA reads take so long, and what is posted behind overtakes them
  int impostors = 0;                       // connect before the right peer, with a wrong nonce
  std::optional<Handshake> refuses{};      // what the initiator hears instead of an answer

  std::mutex mutex{};
  std::condition_variable changed{};
  std::array<End, 2> ends{};                           // by Role
  std::optional<std::vector<std::uint8_t>> request{};  // its private data
  std::optional<bool> answer{};                        // accepted or rejected
  std::vector<std::uint8_t> answer_data{};
  bool listening = false;
  int rejected = 0;

  End& end(Role role) { return ends[static_cast<std::size_t>(role)]; }
  // Registrations that nobody undid.
  std::size_t Registered();
  std::uint64_t Posted(Role role, Work work);
  std::uint64_t Signaled(Role role);
  void Break(const absl::Status& status);
};

class MemoryLink final : public RdmaLink {
 public:
  MemoryLink(MemoryFabric& fabric, Role role) : fabric_(fabric), role_(role) {}

  absl::StatusOr<Endpoint> Listen(const std::string& local_address, const LinkSettings& settings) override;
  absl::Status Accept(const Nonce& nonce, const Patience& patience) override;
  absl::Status AcceptAnyone(const Greeter& greet, const Patience& patience) override;
  absl::Status Connect(const Endpoint& endpoint, PrivateData private_data, const std::string& local_address,
                       const LinkSettings& settings, const Patience& patience) override;
  const Handshake& handshake() const override { return handshake_; }
  absl::StatusOr<MemoryId> Register(std::span<std::byte> memory, Access access) override;
  void Unregister(MemoryId memory) override;
  RemoteMemory Remote(MemoryId memory) const override;
  bool can_invalidate() const override { return fabric_.cannot_invalidate != role_; }
  absl::StatusOr<WindowId> MakeWindow(MemoryId memory) override;
  absl::StatusOr<RemoteMemory> Bind(WindowId window, std::uint64_t offset, std::uint32_t length) override;
  absl::Status PostReceive(std::uint64_t id, const Slice& to) override;
  absl::Status Post(std::span<const WorkRequest> requests) override;
  absl::StatusOr<std::size_t> Wait(std::span<Completion> completions, TimePoint deadline) override;
  void Disconnect() override;
  LinkFacts Describe() const override;

 private:
  QueuePairEnd QueuePair() const;  // of this end, for a plain verbs connection
  // All of these are called with the fabric's mutex held.
  absl::Status Await(std::unique_lock<std::mutex>& lock, const Patience& patience,
                     const std::function<bool()>& ready);
  absl::StatusOr<std::span<std::byte>> Local(const Slice& slice);
  absl::Status PostOne(const WorkRequest& posted);
  // Answers requests until `admit` takes one.
  absl::Status AcceptIf(const Greeter& admit, const Patience& patience);
  void Pump();
  absl::Status BeforeConnected(std::unique_lock<std::mutex>& lock);
  bool Execute(Role from, const MemoryFabric::Request& request);
  void Copy(std::span<const std::byte> from, std::span<std::byte> to, const Fault* fault);
  // Of a send, into the receive that waits. False when it takes away what is not there: both ends are broken.
  bool Deliver(Role from, const MemoryFabric::Request& request);
  // The bound window of `owner` with that key; null without one.
  MemoryFabric::Window* BoundWindow(Role owner, std::uint32_t rkey);
  std::optional<std::span<std::byte>> RemoteBytes(Role owner, const MemoryFabric::Request& request);

  MemoryFabric& fabric_;
  const Role role_;
  bool connected_ = false;
  Handshake handshake_{};
};

}  // namespace rdmaready
