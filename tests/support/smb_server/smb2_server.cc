// SPDX-License-Identifier: Apache-2.0
#include "tests/support/smb_server/smb2_server.h"

#include <algorithm>
#include <array>
#include <concepts>

namespace rdmaready {
namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::uint32_t kStatusNotSupported = 0xC00000BB;
constexpr std::uint32_t kStatusLogonFailure = 0xC000006D;

using Octets = std::vector<std::byte>;

template <std::unsigned_integral T>
void Set(Octets& bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>((std::uint64_t{value} >> (8 * i)) & 0xff);
}

// The header of the request, turned into that of its answer, 2.2.1.
Octets AnswerHeader(std::span<const std::byte> request, std::uint32_t status) {
  Octets answer(request.begin(), request.begin() + kHeaderBytes);
  Set(answer, 8, status);
  Set(answer, 14, std::uint16_t{1});           // CreditResponse
  Set(answer, 16, std::uint32_t{0x00000001});  // SMB2_FLAGS_SERVER_TO_REDIR
  Set(answer, 20, std::uint32_t{0});           // NextCommand
  return answer;
}

Octets SmbRefusal(std::span<const std::byte> request, std::uint32_t status) {  // 2.2.2
  Octets answer = AnswerHeader(request, status);
  answer.resize(kHeaderBytes + 9);
  Set(answer, kHeaderBytes, std::uint16_t{9});
  return answer;
}

// The number, length and data of a context, 2.2.3.1, on a boundary of 8 bytes.
void AddContext(Octets& answer, std::uint16_t type, const Octets& data) {
  answer.resize((answer.size() + 7) / 8 * 8);
  const std::size_t at = answer.size();
  answer.resize(at + 8);
  Set(answer, at, type);
  Set(answer, at + 2, static_cast<std::uint16_t>(data.size()));
  answer.insert(answer.end(), data.begin(), data.end());
}

void AddContexts(const Smb2Server& server, Octets& answer) {
  answer.resize((answer.size() + 7) / 8 * 8);
  Set(answer, 124, static_cast<std::uint32_t>(answer.size()));
  Set(answer, 70, static_cast<std::uint16_t>(server.rdma_transform ? 3 : 2));
  Octets preauth(38);
  Set(preauth, 0, std::uint16_t{1});   // one algorithm
  Set(preauth, 2, std::uint16_t{32});  // length of the salt
  Set(preauth, 4, std::uint16_t{1});   // SHA-512
  AddContext(answer, 1, preauth);
  Octets encryption(4);
  Set(encryption, 0, std::uint16_t{1});
  Set(encryption, 2, std::uint16_t{2});  // AES-128-GCM
  AddContext(answer, 2, encryption);
  if (!server.rdma_transform) return;
  Octets transform(12);
  Set(transform, 0, std::uint16_t{2});
  Set(transform, 8, std::uint16_t{1});
  Set(transform, 10, std::uint16_t{2});
  AddContext(answer, 7, transform);
}

Octets Agreement(const Smb2Server& server, std::span<const std::byte> request) {  // 2.2.4
  constexpr std::uint16_t kBufferAt = 128;
  Octets answer = AnswerHeader(request, 0);
  answer.resize(kBufferAt + std::size_t{server.security_buffer_bytes});
  Set(answer, 64, std::uint16_t{65});
  Set(answer, 66, server.security_mode);
  Set(answer, 68, server.dialect);
  std::fill_n(answer.begin() + 72, 16, std::byte{0x5a});  // ServerGuid
  Set(answer, 88, server.capabilities);
  Set(answer, 92, server.max_transact_bytes);
  Set(answer, 96, server.max_read_bytes);
  Set(answer, 100, server.max_write_bytes);
  Set(answer, 104, std::uint64_t{0x01dc59a000000000});  // SystemTime, some day in November 2025
  Set(answer, 120, kBufferAt);
  Set(answer, 122, server.security_buffer_bytes);
  if (server.dialect == 0x0311) AddContexts(server, answer);
  return answer;
}

}  // namespace

std::optional<std::uint16_t> CommandOf(std::span<const std::byte> request) {
  constexpr std::array<std::byte, 4> kProtocolId{std::byte{0xFE}, std::byte{'S'}, std::byte{'M'},
                                                 std::byte{'B'}};
  if (request.size() < kHeaderBytes || !std::ranges::equal(request.first(4), kProtocolId)) return std::nullopt;
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(request[12]) |
                                    std::to_integer<unsigned>(request[13]) << 8);
}

std::optional<std::vector<std::byte>> AnswerOf(const Smb2Server& server, std::span<const std::byte> request) {
  const std::optional<std::uint16_t> command = CommandOf(request);
  if (!command) return std::nullopt;
  if (*command == kSmb2SessionSetup) return SmbRefusal(request, kStatusLogonFailure);
  if (*command != kSmb2Negotiate) return SmbRefusal(request, kStatusNotSupported);
  return server.status == 0 ? Agreement(server, request) : SmbRefusal(request, server.status);
}

}  // namespace rdmaready
