// SPDX-License-Identifier: Apache-2.0
// The two messages of SMB2 that a probe needs, byte for byte: NEGOTIATE and its answer. All fields are
// little-endian. Section numbers are those of [MS-SMB2].
//
// Pure functions. The decoder reads nothing outside the bytes it is given, whatever they say, and allocates no
// more than those bytes justify. No prefix of a transport: TCP puts 4 bytes before a message, SMB Direct none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rdmaready::smb2 {

using Bytes = std::span<const std::byte>;

inline constexpr std::size_t kHeaderBytes = 64;              // 2.2.1
inline constexpr std::uint16_t kCommandNegotiate = 0;        // 2.2.1
inline constexpr std::uint32_t kFlagResponse = 0x00000001;   // 2.2.1
inline constexpr std::uint16_t kDialect311 = 0x0311;         // 2.2.3
inline constexpr std::uint16_t kDialect300 = 0x0300;         // the first that knows RDMA
inline constexpr std::uint16_t kSigningEnabled = 0x0001;     // 2.2.4
inline constexpr std::uint16_t kSigningRequired = 0x0002;    // 2.2.4
inline constexpr std::uint32_t kCapMultiChannel = 0x0008;    // 2.2.4
inline constexpr std::uint32_t kCapEncryption = 0x0040;      // 2.2.4, of 3.0 and 3.0.2
inline constexpr std::uint16_t kContextPreauth = 0x0001;     // 2.2.3.1
inline constexpr std::uint16_t kContextEncryption = 0x0002;  // 2.2.3.1
inline constexpr std::uint16_t kContextTransform = 0x0007;   // 2.2.3.1
inline constexpr std::uint16_t kContextSigning = 0x0008;     // 2.2.3.1

// Random, fresh for each connection.
struct NegotiateSeed {
  std::array<std::byte, 16> client_guid{};
  std::array<std::byte, 32> salt{};
};

// A NEGOTIATE request, 2.2.3, that offers `dialects`, with the contexts preauthentication, encryption, signing
// and RDMA transform when 3.1.1 is among them.
std::vector<std::byte> EncodeNegotiate(std::span<const std::uint16_t> dialects, const NegotiateSeed& seed);

struct NegotiateAnswer {     // 2.2.4
  std::uint32_t status = 0;  // NTSTATUS; other than 0: a refusal, and nothing below was told
  std::uint16_t credits_granted = 0;
  std::uint16_t security_mode = 0;
  std::uint16_t dialect = 0;
  std::array<std::byte, 16> server_guid{};
  std::uint32_t capabilities = 0;
  std::uint32_t max_transact_bytes = 0;
  std::uint32_t max_read_bytes = 0;
  std::uint32_t max_write_bytes = 0;
  // Of the contexts of 3.1.1; empty when the server sent no such context.
  std::vector<std::uint16_t> ciphers{};
  std::vector<std::uint16_t> signing_algorithms{};
  std::vector<std::uint16_t> rdma_transforms{};
  bool operator==(const NegotiateAnswer&) const = default;
};

// The answer to NEGOTIATE, or what is wrong with the bytes: "shorter than an SMB2 header".
std::variant<NegotiateAnswer, std::string_view> DecodeNegotiateAnswer(Bytes bytes);

// "3.1.1", "2.0.2"; "0x1234" for what has no name.
std::string DialectText(std::uint16_t dialect);

// "large-mtu multi-channel"; "none".
std::string CapabilitiesText(std::uint32_t capabilities);

// "AES-128-GCM"
std::string CipherText(std::uint16_t cipher);

// Whether sessions may be encrypted: by the context of 3.1.1, by the capability before.
bool CanEncrypt(const NegotiateAnswer& answer);

}  // namespace rdmaready::smb2
