// SPDX-License-Identifier: Apache-2.0
#include "agent/port/own_threads.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "tests/support/eventually.h"

namespace rdmaready {
namespace {

TEST(OwnThreads, HasEachThreadAsLongAsItLives) {
  std::promise<std::int64_t> begun;
  std::promise<void> may_end;
  std::jthread thread([&] {
    begun.set_value(::syscall(SYS_gettid));
    may_end.get_future().wait();
  });
  const std::int64_t id = begun.get_future().get();
  EXPECT_TRUE(OwnThreads().contains(id));
  EXPECT_TRUE(OwnThreads().contains(::getpid()));
  may_end.set_value();
  thread.join();
  EXPECT_TRUE(Eventually([&] { return !OwnThreads().contains(id); }));
}

}  // namespace
}  // namespace rdmaready
