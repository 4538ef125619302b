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

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("share_client_smb_direct", self.client_smb_direct);
    visit("share_connection", self.connection);
    visit("share_signed", self.is_signed);
    visit("share_encrypted", self.encrypted);
    visit("share_max_read_write", self.max_read_write);
    visit("share_rdma_threshold", self.rdma_threshold);
    visit("share_server_interfaces", self.server_interfaces);
    visit("share_address_announced_rdma", self.address_announced_rdma);
    visit("share_file_left", self.file_left);
    visit("share_moved_bytes", self.moved_bytes);
    visit("share_port_bytes", self.port_bytes);
    visit("share_new_tcp_connections", self.new_tcp_connections);
  }
};

}  // namespace rdmaready
