// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/ethtool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TEST(DriverInformation, IsDecoded) {
  const auto info = DecodeDriverInfo(wire::DriverInfo("mlx5_core", "16.35.3006 (MT_0000000012)"));
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(*info, (rdmaready::DriverInfo{"mlx5_core", "6.12", "16.35.3006 (MT_0000000012)", "0000:3b:00.0"}));
}

TEST(DriverInformation, TextEndsWithItsFieldEvenWithoutNul) {
  const auto info = DecodeDriverInfo(wire::DriverInfo(std::string(40, 'x'), std::string(32, 'y')));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->driver, std::string(32, 'x'));
  EXPECT_EQ(info->firmware, std::string(32, 'y'));
}

TEST(DriverInformation, OfAnotherLengthOrToAnotherQuestionIsAnError) {
  auto bytes = wire::DriverInfo("a", "b");
  bytes.pop_back();
  EXPECT_EQ(Message(DecodeDriverInfo(bytes).status()), "decode driver information: 195 bytes, not 196");
  bytes.resize(196);
  bytes[0] = std::byte{0x12};
  EXPECT_THAT(Message(DecodeDriverInfo(bytes).status()), HasSubstr("the answer is to command 18"));
  EXPECT_FALSE(DecodeDriverInfo({}).ok());
}

TEST(PauseParameters, AreThreeSwitches) {
  EXPECT_EQ(*DecodePause(wire::PauseParameters(true, false)), (Pause{.rx = true}));
  EXPECT_EQ(*DecodePause(wire::PauseParameters(false, true)), (Pause{.tx = true}));
  auto bytes = wire::PauseParameters(false, false);
  bytes[4] = std::byte{1};
  EXPECT_EQ(*DecodePause(bytes), (Pause{.autoneg = true}));
}

TEST(StormTimeout, IsMillisecondsWithTwoMarks) {
  for (const std::uint16_t timeout : std::array<std::uint16_t, 3>{0, 100, 0xffff}) {
    EXPECT_EQ(*DecodePfcStormTimeout(wire::StormTimeout(timeout)), timeout);
  }
}

TEST(StormTimeout, OfAnotherTunableIsAnError) {
  for (const std::size_t at : {4U, 8U, 12U}) {
    auto bytes = wire::StormTimeout(100);
    bytes[at] = std::byte{9};
    EXPECT_FALSE(DecodePfcStormTimeout(bytes).ok()) << at;
  }
  auto bytes = wire::StormTimeout(100);
  bytes.pop_back();
  EXPECT_FALSE(DecodePfcStormTimeout(bytes).ok());
}

TEST(Ethtool, WhatTheDriverHasNotIsUnsupportedByName) {
  FakeHost host;
  EXPECT_EQ(ReadPause(host, "eth0").missing(),
            (Missing{Missing::Kind::kUnsupported, "driver reports no pause parameters (get_pauseparam)"}));
  EXPECT_THAT(ReadDriverInfo(host, "eth0").missing().detail, HasSubstr("get_drvinfo"));
  const Missing none{Missing::Kind::kUnsupported,
                     "driver has no PFC storm prevention (ETHTOOL_PFC_PREVENTION_TOUT)"};
  EXPECT_EQ(ReadPfcStormTimeout(host, "eth0").missing(), none);
  host.ethtool[{"eth0", ETHTOOL_GTUNABLE}] = ErrnoStatus(EINVAL, "ask ethtool about eth0");
  EXPECT_EQ(ReadPfcStormTimeout(host, "eth0").missing(), none);
}

TEST(Ethtool, ADeviceThatIsGoneIsAFailureAndARefusalIsDenied) {
  FakeHost host;
  host.ethtool[{"eth0", ETHTOOL_GPAUSEPARAM}] = ErrnoStatus(ENODEV, "ask ethtool about eth0");
  EXPECT_EQ(ReadPause(host, "eth0").missing(),
            (Missing{Missing::Kind::kFailed, "ask ethtool about eth0: No such device"}));
  host.ethtool[{"eth0", ETHTOOL_GTUNABLE}] = ErrnoStatus(EPERM, "ask ethtool about eth0");
  EXPECT_EQ(ReadPfcStormTimeout(host, "eth0").missing().kind, Missing::Kind::kDenied);
}

TEST(Ethtool, AnAnswerThatMakesNoSenseIsAFailure) {
  FakeHost host;
  host.ethtool[{"eth0", ETHTOOL_GPAUSEPARAM}] = wire::Bytes(3);
  EXPECT_EQ(ReadPause(host, "eth0").missing(),
            (Missing{Missing::Kind::kFailed, "decode pause parameters: 3 bytes, not 16"}));
}

}  // namespace
}  // namespace rdmaready
