// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "agent/port/near_nic.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

std::set<std::uint32_t> MyCpus() {
  ::cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(0, sizeof(set), &set), 0);
  std::set<std::uint32_t> cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.insert(cpu);
  }
  return cpus;
}

TEST(NearNicTest, HoldsTheThreadAndThoseItMakes) {
  const std::set<std::uint32_t> all = MyCpus();
  const std::set<std::uint32_t> one{*all.rbegin()};
  {
    std::set<std::uint32_t> wanted = one;
    wanted.insert(CPU_SETSIZE + 7);  // of a NIC on a larger machine
    const NearNic near(wanted);
    EXPECT_EQ(MyCpus(), one);
    std::thread([&] { EXPECT_EQ(MyCpus(), one); }).join();
  }
  EXPECT_EQ(MyCpus(), all);
}

TEST(NearNicTest, LeavesTheThreadWhereItMayNotRunThere) {
  const std::set<std::uint32_t> all = MyCpus();
  for (const std::set<std::uint32_t>& elsewhere : {std::set<std::uint32_t>{}, {CPU_SETSIZE - 1}, {~0U}}) {
    const NearNic near(elsewhere);
    EXPECT_EQ(MyCpus(), all);
  }
}

TEST_F(ServiceTest, ALiveTestRunsOnTheCpusNearTheNic) {
  ServedAgent agent(BothEnds(), locks_);
  const std::set<std::uint32_t> all = MyCpus();
  for (const std::uint32_t cpu : {*all.begin(), *all.rbegin()}) {
    agent.host.files["/sys/class/infiniband/rxe0/device/local_cpulist"] = std::to_string(cpu) + "\n";
    ASSERT_TRUE(agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {}).ok());
    EXPECT_EQ(agent.store.transfers.back().result.tester_cpu, cpu);
  }
  EXPECT_EQ(MyCpus(), all);
}

}  // namespace
}  // namespace rdmaready
