// SPDX-License-Identifier: Apache-2.0
// What a person would type, for each kind of setting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

// Of dcb0 of that driver, or of another object.
std::vector<std::string> Typed(std::string_view driver, const SettingObject& object, std::string_view from,
                               std::string_view to) {
  const Facts host = OfDriver(driver);
  return CommandsOf(PlaceOf(host, object), from, to);
}

std::vector<std::string> Typed(std::string_view driver, SettingKind kind, std::string_view from,
                               std::string_view to) {
  return Typed(driver, OfDcb0(kind), from, to);
}

std::string RemedyText(std::string_view driver, SettingKind kind, std::string_view from, std::string_view to) {
  const Facts host = OfDriver(driver);
  const SettingObject object = OfDcb0(kind);
  return OneLine(RemedyFor(PlaceOf(host, object), from, to));
}

constexpr std::string_view kFlat =
    "willing on tsa ets,strict,strict,strict,strict,strict,strict,strict tx 100,0,0,0,0,0,0,0 prio "
    "0,0,0,0,0,0,0,0";
constexpr std::string_view kTwoClasses =
    "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
    "0,0,0,3,0,0,0,0";

TEST(PfcCommands, NameAllPriorities) {
  EXPECT_THAT(Typed("dcbnic", SettingKind::kPfc, "off delay 0", "on 3 delay 0"),
              ElementsAre("dcb pfc set dev dcb0 prio-pfc all:off 3:on"));
  EXPECT_THAT(Typed("dcbnic", SettingKind::kPfc, "on 3 delay 0", "off delay 0"),
              ElementsAre("dcb pfc set dev dcb0 prio-pfc all:off"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kPfc, "on 3 delay 7", "on 3 delay 30"),
              ElementsAre("dcb pfc set dev dcb0 delay 30"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kPfc, "off delay 7", "on 3,4 delay 30"),
              ElementsAre("dcb pfc set dev dcb0 prio-pfc all:off 3:on 4:on delay 30"));
}

TEST(PfcCommands, SayWhatTheyCost) {
  EXPECT_EQ(RemedyText("mlx5_core", SettingKind::kPfc, "off delay 7", "on 3 delay 7"),
            "dcb pfc set dev dcb0 prio-pfc all:off 3:on  # the link goes down for a moment");
  EXPECT_EQ(RemedyText("ice", SettingKind::kPfc, "off delay 0", "on 3 delay 0"),
            "dcb pfc set dev dcb0 prio-pfc all:off 3:on  # the driver stops the port for a moment");
  EXPECT_EQ(RemedyText("dcbnic", SettingKind::kPfc, "off delay 0", "on 3 delay 0"),
            "dcb pfc set dev dcb0 prio-pfc all:off 3:on");
}

TEST(EtsCommands, AreTheWholeOfItButForWillingness) {
  EXPECT_THAT(
      Typed("dcbnic", SettingKind::kEts, kFlat, kTwoClasses),
      ElementsAre("dcb ets set dev dcb0 willing off tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 "
                  "prio-tc all:0 3:3"));
  std::string willing(kTwoClasses);
  willing.replace(willing.find("off"), 3, "on");
  EXPECT_THAT(Typed("dcbnic", SettingKind::kEts, willing, kTwoClasses),
              ElementsAre("dcb ets set dev dcb0 willing off"));
}

TEST(DcbxCommands, AreTheModeInWords) {
  EXPECT_THAT(Typed("dcbnic", SettingKind::kDcbx, "lld-managed ieee", "host ieee"),
              ElementsAre("dcb dcbx set dev dcb0 host ieee"));
  EXPECT_THAT(Typed("bnxt_en", SettingKind::kDcbx, "host ieee", "lld-managed ieee"),
              ElementsAre("dcb dcbx set dev dcb0 lld-managed ieee"));
  EXPECT_THAT(Typed("dcbnic", SettingKind::kDcbx, "host ieee", "none"),
              ElementsAre("# `dcb` cannot write mode 0"));
}

