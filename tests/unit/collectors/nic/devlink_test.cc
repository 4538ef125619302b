// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/devlink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/devlink.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/nic/devlink_wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::operator+;

constexpr const char* kNic = "0000:3b:00.0";
const GenericFamilies kFamilies{{"devlink", wire::kDevlinkFamily}};

Port PortOn(const std::string& address) {
  Port port;
  port.pci = PciFunction{.address = address};
  return port;
}

FakeHost GoodHost() {
  FakeHost host;
  host.Answer(wire::DevlinkList(DEVLINK_CMD_INFO_GET), wire::Each({wire::DevlinkInfo(kNic)}));
  host.Answer(wire::DevlinkList(DEVLINK_CMD_PARAM_GET),
              wire::Each({wire::DevlinkFlag(kNic, "enable_roce", true),
                          wire::DevlinkFlag(kNic, "enable_rdma", false)}));
  host.Answer(wire::DevlinkList(DEVLINK_CMD_HEALTH_REPORTER_GET),
              wire::Each({wire::DevlinkHealth(kNic, "fw", 0, 0), wire::DevlinkHealth(kNic, "tx", 1, 3)}));
  host.Answer(wire::DevlinkEswitchRequest(kNic), wire::One(wire::DevlinkEswitch(kNic, 1)));
  return host;
}

Devlink ReadSlot(FakeHost& host, const std::string& address = kNic) {
  std::vector<Port> ports{PortOn(address)};
  ReadDevlinks(host, kFamilies, ports);
  return ports.front().devlink;
}

TEST(Devlink, TellsVersionsParametersHealthAndTheSwitch) {
  FakeHost host = GoodHost();
  const Devlink devlink = ReadSlot(host);
  ASSERT_TRUE(devlink.versions) << devlink.versions.missing().detail;
  EXPECT_THAT(*devlink.versions,
              ElementsAre(FirmwareVersion{.name = "fw.psid", .running = "MT_0000000012", .fixed = true},
                          FirmwareVersion{.name = "fw", .running = "16.35.3006", .stored = "16.35.4030"}));
  EXPECT_THAT(*devlink.parameters, ElementsAre(DevlinkParameter{.name = "enable_roce", .driverinit = "true"},
                                               DevlinkParameter{.name = "enable_rdma", .driverinit = "false"}));
  EXPECT_THAT(*devlink.health,
              ElementsAre(HealthReporter{.name = "fw", .healthy = true},
                          HealthReporter{.name = "tx", .healthy = false, .errors = 3, .recovered = 2}));
  EXPECT_EQ(*devlink.eswitch_mode, "switchdev");
}

TEST(Devlink, ListsOnceForAllPortsAndAsksForTheSwitchOnceAFunction) {
  FakeHost host = GoodHost();
  std::vector<Port> ports{PortOn(kNic), PortOn(kNic), PortOn("0000:3b:00.1")};
  ReadDevlinks(host, kFamilies, ports);
  EXPECT_EQ(host.asked.size(), 5U);
  EXPECT_EQ(ports[0].devlink, ports[1].devlink);
  EXPECT_TRUE(ports[1].devlink.versions);
  for (const Missing& missing : {ports[2].devlink.versions.missing(), ports[2].devlink.parameters.missing(),
                                 ports[2].devlink.health.missing(), ports[2].devlink.eswitch_mode.missing()}) {
    EXPECT_EQ(missing.kind, Missing::Kind::kUnsupported);
  }
}

TEST(Devlink, OfSoftwareIsNotAskedForAndWithoutItTheKernelIsNamed) {
  FakeHost host;
  const Missing soft{Missing::Kind::kUnsupported, "a software device has no PCIe"};
  std::vector<Port> ports(1);
  ports[0].pci = soft;
  ReadDevlinks(host, kFamilies, ports);
  EXPECT_EQ(ports[0].devlink, (Devlink{soft, soft, soft, soft}));
  ports[0] = PortOn(kNic);
  ReadDevlinks(host, GenericFamilies{}, ports);
  EXPECT_THAT(ports[0].devlink.health.missing().detail, HasSubstr("CONFIG_NET_DEVLINK"));
  EXPECT_THAT(host.asked, IsEmpty());
}

TEST(Devlink, ARefusalOrAFailureLeavesTheRest) {
  FakeHost host = GoodHost();
  host.Answer(wire::DevlinkEswitchRequest(kNic), ErrnoStatus(EPERM, "ask"));
  host.Answer(wire::DevlinkList(DEVLINK_CMD_INFO_GET), ErrnoStatus(EIO, "list"));
  const Devlink devlink = ReadSlot(host);
  EXPECT_EQ(devlink.eswitch_mode.missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(devlink.versions.missing().kind, Missing::Kind::kFailed);
  EXPECT_TRUE(devlink.parameters);
}

TEST(Devlink, ASwitchThatIsNotThereIsUnsupported) {
  FakeHost host = GoodHost();
  for (const int error : {EOPNOTSUPP, ENODEV}) {
    host.Answer(wire::DevlinkEswitchRequest(kNic), ErrnoStatus(error, "ask"));
    EXPECT_EQ(ReadSlot(host).eswitch_mode.missing().kind, Missing::Kind::kUnsupported);
  }
  host.Answer(wire::DevlinkEswitchRequest(kNic), wire::One(wire::DevlinkEswitch(kNic, 7)));
  EXPECT_EQ(ReadSlot(host).eswitch_mode.missing().kind, Missing::Kind::kFailed);
}

TEST(DevlinkParameter, IsANumberWhereItIsOneAndAStringIsLeftEmpty) {
  const auto decode = [](std::uint8_t type, const wire::Bytes& data) {
    return DecodeDevlinkParameter(wire::DevlinkParam(kNic, "x", type, {{0, data}, {2, data}}));
  };
  const auto number = decode(3, wire::U32(DEVLINK_ATTR_PARAM_VALUE_DATA, 64));
  ASSERT_TRUE(number.ok()) << number.status();
  EXPECT_EQ(number->first, "pci/0000:3b:00.0");
  EXPECT_EQ(number->second, (DevlinkParameter{.name = "x", .runtime = "64", .permanent = "64"}));
  EXPECT_EQ(decode(2, wire::U16(DEVLINK_ATTR_PARAM_VALUE_DATA, 7))->second.runtime, "7");
  EXPECT_EQ(decode(1, wire::U8(DEVLINK_ATTR_PARAM_VALUE_DATA, 9))->second.permanent, "9");
  EXPECT_EQ(decode(5, wire::Text(DEVLINK_ATTR_PARAM_VALUE_DATA, "dmfs"))->second.runtime, "");
  EXPECT_FALSE(decode(3, wire::U8(DEVLINK_ATTR_PARAM_VALUE_DATA, 9)).ok());
  EXPECT_EQ(decode(77, {})->second.runtime, "") << "a type of a newer kernel loses its own value only";
}

}  // namespace
}  // namespace rdmaready
