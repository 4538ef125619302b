// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/smb/smb2_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/support/smb_server/smb2_server.h"

namespace rdmaready::smb2 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Octets = std::vector<std::byte>;

constexpr std::array<std::uint16_t, 3> kThree{0x0300, 0x0302, 0x0311};

Octets Request() { return EncodeNegotiate(kThree, {}); }
Octets Answer(const Smb2Server& server = {}) { return *AnswerOf(server, Request()); }

std::string WhatIsWrong(const Octets& bytes) {
  const auto decoded = DecodeNegotiateAnswer(bytes);
  const auto* wrong = std::get_if<std::string_view>(&decoded);
  return wrong == nullptr ? std::string("nothing") : std::string(*wrong);
}

unsigned At(const Octets& bytes, std::size_t at) { return std::to_integer<unsigned>(bytes.at(at)); }

// The offsets and sizes are those of a request that ksmbd answered.
TEST(Smb2Negotiate, HasTheBytesThatServersAnswered) {
  NegotiateSeed seed;
  seed.client_guid.fill(std::byte{0xab});
  seed.salt.fill(std::byte{0xcd});
  const Octets request = EncodeNegotiate(kThree, seed);
  ASSERT_EQ(request.size(), 220u);
  EXPECT_EQ(std::memcmp(request.data(), "\xfeSMB\x40\x00", 6), 0);
  EXPECT_EQ(At(request, 14), 31u);  // credits
  EXPECT_EQ(At(request, 64), 36u);
  EXPECT_EQ(At(request, 66), 3u);  // dialects
  EXPECT_EQ(At(request, 72), 0x7fu);
  EXPECT_EQ(At(request, 76), 0xabu);
  EXPECT_EQ(At(request, 92), 112u);  // contexts
  EXPECT_EQ(At(request, 96), 4u);
  EXPECT_EQ(At(request, 104), 0x11u);
  EXPECT_EQ(At(request, 105), 0x03u);
  EXPECT_EQ(At(request, 112), 1u);
  EXPECT_EQ(At(request, 114), 38u);
  EXPECT_EQ(At(request, 126), 0xcdu);  // salt
  EXPECT_EQ(At(request, 160), 2u);
  EXPECT_EQ(At(request, 184), 8u);
  EXPECT_EQ(At(request, 200), 7u);
  EXPECT_EQ(At(request, 202), 12u);
}

TEST(Smb2Negotiate, HasNoContextsWithout311) {
  constexpr std::array<std::uint16_t, 2> kOld{0x0300, 0x0302};
  const Octets request = EncodeNegotiate(kOld, {});
  EXPECT_EQ(request.size(), 104u);
  EXPECT_EQ(At(request, 92), 0u);
}

TEST(Smb2Answer, TellsWhatTheServerAgreesTo) {
  const auto decoded = DecodeNegotiateAnswer(Answer({.security_mode = 3, .rdma_transform = true}));
  const auto& answer = std::get<NegotiateAnswer>(decoded);
  EXPECT_EQ(answer.status, 0u);
  EXPECT_EQ(answer.dialect, kDialect311);
  EXPECT_EQ(answer.security_mode, kSigningEnabled | kSigningRequired);
  EXPECT_EQ(answer.capabilities, 0x0cu);
  EXPECT_EQ(answer.max_transact_bytes, 1'048'576u);
  EXPECT_EQ(answer.max_read_bytes, 4'194'304u);
  EXPECT_EQ(answer.max_write_bytes, 4'194'304u);
  EXPECT_EQ(answer.server_guid[15], std::byte{0x5a});
  EXPECT_THAT(answer.ciphers, ElementsAre(2));
  EXPECT_THAT(answer.rdma_transforms, ElementsAre(1, 2));
  EXPECT_THAT(answer.signing_algorithms, IsEmpty());
  EXPECT_TRUE(CanEncrypt(answer));
}

TEST(Smb2Answer, OfAnOlderDialectHasNoContexts) {
  const auto decoded = DecodeNegotiateAnswer(Answer({.dialect = 0x0300, .capabilities = 0x08}));
  const auto& answer = std::get<NegotiateAnswer>(decoded);
  EXPECT_EQ(answer.dialect, kDialect300);
  EXPECT_FALSE(CanEncrypt(answer));
}

TEST(Smb2Answer, ThatRefusesTellsTheStatusAlone) {
  const auto decoded = DecodeNegotiateAnswer(Answer({.status = 0xC00000BB}));
  EXPECT_EQ(std::get<NegotiateAnswer>(decoded), (NegotiateAnswer{.status = 0xC00000BB, .credits_granted = 1}));
}

TEST(Smb2Answer, SaysWhatIsWrong) {
  EXPECT_EQ(WhatIsWrong({}), "shorter than an SMB2 header");
  EXPECT_EQ(WhatIsWrong(Octets(64)), "not SMB2");
  EXPECT_EQ(WhatIsWrong(Request()), "not the answer to a NEGOTIATE");
  Octets cut = Answer();
  cut.resize(127);
  EXPECT_EQ(WhatIsWrong(cut), "shorter than a NEGOTIATE response");
  Octets blob = Answer();
  blob[123] = std::byte{0xff};
  EXPECT_EQ(WhatIsWrong(blob), "a security buffer that ends behind the message");
}

TEST(Smb2Answer, WithContextsThatLieIsRefused) {
  constexpr std::size_t kCountAt = 70;
  constexpr std::size_t kOffsetAt = 124;
  constexpr std::size_t kFirstContext = 128;
  const struct {
    std::size_t at;
    unsigned value;
  } lies[] = {{kCountAt, 65}, {kCountAt, 9},          {kOffsetAt + 3, 0xff},
              {kOffsetAt, 0}, {kFirstContext + 3, 2}, {kFirstContext + 50, 0x40}};
  for (const auto& lie : lies) {
    Octets bytes = Answer();
    bytes.at(lie.at) = static_cast<std::byte>(lie.value);
    if (lie.at == kFirstContext + 50) bytes.at(kFirstContext + 56) = std::byte{0xff};  // ciphers
    EXPECT_EQ(WhatIsWrong(bytes), "a negotiate context that contradicts itself") << lie.at;
  }
}

// Every prefix, and every byte turned to 0xff: an answer or a reason, and nothing read outside (the sanitizers'
// part, in the fuzz target too).
TEST(Smb2Answer, SurvivesEveryCutAndEveryWrongByte) {
  const Octets whole = Answer({.rdma_transform = true, .security_buffer_bytes = 74});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(WhatIsWrong(cut), "nothing") << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Octets wrong = whole;
    wrong[at] = std::byte{0xff};
    static_cast<void>(DecodeNegotiateAnswer(wrong));
  }
}

TEST(Smb2Texts, NameWhatIsKnown) {
  EXPECT_EQ(DialectText(0x0311), "3.1.1");
  EXPECT_EQ(DialectText(0x02ff), "0x02ff");
  EXPECT_EQ(CapabilitiesText(0x0c), "large-mtu multi-channel");
  EXPECT_EQ(CapabilitiesText(0), "none");
  EXPECT_EQ(CipherText(4), "AES-256-GCM");
}

}  // namespace
}  // namespace rdmaready::smb2