// mlx5e_dcbnl_setdcbx: mode 0 takes the host's bit away and leaves the others.
TEST(DcbxCommands, GiveItToTheFirmwareOfMlx5ByItsOwnTool) {
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kDcbx, "host cee ieee", "cee ieee"),
              ElementsAre("mlnx_qos -i dcb0 -d fw  # of mlnx-tools: `dcb` cannot write mode 0"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kDcbx, "host ieee", "cee ieee"),
              ElementsAre("dcb dcbx set dev dcb0 host cee ieee",
                          "mlnx_qos -i dcb0 -d fw  # of mlnx-tools: `dcb` cannot write mode 0"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kDcbx, "cee ieee", "host ieee"),
              ElementsAre("dcb dcbx set dev dcb0 host ieee"));
}

// ice counts the share of a strict class, which the setting leaves out.
TEST(EtsCommands, GiveAStrictClassWhatTheOthersLeave) {
  EXPECT_THAT(
      Typed("ice", SettingKind::kEts, kFlat,
            "willing on tsa ets,strict,strict,strict,strict,strict,strict,strict tx 60,0,0,0,0,0,0,0 prio "
            "0,0,0,1,0,0,0,0"),
      ElementsAre("dcb ets set dev dcb0 tc-tsa all:strict 0:ets tc-bw all:0 0:60 1:40 prio-tc all:0 3:1"));
}

TEST(BufferCommands, NameWhatDiffers) {
  EXPECT_THAT(Typed("dcbnic", SettingKind::kBuffer, "prio 0,0,0,0,0,0,0,0 size 262144,0,0,0,0,0,0,0",
                    "prio 0,0,0,1,0,0,0,0 size 131072,131072,0,0,0,0,0,0"),
              ElementsAre("dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:131072 1:131072"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kBuffer, "prio 0,0,0,1,0,0,0,0 size 131072,131072,0,0,0,0,0,0",
                    "prio 0,0,0,0,0,0,0,0 size 131072,131072,0,0,0,0,0,0"),
              ElementsAre("dcb buffer set dev dcb0 prio-buffer all:0"));
}

// mlx5 checks a new map with the old sizes (mlx5e_port_manual_buffer_config): on the way there the sizes come
// first, on the way back the map.
TEST(BufferCommands, SplitIntoTwoOnMlx5InTheOrderThatItTakes) {
  constexpr std::string_view kWhole = "prio 0,0,0,0,0,0,0,0 size 262016,0,0,0,0,0,0,0";
  constexpr std::string_view kParted = "prio 0,0,0,1,0,0,0,0 size 131840,130176,0,0,0,0,0,0";
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kBuffer, kWhole, kParted),
              ElementsAre("dcb buffer set dev dcb0 buffer-size all:0 0:131840 1:130176",
                          "dcb buffer set dev dcb0 prio-buffer all:0 3:1"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kBuffer, kParted, kWhole),
              ElementsAre("dcb buffer set dev dcb0 prio-buffer all:0",
                          "dcb buffer set dev dcb0 buffer-size all:0 0:262016"));
}

// The dcb of iproute2 6.1 to 6.17 writes bytes/s where the kernel reads kbit/s: 1 Gb/s is 1000000 of them.
TEST(MaxRateCommands, AskTheVersionForTheUnitThatReachesTheKernel) {
  EXPECT_THAT(
      Typed("mlx5_core", SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "0,0,0,1000000,0,2000000,0,0"),
      ElementsAre(
          "dcb maxrate set dev dcb0 tc-maxrate $(dcb -V | grep -Eq "
          "'iproute2-([0-5]|6[.]([0-9]|1[0-7])([.-]|$))' && echo 3:1000000bps 5:2000000bps || echo "
          "3:1000000kbit 5:2000000kbit)  # up to iproute2 6.17 `dcb` counts bytes where the kernel counts "
          "kbit"));
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kMaxRate, "0,0,0,1000000,0,0,0,0", "0,0,0,0,0,0,0,0"),
              ElementsAre("dcb maxrate set dev dcb0 tc-maxrate 3:0"));
}

