// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

const RdmaDevice kDevice{.name = "mlx5_0"};
const std::string kDeviceDirectory = "/sys/class/infiniband/mlx5_0/";
const std::string kPort = kDeviceDirectory + "ports/1/";

void Add(FakeHost* host, const std::string& directory,
         const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) {
    names.push_back(name);
    host->files[directory + "/" + name] = text;
  }
  host->directories[directory] = names;
}

TEST(CounterText, IsANumberOrNone) {
  EXPECT_EQ(DecodeCounter("0\n"), 0U);
  EXPECT_EQ(DecodeCounter("18446744073709551615\n"), UINT64_MAX);
  for (const char* text : {"", "N/A (no PMA)\n", "-1\n", "12 packets\n", "18446744073709551616\n", "0x10\n"}) {
    EXPECT_EQ(DecodeCounter(text), std::nullopt) << text;
  }
}

TEST(PortCounters, AreTheNumbersOfTheDirectory) {
  FakeHost host;
  Add(&host, kPort + "counters",
      {{"link_downed", "255\n"}, {"port_rcv_data", "N/A (no PMA)\n"}, {"port_xmit_wait", "7\n"}});
  const auto counters = ReadPortCounters(host, kDevice, 1);
  ASSERT_TRUE(counters);
  EXPECT_THAT(*counters, ElementsAre(Counter{"link_downed", 255}, Counter{"port_xmit_wait", 7}));
}

TEST(PortCounters, OfADriverWithoutPmaAreUnsupportedAndNotZero) {
  FakeHost host;
  EXPECT_EQ(ReadPortCounters(host, kDevice, 1).missing(),
            (Missing{Missing::Kind::kUnsupported, "the driver has no port counters (InfiniBand PMA)"}));
  Add(&host, kPort + "counters", {{"link_downed", "N/A (no PMA)\n"}});
  EXPECT_EQ(ReadPortCounters(host, kDevice, 1).missing(),
            (Missing{Missing::Kind::kUnsupported, "N/A (no PMA)"}));
}

TEST(PortCounters, ThatCannotBeReadAreAFailure) {
  FakeHost host;
  Add(&host, kPort + "counters", {{"link_downed", "1\n"}});
  host.files[kPort + "counters/link_downed"] = ErrnoStatus(EIO, "read link_downed");
  EXPECT_EQ(ReadPortCounters(host, kDevice, 1).missing(),
            (Missing{Missing::Kind::kFailed, "read link_downed: Input/output error"}));
  host.directories[kPort + "counters"] = ErrnoStatus(EACCES, "list counters");
  EXPECT_EQ(ReadPortCounters(host, kDevice, 1).missing().kind, Missing::Kind::kDenied);
}

TEST(PortCounters, OneThatCannotBeReadIsLeftOut) {
  FakeHost host;
  Add(&host, kPort + "counters", {{"a", "1\n"}, {"b", "2\n"}});
  host.files[kPort + "counters/a"] = ErrnoStatus(EINVAL, "read a");
  EXPECT_THAT(*ReadPortCounters(host, kDevice, 1), ElementsAre(Counter{"b", 2}));
}

TEST(HardwareCounters, LifespanIsNoCounter) {
  FakeHost host;
  Add(&host, kPort + "hw_counters", {{"lifespan", "12\n"}, {"out_of_sequence", "3\n"}});
  const HwCounters counters = ReadHwCounters(host, kDevice, 1);
  EXPECT_THAT(*counters.counters, ElementsAre(Counter{"out_of_sequence", 3}));
  EXPECT_EQ(*counters.lifespan_ms, 12U);
}

TEST(HardwareCounters, OfPortAndDeviceAreOneListWithoutDoubles) {
  FakeHost host;
  Add(&host, kPort + "hw_counters", {{"lifespan", "10\n"}, {"rx", "1\n"}});
  Add(&host, kDeviceDirectory + "hw_counters", {{"lifespan", "100\n"}, {"rx", "5\n"}, {"vport", "9\n"}});
  const HwCounters counters = ReadHwCounters(host, kDevice, 1);
  EXPECT_THAT(*counters.counters, ElementsAre(Counter{"rx", 1}, Counter{"vport", 9}));
  EXPECT_EQ(*counters.lifespan_ms, 100U);
}

TEST(HardwareCounters, OfADeviceAloneAreThePortsToo) {
  FakeHost host;
  Add(&host, kDeviceDirectory + "hw_counters", {{"ip4InDiscards", "9\n"}});
  const HwCounters counters = ReadHwCounters(host, kDevice, 1);
  EXPECT_THAT(*counters.counters, ElementsAre(Counter{"ip4InDiscards", 9}));
  EXPECT_EQ(counters.lifespan_ms.missing().detail, "the kernel does not tell");
}

TEST(HardwareCounters, ThatAreDeniedAreNotHiddenByThoseOfTheDevice) {
  FakeHost host;
  host.directories[kPort + "hw_counters"] = ErrnoStatus(EACCES, "list hw_counters");
  Add(&host, kDeviceDirectory + "hw_counters", {{"vport", "9\n"}});
  EXPECT_EQ(ReadHwCounters(host, kDevice, 1).counters.missing().kind, Missing::Kind::kDenied);
}

TEST(HardwareCounters, OfADriverWithoutThemAreUnsupported) {
  FakeHost host;
  const Missing none{Missing::Kind::kUnsupported, "the driver has no hardware counters"};
  EXPECT_EQ(ReadHwCounters(host, kDevice, 1), (HwCounters{none, none}));
}

TEST(CmRetries, AreKnownByTheirDirectory) {
  FakeHost host;
  EXPECT_THAT(ReadCmRetries(host, kDevice, 1), ElementsAre());
  Add(&host, kPort + "cm_tx_retries", {{"rep", "0\n"}, {"req", "3\n"}});
  EXPECT_THAT(ReadCmRetries(host, kDevice, 1),
              ElementsAre(Counter{"cm_tx_retries/rep", 0}, Counter{"cm_tx_retries/req", 3}));
}

TEST(HardwareCounters, WithNothingButALifespanAreNone) {
  FakeHost host;
  Add(&host, kPort + "hw_counters", {{"lifespan", "10\n"}});
  const HwCounters counters = ReadHwCounters(host, kDevice, 1);
  EXPECT_FALSE(counters.counters);
}

}  // namespace
}  // namespace rdmaready
