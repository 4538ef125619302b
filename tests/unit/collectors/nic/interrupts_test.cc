// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFolder = "/sys/bus/pci/devices/0000:3b:00.0/";

FakeHost HostWithThree() {
  FakeHost host;
  const std::string folder = kFolder;
  host.directories[folder + "msi_irqs"] = std::vector<std::string>{"40", "41", "42", "43"};
  host.files[folder + "local_cpulist"] = "0-3\n";
  host.files["/proc/irq/40/effective_affinity_list"] = "2\n";
  host.files["/proc/irq/41/effective_affinity_list"] = "7\n";
  host.files["/proc/irq/42/effective_affinity_list"] = "\n";  // allocated, not in use
  host.files["/proc/irq/43/smp_affinity_list"] = "3-4\n";
  return host;
}

TEST(CpuList, HasSingleOnesAndRanges) {
  EXPECT_THAT(*DecodeCpuList("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(*DecodeCpuList("\n"), IsEmpty());
  for (const char* nonsense : {"a", "1-", "3-1", "1,,2", "1,", "0-99999999", "1 2"})
    EXPECT_FALSE(DecodeCpuList(nonsense)) << nonsense;
}

TEST(Interrupts, AreNearWhenTheyArriveOnlyAtLocalCpus) {
  FakeHost host = HostWithThree();
  const auto interrupts = ReadInterrupts(host, kFolder);
  ASSERT_TRUE(interrupts) << interrupts.missing().detail;
  EXPECT_EQ(*interrupts, (Interrupts{.count = 3, .local = 1, .cpus = 4}));
}

TEST(Interrupts, ThatCannotBeReadAreAGap) {
  FakeHost host = HostWithThree();
  host.files["/proc/irq/41/effective_affinity_list"] = ErrnoStatus(EACCES, "read");
  EXPECT_EQ(ReadInterrupts(host, kFolder).missing().kind, Missing::Kind::kDenied);
  host = FakeHost();
  EXPECT_EQ(ReadInterrupts(host, kFolder).missing().kind, Missing::Kind::kUnsupported);
}

}  // namespace
}  // namespace rdmaready