TEST(TrustCommands, AreTheOrder) {
  EXPECT_THAT(Typed("dcbnic", SettingKind::kTrust, "pcp", "dscp pcp"),
              ElementsAre("dcb apptrust set dev dcb0 order dscp pcp  # needs iproute2 6.2 or newer"));
  EXPECT_THAT(Typed("dcbnic", SettingKind::kTrust, "pcp", "nothing"),
              ElementsAre("# `dcb` cannot write an empty order"));
}

TEST(PauseCommands, LeaveOutWhatTheDriverTakesFromTheLink) {
  constexpr std::string_view kOn = "autoneg off rx on tx on";
  constexpr std::string_view kOff = "autoneg off rx off tx off";
  EXPECT_THAT(Typed("mlx5_core", SettingKind::kPause, kOn, kOff),
              ElementsAre("ethtool -A dcb0 autoneg off rx off tx off"));
  EXPECT_THAT(Typed("ice", SettingKind::kPause, kOn, kOff), ElementsAre("ethtool -A dcb0 rx off tx off"));
  EXPECT_THAT(Typed("ice", SettingKind::kPause, "autoneg on rx on tx on", kOff),
              ElementsAre("ethtool -s dcb0 autoneg off", "ethtool -A dcb0 rx off tx off"));
}

TEST(LinkCommands, AreThoseOfIpEthtoolAndDevlink) {
  EXPECT_THAT(Typed("ice", OfDcb0(SettingKind::kPrivateFlag, "fw-lldp-agent"), "on", "off"),
              ElementsAre("ethtool --set-priv-flags dcb0 fw-lldp-agent off"));
  EXPECT_THAT(Typed("ice", SettingKind::kMtu, "1500", "9000"), ElementsAre("ip link set dev dcb0 mtu 9000"));
  EXPECT_THAT(
      Typed("ice", {SettingKind::kDevlinkParameter, "pci/0000:3b:00.0", "enable_roce"}, "false", "true"),
      ElementsAre("devlink dev param set pci/0000:3b:00.0 name enable_roce value true cmode runtime"));
}

TEST(VlanCommands, SetToZeroWhatCannotBeTakenOut) {
  const SettingObject vlan{SettingKind::kVlanEgress, "dcb0.711", ""};
  EXPECT_THAT(Typed("dcbnic", vlan, "empty", "0:3"),
              ElementsAre("ip link set dev dcb0.711 type vlan egress-qos-map 0:3"));
  EXPECT_THAT(Typed("dcbnic", vlan, "0:3 2:3 4:1", "2:5 4:1"),
              ElementsAre("ip link set dev dcb0.711 type vlan egress-qos-map 0:0 2:5"));
}

TEST(HostCommands, AreSysctlAndConfigfs) {
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kSysctl, "", "net.ipv4.conf.dcb0.arp_ignore"}, "0", "2"),
              ElementsAre("sysctl -w net.ipv4.conf.dcb0.arp_ignore=2  # for good: a file in /etc/sysctl.d"));
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"}, "8", "2"),
              ElementsAre(testing::HasSubstr("it holds for every interface of the host")));
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kCmMode, "rxe0/1", ""}, "IB/RoCE v1", "RoCE v2"),
              ElementsAre("mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 'RoCE v2' > "
                          "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"));
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kCmTos, "rxe0/1", ""}, "0", "106"),
              ElementsAre("mkdir -p /sys/kernel/config/rdma_cm/rxe0 && echo 106 > "
                          "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"));
}

TEST(HostCommands, QuoteWhatAHostMayHaveForAName) {
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kPrivateFlag, "a;reboot", "b c"}, "on", "off"),
              ElementsAre("ethtool --set-priv-flags 'a;reboot' 'b c' off"));
  EXPECT_THAT(Typed("dcbnic", {SettingKind::kCmTos, "x $(id)/1", ""}, "0", "106"),
              ElementsAre("mkdir -p '/sys/kernel/config/rdma_cm/x $(id)' && echo 106 > "
                          "'/sys/kernel/config/rdma_cm/x $(id)/ports/1/default_roce_tos'"));
}

}  // namespace
}  // namespace rdmaready
