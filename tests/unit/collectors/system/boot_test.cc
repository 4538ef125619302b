// SPDX-License-Identifier: Apache-2.0
// boot_targets.h, boot_files.h and what host.h reads beside them.
#include <gtest/gtest.h>

#include <cerrno>

#include "collectors/system/boot_files.h"
#include "collectors/system/boot_targets.h"
#include "collectors/system/host.h"
#include "tests/support/nbft_table.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

std::span<const std::byte> BytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

BootTarget SomeTarget(const char* mac, const char* address) {
  return {.table = "NBFT", .mac = mac, .address = address, .target = "nqn.2014-08.org.example:disk"};
}

TEST(Nbft, NamesTheTargetAndThePortsThatLeadThere) {
  const absl::StatusOr<std::vector<BootTarget>> targets = DecodeNbft(BytesOf(nbft::Table()));
  ASSERT_TRUE(targets.ok()) << targets.status();
  EXPECT_EQ(*targets, (std::vector<BootTarget>{SomeTarget("02:00:00:00:00:01", "10.0.0.1"),
                                               SomeTarget("02:00:00:00:00:02", "fd00::2")}));
}

TEST(Nbft, IsRefusedWhenItIsDamaged) {
  const std::string good = nbft::Table();
  std::string flipped = good;
  flipped[100] = static_cast<char>(flipped[100] ^ 1);
  EXPECT_FALSE(DecodeNbft(BytesOf(flipped)).ok());
  EXPECT_FALSE(DecodeNbft(BytesOf(good.substr(0, good.size() - 1))).ok());
  EXPECT_FALSE(DecodeNbft({}).ok());
  std::string outside = good;
  outside[64 + 24] = static_cast<char>(0xff);  // where the subsystems are
  outside[64 + 25] = static_cast<char>(0xff);
  EXPECT_FALSE(DecodeNbft(BytesOf(nbft::WithSum(outside))).ok());
}

TEST(BootTargets, AreNoneOnAHostWithoutTheTables) {
  FakeHost host;
  const Fact<std::vector<BootTarget>> targets = ReadBootTargets(host);
  ASSERT_TRUE(targets);
  EXPECT_TRUE(targets->empty());
}

TEST(BootTargets, AreReadFromBothTables) {
  FakeHost host;
  host.directories.emplace("/sys/firmware/acpi/tables", std::vector<std::string>{"APIC", "NBFT", "iBFT"});
  host.directories.emplace("/sys/firmware/ibft",
                           std::vector<std::string>{"acpi_header", "ethernet0", "initiator", "target0"});
  host.files.emplace("/sys/firmware/ibft/target0/target-name", "iqn.2003-01.org.example:disk\n");
  host.files.emplace("/sys/firmware/ibft/target0/nic-assoc", "0\n");
  host.files.emplace("/sys/firmware/ibft/ethernet0/mac", "02:00:00:00:00:09\n");
  host.files.emplace("/sys/firmware/ibft/ethernet0/ip-addr", "10.0.0.9\n");
  host.files.emplace("/sys/firmware/acpi/tables/NBFT", nbft::Table());
  const Fact<std::vector<BootTarget>> targets = ReadBootTargets(host);
  ASSERT_TRUE(targets) << targets.missing().detail;
  ASSERT_EQ(targets->size(), 3U);
  EXPECT_EQ(targets->front(), (BootTarget{.table = "iBFT",
                                          .mac = "02:00:00:00:00:09",
                                          .address = "10.0.0.9",
                                          .target = "iqn.2003-01.org.example:disk"}));
}

TEST(BootTargets, AreMissingWhereNobodyMayOrCanReadThem) {
  FakeHost host;
  host.directories.emplace("/sys/firmware/acpi/tables", std::vector<std::string>{"NBFT"});
  host.files.emplace("/sys/firmware/acpi/tables/NBFT", ErrnoStatus(EACCES, "open"));
  EXPECT_EQ(ReadBootTargets(host).missing().kind, Missing::Kind::kDenied);
  host.directories.at("/sys/firmware/acpi/tables") = std::vector<std::string>{"iBFT"};
  EXPECT_EQ(ReadBootTargets(host).missing().kind, Missing::Kind::kFailed);
}

