// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldpad_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/support/lldpad_wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kNetdev = "dcb0";

TEST(LldpadMessages, QuestionsAreAsLldptoolWritesThem) {
  EXPECT_EQ(LldpadModeQuestion(kNetdev), lldpad_wire::ModeQuestion(kNetdev));
  EXPECT_EQ(LldpadTlvsQuestion(kNetdev, LldpadTlvs::kNeighbour), lldpad_wire::NeighbourQuestion(kNetdev));
  EXPECT_EQ(LldpadTlvsQuestion(kNetdev, LldpadTlvs::kOwn), lldpad_wire::OwnQuestion(kNetdev));
  EXPECT_EQ(LldpadModeQuestion("enp129s0f1np1v5"), "M00000001C303000000040fenp129s0f1np1v5000badminStatus");
}

TEST(LldpadMessages, QuestionsPassAndOrdersDoNot) {
  EXPECT_TRUE(CheckLldpadQuestion(lldpad_wire::ModeQuestion(kNetdev)).ok());
  EXPECT_TRUE(CheckLldpadQuestion(lldpad_wire::NeighbourQuestion(kNetdev)).ok());
  EXPECT_TRUE(CheckLldpadQuestion(lldpad_wire::OwnQuestion(kNetdev)).ok());
  for (const std::string order : {
           "", "M00000001", "A", "D", "L3", "C30100000002dcb0",
           "M00000001C3040000000c04dcb0000badminStatus0004rxtx",      // set-lldp
           "M00000001C3020000000c04dcb0000080c20b08enableTx0003yes",  // set-tlv
           "M001b2101C30100000002",                                   // another module
           "M00000001C20100000002",                                   // another version
           "M00000001C3010000002204dcb0",                             // delete
       }) {
    EXPECT_EQ(CheckLldpadQuestion(order).code(), absl::StatusCode::kInvalidArgument) << order;
  }
  const std::string long_one = lldpad_wire::OwnQuestion(kNetdev) + std::string(300, '0');
  EXPECT_FALSE(CheckLldpadQuestion(long_one).ok());
}

TEST(LldpadMessages, TheFourModes) {
  EXPECT_EQ(*DecodeLldpadMode(kNetdev, lldpad_wire::Mode(kNetdev, "0008disabled")), LldpadMode::kDisabled);
  EXPECT_EQ(*DecodeLldpadMode(kNetdev, lldpad_wire::Mode(kNetdev, "0002tx")), LldpadMode::kTx);
  EXPECT_EQ(*DecodeLldpadMode(kNetdev, lldpad_wire::Mode(kNetdev, "0002rx")), LldpadMode::kRx);
  EXPECT_EQ(*DecodeLldpadMode(kNetdev, lldpad_wire::Mode(kNetdev, "0004rxtx")), LldpadMode::kRxTx);
  for (const char* wrong : {"", "0004", "0004rx", "0005rxtx", "0002up", "0004rxtx0", "rxtx"})
    EXPECT_FALSE(DecodeLldpadMode(kNetdev, lldpad_wire::Mode(kNetdev, wrong)).ok()) << wrong;
}

TEST(LldpadMessages, TheTlvsComeBackByteForByte) {
  const lldp_wire::Bytes unit = lldpad_wire::UnitOf(lldp_wire::FullFrame());
  EXPECT_EQ(*DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, lldpad_wire::Neighbour(kNetdev, unit)), unit);
  EXPECT_EQ(*DecodeLldpadTlvs(kNetdev, LldpadTlvs::kOwn, lldpad_wire::Own(kNetdev, unit)), unit);
  EXPECT_THAT(*DecodeLldpadTlvs(kNetdev, LldpadTlvs::kOwn, lldpad_wire::Own(kNetdev, {})), IsEmpty());
}

TEST(LldpadMessages, TheLongestAnswerIsReadAndALongerOneIsNot) {
  const std::string head = lldpad_wire::Neighbour(kNetdev, {});
  const std::string longest = head + std::string(kLongestLldpadAnswer - head.size(), 'a');
  const auto read = [](const std::string& answer) {
    return DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, answer);
  };
  EXPECT_THAT(Message(read(longest).status()), HasSubstr("half a byte"));
  const auto even = read(longest.substr(0, longest.size() - 1));
  ASSERT_TRUE(even.ok());
  EXPECT_THAT(*even, SizeIs((longest.size() - 1 - head.size()) / 2));
  EXPECT_THAT(Message(read(longest + "aa").status()), HasSubstr("too long"));
}

TEST(LldpadMessages, RefusalsSayWhy) {
  const auto status = [](const std::string& answer) {
    return DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, answer).status();
  };
  EXPECT_EQ(status("R0a"), absl::PermissionDeniedError("ask lldpad about dcb0: it answers root only"));
  EXPECT_EQ(status("R02C3010000000204dcb0"),
            absl::UnimplementedError("ask lldpad about dcb0: it does not manage it"));
  EXPECT_EQ(status("R03C3010000000204dcb00000007f"),
            absl::UnimplementedError("ask lldpad about dcb0: it does not manage it"));
  EXPECT_EQ(Message(status("R04")), "ask lldpad about dcb0: it answers with status 4");
}

TEST(LldpadMessages, WhatIsNoAnswerIsRefused) {
  const std::string good = lldpad_wire::Neighbour(kNetdev, lldpad_wire::UnitOf(lldp_wire::FullFrame()));
  const auto wrong = [](const std::string& answer) {
    return DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, answer).status().code() ==
           absl::StatusCode::kDataLoss;
  };
  for (const std::string& answer :
       {std::string(), std::string("R"), std::string("R0"), std::string("Rxx"), std::string("R-1"),
        std::string("R00"), "E" + good.substr(1), good.substr(0, 17), good + "0", good + "0g", good + "+1",
        good + " 1", good + std::string(2, '\0'), std::string("R00C3010000000104dcb00000007f"),
        std::string("R00C3010000000204dcb10000007f")}) {
    EXPECT_TRUE(wrong(answer)) << answer;
  }
}

// Each prefix, and each byte changed: whatever it is, it is read within its bounds.
TEST(LldpadMessages, NoAnswerDoesHarm) {
  const std::string good = lldpad_wire::Neighbour(kNetdev, lldpad_wire::UnitOf(lldp_wire::FullFrame()));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const std::string cut(good.substr(0, i));
    static_cast<void>(DecodeLldpadMode(kNetdev, cut));
    const auto unit = DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, cut);
    EXPECT_LT(unit.ok() ? unit->size() : 0, good.size() / 2);
    for (const char letter : {'\0', '\xff', 'g'}) {
      std::string changed = good;
      changed[i] = letter;
      EXPECT_FALSE(DecodeLldpadTlvs(kNetdev, LldpadTlvs::kNeighbour, changed).ok()) << i;
    }
  }
}

}  // namespace
}  // namespace rdmaready
