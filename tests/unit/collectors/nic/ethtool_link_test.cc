// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/ethtool_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "collectors/nic/ethtool_family.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::operator+;

constexpr std::uint16_t kFamily = 21;

wire::Bytes GenericHeader(std::uint8_t command) { return wire::Of(genlmsghdr{command, 1, 0}); }

NetlinkRequest LinkRequest(std::uint8_t command, bool statistics = false, const wire::Bytes& extra = {}) {
  const int header = command == ETHTOOL_MSG_STATS_GET ? ETHTOOL_A_STATS_HEADER : 1;  // 1 of all others
  wire::Bytes about = wire::U32(ETHTOOL_A_HEADER_DEV_INDEX, 7);
  if (statistics) about = about + wire::U32(ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_STATS);
  return {NETLINK_GENERIC, kFamily, false, GenericHeader(command) + wire::Nest(header, about) + extra};
}

wire::Bytes Bit(const std::string& name, bool value) {
  wire::Bytes bit = wire::U32(ETHTOOL_A_BITSET_BIT_INDEX, 3) + wire::Text(ETHTOOL_A_BITSET_BIT_NAME, name);
  if (value) bit = bit + wire::Attr(ETHTOOL_A_BITSET_BIT_VALUE, {});
  return wire::Nest(ETHTOOL_A_BITSET_BITS_BIT, bit);
}

wire::Bytes Set(int type, const wire::Bytes& bits, bool masked) {
  wire::Bytes set = masked ? wire::Bytes{} : wire::Attr(ETHTOOL_A_BITSET_NOMASK, {});
  return wire::Nest(type, set + wire::U32(ETHTOOL_A_BITSET_SIZE, 92) + wire::Nest(ETHTOOL_A_BITSET_BITS, bits));
}

wire::Bytes Statistic(int type, std::uint64_t value) {
  return wire::Nest(ETHTOOL_A_STATS_GRP_STAT, wire::U64(type, value));
}
wire::Bytes Group(std::uint32_t id, const wire::Bytes& statistics) {
  return wire::Nest(ETHTOOL_A_STATS_GRP, wire::U32(ETHTOOL_A_STATS_GRP_ID, id) + statistics);
}

Attributes Parse(const wire::Bytes& bytes) { return *Attributes::Parse(bytes, "answer"); }

EthernetLink ReadLink(FakeHost& host, const std::string& sysfs = "/sys/class/net/eth0") {
  return ReadEthernetLink(host, kFamily, 7, sysfs);
}

