// SPDX-License-Identifier: Apache-2.0
// VerbsLink: a RdmaLink over a reliable connection. The RDMA connection manager makes it, on InfiniBand, RoCE
// or iWARP, or it is a plain verbs connection of RoCE v2, as NCCL and perftest have. There each end moves its
// queue pair itself. It uses the GID of its address, and the traffic class of the settings (0 without one).
// iWARP has no connection without its connection manager, and on InfiniBand the subnet manager knows the paths.
//
// No request names the nonce of a plain connection before its queue pair is connected. A packet reaches that
// queue pair only from the GID that the initiator reported, with its number and PSN. The PSN is drawn at
// random. So the first message carries the nonce. Until it has come, no memory is registered but the 16 bytes
// for it, and another message ends the connection. Disconnect does not inform the peer: the control channel
// does.
//
// Its own protection domain, one completion queue for both directions. Event driven unless the settings say
// otherwise: it sleeps in poll() on the completion channel and the connection events at once. Uses neither
// inline data nor immediates, which not every device has.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/link/link.h"
#include "agent/link/verbs_resources.h"

namespace rdmaready {

class VerbsLink final : public RdmaLink {
 public:
  VerbsLink() = default;
  VerbsLink(const VerbsLink&) = delete;
  VerbsLink& operator=(const VerbsLink&) = delete;
  ~VerbsLink() override;

  absl::StatusOr<Endpoint> Listen(const std::string& local_address, const LinkSettings& settings) override;
  absl::Status Accept(const Nonce& nonce, const Patience& patience) override;
  absl::Status AcceptAnyone(const Greeter& greet, const Patience& patience) override;
  absl::Status Connect(const Endpoint& endpoint, PrivateData private_data, const std::string& local_address,
                       const LinkSettings& settings, const Patience& patience) override;
  const Handshake& handshake() const override { return handshake_; }

  absl::StatusOr<MemoryId> Register(std::span<std::byte> memory, Access access) override;
  void Unregister(MemoryId memory) override;
  RemoteMemory Remote(MemoryId memory) const override;

  bool can_invalidate() const override { return can_invalidate_; }
  absl::StatusOr<WindowId> MakeWindow(MemoryId memory) override;
  absl::StatusOr<RemoteMemory> Bind(WindowId window, std::uint64_t offset, std::uint32_t length) override;

  absl::Status PostReceive(std::uint64_t id, const Slice& to) override;
  absl::Status Post(std::span<const WorkRequest> requests) override;
  absl::StatusOr<std::size_t> Wait(std::span<Completion> completions, TimePoint deadline) override;

  void Disconnect() override;
  LinkFacts Describe() const override;

 private:
  struct Window {
    MemoryWindow window{};
    MemoryId memory{};
    bool bound = false;
  };

  // --- set-up (verbs_setup.cc) ---
  absl::Status OpenChannel(CmId& id);
  absl::Status OpenContext(const CmId& id);
  absl::Status CreateQueues();  // and moves the queue pair to where receives may be posted
  absl::Status CreateQueuePair();
  absl::Status Mark(CmId& id) const;
  // Of a request: what to answer with, or a failure that refuses it.
  using Admission = std::function<absl::StatusOr<std::vector<std::uint8_t>>(const CmEvent& event)>;
  absl::Status AcceptIf(const Admission& admit, const Patience& patience);
  absl::Status AcceptRequest(const CmEvent& request, CmId id, PrivateData answer);
  void Reject(CmId request);
  CmParameters Parameters(PrivateData private_data, const CmEvent* request) const;
  absl::Status Establish(const CmEvent& answer, const std::string& action);
  void Remember(const CmEvent& event);
  absl::Status CmFailed(int error_number, const std::string& action, Refusal otherwise);
  absl::Status NobodyCame() const;
  absl::Status ResolvePath(const Endpoint& endpoint, const std::string& local_address,
                           const Patience& patience);
  absl::Status AwaitPathEvent(CmEventType wanted, const std::string& action, const Patience& patience);
  bool is_iwarp() const;

  // --- set-up of a plain verbs connection (verbs_plain.cc) ---
  bool is_plain() const { return settings_.connection == ConnectionKind::kVerbs; }
  absl::Status OpenPlain(const std::string& local_address, const LinkSettings& settings);
  absl::Status CreatePlainQueuePair();
  absl::Status ConnectTo(const QueuePairEnd& peer);
  absl::StatusOr<Endpoint> ListenPlain(const std::string& local_address, const LinkSettings& settings);
  absl::Status AcceptPlain(const Nonce& nonce, const Patience& patience);
  absl::Status ConnectPlain(const Endpoint& endpoint, PrivateData nonce, const std::string& local_address,
                            const LinkSettings& settings, const Patience& patience);
  absl::Status ReceiveNonce(const Nonce& nonce, const Patience& patience);
  absl::Status SendNonce(PrivateData nonce, const Patience& patience);
  absl::StatusOr<Completion> AwaitOne(const Patience& patience);

  // --- data path (verbs_data.cc) ---
  absl::StatusOr<ibv_sge> Element(const Slice& slice) const;
  absl::Status PostSome(std::span<const WorkRequest> requests);
  absl::StatusOr<std::size_t> Take(std::span<Completion> completions);
  absl::StatusOr<std::size_t> WaitAsleep(std::span<Completion> completions, TimePoint deadline);
  absl::StatusOr<std::size_t> WaitAwake(std::span<Completion> completions, TimePoint deadline);
  absl::Status Broken(const ibv_wc& completion);
  std::optional<std::uint32_t> TakenAway(const ibv_wc& completion);
  absl::Status Sleep(TimePoint deadline);
  absl::Status LookAtEvents();

  // Parents first, so that they go last.
  CmChannel channel_{};
  CmId listener_{};
  CmId id_{};
  DeviceContext context_{};
  ProtectionDomain domain_{};
  CompletionChannel completion_channel_{};
  CompletionQueue queue_{};
  QueuePair queue_pair_{};
  std::vector<MemoryRegion> memory_{};  // by MemoryId; empty where unregistered
  std::vector<Window> windows_{};       // by WindowId; empty where the memory is unregistered
  bool can_invalidate_ = false;

  CmRoute route_{};  // of id_, or of the listener before there is one; of a plain connection its own GIDs
  QueuePairEnd own_end_{};      // of a plain connection
  std::uint8_t gid_index_ = 0;  // of its GID in the port's table
  LinkSettings settings_{};
  Handshake handshake_{};
  bool connected_ = false;
  LinkFacts described_{};        // once disconnected
  unsigned unacknowledged_ = 0;  // completion events
  TimePoint next_event_look_{};  // when busy polling
  absl::Status broken_{};        // why no completion can come any more
  std::uint64_t rejected_ = 0;   // requests without the right nonce
  std::string last_rejected_{};  // the address of the last one
  std::string place_{};          // "10.0.0.1 port 40123": for messages
};

}  // namespace rdmaready
