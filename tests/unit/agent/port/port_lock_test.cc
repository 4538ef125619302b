// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace rdmaready {
namespace {

class PortLockTest : public testing::Test {
 protected:
  PortLockTest() { std::filesystem::create_directories(directory_); }
  ~PortLockTest() override { std::filesystem::remove_all(directory_); }

  absl::StatusOr<PortLock> Take(std::string_view port, std::string_view holder) {
    return PortLock::Take({std::string(port), std::string(port)}, holder, directory_);
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

TEST_F(PortLockTest, HoldsEachOfTwelvePortsOfADevice) {
  std::vector<absl::StatusOr<PortLock>> held;
  for (int port = 1; port <= 12; ++port) {
    held.push_back(Take("0000:3b:00.0/b8599f0300000001/" + std::to_string(port), "a"));
    EXPECT_TRUE(held.back().ok()) << held.back().status();
  }
  EXPECT_FALSE(Take("0000:3b:00.0/b8599f0300000001/12", "b").ok());
}

TEST_F(PortLockTest, IsOfTheIdentityAndNamesThePort) {
  const std::string identity = "0000:3b:00.0/b8599f0300000001/1";
  const absl::StatusOr<PortLock> first = PortLock::Take({"mlx5_0/1", identity}, "a", directory_);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::StatusOr<PortLock> renamed = PortLock::Take({"rocep59s0/1", identity}, "b", directory_);
  EXPECT_EQ(renamed.status().message(), "port rocep59s0/1 is busy: a");
  EXPECT_TRUE(PortLock::Take({"mlx5_0/1", "0000:5e:00.0/b8599f0300000002/1"}, "b", directory_).ok());
}

TEST(LockFile, IsAnotherForEachIdentity) {
  EXPECT_EQ(LockFileOf("0000:3b:00.0/b8599f0300000001/1"), "rdmaready-0000:3b:00.0+b8599f0300000001+1.lock");
  EXPECT_EQ(LockFileOf("a+1"), "rdmaready-a%2b1.lock");
  EXPECT_EQ(LockFileOf("a%2b1"), "rdmaready-a%252b1.lock");
  EXPECT_EQ(LockFileOf("../x\n"), "rdmaready-..+x%0a.lock");
}

TEST_F(PortLockTest, CanBeReadByOtherUsers) {
  const ::mode_t before = ::umask(077);
  const absl::StatusOr<PortLock> lock = Take("rxe0/1", "a");
  ::umask(before);
  struct ::stat info {};
  ASSERT_EQ(::stat((directory_ + "/rdmaready-rxe0+1.lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0666u);
}

TEST_F(PortLockTest, PassesOnNothingButOneSafeLine) {
  const absl::StatusOr<PortLock> first = Take("rxe0/1", "evil\x1b[2J\n" + std::string(5000, 'x'));
  ASSERT_TRUE(first.ok());
  EXPECT_LE(std::filesystem::file_size(directory_ + "/rdmaready-rxe0+1.lock"), 256u);
  const std::string told(Take("rxe0/1", "b").status().message());
  EXPECT_THAT(told, testing::HasSubstr("evil?[2J?xxx"));
  EXPECT_THAT(told, testing::Not(testing::HasSubstr("\x1b")));
}

TEST_F(PortLockTest, FollowsNoSymbolicLink) {
  std::filesystem::create_symlink(directory_ + "/victim", directory_ + "/rdmaready-rxe0+1.lock");
  EXPECT_FALSE(Take("rxe0/1", "a").ok());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/victim"));
}

TEST_F(PortLockTest, SaysWhichDirectoryIsMissing) {
  const absl::Status status = PortLock::Take({"rxe0/1", "rxe0/1"}, "a", directory_ + "/none").status();
  EXPECT_NE(status.message().find("/none/"), absl::string_view::npos) << status;
}

TEST_F(PortLockTest, WritesNothingIntoAFileThatHasAnotherName) {
  std::ofstream(directory_ + "/victim") << "precious";
  std::filesystem::create_hard_link(directory_ + "/victim", directory_ + "/rdmaready-rxe0+1.lock");
  EXPECT_THAT(std::string(Take("rxe0/1", "a").status().message()), testing::HasSubstr("hard link"));
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/victim"), 8u);
}

TEST_F(PortLockTest, IsNoPipe) {
  ASSERT_EQ(::mkfifo((directory_ + "/rdmaready-rxe0+1.lock").c_str(), 0666), 0);
  EXPECT_THAT(std::string(Take("rxe0/1", "a").status().message()), testing::HasSubstr("not a regular file"));
}

TEST_F(PortLockTest, IsTakenAgainFromAFileThatADeadAgentLeft) {
  std::ofstream(directory_ + "/rdmaready-rxe0+1.lock") << "an agent that died\n";
  EXPECT_TRUE(Take("rxe0/1", "b").ok());
}

// A second agent that came between its opening and its locking must not hold a file that is gone.
TEST_F(PortLockTest, IsOfTheFileThatTheNextAgentWillFind) {
  const absl::StatusOr<PortLock> first = Take("rxe0/1", "a");
  ASSERT_TRUE(first.ok());
  std::filesystem::remove(directory_ + "/rdmaready-rxe0+1.lock");
  const absl::StatusOr<PortLock> second = Take("rxe0/1", "b");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(Take("rxe0/1", "c").status().message(), "port rxe0/1 is busy: b");
}

TEST(SharedLockDirectory, IsTheSameForRootAndForEverybody) {
  const std::string own = testing::TempDir() + "own locks " + std::to_string(::getpid());
  std::filesystem::create_directories(own);
  // Root could write to its own one, others could not: they would not meet.
  const std::array<std::string, 3> candidates{"/nowhere", own, "/tmp"};
  EXPECT_EQ(*SharedLockDirectory(candidates), "/tmp");
  const absl::Status none = SharedLockDirectory(std::span(candidates).first(2)).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.message()), testing::HasSubstr(own));
  std::filesystem::remove_all(own);
}

class TwoUsersTest : public PortLockTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
    std::filesystem::permissions(directory_, std::filesystem::perms(01777));
  }

  // What another user is told; the lock is let go when it has been told.
  std::string TakeAsNobody() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const ::pid_t child = ::fork();
    if (child == 0) {
      std::string text = "cannot change the user";
      if (::setgid(65534) == 0 && ::setuid(65534) == 0) {
        const absl::StatusOr<PortLock> lock = Take("rxe0/1", "nobody");
        text = lock.ok() ? "taken" : std::string(lock.status().message());
      }
      ::_exit(::write(ends[1], text.data(), text.size()) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    std::array<char, 512> text{};
    const ::ssize_t size = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return {text.data(), static_cast<std::size_t>(std::max<::ssize_t>(size, 0))};
  }
};

TEST_F(TwoUsersTest, RootKeepsEverybodyElseOut) {
  const absl::StatusOr<PortLock> root = Take("rxe0/1", "root's agent");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(TakeAsNobody(), "port rxe0/1 is busy: root's agent");
}

TEST_F(TwoUsersTest, AFileThatOneMadeServesTheOther) {
  EXPECT_EQ(TakeAsNobody(), "taken");
  {
    const absl::StatusOr<PortLock> root = Take("rxe0/1", "root's agent");
    ASSERT_TRUE(root.ok()) << root.status();
    EXPECT_EQ(TakeAsNobody(), "port rxe0/1 is busy: root's agent");
    struct ::stat info {};
    ASSERT_EQ(::stat((directory_ + "/rdmaready-rxe0+1.lock").c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 0u) << "nobody could remove it under root's lock";
  }
  EXPECT_EQ(TakeAsNobody(), "taken");
}

TEST_F(TwoUsersTest, AFileThatIsOnlyItsOwnersIsAnErrorAndNeverNoLock) {
  std::ofstream(directory_ + "/rdmaready-rxe0+1.lock") << "";
  std::filesystem::permissions(directory_ + "/rdmaready-rxe0+1.lock", std::filesystem::perms(0600));
  EXPECT_THAT(TakeAsNobody(), testing::AllOf(testing::HasSubstr("rdmaready-rxe0+1.lock: Permission denied"),
                                             testing::HasSubstr("uid 0")));
}

// The directory that the package makes: of root and a group, here the one of `nobody`.
class ServiceLocksTest : public TwoUsersTest {
 protected:
  void SetUp() override {
    TwoUsersTest::SetUp();
    if (::geteuid() != 0) return;
    std::filesystem::create_directory(service_);
    ASSERT_EQ(::chown(service_.c_str(), 0, kServiceGroup), 0);
    ASSERT_EQ(::chmod(service_.c_str(), 03770), 0);
  }

  absl::StatusOr<LockPlace> Place() const { return PlaceOfLocks(service_, shared_); }

  // What `work` says as that user of that group.
  static std::string As(::uid_t user, ::gid_t group, const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const ::pid_t child = ::fork();
    if (child == 0) {
      std::string text = "cannot change the user";
      if (::setgroups(0, nullptr) == 0 && ::setgid(group) == 0 && ::setuid(user) == 0) text = work();
      ::_exit(::write(ends[1], text.data(), text.size()) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    std::array<char, 512> text{};
    const ::ssize_t size = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return {text.data(), static_cast<std::size_t>(std::max<::ssize_t>(size, 0))};
  }

  std::string TakePlaced(std::string_view holder) const {
    const absl::StatusOr<LockPlace> place = Place();
    if (!place.ok()) return std::string(place.status().message());
    const absl::StatusOr<PortLock> lock = PortLock::TakeIn(*place, {"rxe0/1", "rxe0/1"}, holder);
    return lock.ok() ? "taken" : std::string(lock.status().message());
  }

  static constexpr ::uid_t kServiceUser = 64001;
  static constexpr ::gid_t kServiceGroup = 64001;
  static constexpr ::uid_t kAnybody = 65534;
  const std::string service_ = directory_ + "/locks";
  const std::array<std::string, 1> shared_{directory_};
};

TEST_F(ServiceLocksTest, AreWhereRootAndTheServiceMeet) {
  const absl::StatusOr<LockPlace> place = Place();
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->directory, service_);
  EXPECT_EQ(As(kServiceUser, kServiceGroup, [&] { return TakePlaced("the agent"); }), "taken");
  const absl::StatusOr<PortLock> root = PortLock::TakeIn(*place, {"rxe0/1", "rxe0/1"}, "root");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(As(kServiceUser, kServiceGroup, [&] { return TakePlaced("the agent"); }),
            "port rxe0/1 is busy: root");
  struct ::stat info {};
  ASSERT_EQ(::stat((service_ + "/rdmaready-rxe0+1.lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0660u);
  EXPECT_EQ(info.st_uid, 0u);
  EXPECT_EQ(info.st_gid, kServiceGroup);
}

TEST_F(ServiceLocksTest, ServeTheServiceAfterRootHadThePortFirst) {
  { ASSERT_TRUE(PortLock::TakeIn(*Place(), {"rxe0/1", "rxe0/1"}, "root").ok()); }
  EXPECT_EQ(As(kServiceUser, kServiceGroup, [&] { return TakePlaced("the agent"); }), "taken");
}

TEST_F(ServiceLocksTest, RefuseEverybodyElseAndSayWhom) {
  const std::string told = As(kAnybody, kAnybody, [&] { return TakePlaced("anybody"); });
  EXPECT_THAT(told, testing::AllOf(testing::HasSubstr("uid 65534 may not write to"),
                                   testing::HasSubstr(service_), testing::HasSubstr("ask that agent to test")));
}

TEST_F(ServiceLocksTest, AreHeldByNobodyThroughAFileElsewhereOrOneThatHeOnlyReads) {
  { ASSERT_TRUE(PortLock::TakeIn(*Place(), {"rxe0/1", "rxe0/1"}, "root").ok()); }
  // An ordinary user holds the lock of the shared directory, and tries to open that of the service.
  const absl::StatusOr<PortLock> elsewhere = Take("rxe0/1", "anybody's, in the shared directory");
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_EQ(TakePlaced("root"), "taken");
  const std::string path = service_ + "/rdmaready-rxe0+1.lock";
  EXPECT_EQ(
      As(kAnybody, kAnybody,
         [&] { return ::open(path.c_str(), O_RDONLY) < 0 ? std::string("cannot even open it") : "opened"; }),
      "cannot even open it");
}

TEST_F(ServiceLocksTest, AreNotTrustedWhereOthersCouldHaveMadeThem) {
  ASSERT_EQ(::chmod(service_.c_str(), 01777), 0);
  EXPECT_EQ(Place().status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_EQ(::chmod(service_.c_str(), 03770), 0);
  ASSERT_EQ(::chown(service_.c_str(), kServiceUser, kServiceGroup), 0);
  EXPECT_THAT(std::string(Place().status().message()), testing::HasSubstr("of uid 64001, mode 3770"));
  std::filesystem::remove(service_);
  std::filesystem::create_directory_symlink("/tmp", service_);
  EXPECT_EQ(Place().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ServiceLocksTest, AreInTheSharedDirectoryWhereThereIsNoService) {
  std::filesystem::remove(service_);
  const absl::StatusOr<LockPlace> place = Place();
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->directory, directory_);
  EXPECT_EQ(place->file_mode, 0666u);
}

}  // namespace
}  // namespace rdmaready
