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

  void Fields(auto& list) const { list("version", version, "reason", reason); }
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

  void Fields(auto& list) const {
    list("nfs_connect_data", connect_data, "nfs_server_send", server_send, "nfs_server_receive", server_receive,
         "nfs_remote_invalidation", remote_invalidation, "nfs_credits", credits, "nfs_refused", refused,
         "nfs_versions", versions, "nfs_newest_version", newest_version, "nfs_proof_export", proof_export,
         "nfs_mount_transport", mount_transport, "nfs_rdma_request_bytes", rdma_request_bytes,
         "nfs_rdma_reply_bytes", rdma_reply_bytes);
  }
};

}  // namespace rdmaready
