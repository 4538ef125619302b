// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>

#include "cli/interrupt.h"

namespace rdmaready {
namespace {

std::string Contents(std::FILE* file) {
  std::string text(1000, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Console, LetsNoTextDriveTheTerminal) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::tmpfile(), std::fclose);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> err(std::tmpfile(), std::fclose);
  Console console(out.get(), err.get());
  console.Error(
      "host b: \x1b]0;title\x07 \xc2\x9b"
      "31m\nready");
  EXPECT_EQ(Contents(err.get()), "rdmaready: host b:  ]0;title   31m ready\n");
}

// Stopping the agent makes its calls fail: what is known is shown before.
TEST(InterruptDeathTest, RunsTheLastHookFirst) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        interrupt.Add([] { std::fputs("stopped\n", stderr); });
        interrupt.Add([] { std::fputs("shown\n", stderr); });
        interrupt.Run([] {
          ::kill(::getpid(), SIGINT);
          ::pause();
          return ExitStatus::kOk;
        });
      },
      ::testing::ExitedWithCode(130), "shown\nstopped");
}

}  // namespace
}  // namespace rdmaready
