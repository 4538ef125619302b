// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/host.h"

#include <gtest/gtest.h>
#include <sys/timex.h>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

const Fact<Kernel> kHostKernel = Kernel{"6.12.1"};

FakeHost HostWithSysfs() {
  FakeHost host;
  host.directories["/sys/class"] = std::vector<std::string>{"net"};
  return host;
}

TEST(ModuleIndex, KnowsAModuleHoweverItIsPacked) {
  EXPECT_TRUE(ListsModule("kernel/drivers/infiniband/core/ib_core.ko: a.ko\n", "ib_core"));
  EXPECT_TRUE(ListsModule("a.ko:\nkernel/drivers/infiniband/core/ib_core.ko.xz:\n", "ib_core"));
  EXPECT_TRUE(ListsModule("updates/dkms/ib_core.ko.zst", "ib_core"));
  EXPECT_TRUE(ListsModule("ib_core.ko", "ib_core"));
}

TEST(ModuleIndex, AModuleThatOnlyDependsOnItIsNotIt) {
  EXPECT_FALSE(ListsModule("kernel/rdma_rxe.ko: kernel/drivers/infiniband/core/ib_core.ko\n", "ib_core"));
  EXPECT_FALSE(ListsModule("kernel/ib_core_extra.ko:\nkernel/my_ib_core.ko:\n", "ib_core"));
  EXPECT_FALSE(ListsModule("", "ib_core"));
  EXPECT_FALSE(ListsModule("\n\n:\n/\n", "ib_core"));
}

TEST(RdmaStack, IsLoadedWhenItsClassIsThere) {
  FakeHost host = HostWithSysfs();
  host.directories["/sys/class/infiniband"] = std::vector<std::string>{};
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kLoaded);
}

TEST(RdmaStack, IsNotLoadedWhenTheModuleIsInstalled) {
  FakeHost host = HostWithSysfs();
  host.files["/lib/modules/6.12.1/modules.dep"] = "kernel/drivers/infiniband/core/ib_core.ko.xz:\n";
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kNotLoaded);
  host.files["/lib/modules/6.12.1/modules.dep"] = "";
  host.files["/lib/modules/6.12.1/modules.builtin"] = "kernel/drivers/infiniband/core/ib_core.ko\n";
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kNotLoaded);
}

TEST(RdmaStack, IsAbsentWhenNoModuleIsInstalled) {
  FakeHost host = HostWithSysfs();
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kAbsent);
  host.files["/lib/modules/6.12.1/modules.dep"] = "kernel/net/veth.ko:\n";
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kAbsent);
}

TEST(RdmaStack, IsMissingWhenTheModulesMayNotBeRead) {
  FakeHost host = HostWithSysfs();
  host.files["/lib/modules/6.12.1/modules.dep"] = ErrnoStatus(EACCES, "open modules.dep");
  EXPECT_EQ(ReadRdmaStack(host, kHostKernel).missing(),
            (Missing{Missing::Kind::kDenied, "open modules.dep: Permission denied"}));
  host.files["/boot/config-6.12.1"] = "CONFIG_INFINIBAND=m\n";
  EXPECT_FALSE(ReadRdmaStack(host, kHostKernel));
}

TEST(RdmaStack, IsAbsentWhenTheKernelsConfigurationSaysSo) {
  FakeHost host = HostWithSysfs();
  host.files["/lib/modules/6.12.1/modules.dep"] = ErrnoStatus(EACCES, "open modules.dep");
  host.files["/boot/config-6.12.1"] = "CONFIG_NET=y\n# CONFIG_INFINIBAND is not set\n";
  EXPECT_EQ(*ReadRdmaStack(host, kHostKernel), RdmaStack::kAbsent);
}

TEST(RdmaStack, IsMissingWithoutSysfs) {
  FakeHost host;
  EXPECT_EQ(ReadRdmaStack(host, kHostKernel).missing(),
            (Missing{Missing::Kind::kFailed, "list /sys/class: No such file or directory"}));
}

TEST(RdmaStack, IsMissingWhenTheRunningKernelIsNotKnown) {
  FakeHost host = HostWithSysfs();
  const Missing why{Missing::Kind::kDenied, "open osrelease: Permission denied"};
  EXPECT_EQ(ReadRdmaStack(host, why).missing(), why);
}

TEST(Host, NamesAreTrimmedAndMayBeEmpty) {
  FakeHost host;
  EXPECT_EQ(ReadHostname(host), "");
  EXPECT_EQ(ReadMachineId(host), "");
  host.files["/proc/sys/kernel/hostname"] = "node1\n";
  host.files["/etc/machine-id"] = "0123\n";
  EXPECT_EQ(ReadHostname(host), "node1");
  EXPECT_EQ(ReadMachineId(host), "0123");
}