TEST(TosKeepers, AreFilesThatSetItAndNoComments) {
  FakeHost host;
  host.directories.emplace("/etc/systemd/system",
                           std::vector<std::string>{"a.service", "b.service", "x.wants"});
  host.files.emplace("/etc/systemd/system/a.service", "ExecStart=/sbin/cma_roce_tos -d mlx5_0 -t 106\n");
  host.files.emplace("/etc/systemd/system/b.service", "# echo 106 > default_roce_tos\n");
  host.files.emplace("/etc/systemd/system/x.wants", ErrnoStatus(EISDIR, "read"));
  const Fact<std::vector<std::string>> keepers = ReadTosKeepers(host);
  ASSERT_TRUE(keepers) << keepers.missing().detail;
  EXPECT_EQ(*keepers, std::vector<std::string>{"/etc/systemd/system/a.service"});
  host.files.at("/etc/systemd/system/a.service") = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadTosKeepers(host).missing().kind, Missing::Kind::kDenied);
}

TEST(Markings, AreWhatTheConfigurationSays) {
  FakeHost host;
  EXPECT_TRUE(ReadMarkings(host)->empty());
  host.files.emplace("/etc/nccl.conf", "NCCL_DEBUG=WARN\nNCCL_IB_GID_INDEX=3\nNCCL_IB_TC=106\n#NCCL_IB_TC=0\n");
  host.files.emplace("/etc/nvme/discovery.conf", "--transport=rdma --traddr=10.0.0.2 --tos=104\n");
  EXPECT_EQ(*ReadMarkings(host),
            (std::vector<ConsumerMarking>{
                {.consumer = MarkingConsumer::kNvme, .source = "/etc/nvme/discovery.conf", .tos = 104},
                {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .tos = 106, .gid_index = 3}}));
  EXPECT_EQ(DecodeNvmeLines(std::vector<std::string>{"    \"tos\":96,"}, "x").front().tos, 96);
  EXPECT_TRUE(DecodeNvmeLines(std::vector<std::string>{"--tos=much"}, "x").empty());
}

TEST(HostSettings, AreReadFromTheKernelsFiles) {
  FakeHost host;
  EXPECT_EQ(*DecodeCapabilities("Name:\tx\nCapEff:\t0000000000007000\nCapBnd:\t0\n"), 0x7000U);
  EXPECT_FALSE(DecodeCapabilities("Name:\tx\n"));
  EXPECT_FALSE(DecodeCapabilities("Name:\tx\nCapEff:\tmany\n"));
  EXPECT_EQ(*DecodeProcessName("Name:\trdmaready-agent\nUmask:\t0022\n"), "rdmaready-agent");
  EXPECT_FALSE(DecodeProcessName("Umask:\t0022\nName:\tx\n"));
  EXPECT_EQ(*DecodeEffectiveUser("Name:\tx\nUid:\t1000\t998\t998\t998\n"), 998U);
  EXPECT_FALSE(DecodeEffectiveUser("Name:\tx\n"));
  EXPECT_FALSE(DecodeEffectiveUser("Name:\tx\nUid:\t1000\n"));
  EXPECT_EQ(ReadCpuGovernors(host).missing().kind, Missing::Kind::kUnsupported);
  host.directories.emplace("/sys/devices/system/cpu/cpufreq",
                           std::vector<std::string>{"policy0", "policy1", "schedutil"});
  host.files.emplace("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
  host.files.emplace("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
  EXPECT_EQ(*ReadCpuGovernors(host), std::vector<std::string>{"powersave"});
  host.directories.emplace("/run", std::vector<std::string>{"irqbalance", "lock"});
  EXPECT_TRUE(*ReadIrqbalance(host));
  host.modes.emplace("/dev/infiniband/umad0", std::uint32_t{0600});
  EXPECT_EQ(*ReadDeviceNodes(host, std::vector<std::string>{"gone", "umad0"}),
            (std::vector<DeviceNode>{{"umad0", 0600}}));
}

}  // namespace
}  // namespace rdmaready
