// SPDX-License-Identifier: Apache-2.0
#include "collectors/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using wire::operator+;

TEST(Attributes, AnEmptyListHasNothing) {
  const auto list = Attributes::Parse({}, "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_FALSE(list->Find(1));
  EXPECT_EQ(Message(list->U32(1).status()), "decode thing: no attribute 1");
}

TEST(Attributes, ANestedFlagIsNotPartOfTheType) {
  const auto bytes = wire::Nest(3, wire::U8(1, 7));
  const auto list = Attributes::Parse(bytes, "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE(list->Find(3));
}

TEST(Attributes, AnotherLengthIsAnErrorAndNotANumber) {
  const auto bytes = wire::U16(1, 7);
  const auto list = Attributes::Parse(bytes, "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(Message(list->U32(1).status()), "decode thing: attribute 1 has 2 bytes, not 4");
  EXPECT_EQ(*list->U16(1), 7);
}

TEST(Attributes, TextWithoutItsNulIsAnError) {
  const auto bytes = wire::Attr(1, {std::byte{'a'}, std::byte{'b'}});
  const auto list = Attributes::Parse(bytes, "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_FALSE(list->Text(1).ok());
}

TEST(Attributes, ALengthBeyondTheEndIsAnError) {
  auto bytes = wire::U32(1, 7);
  bytes[0] = std::byte{9};
  EXPECT_FALSE(Attributes::Parse(bytes, "thing").ok());
}

TEST(Attributes, ALengthShorterThanTheHeaderDoesNotLoop) {
  auto bytes = wire::U32(1, 7);
  bytes[0] = std::byte{0};
  EXPECT_FALSE(Attributes::Parse(bytes, "thing").ok());
}

TEST(Attributes, BytesLeftOverAreAnErrorAndNotSilence) {
  auto bytes = wire::U32(1, 7);
  bytes.push_back(std::byte{1});
  EXPECT_FALSE(Attributes::Parse(bytes, "thing").ok());
}

TEST(Attributes, TheLastAttributeMayGoWithoutPadding) {
  auto bytes = wire::U8(1, 7);
  bytes.resize(5);
  const auto list = Attributes::Parse(bytes, "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(*list->U8(1), 7);
}

TEST(Attributes, AnyAlignmentWillDo) {
  const auto shifted = wire::Bytes{std::byte{0xff}} + wire::U32(1, 7);
  const auto list = Attributes::Parse(std::span(shifted).subspan(1), "thing");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(*list->U32(1), 7U);
}

TEST(Payload, IsWhatAHandWrittenOneIs) {
  EXPECT_EQ(Payload().U32(1, 7).Text(2, "eth0").bytes(), wire::U32(1, 7) + wire::Text(2, "eth0"));
}

TEST(AskForOne, NoMessageAtAllIsAnError) {
  FakeHost host;
  host.Answer(wire::DeviceRequest(1), std::vector<NetlinkMessage>{});
  EXPECT_EQ(Message(AskForOne(host, wire::DeviceRequest(1), "thing").status()), "decode thing: empty answer");
}

}  // namespace
}  // namespace rdmaready
