// SPDX-License-Identifier: Apache-2.0
// ONC RPC (RFC 5531) over RDMA version 1 (RFC 8166, with the private data of RFC 8797), as far as the two calls
// need it that show which versions of NFS a server has: all fields big-endian.
//
// Pure functions over values, callable from any thread. A decoder reads nothing outside the span it is given,
// whatever the bytes say; bytes behind what a message needs are tolerated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/base/octets.h"

namespace rdmaready::nfs {

inline constexpr std::uint16_t kPort = 20049;
inline constexpr std::uint32_t kInlineBytes = 1024;  // of a message, where no private data says otherwise
inline constexpr std::uint32_t kOurInlineBytes = 4096;

// ---- RDMA connection
// --------------------------------------------------------------------------------------------

inline constexpr std::size_t kConnectPrivateBytes = 8;

// Private data of the request: kOurInlineBytes both ways, no remote invalidation.
std::array<std::byte, kConnectPrivateBytes> EncodeConnectPrivate();

struct ConnectAccept {
  bool remote_invalidation = false;
  std::uint32_t send_bytes = kInlineBytes;     // most that the server sends in one message
  std::uint32_t receive_bytes = kInlineBytes;  // most that it takes
  bool operator==(const ConnectAccept&) const = default;
};
// nullopt when the server sent none of this kind.
std::optional<ConnectAccept> DecodeConnectAccept(Octets private_data);

// ---- calls
// ------------------------------------------------------------------------------------------------------

// Does nothing: the call that every program answers. Without credentials.
std::vector<std::byte> EncodeNull(std::uint32_t id, std::uint32_t credits, std::uint32_t version);

// NFS 4.`minor`'s COMPOUND of no operations: answered by whether the server has that minor version.
std::vector<std::byte> EncodeEmptyCompound(std::uint32_t id, std::uint32_t credits, std::uint32_t minor);

// ---- answers
// ----------------------------------------------------------------------------------------------------

enum class Verdict {
  kSuccess,
  kProgramUnavailable,
  kProgramMismatch,  // low, high: what it serves
  kProcedureUnavailable,
  kGarbageArguments,
  kSystemError,
  kRpcMismatch,          // low, high
  kAuthenticationError,  // detail: the RPC's auth_stat
  kRdmaVersion,          // RDMA_ERROR: low, high
  kRdmaChunk,            // RDMA_ERROR
  kUnknown,              // detail: the status that has no name
};

struct Reply {
  std::uint32_t id = 0;
  std::uint32_t credits = 0;  // granted
  Verdict verdict = Verdict::kUnknown;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t detail = 0;
  Octets results{};  // of a success: inside the bytes that were decoded
};

// nullopt when it is no reply, or cut, or refers to memory that was not offered.
std::optional<Reply> DecodeReply(Octets bytes);

// "program mismatch: it serves versions 4 to 4"
std::string ReplyText(const Reply& reply);

inline constexpr std::uint32_t kMinorVersionMismatch = 10021;  // NFS4ERR_MINOR_VERS_MISMATCH
// The status of an empty COMPOUND; nullopt when cut.
std::optional<std::uint32_t> DecodeCompoundStatus(Octets results);

}  // namespace rdmaready::nfs
