// SPDX-License-Identifier: Apache-2.0
// CifsState: what the kernel's SMB client says of its connections (/proc/fs/cifs/DebugData).
//
// The text is for people and has changed with kernels (5.15 to 7.0; fs/smb/client/cifs_debug.c): what is not
// found is absent, lines that are not known are passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

// An address that the server offers to multichannel clients (FSCTL_QUERY_NETWORK_INTERFACE_INFO).
struct CifsInterface {
  std::string address{};
  std::string speed{};  // as the kernel writes it: "25Gbps"
  bool rdma = false;
  bool rss = false;
  bool connected = false;

  bool operator==(const CifsInterface&) const = default;
};

struct CifsConnection {
  std::uint64_t id = 0;
  std::string server{};
  bool rdma = false;
  bool is_signed = false;
  bool encrypted = false;
  std::optional<std::uint64_t> max_read_write_bytes{};  // of an RDMA read or write
  std::optional<std::uint64_t> rdma_threshold_bytes{};  // smaller I/O is sent, not placed
  std::vector<CifsInterface> interfaces{};

  bool operator==(const CifsConnection&) const = default;
};

struct CifsState {
  std::optional<bool> smb_direct{};  // the client was built with it; absent: the kernel does not say
  std::vector<CifsConnection> connections{};

  bool operator==(const CifsState&) const = default;
};

CifsState ParseCifsState(std::string_view debug_data);

}  // namespace rdmaready
