// SPDX-License-Identifier: Apache-2.0
#include "agent/port_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace rdmaready {
namespace {

class PortLockTest : public testing::Test {
 protected:
  PortLockTest() { std::filesystem::create_directories(directory_); }
  ~PortLockTest() override { std::filesystem::remove_all(directory_); }

  absl::StatusOr<PortLock> Take(std::string_view port, std::string_view holder) {
    return PortLock::Take(port, holder, directory_);
  }

  const std::string directory_ = testing::TempDir() + "port lock " + std::to_string(::getpid());
};

TEST_F(PortLockTest, TellsTheSecondCallerWhoHoldsThePort) {
  const absl::StatusOr<PortLock> first = Take("rxe0/1", "root@storage1, loopback");
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::StatusOr<PortLock> second = Take("rxe0/1", "somebody else");
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(second.status().message(), "port rxe0/1 is busy: root@storage1, loopback");
}

TEST_F(PortLockTest, IsFreeAgainWhenTheHolderIsGone) {
  { ASSERT_TRUE(Take("rxe0/1", "a much longer name than the next one").ok()); }
  const absl::StatusOr<PortLock> second = Take("rxe0/1", "b");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(Take("rxe0/1", "c").status().message(), "port rxe0/1 is busy: b");
}

TEST_F(PortLockTest, HoldsOnePortAndNotAnother) {
  const absl::StatusOr<PortLock> first = Take("rxe0/1", "a");
  EXPECT_TRUE(Take("rxe0/2", "a").ok());
  EXPECT_TRUE(Take("rxe1/1", "a").ok());
}

TEST_F(PortLockTest, CanBeReadByOtherUsers) {
  const ::mode_t before = ::umask(077);
  const absl::StatusOr<PortLock> lock = Take("rxe0/1", "a");
  ::umask(before);
  struct ::stat info {};
  ASSERT_EQ(::stat((directory_ + "/rdmaready-rxe0-1.lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0666u);
}

TEST_F(PortLockTest, PassesOnNothingButOneSafeLine) {
  const absl::StatusOr<PortLock> first = Take("rxe0/1", "evil\x1b[2J\n" + std::string(5000, 'x'));
  ASSERT_TRUE(first.ok());
  EXPECT_LE(std::filesystem::file_size(directory_ + "/rdmaready-rxe0-1.lock"), 256u);
  const std::string told(Take("rxe0/1", "b").status().message());
  EXPECT_THAT(told, testing::HasSubstr("evil?[2J?xxx"));
  EXPECT_THAT(told, testing::Not(testing::HasSubstr("\x1b")));
}

TEST_F(PortLockTest, FollowsNoSymbolicLink) {
  std::filesystem::create_symlink(directory_ + "/victim", directory_ + "/rdmaready-rxe0-1.lock");
  EXPECT_FALSE(Take("rxe0/1", "a").ok());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/victim"));
}

TEST_F(PortLockTest, SaysWhichDirectoryIsMissing) {
  const absl::Status status = PortLock::Take("rxe0/1", "a", directory_ + "/none").status();
  EXPECT_NE(status.message().find("/none/"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace rdmaready
