// SPDX-License-Identifier: Apache-2.0
// What an agent holds after a day of its own checks: no more than after the first hours. The store is the real one.
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <semaphore>
#include <string>

#include "agent/agent.h"
#include "agent/own_check.h"
#include "agent/server/schedule.h"
#include "agent/store/sqlite_store.h"
#include "api/profile/load.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

constexpr int kFirst = 48;  // until what SQLite keeps of its file is all that it may keep
constexpr int kDay = 96;    // at one in 15 minutes

struct Held {
  std::int64_t heap_bytes = 0;
  std::int64_t descriptors = 0;
  std::int64_t threads = 0;
};

std::int64_t EntriesOf(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

Held HeldNow() {
  const struct ::mallinfo2 heap = ::mallinfo2();
  return {.heap_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd),
          .descriptors = EntriesOf("/proc/self/fd"),
          .threads = EntriesOf("/proc/self/task")};
}

TEST(Growth, NinetySixScheduledChecksHoldNoMoreThanTheFirstOnes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "its heap is not malloc's";
#endif
  const std::filesystem::path state = testing::TempDir() + "growth " + std::to_string(::getpid());
  FakeHost host = GoodFakeHost();
  FakeClock clock;
  std::counting_semaphore<> done(0);
  {
    SqliteStore store({.directory = state, .limits = {.max_bytes = std::uint64_t{16} << 20}});
    Agent agent(host, store, [](Role, std::uint32_t) { return nullptr; },
                {.version = "9.9.9", .default_profiles = {*LoadProfile("virtual-fabric")}});
    const Schedule schedule(std::chrono::minutes(15), 7, clock, [&](const std::stop_token& stop) {
      CheckByItself(agent, {}, stop);
      done.release();
    });
    const auto runs = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        clock.Advance(clock.AwaitSleeper());
        done.acquire();
        host.asked = {};  // what the fake remembers is not the agent's
      }
      return HeldNow();
    };
    const Held first = runs(kFirst);
    const Held last = runs(kDay);
    EXPECT_LT(last.heap_bytes - first.heap_bytes, 128 << 10);
    EXPECT_EQ(last.descriptors, first.descriptors);
    EXPECT_EQ(last.threads, first.threads);
    const absl::StatusOr<std::vector<RunRecord>> kept = store.Runs({.limit = 1000});
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_EQ(kept->size(), std::size_t{kFirst + kDay});  // so the checks were made, and kept
    RecordProperty("heap_growth_bytes", std::to_string(last.heap_bytes - first.heap_bytes));
  }
  std::filesystem::remove_all(state);
}

}  // namespace
}  // namespace rdmaready
