// SPDX-License-Identifier: Apache-2.0
#include "agent/access/local_door.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <filesystem>
#include <set>

#include "agent/access/socket_file.h"
#include "api/base/status.h"

namespace rdmaready::access {
namespace {

using testing::HasSubstr;

constexpr LocalDoor::TimePoint kNow = LocalDoor::TimePoint() + std::chrono::hours(1);

UniqueFd Connection() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  ::close(ends[1]);
  return UniqueFd(ends[0]);
}

LocalCaller User(::uid_t uid, Role role = Role::kTest) { return {.role = role, .uid = uid, .path = "/x"}; }

class Numbers : public testing::Test {
 protected:
  int Give(const LocalCaller& caller, LocalDoor::TimePoint now = kNow) {
    const absl::StatusOr<int> number = door_.Number(Connection(), caller, now);
    EXPECT_TRUE(number.ok()) << number.status();
    return number.value_or(-1);
  }
  std::optional<::uid_t> UserOf(int number) const {
    const std::optional<LocalCaller> caller = door_.Find("fd:" + std::to_string(number));
    return caller ? std::optional(caller->uid) : std::nullopt;
  }

  LocalDoor door_{{}, {}, {}};
};

TEST_F(Numbers, FindWhoseConnectionItIs) {
  const int first = Give(User(7));
  const int second = Give(User(8));
  EXPECT_NE(first, second);
  EXPECT_EQ(UserOf(first), 7U);
  EXPECT_EQ(UserOf(second), 8U);
  for (const char* peer : {"fd:", "fd:-1", "fd:0", "fd:x", "ipv4:1.2.3.4:5", "", "fd:99999999999999999999"})
    EXPECT_FALSE(door_.Find(peer)) << peer;
  ::close(first);
  ::close(second);
}

TEST_F(Numbers, OfAConnectionThatEndedIsNotAnotherUsersForAMinute) {
  const int first = Give(User(7));
  ::close(first);
  const int other = Give(User(0, Role::kProve));
  EXPECT_NE(other, first);
  EXPECT_EQ(UserOf(first), 7U) << "a call of it may be on its way yet";
  EXPECT_EQ(Give(User(7)), first) << "to the same user it is nothing new";
  ::close(first);
  const int same_user_higher_role = Give(User(7, Role::kProve));
  EXPECT_NE(same_user_higher_role, first);
  static_cast<void>(Give(User(7), kNow + std::chrono::seconds(1)));  // it is seen that another has gone
  ::close(other);
}

TEST_F(Numbers, ComeBackAfterAMinute) {
  const int first = Give(User(7));
  ::close(first);
  EXPECT_NE(Give(User(8)), first);
  EXPECT_EQ(Give(User(9), kNow + std::chrono::seconds(61)), first);
  EXPECT_EQ(UserOf(first), 9U);
}

TEST_F(Numbers, OneUserHasSoManyAndAnotherIsNotConcerned) {
  std::set<int> given;
  for (int i = 0; i < 128; ++i) given.insert(Give(User(7)));
  EXPECT_EQ(given.size(), 128U);
  EXPECT_THAT(Message(door_.Number(Connection(), User(7), kNow).status()),
              HasSubstr("uid 7 has 128 connections"));
  const int other = Give(User(8));
  EXPECT_GE(other, 0);
  for (const int number : given) ::close(number);
  ::close(other);
}

class Sockets : public testing::Test {
 protected:
  Sockets() { std::filesystem::create_directories(folder_); }
  ~Sockets() override { std::filesystem::remove_all(folder_); }

  static UniqueFd Connect(const std::string& path) {
    ::sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool connected =
        ::connect(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) == 0;
    return connected ? std::move(fd) : UniqueFd();
  }
  static ::mode_t ModeOf(const std::string& path) {
    struct ::stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
  }