TEST(Host, AKernelThatDoesNotAnswerIsMissing) {
  FakeHost host;
  EXPECT_EQ(ReadKernel(host).missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(ReadMemlock(host).missing().kind, Missing::Kind::kUnsupported);
  host.files["/proc/sys/kernel/osrelease"] = "6.12.1\n";
  host.memlock = MemlockAnswer{8 << 20, true, 42};
  EXPECT_EQ(ReadKernel(host)->release, "6.12.1");
  EXPECT_EQ(ReadMemlock(host)->limit_bytes, 8U << 20);
}

TEST(Host, DeviceNodesAreListedWithoutUdevsLinks) {
  FakeHost host;
  EXPECT_TRUE(ReadRdmaNodes(host)->empty()) << "no directory: no nodes";
  host.directories["/dev/infiniband"] = std::vector<std::string>{"by-ibdev", "by-path", "rdma_cm", "uverbs0"};
  EXPECT_EQ(*ReadRdmaNodes(host), (std::vector<std::string>{"rdma_cm", "uverbs0"}));
  host.directories["/dev/infiniband"] = ErrnoStatus(EACCES, "list /dev/infiniband");
  EXPECT_EQ(ReadRdmaNodes(host).missing().kind, Missing::Kind::kDenied);
}

TEST(NodeList, IsCounted) {
  EXPECT_EQ(*DecodeNodeList("0\n"), 1U);
  EXPECT_EQ(*DecodeNodeList("0-1\n"), 2U);
  EXPECT_EQ(*DecodeNodeList("0-1,4,8-11\n"), 7U);
}

TEST(NodeList, ThatMakesNoSenseIsAFailure) {
  for (const char* text :
       {"", "\n", "a", "0-", "-1", "1-0", "0,", ",0", "0 1", "0-4294967295", "99999999999"}) {
    EXPECT_EQ(DecodeNodeList(text).missing().kind, Missing::Kind::kFailed) << text;
  }
}

TEST(NodeList, IsNotThereOnAKernelWithoutNuma) {
  FakeHost host;
  EXPECT_EQ(ReadNumaNodes(host).missing(), (Missing{Missing::Kind::kUnsupported, "kernel without NUMA"}));
  host.files["/sys/devices/system/node/online"] = "0-1\n";
  EXPECT_EQ(*ReadNumaNodes(host), 2U);
}

TEST(OpenFiles, AreALineOfTheProcessLimits) {
  constexpr std::string_view kBefore =
      "Max processes             31000                31000                processes \n";
  const auto decode = [&](std::string_view line) {
    return DecodeOpenFiles(std::string(kBefore) + std::string(line));
  };
  EXPECT_EQ(*decode("Max open files            1024                 524288               files     \n"),
            (OpenFiles{.soft = 1024, .hard = 524'288}));
  EXPECT_EQ(*decode("Max open files            4096                 unlimited            files     \n"),
            (OpenFiles{.soft = 4096, .hard = OpenFiles::kUnlimited}));
  for (const char* nonsense : {"", "Max open files", "Max open files 1024", "Max open files 1024 many files"})
    EXPECT_EQ(decode(nonsense).missing().kind, Missing::Kind::kFailed) << nonsense;
}

TEST(Uptime, IsInWholeSeconds) {
  FakeHost host;
  EXPECT_FALSE(ReadUptime(host));
  host.files["/proc/uptime"] = "3600.99 7000.10\n";
  EXPECT_EQ(*ReadUptime(host), 3600U);
  for (const char* nonsense : {"", "\n", "x", "12", "-1.0 2"}) {
    host.files["/proc/uptime"] = std::string(nonsense);
    EXPECT_EQ(ReadUptime(host).missing().kind, Missing::Kind::kFailed) << nonsense;
  }
}

Fact<KernelClock> ClockOf(FakeHost host) {
  Facts facts;
  ReadHostFacts(host, facts);
  return facts.clock;
}

TEST(ClockFact, IsWhatAdjtimexSays) {
  const auto clock = [](const ClockAnswer& answer) {
    FakeHost host;
    host.Answer(ClockQuestion(), answer);
    return *ClockOf(host);
  };
  const ClockAnswer kept{
      .state = TIME_OK, .status = STA_PLL | STA_NANO, .max_error_us = 1500, .estimated_error_us = 20};
  EXPECT_EQ(clock(kept),
            (KernelClock{.unsynchronised = false, .max_error_us = 1500, .estimated_error_us = 20}));
  ClockAnswer changed = kept;
  changed.state = TIME_INS;  // a leap second to come
  EXPECT_FALSE(clock(changed).unsynchronised);
  changed.state = TIME_ERROR;
  EXPECT_TRUE(clock(changed).unsynchronised);
  changed = kept;
  changed.status |= STA_UNSYNC;
  EXPECT_TRUE(clock(changed).unsynchronised);
}

TEST(ClockFact, ThatTellsNothingIsMissing) {
  FakeHost host;
  host.Answer(ClockQuestion(), ErrnoStatus(EPERM, "ask adjtimex"));
  EXPECT_EQ(ClockOf(host).missing(),
            (Missing{Missing::Kind::kDenied, "ask adjtimex: Operation not permitted"}));
  host.Answer(ClockQuestion(), NotCollected("not in the recording"));
  EXPECT_EQ(ClockOf(host).missing().kind, Missing::Kind::kNotCollected);
}

TEST(DecodeCma, ReadsTheLinesOfMeminfo) {
  const auto decode = [](const std::vector<std::string>& lines) { return DecodeCma(lines); };
  const Fact<CmaMemory> cma = decode({"CmaTotal:       32768 kB", "CmaFree:        31104 kB"});
  ASSERT_TRUE(cma);
  EXPECT_EQ(*cma, (CmaMemory{.total_bytes = 32768ULL * 1024, .free_bytes = 31104ULL * 1024}));
  EXPECT_EQ(decode({}).missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(decode({"CmaTotal:       32768 kB"}).missing().kind, Missing::Kind::kFailed);
  EXPECT_EQ(decode({"CmaTotal:", "CmaFree: x kB"}).missing().kind, Missing::Kind::kFailed);
}

TEST(ReadCma, ReturnsAGapWithoutMeminfo) {
  FakeHost host;
  host.files["/proc/meminfo"] = ErrnoStatus(EACCES, "read /proc/meminfo");
  EXPECT_EQ(ReadCma(host).missing().kind, Missing::Kind::kDenied);
  host.files["/proc/meminfo"] = "MemTotal: 1 kB\n";
  EXPECT_EQ(ReadCma(host).missing().kind, Missing::Kind::kUnsupported);
}

}  // namespace
}  // namespace rdmaready
