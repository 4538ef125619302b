// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/congestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Port Hardware(std::uint16_t vendor) {
  Port port;
  port.device = "ib0";
  port.number = 1;
  port.software = false;
  port.pci = PciFunction{.address = "0000:3b:00.0", .vendor_id = vendor};
  port.netdev = Netdev{.name = "eth0"};
  return port;
}

Port Software() {
  Port port = Hardware(0x15b3);
  port.software = true;
  port.pci = Missing{Missing::Kind::kUnsupported, "a software device has no PCIe"};
  return port;
}

void AddFiles(FakeHost* host, const std::string& directory, const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) {
    names.push_back(name);
    host->files[directory + "/" + name] = text;
  }
  host->directories[directory] = names;
}

FakeHost OfedHost() {
  FakeHost host;
  const std::string ecn = "/sys/class/net/eth0/ecn";
  AddFiles(&host, ecn + "/roce_np",
           {{"cnp_802p_prio", "6\n"}, {"cnp_dscp", "48\n"}, {"min_time_between_cnps", "4\n"}, {"enable", ""}});
  AddFiles(&host, ecn + "/roce_rp", {{"ai_rate", "5\n"}, {"enable", ""}});
  for (int priority = 0; priority < 8; ++priority) {
    host.files[ecn + "/roce_np/enable/" + std::to_string(priority)] = priority == 3 ? "1\n" : "0\n";
    host.files[ecn + "/roce_rp/enable/" + std::to_string(priority)] = "1\n";
  }
  return host;
}

const std::string kCcParams = "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params";

TEST(Congestion, OfOfedTellsWhichPriorities) {
  FakeHost host = OfedHost();
  const Fact<CongestionControl> control = ReadCongestion(host, Hardware(0x15b3));
  ASSERT_TRUE(control) << control.missing().detail;
  EXPECT_EQ(control->source, "/sys/class/net/eth0/ecn");
  EXPECT_EQ(control->notifies, std::uint8_t{1 << 3});
  EXPECT_EQ(control->slows_down, std::uint8_t{0xff});
  EXPECT_EQ(control->cnp_dscp, std::uint8_t{48});
  EXPECT_EQ(control->cnp_priority, std::uint8_t{6});
  EXPECT_THAT(
      control->parameters,
      ElementsAre(CongestionParameter{"np_cnp_802p_prio", 6}, CongestionParameter{"np_cnp_dscp", 48},
                  CongestionParameter{"np_min_time_between_cnps", 4}, CongestionParameter{"rp_ai_rate", 5}));
}

TEST(Congestion, IsUnknownWithMoreParametersThanAreRead) {
  FakeHost host;
  std::map<std::string, std::string> files;
  for (int i = 0; i < 200; ++i) files["parameter_" + std::to_string(i)] = "1\n";
  AddFiles(&host, kCcParams, files);
  const Fact<CongestionControl> control = ReadCongestion(host, Hardware(0x15b3));
  ASSERT_FALSE(control);
  EXPECT_THAT(control.missing().detail, HasSubstr("more parameters than are read"));
}

// A bond over eth0 and eth1, of which eth1 has a tree of its own.
TEST(Congestion, ReadsTheTreeOfEachMemberOfABond) {
  FakeHost host = OfedHost();
  const std::string ecn = "/sys/class/net/eth1/ecn";
  AddFiles(&host, ecn + "/roce_np", {{"cnp_dscp", "4\n"}});
  AddFiles(&host, ecn + "/roce_rp", {});
  Port port = Hardware(0x15b3);
  port.netdev = Netdev{.name = "bond0"};
  port.lowers = std::vector<Netdev>{{.name = "eth0"}, {.name = "eth1"}};
  const Fact<CongestionControl> control = ReadCongestion(host, port);
  ASSERT_TRUE(control) << control.missing().detail;
  EXPECT_EQ(control->source, "/sys/class/net/eth0/ecn");
  EXPECT_EQ(control->cnp_dscp, std::uint8_t{48});
  EXPECT_THAT(control->parameters, Contains(CongestionParameter{"eth1/np_cnp_dscp", 4}));
}

TEST(Congestion, ReportsADeniedMemberAsUnknown) {
  FakeHost host = OfedHost();
  host.directories["/sys/class/net/eth1/ecn/roce_np"] = ErrnoStatus(EACCES, "list");
  Port port = Hardware(0x15b3);
  port.lowers = std::vector<Netdev>{{.name = "eth0"}, {.name = "eth1"}};
  EXPECT_EQ(ReadCongestion(host, port).missing().kind, Missing::Kind::kDenied);
}

TEST(Congestion, AnIncompleteBitmapIsNone) {
  FakeHost host = OfedHost();
  host.files.erase("/sys/class/net/eth0/ecn/roce_np/enable/7");
  host.files["/sys/class/net/eth0/ecn/roce_rp/enable/0"] = "2\n";
  const Fact<CongestionControl> control = ReadCongestion(host, Hardware(0x15b3));
  ASSERT_TRUE(control);
  EXPECT_EQ(control->notifies, std::nullopt);
  EXPECT_EQ(control->slows_down, std::nullopt);
}