  const std::string folder_ = testing::TempDir() + "doors-" + std::to_string(::getpid());
};

TEST_F(Sockets, AreTheirOwnersAloneWhateverTheUmaskWhichStaysAsItWas) {
  const ::mode_t before = ::umask(0);
  const absl::StatusOr<DoorSocket> socket = MakeSocket(folder_ + "/s", Role::kTest);
  EXPECT_EQ(::umask(before), 0U);
  ASSERT_TRUE(socket.ok()) << socket.status();
  EXPECT_EQ(ModeOf(folder_ + "/s"), 0600U);
}

TEST_F(Sockets, OfTheRolesStandInADirectoryThatEverybodyMaySearch) {
  const std::string run = folder_ + "/run";
  ASSERT_TRUE(MakeSocketDirectory(run).ok());
  const absl::StatusOr<std::vector<DoorSocket>> sockets = MakeRoleSockets(run);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_EQ(sockets->size(), 4U);
  EXPECT_EQ(ModeOf(run), 0755U);
  EXPECT_EQ(ModeOf(run + "/prove.sock"), 0600U);
  EXPECT_EQ(ModeOf(run + "/apply.sock"), 0600U);
}

TEST_F(Sockets, ADirectoryThatOthersMayWriteIsRefused) {
  const std::string run = folder_ + "/run";
  std::filesystem::create_directory(run);
  ::chmod(run.c_str(), 0777);
  EXPECT_THAT(Message(MakeSocketDirectory(run)), HasSubstr("not a directory that only this user"));
}

TEST_F(Sockets, AFileThatIsNoSocketIsLeftAlone) {
  ::close(::open((folder_ + "/s").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_THAT(Message(MakeSocket(folder_ + "/s", Role::kTest).status()), HasSubstr("Address already in use"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder_ + "/s"));
  EXPECT_FALSE(MakeSocket(folder_ + "/" + std::string(200, 'x'), Role::kTest).ok());
}

TEST_F(Sockets, TellWhoConnectsAndAreRemovedInTheEnd) {
  std::vector<DoorSocket> sockets;
  sockets.push_back(*MakeSocket(folder_ + "/s", Role::kTest));
  std::mutex mutex;
  std::condition_variable changed;
  int taken = -1;
  {
    LocalDoor door(std::move(sockets),
                   [&](int fd) {
                     const std::lock_guard lock(mutex);
                     taken = fd;
                     changed.notify_all();
                   },
                   {});
    const UniqueFd caller = Connect(folder_ + "/s");
    ASSERT_TRUE(caller);
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return taken >= 0; }));
    const std::optional<LocalCaller> found = door.Find("fd:" + std::to_string(taken));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->uid, ::geteuid());
    EXPECT_EQ(found->pid, ::getpid());
    EXPECT_EQ(found->role, Role::kTest);
    EXPECT_EQ(found->path, folder_ + "/s");
    ::close(taken);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/s"));
}

TEST_F(Sockets, RefusesToTakeASocketFromALiveProcess) {
  const absl::StatusOr<DoorSocket> first = MakeSocket(folder_ + "/s", Role::kTest);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = MakeSocket(folder_ + "/s", Role::kTest).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(Message(second), HasSubstr("listen on " + folder_ + "/s: in use by a live process (pid " +
                                         std::to_string(::getpid()) + ")"));
  EXPECT_TRUE(Connect(folder_ + "/s"));
}

TEST_F(Sockets, ReplacesASocketOnWhichNobodyListens) {
  ASSERT_TRUE(MakeSocket(folder_ + "/s", Role::kTest).ok());  // its descriptor is closed, its file stays
  ASSERT_TRUE(std::filesystem::exists(folder_ + "/s"));
  const absl::StatusOr<DoorSocket> again = MakeSocket(folder_ + "/s", Role::kTest);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(Connect(folder_ + "/s"));
}

TEST_F(Sockets, ASocketThatTookItsPlaceIsNotRemoved) {
  std::vector<DoorSocket> sockets;
  sockets.push_back(*MakeSocket(folder_ + "/s", Role::kTest));
  absl::StatusOr<DoorSocket> newer = absl::UnknownError("");
  {
    const LocalDoor door(std::move(sockets), [](int fd) { ::close(fd); }, {});
    std::filesystem::remove(folder_ + "/s");
    newer = MakeSocket(folder_ + "/s", Role::kTest);
    ASSERT_TRUE(newer.ok()) << newer.status();
  }
  EXPECT_TRUE(Connect(folder_ + "/s"));
}

}  // namespace
}  // namespace rdmaready::access
