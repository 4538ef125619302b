// SPDX-License-Identifier: Apache-2.0
// Byte for byte against the layouts of RFC 7143 and RFC 7145.
#include "agent/probe/iser/iser_wire.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/agent/probe/bytes.h"

namespace rdmaready::iser {
namespace {

std::string Text(Octets bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// An answer with `header_hex` at the start of its basic header segment.
std::vector<std::byte> Answer(std::string_view header_hex, std::string_view text = {}) {
  std::vector<std::byte> bytes(kPduHeaderBytes + text.size());
  bytes[0] = std::byte{0x10};
  const std::vector<std::byte> header = Hex(header_hex);
  std::copy(header.begin(), header.end(), bytes.begin() + kIserHeaderBytes);
  PutText(bytes, kPduHeaderBytes, text.size(), text);
  return bytes;
}

TEST(IserWire, ConnectionOffersNeitherZeroBasedAddressesNorRemoteInvalidation) {
  const auto bytes = EncodeConnectPrivate();
  EXPECT_EQ(Sub(bytes, 0, 4), Hex("c0000000"));
  EXPECT_EQ(DecodeConnectAccept(Hex("c0000000 00")), ConnectAccept{});
  EXPECT_EQ(DecodeConnectAccept(Hex("80000000")), (ConnectAccept{.remote_invalidation = true}));
  EXPECT_FALSE(DecodeConnectAccept(Hex("c00000")));
}

TEST(IserWire, KeysAreTextWithAZeroByteEach) {
  const Keys keys = {{"InitiatorName", "iqn.a"}, {"SessionType", "Discovery"}};
  const auto bytes = EncodeKeys(keys);
  EXPECT_EQ(Text(bytes), std::string("InitiatorName=iqn.a\0SessionType=Discovery\0", 42));
  EXPECT_EQ(DecodeKeys(bytes, 2), keys);
  EXPECT_EQ(*FindKey(keys, "SessionType"), "Discovery");
  EXPECT_EQ(FindKey(keys, "TargetName"), nullptr);
}

TEST(IserWire, TextOfAHostileTargetIsBounded) {
  const auto keys = EncodeKeys({{"A", "1"}, {"B", "2"}, {"C", "3"}});
  EXPECT_FALSE(DecodeKeys(keys, 2)) << "more keys than allowed";
  EXPECT_FALSE(DecodeKeys(EncodeKeys({{std::string(64, 'k'), "v"}}), 8));
  EXPECT_TRUE(DecodeKeys(EncodeKeys({{std::string(63, 'k'), "v"}}), 8));
  EXPECT_FALSE(DecodeKeys(Hex("4142"), 8)) << "no equals sign";
  EXPECT_FALSE(DecodeKeys(Hex("3d42"), 8)) << "no key";
  EXPECT_EQ(DecodeKeys(Hex("413d1b5b 00 00 00"), 8), (Keys{{"A", "?["}})) << "no terminal is steered";
  EXPECT_EQ(DecodeKeys(Exact(Hex("413d42")).bytes(), 8), (Keys{{"A", "B"}})) << "the last zero may be missing";
}

TEST(IserWire, TargetsHaveTheAddressesThatFollowThem) {
  const Keys keys = {{"TargetAddress", "lost"},
                     {"TargetName", "iqn.a"},
                     {"TargetAddress", "10.0.0.2:3260,1"},
                     {"TargetAddress", "10.0.1.2:3260,1"},
                     {"TargetName", "iqn.b"}};
  EXPECT_EQ(TargetsOf(keys),
            (std::vector<Target>{{"iqn.a", {"10.0.0.2:3260,1", "10.0.1.2:3260,1"}}, {"iqn.b", {}}}));
}

TEST(IserWire, LoginRequestIsTheRfcs) {
  const auto text = EncodeKeys({{"A", "B"}});
  LoginRequest request{.current = Stage::kOperational,
                       .next = Stage::kFullFeature,
                       .sequence = {.task_tag = 0x01020304, .command = 1, .expected_status = 7}};
  request.initiator_session[0] = std::byte{0x80};
  const auto pdu = EncodeLogin(request, text);
  EXPECT_EQ(Sub(pdu, 0, 28), Hex("10000000 00000000 0000000000000000 00000000 0000000000000000"));
  EXPECT_EQ(Sub(pdu, 28, 48), Hex("43 87 00 00 00 000004 800000000000 0000 01020304 0000 0000 00000001 00000007"
                                  "00000000000000000000000000000000"));
  EXPECT_EQ(Text(Octets(pdu).subspan(76)), std::string("A=B\0", 4));
}

TEST(IserWire, DataIsPaddedToWordsAndTheLengthIsWithout) {
  const auto pdu = EncodeText({.task_tag = 5}, kNoTag, EncodeKeys({{"SendTargets", "All"}}));
  EXPECT_EQ(Sub(pdu, 28, 8), Hex("04 80 0000 00 000010"));
  EXPECT_EQ(Sub(pdu, 28 + 20, 4), Hex("ffffffff"));
  EXPECT_EQ(EncodeText({}, 1, Hex("413d4243 00")).size(), kPduHeaderBytes + 8);
}

TEST(IserWire, ReadNamesOurMemoryInTheIserHeader) {
  CommandBlock command{};
  command[0] = std::byte{0x28};
  const auto pdu = EncodeRead({.task_tag = 9, .command = 3, .expected_status = 4}, 0x0001000000000000, command,
                              {.address = 0x1122334455667788, .key = 0xa1b2c3d4, .length_bytes = 4096});
  EXPECT_EQ(Sub(pdu, 0, 28), Hex("14000000 00000000 0000000000000000 a1b2c3d4 1122334455667788"));
  EXPECT_EQ(Sub(pdu, 28, 48), Hex("01 c1 0000 00000000 0001000000000000 00000009 00001000 00000003 00000004"
                                  "28000000000000000000000000000000"));
  const auto plain = EncodeCommand({}, 0, command);
  EXPECT_EQ(plain[0], std::byte{0x10});
  EXPECT_EQ(plain[29], std::byte{0x81});
}

TEST(IserWire, LogoutAndPingAnswerAreImmediate) {
  EXPECT_EQ(Sub(EncodeLogout({.task_tag = 2, .command = 8}), 28, 2), Hex("46 80"));
  const auto pong = EncodeNopOut({.task_tag = 2}, 0xaabbccdd, 0x0001000000000000);
  EXPECT_EQ(Sub(pong, 28, 24), Hex("40 80 0000 00000000 0001000000000000 ffffffff aabbccdd"));
}

TEST(IserWire, AnswersAreNeverReadBeyondTheirEnd) {
  const auto answer = Answer("24 80 0000 00 000005", "A=BC\n");
  EXPECT_TRUE(DecodePdu(answer).has_value());
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_FALSE(DecodePdu(Exact(answer, size).bytes())) << size;
  EXPECT_FALSE(DecodePdu(Answer("24 80 0000 02 000005", "A=BC\n"))) << "a further header that is not there";
  auto hello = answer;
  hello[0] = std::byte{0x30};
  EXPECT_FALSE(DecodePdu(hello)) << "no iSCSI PDU";
}

TEST(IserWire, LoginAnswerIsRead) {
  const auto bytes =
      Answer("23 87 0000 00000000 800000000000 0102 00000001 00000000 00000010 00000011 00000020 0201");
  const auto pdu = DecodePdu(bytes);
  ASSERT_TRUE(pdu);
  EXPECT_EQ(pdu->opcode, static_cast<std::uint8_t>(Opcode::kLoginResponse));
  EXPECT_EQ(pdu->task_tag, 1u);
  const LoginAnswer answer = LoginAnswerOf(*pdu);
  EXPECT_TRUE(answer.transit);
  EXPECT_FALSE(answer.goes_on);
  EXPECT_EQ(answer.current, Stage::kOperational);
  EXPECT_EQ(answer.next, Stage::kFullFeature);
  EXPECT_EQ(answer.session, 0x0102);
  EXPECT_EQ(LoginStatusText(answer.status_class, answer.status_detail), "authentication failure (02/01)");
  const Numbers numbers = NumbersOf(*pdu);
  EXPECT_EQ(numbers.status, 0x10u);
  EXPECT_EQ(numbers.expected_command, 0x11u);
  EXPECT_EQ(numbers.most_command, 0x20u);
  EXPECT_EQ(LoginStatusText(3, 1), "service unavailable (03/01)");
  EXPECT_EQ(LoginStatusText(9, 9), "status without a name (09/09)");
}

TEST(IserWire, TextAnswerThatGoesOnIsNotFinal) {
  EXPECT_TRUE(TextAnswerOf(*DecodePdu(Answer("24 80"))).final);
  const TextAnswer more =
      TextAnswerOf(*DecodePdu(Answer("24 40 0000 00000000 0000000000000000 00000001 00000007")));
  EXPECT_FALSE(more.final);
  EXPECT_EQ(more.continued, 7u);
}

TEST(IserWire, ScsiAnswerHoldsStatusAndSense) {
  const std::string sense("\x00\x12\x70\x00\x06\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x29\x00\x00\x00\x00\x00",
                          20);
  const auto bytes = Answer(
      "21 82 00 02 00 000014 0000000000000000 00000009 00000000 00000000 00000000 00000000"
      "00000000 00000000 00000200",
      sense);
  const auto pdu = DecodePdu(bytes);
  ASSERT_TRUE(pdu);
  const ScsiAnswer answer = ScsiAnswerOf(*pdu);
  EXPECT_EQ(answer.response, 0);
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(answer.underflow);
  EXPECT_EQ(answer.residual_bytes, 512u);
  EXPECT_EQ(answer.sense.size(), 18u);
  const auto lying = Answer("21 80 00 02 00 000002", "\xff\xff");
  EXPECT_TRUE(ScsiAnswerOf(*DecodePdu(lying)).sense.empty()) << "longer than it is";
}

TEST(IserWire, RejectsAreNamed) {
  EXPECT_EQ(RejectText(RejectReasonOf(*DecodePdu(Answer("3f 80 04")))), "protocol error");
  EXPECT_EQ(RejectText(200), "reason 200");
  EXPECT_EQ(LogoutResponseOf(*DecodePdu(Answer("26 80 01"))), 1);
}

TEST(IserWire, NamesHoldNothingThatEndsAKey) {
  EXPECT_TRUE(IsName("iqn.2026-11.example:target-1"));
  EXPECT_FALSE(IsName(std::string("iqn.a\0b", 7)));
  EXPECT_FALSE(IsName("iqn a"));
  EXPECT_FALSE(IsName(""));
  EXPECT_FALSE(IsName(std::string(224, 'a')));
}

}  // namespace
}  // namespace rdmaready::iser