TEST(Congestion, OfTheKernelsMlx5IsInDebugfs) {
  FakeHost host;
  AddFiles(
      &host, kCcParams,
      {{"np_cnp_dscp", "48\n"}, {"np_cnp_prio", "6\n"}, {"np_cnp_prio_mode", "0\n"}, {"rp_ai_rate", "5\n"}});
  const Fact<CongestionControl> control = ReadCongestion(host, Hardware(0x15b3));
  ASSERT_TRUE(control) << control.missing().detail;
  EXPECT_EQ(control->source, kCcParams);
  EXPECT_EQ(control->cnp_dscp, std::uint8_t{48});
  EXPECT_EQ(control->cnp_priority, std::uint8_t{6});
  EXPECT_EQ(control->notifies, std::nullopt);
  EXPECT_THAT(control->parameters, Contains(CongestionParameter{"rp_ai_rate", 5}));

  host.files[kCcParams + "/np_cnp_prio_mode"] = "1\n";
  EXPECT_EQ(ReadCongestion(host, Hardware(0x15b3))->cnp_priority, std::nullopt);
  host.files[kCcParams + "/np_cnp_dscp"] = "64\n";
  EXPECT_EQ(ReadCongestion(host, Hardware(0x15b3))->cnp_dscp, std::nullopt);
}

TEST(Congestion, OfBroadcomIsOneSwitchForItsPriority) {
  FakeHost host;
  const std::string cc = "/sys/kernel/config/bnxt_re/ib0/ports/1/cc";
  AddFiles(&host, cc,
           {{"apply", ""},
            {"cc_mode", "0x1\n"},
            {"cnp_dscp", "0x30\n"},
            {"cnp_prio", "7\n"},
            {"ecn_enable", "0x1\n"},
            {"roce_prio", "0x3\n"}});
  const Fact<CongestionControl> control = ReadCongestion(host, Hardware(0x14e4));
  ASSERT_TRUE(control) << control.missing().detail;
  EXPECT_EQ(control->source, cc);
  EXPECT_EQ(control->notifies, std::uint8_t{1 << 3});
  EXPECT_EQ(control->slows_down, std::uint8_t{1 << 3});
  EXPECT_EQ(control->cnp_dscp, std::uint8_t{48});
  EXPECT_EQ(control->cnp_priority, std::uint8_t{7});
  EXPECT_THAT(control->parameters, Contains(CongestionParameter{"cc_mode", 1}));
  host.files[cc + "/ecn_enable"] = "0\n";
  EXPECT_EQ(ReadCongestion(host, Hardware(0x14e4))->notifies, std::uint8_t{0});
  host.files[cc + "/ecn_enable"] = "1\n";
  host.files[cc + "/roce_prio"] = "many\n";
  EXPECT_EQ(ReadCongestion(host, Hardware(0x14e4))->notifies, std::nullopt);
}

TEST(Congestion, ThatIsNotThereIsToldFromOneThatMayNotBeRead) {
  FakeHost host;
  EXPECT_EQ(ReadCongestion(host, Hardware(0x15b3)).missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(ReadCongestion(host, Hardware(0x14e4)).missing().detail, HasSubstr("configfs"));
  EXPECT_EQ(ReadCongestion(host, Hardware(0x8086)).missing().kind, Missing::Kind::kUnsupported);
  host.directories[kCcParams] = ErrnoStatus(EACCES, "list cc_params");
  EXPECT_EQ(ReadCongestion(host, Hardware(0x15b3)).missing().kind, Missing::Kind::kDenied);
}

TEST(Congestion, OfASoftwareDeviceIsNotLookedFor) {
  FakeHost host;
  const Missing none{Missing::Kind::kUnsupported, "a software device has none"};
  EXPECT_EQ(ReadCongestion(host, Software()).missing(), none);
  EXPECT_EQ(ReadVerbsTrafficClass(host, Software()).missing(), none);
  EXPECT_EQ(ReadOutOfTree(host, Software()).missing(), none);
  EXPECT_THAT(host.asked, IsEmpty());
}

TEST(TrafficClass, IsTheOneForAllAddresses) {
  EXPECT_EQ(*DecodeTrafficClass("Global tclass=106\n"), 106);
  EXPECT_EQ(*DecodeTrafficClass("Global tclass=96\ntclass=104,src_ip=1.1.1.1/24\n"), 96);
  EXPECT_EQ(*DecodeTrafficClass("tclass=104,src_ip=1.1.1.1/24\n"), 0);
  EXPECT_EQ(*DecodeTrafficClass(""), 0);
  for (const char* text : {"Global tclass=256\n", "Global tclass=\n", "Global tclass=-1\n"})
    EXPECT_EQ(DecodeTrafficClass(text).missing().kind, Missing::Kind::kFailed) << text;
}

TEST(TrafficClass, IsUnsupportedWhereTheDriverHasNone) {
  FakeHost host;
  EXPECT_EQ(ReadVerbsTrafficClass(host, Hardware(0x15b3)).missing().kind, Missing::Kind::kUnsupported);
  const std::string file = "/sys/class/infiniband/ib0/tc/1/traffic_class";
  host.files[file] = "Global tclass=106\n";
  EXPECT_EQ(*ReadVerbsTrafficClass(host, Hardware(0x15b3)), 106);
  host.files[file] = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadVerbsTrafficClass(host, Hardware(0x15b3)).missing().kind, Missing::Kind::kDenied);
}

TEST(OutOfTree, IsWhatTheKernelMarkedTheModuleWith) {
  FakeHost host;
  EXPECT_FALSE(*ReadOutOfTree(host, Hardware(0x15b3)));  // built in
  host.links["/sys/bus/pci/devices/0000:3b:00.0/driver/module"] = "../../../../module/mlx5_core";
  host.files["/sys/module/mlx5_core/taint"] = "\n";
  EXPECT_FALSE(*ReadOutOfTree(host, Hardware(0x15b3)));
  host.files["/sys/module/mlx5_core/taint"] = "OE\n";
  EXPECT_TRUE(*ReadOutOfTree(host, Hardware(0x15b3)));
  host.files["/sys/module/mlx5_core/taint"] = ErrnoStatus(EIO, "read");
  EXPECT_EQ(ReadOutOfTree(host, Hardware(0x15b3)).missing().kind, Missing::Kind::kFailed);
}

}  // namespace
}  // namespace rdmaready