TEST(EthtoolFamily, IsFoundInTheListOfAll) {
  FakeHost host;
  const NetlinkRequest list{NETLINK_GENERIC, GENL_ID_CTRL, true,
                            wire::Of(genlmsghdr{CTRL_CMD_GETFAMILY, 1, 0})};
  const auto family = [](const char* name, std::uint16_t id) {
    return GenericHeader(CTRL_CMD_NEWFAMILY) + wire::Text(CTRL_ATTR_FAMILY_NAME, name) +
           wire::U16(CTRL_ATTR_FAMILY_ID, id);
  };
  host.Answer(list, wire::Each({family("nlctrl", 16), family("ethtool", 21)}));
  EXPECT_EQ(*FindEthtoolFamily(ReadGenericFamilies(host)), 21);
  host.Answer(list, wire::One(family("nlctrl", 16)));
  EXPECT_EQ(FindEthtoolFamily(ReadGenericFamilies(host)).status().code(), absl::StatusCode::kUnimplemented);
  const EthernetLink link = ReadEthernetLink(host, FindEthtoolFamily(ReadGenericFamilies(host)), 7, "");
  EXPECT_EQ(link.modes.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(link.fec.missing().detail, HasSubstr("no ethtool netlink"));
}

TEST(LinkModes, AreThoseOfBothEnds) {
  FakeHost host;
  host.Answer(
      LinkRequest(ETHTOOL_MSG_LINKMODES_GET),
      wire::One(
          GenericHeader(ETHTOOL_MSG_LINKMODES_GET_REPLY) + wire::U8(ETHTOOL_A_LINKMODES_AUTONEG, 1) +
          Set(ETHTOOL_A_LINKMODES_OURS, Bit("25000baseCR/Full", true) + Bit("10000baseCR/Full", false), true) +
          Set(ETHTOOL_A_LINKMODES_PEER, Bit("25000baseCR/Full", true), false) +
          wire::U32(ETHTOOL_A_LINKMODES_LANES, 1)));
  const Fact<LinkModes> modes = ReadLink(host).modes;
  ASSERT_TRUE(modes) << modes.missing().detail;
  EXPECT_TRUE(modes->autoneg);
  EXPECT_THAT(modes->supported, ElementsAre("25000baseCR/Full", "10000baseCR/Full"));
  EXPECT_THAT(modes->advertised, ElementsAre("25000baseCR/Full"));
  EXPECT_THAT(modes->peer, ElementsAre("25000baseCR/Full"));
  EXPECT_EQ(modes->lanes, 1U);
}

TEST(Fec, CountsBlocksOfAllLanes) {
  FakeHost host;
  const wire::Bytes lanes =
      wire::Of(std::uint64_t{12}) + wire::Of(std::uint64_t{7}) + wire::Of(std::uint64_t{5});
  host.Answer(
      LinkRequest(ETHTOOL_MSG_FEC_GET, true),
      wire::One(GenericHeader(ETHTOOL_MSG_FEC_GET_REPLY) + Set(ETHTOOL_A_FEC_MODES, Bit("RS", true), false) +
                wire::U8(ETHTOOL_A_FEC_AUTO, 1) + wire::U32(ETHTOOL_A_FEC_ACTIVE, 50) +
                wire::Nest(ETHTOOL_A_FEC_STATS, wire::Attr(ETHTOOL_A_FEC_STAT_CORRECTED, lanes) +
                                                    wire::Attr(ETHTOOL_A_FEC_STAT_UNCORR, {}))));
  const Fact<Fec> fec = ReadLink(host).fec;
  ASSERT_TRUE(fec) << fec.missing().detail;
  EXPECT_EQ(
      *fec,
      (Fec{.automatic = true, .configured = {"RS"}, .active = "RS", .corrected_blocks = std::uint64_t{12}}));
}

TEST(Fec, ThatIsOffOrNotThereIsToldApart) {
  EXPECT_EQ(DecodeFec(Parse(wire::U32(ETHTOOL_A_FEC_ACTIVE, 49)))->active, "None");
  EXPECT_EQ(DecodeFec(Parse({}))->active, "");
  FakeHost host;
  host.Answer(LinkRequest(ETHTOOL_MSG_FEC_GET, true), ErrnoStatus(EOPNOTSUPP, "ask"));
  EXPECT_EQ(ReadLink(host).fec.missing(), (Missing{Missing::Kind::kUnsupported, "the driver has no FEC"}));
  host.Answer(LinkRequest(ETHTOOL_MSG_FEC_GET, true), ErrnoStatus(EPERM, "ask"));
  EXPECT_EQ(ReadLink(host).fec.missing().kind, Missing::Kind::kDenied);
}

TEST(PauseFrames, AreCountedOrAGapAndNeverZero) {
  const wire::Bytes both =
      wire::U64(ETHTOOL_A_PAUSE_STAT_TX_FRAMES, 3) + wire::U64(ETHTOOL_A_PAUSE_STAT_RX_FRAMES, 4);
  EXPECT_EQ(*DecodePauseFrames(Parse(wire::Nest(ETHTOOL_A_PAUSE_STATS, both))), (PauseFrames{3, 4}));
  EXPECT_EQ(DecodePauseFrames(Parse({})).missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(DecodePauseFrames(Parse(wire::Nest(ETHTOOL_A_PAUSE_STATS, {}))).missing().kind,
            Missing::Kind::kUnsupported);
}

TEST(PrivateFlags, HaveNamesAndValues) {
  const wire::Bytes bits = Bit("fw-lldp-agent", true) + Bit("link-down-on-close", false);
  const auto flags = DecodePrivateFlags(Parse(Set(ETHTOOL_A_PRIVFLAGS_FLAGS, bits, true)));
  ASSERT_TRUE(flags.ok());
  EXPECT_THAT(*flags,
              ElementsAre(PrivateFlag{"fw-lldp-agent", true}, PrivateFlag{"link-down-on-close", false}));
  EXPECT_FALSE(DecodePrivateFlags(Parse({})).ok());
}

TEST(StandardCounters, AreThoseOfTheirGroup) {
  FakeHost host;
  const wire::Bytes wanted = wire::Nest(
      ETHTOOL_A_STATS_GROUPS,
      wire::Attr(ETHTOOL_A_BITSET_NOMASK, {}) +
          wire::Nest(ETHTOOL_A_BITSET_BITS,
                     wire::Nest(ETHTOOL_A_BITSET_BITS_BIT, wire::U32(ETHTOOL_A_BITSET_BIT_INDEX, 0)) +
                         wire::Nest(ETHTOOL_A_BITSET_BITS_BIT, wire::U32(ETHTOOL_A_BITSET_BIT_INDEX, 1))));
  host.Answer(LinkRequest(ETHTOOL_MSG_STATS_GET, false, wanted),
              wire::One(GenericHeader(ETHTOOL_MSG_STATS_GET_REPLY) +
                        Group(ETHTOOL_STATS_ETH_PHY, Statistic(ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR, 6)) +
                        Group(ETHTOOL_STATS_ETH_MAC, Statistic(ETHTOOL_A_STATS_ETH_MAC_2_TX_PKT, 1) +
                                                         Statistic(ETHTOOL_A_STATS_ETH_MAC_6_FCS_ERR, 5))));
  const EthernetLink link = ReadLink(host);
  EXPECT_EQ(*link.fcs_errors, 5U);
  EXPECT_EQ(*link.symbol_errors, 6U);
  EXPECT_EQ(DecodeStandardCounters(Parse(Group(ETHTOOL_STATS_ETH_MAC, {}))).fcs_errors.missing().kind,
            Missing::Kind::kUnsupported);
}

TEST(EthernetLink, HasRingsChannelsEeeAndAReasonToBeDown) {
  const Rings rings{.rx = 1, .rx_max = 2, .tx = 3, .tx_max = 4};
  EXPECT_EQ(*DecodeRings(Parse(wire::U32(ETHTOOL_A_RINGS_RX, 1) + wire::U32(ETHTOOL_A_RINGS_RX_MAX, 2) +
                               wire::U32(ETHTOOL_A_RINGS_TX, 3) + wire::U32(ETHTOOL_A_RINGS_TX_MAX, 4))),
            rings);
  EXPECT_EQ(DecodeChannels(Parse(wire::U32(ETHTOOL_A_CHANNELS_COMBINED_COUNT, 8)))->combined, 8U);
  EXPECT_EQ(*DecodeEee(Parse(wire::U8(ETHTOOL_A_EEE_ENABLED, 1) + wire::U8(ETHTOOL_A_EEE_ACTIVE, 0))),
            (Eee{.enabled = true}));
  EXPECT_FALSE(DecodeEee(Parse({})).ok());
  EXPECT_EQ(*DecodeDownReason(Parse(wire::U8(ETHTOOL_A_LINKSTATE_EXT_STATE, 4) +
                                    wire::U8(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, 1))),
            (DownReason{4, 1}));
  EXPECT_EQ(DecodeDownReason(Parse(wire::U8(ETHTOOL_A_LINKSTATE_LINK, 1))).missing().kind,
            Missing::Kind::kUnsupported);
}

TEST(Temperatures, ComeFromHwmonWithTheirLimits) {
  FakeHost host;
  const std::string folder = "/sys/class/net/eth0/device/hwmon";
  host.directories[folder] = std::vector<std::string>{"hwmon3"};
  host.directories[folder + "/hwmon3"] =
      std::vector<std::string>{"name", "temp1_crit", "temp1_input", "temp1_label", "temp2_input"};
  host.files[folder + "/hwmon3/temp1_input"] = "61000\n";
  host.files[folder + "/hwmon3/temp1_label"] = "asic\n";
  host.files[folder + "/hwmon3/temp1_crit"] = "105000\n";
  host.files[folder + "/hwmon3/temp2_input"] = ErrnoStatus(EIO, "read");  // an empty cage
  const auto heat = ReadLink(host).temperatures;
  ASSERT_TRUE(heat) << heat.missing().detail;
  EXPECT_THAT(*heat, ElementsAre(Temperature{.label = "asic", .now_mc = 61'000, .critical_mc = 105'000}));
}

TEST(Temperatures, AreNotKnownWhenASensorOrTheListOfThemWasNotRead) {
  const std::string folder = "/sys/class/net/eth0/device/hwmon";
  FakeHost host;
  host.directories[folder] = std::vector<std::string>{"hwmon3"};
  host.directories[folder + "/hwmon3"] = ErrnoStatus(EACCES, "list");
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kDenied);
  host.directories[folder + "/hwmon3"] = std::vector<std::string>{"temp1_input"};
  host.files[folder + "/hwmon3/temp1_input"] = NotCollected("not in this recording");
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kNotCollected);
  host.files[folder + "/hwmon3/temp1_input"] = ErrnoStatus(EACCES, "read");
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kDenied);
  host.files[folder + "/hwmon3/temp1_input"] = "warm\n";
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kFailed);
  host.files[folder + "/hwmon3/temp1_input"] = ErrnoStatus(EIO, "read");
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kUnsupported);
}

TEST(Temperatures, AreNoneWithoutASensorAndUnknownOfAnotherInterface) {
  FakeHost host;
  EXPECT_EQ(ReadLink(host).temperatures.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(ReadLink(host, "").temperatures.missing().kind, Missing::Kind::kFailed);
}

}  // namespace
}  // namespace rdmaready
