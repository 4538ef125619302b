// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/smb/smb2_wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "api/base/octets.h"

namespace rdmaready::smb2 {
namespace {

constexpr std::array<std::byte, 4> kProtocolId{std::byte{0xFE}, std::byte{'S'}, std::byte{'M'}, std::byte{'B'}};
constexpr std::size_t kAnswerBytes = 64 + 64;  // header and fixed part, 2.2.4
constexpr std::uint16_t kCreditsAsked = 31;
constexpr std::uint32_t kOurCapabilities = 0x7F;  // all of them, 2.2.3
constexpr std::uint16_t kMostListed = 32;         // algorithms of a context; more is no list of algorithms
constexpr std::uint16_t kMostContexts = 64;

class Smb2Writer {
 public:
  template <std::unsigned_integral T>
  void Put(T value) {
    Zeros(sizeof(T));
    Set(bytes_.size() - sizeof(T), value);
  }
  void PutBytes(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void Zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
  void Align() { Zeros((8 - bytes_.size() % 8) % 8); }
  // Filled in once it is known.
  template <std::unsigned_integral T>
  void Set(std::size_t at, T value) {
    PutLittle(bytes_, at, value);
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_{};
};

void PutHeader(Smb2Writer& writer) {
  writer.PutBytes(kProtocolId);
  writer.Put(std::uint16_t{64});  // StructureSize
  writer.Put(std::uint16_t{0});   // CreditCharge
  writer.Put(std::uint32_t{0});   // Status
  writer.Put(kCommandNegotiate);
  writer.Put(kCreditsAsked);
  writer.Zeros(kHeaderBytes - 16);  // Flags, NextCommand, MessageId, ids, signature
}

void PutContext(Smb2Writer& writer, std::uint16_t type, Bytes data) {
  writer.Align();
  writer.Put(type);
  writer.Put(static_cast<std::uint16_t>(data.size()));
  writer.Put(std::uint32_t{0});
  writer.PutBytes(data);
}

std::vector<std::byte> ListOf(std::initializer_list<std::uint16_t> numbers) {
  Smb2Writer writer;
  for (const std::uint16_t number : numbers) writer.Put(number);
  return writer.Take();
}

void PutContexts(Smb2Writer& writer, const NegotiateSeed& seed) {
  Smb2Writer preauth;
  preauth.Put(std::uint16_t{1});  // one algorithm
  preauth.Put(static_cast<std::uint16_t>(seed.salt.size()));
  preauth.Put(std::uint16_t{1});  // SHA-512
  preauth.PutBytes(seed.salt);
  PutContext(writer, kContextPreauth, preauth.Take());
  PutContext(writer, kContextEncryption, ListOf({4, 2, 1, 4, 3}));    // 4: AES-128-GCM, -CCM, AES-256-GCM, -CCM
  PutContext(writer, kContextSigning, ListOf({3, 2, 1, 0}));          // 3: AES-GMAC, AES-CMAC, HMAC-SHA256
  PutContext(writer, kContextTransform, ListOf({2, 0, 0, 0, 1, 2}));  // 2: encryption, signing
}

// `count` numbers at `at` of a context's data; nullopt when they are not all there.
std::optional<std::vector<std::uint16_t>> NumbersAt(Bytes data, std::size_t at, std::uint16_t count) {
  if (count > kMostListed || at + std::size_t{2} * count > data.size()) return std::nullopt;
  std::vector<std::uint16_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(GetLittle<std::uint16_t>(data, at + 2 * i));
  return numbers;
}

// False when it contradicts itself. Types that are not known here are passed over.
bool TakeContext(std::uint16_t type, Bytes data, NegotiateAnswer& answer) {
  std::vector<std::uint16_t>* list = nullptr;
  std::size_t at = 2;
  if (type == kContextEncryption) list = &answer.ciphers;
  if (type == kContextSigning) list = &answer.signing_algorithms;
  if (type == kContextTransform) {
    list = &answer.rdma_transforms;
    at = 8;
  }
  if (list == nullptr) return true;
  if (data.size() < 2) return false;
  std::optional<std::vector<std::uint16_t>> numbers = NumbersAt(data, at, GetLittle<std::uint16_t>(data, 0));
  if (!numbers) return false;
  *list = *std::move(numbers);
  return true;
}

bool TakeContexts(Bytes bytes, std::uint64_t at, std::uint16_t count, NegotiateAnswer& answer) {
  if (count > kMostContexts) return false;
  for (std::uint16_t i = 0; i < count; ++i) {
    at = (at + 7) / 8 * 8;
    if (at < kAnswerBytes || at + 8 > bytes.size()) return false;
    const std::uint16_t length = GetLittle<std::uint16_t>(bytes, at + 2);
    if (at + 8 + length > bytes.size()) return false;
    if (!TakeContext(GetLittle<std::uint16_t>(bytes, at), bytes.subspan(at + 8, length), answer)) return false;
    at += 8 + std::uint64_t{length};
  }
  return true;
}

constexpr std::array<std::pair<std::uint16_t, std::string_view>, 5> kDialects{
    {{0x0202, "2.0.2"}, {0x0210, "2.1"}, {0x0300, "3.0"}, {0x0302, "3.0.2"}, {0x0311, "3.1.1"}}};

constexpr std::array<std::pair<std::uint32_t, std::string_view>, 7> kCapabilities{{{0x01, "dfs"},
                                                                                   {0x02, "leasing"},
                                                                                   {0x04, "large-mtu"},
                                                                                   {0x08, "multi-channel"},
                                                                                   {0x10, "persistent-handles"},
                                                                                   {0x20, "directory-leasing"},
                                                                                   {0x40, "encryption"}}};

constexpr std::array<std::pair<std::uint16_t, std::string_view>, 4> kCiphers{
    {{1, "AES-128-CCM"}, {2, "AES-128-GCM"}, {3, "AES-256-CCM"}, {4, "AES-256-GCM"}}};

template <class Table, class Number>
std::string NameIn(const Table& table, Number number) {
  for (const auto& [known, name] : table) {
    if (known == number) return std::string(name);
  }
  return fmt::format("{:#06x}", number);
}

}  // namespace

std::vector<std::byte> EncodeNegotiate(std::span<const std::uint16_t> dialects, const NegotiateSeed& seed) {
  constexpr std::size_t kContextOffsetAt = 92;
  Smb2Writer writer;
  PutHeader(writer);
  writer.Put(std::uint16_t{36});  // StructureSize
  writer.Put(static_cast<std::uint16_t>(dialects.size()));
  writer.Put(kSigningEnabled);
  writer.Put(std::uint16_t{0});
  writer.Put(kOurCapabilities);
  writer.PutBytes(seed.client_guid);
  writer.Zeros(8);  // ClientStartTime, or where the contexts are
  for (const std::uint16_t dialect : dialects) writer.Put(dialect);
  if (std::ranges::find(dialects, kDialect311) == dialects.end()) return writer.Take();
  writer.Align();
  writer.Set(kContextOffsetAt, static_cast<std::uint32_t>(writer.size()));
  writer.Set(kContextOffsetAt + 4, std::uint16_t{4});
  PutContexts(writer, seed);
  return writer.Take();
}

std::variant<NegotiateAnswer, std::string_view> DecodeNegotiateAnswer(Bytes bytes) {
  using Wrong = std::string_view;
  if (bytes.size() < kHeaderBytes) return Wrong("shorter than an SMB2 header");
  if (!std::ranges::equal(bytes.first(4), kProtocolId)) return Wrong("not SMB2");
  if (GetLittle<std::uint16_t>(bytes, 4) != 64) return Wrong("an SMB2 header of another size");
  if (GetLittle<std::uint16_t>(bytes, 12) != kCommandNegotiate ||
      (GetLittle<std::uint32_t>(bytes, 16) & kFlagResponse) == 0 || GetLittle<std::uint64_t>(bytes, 24) != 0) {
    return Wrong("not the answer to a NEGOTIATE");
  }
  NegotiateAnswer answer{.status = GetLittle<std::uint32_t>(bytes, 8),
                         .credits_granted = GetLittle<std::uint16_t>(bytes, 14)};
  if (answer.status != 0) return answer;
  if (bytes.size() < kAnswerBytes) return Wrong("shorter than a NEGOTIATE response");
  if (GetLittle<std::uint16_t>(bytes, 64) != 65) return Wrong("a NEGOTIATE response of another size");
  answer.security_mode = GetLittle<std::uint16_t>(bytes, 66);
  answer.dialect = GetLittle<std::uint16_t>(bytes, 68);
  std::ranges::copy(bytes.subspan(72, answer.server_guid.size()), answer.server_guid.begin());
  answer.capabilities = GetLittle<std::uint32_t>(bytes, 88);
  answer.max_transact_bytes = GetLittle<std::uint32_t>(bytes, 92);
  answer.max_read_bytes = GetLittle<std::uint32_t>(bytes, 96);
  answer.max_write_bytes = GetLittle<std::uint32_t>(bytes, 100);
  const std::uint16_t blob_bytes = GetLittle<std::uint16_t>(bytes, 122);
  if (blob_bytes > 0 && std::size_t{GetLittle<std::uint16_t>(bytes, 120)} + blob_bytes > bytes.size()) {
    return Wrong("a security buffer that ends behind the message");
  }
  if (answer.dialect != kDialect311) return answer;
  if (!TakeContexts(bytes, GetLittle<std::uint32_t>(bytes, 124), GetLittle<std::uint16_t>(bytes, 70), answer)) {
    return Wrong("a negotiate context that contradicts itself");
  }
  return answer;
}

std::string DialectText(std::uint16_t dialect) { return NameIn(kDialects, dialect); }

std::string CipherText(std::uint16_t cipher) { return NameIn(kCiphers, cipher); }

std::string CapabilitiesText(std::uint32_t capabilities) {
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kCapabilities) {
    if ((capabilities & bit) != 0) names.push_back(name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " "));
}

bool CanEncrypt(const NegotiateAnswer& answer) {
  if (answer.dialect != kDialect311) return (answer.capabilities & kCapEncryption) != 0;
  return std::ranges::any_of(answer.ciphers, [](std::uint16_t cipher) { return cipher != 0; });
}

}  // namespace rdmaready::smb2
