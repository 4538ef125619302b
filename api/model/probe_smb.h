// SPDX-License-Identifier: Apache-2.0
// SmbTcpAnswers, SmbAnswers: what an SMB server answered by TCP, and over RDMA. The contract is that
// of api/model/probe_rdma.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdmaready {

struct SmbTcpAnswers {
  std::optional<std::string> dialect{};  // "3.1.1"
  std::optional<bool> multi_channel{};

  bool operator==(const SmbTcpAnswers&) const = default;

  void Fields(auto& list) const { list("tcp_dialect", dialect, "tcp_multi_channel", multi_channel); }
};

struct SmbAnswers {
  enum class Signing { kUnknown, kDisabled, kEnabled, kRequired };
  // What becomes of a client that asks for the least sizes that MS-SMBD allows.
  enum class Minimum { kUnknown, kAccepted, kDropped, kSilent };

  // The negotiation of MS-SMBD.
  std::optional<std::string> smbd_status{};  // of a refusal: "0xc000009a"
  std::optional<std::uint64_t> smbd_credits_asked{};
  std::optional<std::uint64_t> smbd_credits_granted{};
  std::optional<std::uint64_t> smbd_credits_wanted{};
  std::optional<std::uint64_t> smbd_max_read_write{};
  std::optional<std::uint64_t> smbd_preferred_send{};
  std::optional<std::uint64_t> smbd_max_receive{};
  std::optional<std::uint64_t> smbd_max_fragmented{};
  // SMB2 NEGOTIATE over RDMA.
  std::optional<std::string> dialect{};
  std::optional<std::string> capabilities{};
  std::optional<bool> multi_channel{};
  Signing signing = Signing::kUnknown;
  std::optional<std::string> encryption{};  // ciphers, "no"
  std::optional<bool> rdma_transform{};
  std::optional<std::uint64_t> max_transact{};
  std::optional<std::uint64_t> max_read{};
  std::optional<std::uint64_t> max_write{};
  std::optional<std::uint64_t> io_size{};  // the largest I/O that results from all limits
  Minimum smbd_minimum = Minimum::kUnknown;

  bool operator==(const SmbAnswers&) const = default;

  void Fields(auto& list) const {
    list("smbd_status", smbd_status, "smbd_credits_asked", smbd_credits_asked, "smbd_credits_granted",
         smbd_credits_granted, "smbd_credits_wanted", smbd_credits_wanted, "smbd_max_read_write",
         smbd_max_read_write, "smbd_preferred_send", smbd_preferred_send, "smbd_max_receive", smbd_max_receive,
         "smbd_max_fragmented", smbd_max_fragmented, "smb2_dialect", dialect, "smb2_capabilities", capabilities,
         "smb2_multi_channel", multi_channel, "smb2_signing", signing, "smb2_encryption", encryption,
         "smb2_rdma_transform", rdma_transform, "smb2_max_transact", max_transact, "smb2_max_read", max_read,
         "smb2_max_write", max_write, "io_size", io_size, "smbd_accepts_minimum", smbd_minimum);
  }
};

}  // namespace rdmaready
