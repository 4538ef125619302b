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

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("tcp_dialect", self.dialect);
    visit("tcp_multi_channel", self.multi_channel);
  }
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

  template <class Self, class Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("smbd_status", self.smbd_status);
    visit("smbd_credits_asked", self.smbd_credits_asked);
    visit("smbd_credits_granted", self.smbd_credits_granted);
    visit("smbd_credits_wanted", self.smbd_credits_wanted);
    visit("smbd_max_read_write", self.smbd_max_read_write);
    visit("smbd_preferred_send", self.smbd_preferred_send);
    visit("smbd_max_receive", self.smbd_max_receive);
    visit("smbd_max_fragmented", self.smbd_max_fragmented);
    visit("smb2_dialect", self.dialect);
    visit("smb2_capabilities", self.capabilities);
    visit("smb2_multi_channel", self.multi_channel);
    visit("smb2_signing", self.signing);
    visit("smb2_encryption", self.encryption);
    visit("smb2_rdma_transform", self.rdma_transform);
    visit("smb2_max_transact", self.max_transact);
    visit("smb2_max_read", self.max_read);
    visit("smb2_max_write", self.max_write);
    visit("io_size", self.io_size);
    visit("smbd_accepts_minimum", self.smbd_minimum);
  }
};

}  // namespace rdmaready
