// SPDX-License-Identifier: Apache-2.0
// ShareAnswers: what this host's own SMB client, its RDMA port and its TCP connections show of files that were
// moved on a share. The contract is that of api/model/probe_rdma.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdmaready {

struct ShareAnswers {
  enum class Connection { kUnknown, kTcp, kRdma };

  std::optional<bool> client_smb_direct{};  // the client was built with it
  Connection connection = Connection::kUnknown;
  std::optional<bool> is_signed{};
  std::optional<bool> encrypted{};
  std::optional<std::uint64_t> max_read_write{};
  std::optional<std::uint64_t> rdma_threshold{};       // smaller I/O is sent, not placed
  std::optional<std::string> server_interfaces{};      // "10.0.0.9 25Gbps rdma, ..."
  std::optional<bool> address_announced_rdma{};        // absent: the server's address is not among them
  std::optional<std::string> file_left{};              // the test's own file, and why it could not be removed
  std::optional<std::uint64_t> moved_bytes{};          // of all files
  std::optional<std::uint64_t> port_bytes{};           // the RDMA port counted at most these meanwhile
  std::optional<std::uint64_t> new_tcp_connections{};  // to the server's SMB port

  bool operator==(const ShareAnswers&) const = default;

  void Fields(auto& list) const {
    list("share_client_smb_direct", client_smb_direct, "share_connection", connection, "share_signed",
         is_signed, "share_encrypted", encrypted, "share_max_read_write", max_read_write,
         "share_rdma_threshold", rdma_threshold, "share_server_interfaces", server_interfaces,
         "share_address_announced_rdma", address_announced_rdma, "share_file_left", file_left,
         "share_moved_bytes", moved_bytes, "share_port_bytes", port_bytes, "share_new_tcp_connections",
         new_tcp_connections);
  }
};

}  // namespace rdmaready
