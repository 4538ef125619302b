// SPDX-License-Identifier: Apache-2.0
// NfsAnswers: what an NFS server answered over RDMA, and what this host's own client says of a mount. The
// contract is that of api/model/probe_rdma.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rdmaready {

struct NfsRefusal {
  std::optional<std::string> version{};  // "3", "4", "4.1"
  std::optional<std::string> reason{};

  bool operator==(const NfsRefusal&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("version", self.version);
    visit("reason", self.reason);
  }
};

struct NfsAnswers {
  // The connection. Sizes are the specification's where the server says nothing (connect_data false).
  std::optional<bool> connect_data{};
  std::optional<std::uint64_t> server_send{};
  std::optional<std::uint64_t> server_receive{};
  std::optional<bool> remote_invalidation{};
  std::optional<std::uint64_t> credits{};
  std::vector<NfsRefusal> refused{};            // versions that were asked for
  std::optional<std::string> versions{};        // "3 4.0 4.1 4.2"
  std::optional<std::string> newest_version{};  // "4.2"
  // The proof.
  std::optional<std::string> proof_export{};
  std::optional<std::string> mount_transport{};  // "rdma"
  std::optional<std::uint64_t> rdma_request_bytes{};
  std::optional<std::uint64_t> rdma_reply_bytes{};

  bool operator==(const NfsAnswers&) const = default;

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("nfs_connect_data", self.connect_data);
    visit("nfs_server_send", self.server_send);
    visit("nfs_server_receive", self.server_receive);
    visit("nfs_remote_invalidation", self.remote_invalidation);
    visit("nfs_credits", self.credits);
    visit("nfs_refused", self.refused);
    visit("nfs_versions", self.versions);
    visit("nfs_newest_version", self.newest_version);
    visit("nfs_proof_export", self.proof_export);
    visit("nfs_mount_transport", self.mount_transport);
    visit("nfs_rdma_request_bytes", self.rdma_request_bytes);
    visit("nfs_rdma_reply_bytes", self.rdma_reply_bytes);
  }
};

}  // namespace rdmaready
