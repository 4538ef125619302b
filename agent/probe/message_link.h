// SPDX-License-Identifier: Apache-2.0
// MessageLink: a RdmaLink towards a server whose protocol is messages by Send, and memory of ours that the
// server reads or writes while one request is under way. One thread.
//
// Receives are posted before the connection is made and after each message that was taken, so the server always
// finds one as long as it keeps to `receives`. All failures are those of RdmaLink; kStalled when the server
// kept silent until the patience ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/buffer.h"
#include "agent/link/link.h"
#include "api/base/octets.h"

namespace rdmaready {

class MessageLink {
 public:
  struct Sizes {
    std::uint32_t receives = 8;
    std::uint32_t receive_bytes = 0;
    std::uint32_t send_bytes = 0;  // of the longest message
  };

  MessageLink(const LinkMaker& make_link, const Sizes& sizes);
  MessageLink(const MessageLink&) = delete;
  MessageLink& operator=(const MessageLink&) = delete;
  ~MessageLink();

  // Once. A refusal by who listens is explained from its private data; empty: it says nothing.
  using Explain = std::string (*)(Octets private_data);
  absl::Status Connect(const Endpoint& to, const std::string& local_address, Octets private_data,
                       Explain explain, const Patience& patience);

  // At most `send_bytes`.
  absl::Status Send(Octets message, const Patience& patience);
  // The next message that has come or comes. Valid until the next call.
  absl::StatusOr<Octets> Receive(const Patience& patience);

  // Memory for the server to read or to write, until the Buffer goes; the link must outlive it.
  absl::StatusOr<std::unique_ptr<Buffer>> Lend(std::uint32_t size_bytes, Access access) {
    return Buffer::Make(*link_, size_bytes, 1, access);
  }

  // Tells the server at once that it is over.
  void Disconnect() { link_->Disconnect(); }

  const Handshake& handshake() const { return link_->handshake(); }
  Octets private_data() const { return std::as_bytes(std::span(link_->handshake().private_data)); }
  LinkFacts facts() const { return link_->Describe(); }

 private:
  absl::Status Prepare();
  // Waits for anything to complete: sends are counted, receives queued.
  absl::Status Progress(const std::string& what, const Patience& patience);

  const Sizes sizes_;
  const std::unique_ptr<RdmaLink> link_;
  std::unique_ptr<Buffer> receive_{};
  std::unique_ptr<Buffer> send_{};
  bool sending_ = false;
  struct Arrival {
    std::uint64_t slot = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Arrival> arrived_{};        // oldest first
  std::optional<std::uint64_t> taken_{};  // slot of the message handed out last
};

}  // namespace rdmaready
