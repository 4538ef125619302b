// SPDX-License-Identifier: Apache-2.0
// SmbdClient: an SMB Direct connection towards a server, as its initiator: connect, negotiate, ask, each within
// a patience. One thread. Failures are those of RdmaLink and smbdirect::Edge; kStalled when the server
// kept silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/smbdirect/iwarp.h"
#include "agent/smbdirect_link/edge.h"

namespace rdmaready {

class SmbdClient {
 public:
  // What a kernel client asks for: 32 reads of the server's here, one of ours there (which no client makes).
  static constexpr smbdirect::Depths kDepths{.ird = 32, .ord = 1};

  // `settings` is valid.
  SmbdClient(const LinkMaker& make_link, const smbdirect::Settings& settings);
  SmbdClient(const SmbdClient&) = delete;
  SmbdClient& operator=(const SmbdClient&) = delete;
  ~SmbdClient();

  // Once. On iWARP the depths go along in the private data, [MS-SMBD] 6.1.
  absl::Status Connect(const Endpoint& to, const std::string& local_address, bool iwarp,
                       const Patience& patience);
  // Once connected.
  absl::Status Negotiate(const Patience& patience);
  // Once negotiated: one message there, and the first one that comes back. At most kMostRequestBytes.
  static constexpr std::uint32_t kMostRequestBytes = 4096;
  absl::StatusOr<std::vector<std::byte>> Ask(smbdirect::Bytes request, const Patience& patience);

  const Handshake& handshake() const { return link_->handshake(); }
  LinkFacts facts() const { return link_->Describe(); }
  const smbdirect::Connection& connection() const { return edge_.connection(); }
  // Agreed with the server: its reads here (ird), ours there (ord). 0: none are possible.
  smbdirect::Depths depths() const;

 private:
  absl::Status StepUntil(const std::function<bool()>& done, const std::string& what, const Patience& patience);

  const smbdirect::Settings settings_;
  const std::unique_ptr<RdmaLink> link_;
  std::unique_ptr<Buffer> request_{};
  bool iwarp_ = false;
  std::optional<std::vector<std::byte>> answer_{};
  smbdirect::Edge edge_;
};

}  // namespace rdmaready
