// SPDX-License-Identifier: Apache-2.0
// Smb2Server: as much of an SMB2 server as a test of a client needs: it agrees to NEGOTIATE and lets nobody in.
// Pure. Section numbers are those of [MS-SMB2].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rdmaready {

struct Smb2Server {
  std::uint32_t status = 0;  // of NEGOTIATE, NTSTATUS
  std::uint16_t dialect = 0x0311;
  std::uint16_t security_mode = 1;    // signing enabled; 3: required
  std::uint32_t capabilities = 0x0C;  // large MTU, multi-channel: as ksmbd's of 3.1.1
  std::uint32_t max_transact_bytes = 1'048'576;
  std::uint32_t max_read_bytes = 4'194'304;
  std::uint32_t max_write_bytes = 4'194'304;
  bool rdma_transform = false;
  std::uint16_t security_buffer_bytes = 0;  // zeros, and not looked at by who is not let in
};

// What the server says to a message: an answer to NEGOTIATE, STATUS_LOGON_FAILURE to SESSION_SETUP, and
// STATUS_NOT_SUPPORTED to all else; nullopt for what is no SMB2 request.
std::optional<std::vector<std::byte>> AnswerOf(const Smb2Server& server, std::span<const std::byte> request);

// Of an SMB2 request.
inline constexpr std::uint16_t kSmb2Negotiate = 0;
inline constexpr std::uint16_t kSmb2SessionSetup = 1;
std::optional<std::uint16_t> CommandOf(std::span<const std::byte> request);

}  // namespace rdmaready
