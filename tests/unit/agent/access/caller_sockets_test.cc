// SPDX-License-Identifier: Apache-2.0
#include "agent/access/caller_sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/access/socket_file.h"
#include "api/base/status.h"

namespace rdmaready::access {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const AskingUser kNobody{.uid = 65534, .name = "nobody"};

TriedSocket Tried(const std::string& path, SocketState state, const std::string& group = {}) {
  return {.path = path, .state = state, .group = group, .owner = "root"};
}

// As a package has them, for a user who is in no group.
std::vector<TriedSocket> AllRefused(const std::string& directory) {
  return {Tried(directory + "/apply.sock", SocketState::kRefused),
          Tried(directory + "/prove.sock", SocketState::kRefused),
          Tried(directory + "/test.sock", SocketState::kRefused, "rdmaready-test"),
          Tried(directory + "/observe.sock", SocketState::kRefused, "rdmaready-observe")};
}

std::vector<TriedSocket> NoneThere(const std::string& directory) {
  std::vector<TriedSocket> tried;
  for (const char* name : {"apply", "prove", "test", "observe"})
    tried.push_back(Tried(directory + "/" + name + ".sock", SocketState::kAbsent));
  return tried;
}

std::string WhyNot(const std::vector<TriedSocket>& tried, absl::StatusCode code,
                   const AskingUser& user = kNobody) {
  const absl::StatusOr<std::string> path = SocketToAsk(tried, user);
  EXPECT_EQ(path.status().code(), code) << path.status();
  return Message(path.status());
}

TEST(SocketToAsk, ReturnsTheFirstOnWhichSomebodyListens) {
  std::vector<TriedSocket> tried = AllRefused("/run/rdmaready");
  tried[2].state = tried[3].state = SocketState::kListening;
  EXPECT_EQ(*SocketToAsk(tried, kNobody), "/run/rdmaready/test.sock");
  // An agent that this user started is asked where the host's own refuses.
  std::vector<TriedSocket> own = AllRefused("/run/rdmaready");
  own.push_back(Tried("/run/user/7/rdmaready/apply.sock", SocketState::kListening));
  EXPECT_EQ(*SocketToAsk(own, kNobody), "/run/user/7/rdmaready/apply.sock");
}

TEST(SocketToAsk, IsEmptyOnAHostWithoutAnAgent) {
  EXPECT_EQ(*SocketToAsk({}, kNobody), "");
  EXPECT_EQ(*SocketToAsk(NoneThere("/run/rdmaready"), kNobody), "");
}

TEST(SocketToAsk, RefusesAndNamesTheSocketsAndTheirGroups) {
  EXPECT_EQ(
      WhyNot(AllRefused("/run/rdmaready"), absl::StatusCode::kPermissionDenied),
      "the agent of this host does not let user nobody (uid 65534) in: /run/rdmaready/observe.sock is for the "
      "group rdmaready-observe, /run/rdmaready/test.sock is for the group rdmaready-test. Join the group "
      "rdmaready-observe (as root: usermod -aG rdmaready-observe nobody) and log in again, or ask as root");
  // A user without a name cannot be put into a group by one.
  EXPECT_THAT(WhyNot(AllRefused("/run/rdmaready"), absl::StatusCode::kPermissionDenied, {.uid = 61000}),
              AllOf(HasSubstr("user 61000 in: "), HasSubstr("Join the group rdmaready-observe"),
                    Not(HasSubstr("usermod"))));
}

TEST(SocketToAsk, RefusesAndNamesTheUserWhereNoGroupMay) {
  const std::vector<TriedSocket> one{
      {.path = "/run/x.sock", .state = SocketState::kRefused, .owner = "rdmaready"}};
  EXPECT_THAT(WhyNot(one, absl::StatusCode::kPermissionDenied),
              HasSubstr("/run/x.sock is for the user rdmaready alone. Ask as that user or as root"));
  const std::vector<TriedSocket> hidden{{.path = "/closed/x.sock", .state = SocketState::kRefused}};
  EXPECT_THAT(WhyNot(hidden, absl::StatusCode::kPermissionDenied),
              HasSubstr("connect to /closed/x.sock: Permission denied"));
}

TEST(SocketToAsk, RefusesBeforeItLooksForASocketLeftBehindElsewhere) {
  std::vector<TriedSocket> tried = AllRefused("/run/rdmaready");
  tried.push_back(Tried("/run/user/7/rdmaready/apply.sock", SocketState::kAbandoned));
  EXPECT_THAT(WhyNot(tried, absl::StatusCode::kPermissionDenied), HasSubstr("/run/rdmaready/observe.sock"));
}

TEST(SocketToAsk, ReportsASocketLeftBehindByAnAgentThatEnded) {
  std::vector<TriedSocket> tried = AllRefused("/run/rdmaready");
  tried[3].state = SocketState::kAbandoned;
  EXPECT_THAT(WhyNot(tried, absl::StatusCode::kUnavailable),
              AllOf(HasSubstr("no process listens on /run/rdmaready/observe.sock"),
                    HasSubstr("systemctl restart rdmaready-agent"), HasSubstr("RDMAREADY_SOCKET=none")));
}

class TrySocketTest : public testing::Test {
 protected:
  TrySocketTest() { std::filesystem::create_directories(directory_); }
  ~TrySocketTest() override { std::filesystem::remove_all(directory_); }

  const std::string directory_ = testing::TempDir() + "caller sockets " + std::to_string(::getpid());
  const std::string path_ = directory_ + "/test.sock";
};

TEST_F(TrySocketTest, DistinguishesAListenerFromAFileLeftBehindAndFromNothing) {
  EXPECT_EQ(TrySocket(path_).state, SocketState::kAbsent);
  EXPECT_EQ(TrySocket(directory_ + "/none/test.sock").state, SocketState::kAbsent);
  {
    const absl::StatusOr<DoorSocket> listening = MakeSocket(path_, Role::kTest);
    ASSERT_TRUE(listening.ok()) << listening.status();
    const TriedSocket tried = TrySocket(path_);
    EXPECT_EQ(tried.state, SocketState::kListening);
    EXPECT_EQ(tried.group, "") << "mode 0600";
    EXPECT_EQ(tried.owner, ThisUser().name);
  }
  EXPECT_EQ(TrySocket(path_).state, SocketState::kAbandoned);
  ::chmod(path_.c_str(), 0660);
  EXPECT_THAT(TrySocket(path_).group, Not(IsEmpty()));
}

TEST_F(TrySocketTest, ReportsOtherFilesAsAbsent) {
  std::ofstream(path_) << "x";
  EXPECT_EQ(TrySocket(path_).state, SocketState::kAbsent);
  EXPECT_EQ(TrySocket("/dev/null").state, SocketState::kAbsent);
  EXPECT_EQ(TrySocket(directory_ + "/" + std::string(200, 'x')).state, SocketState::kAbsent);
}

TEST_F(TrySocketTest, DistinguishesARefusalFromAnAbsentSocket) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const absl::StatusOr<DoorSocket> listening = MakeSocket(path_, Role::kTest);
  ASSERT_TRUE(listening.ok()) << listening.status();
  std::filesystem::permissions(directory_, std::filesystem::perms::all);
  ASSERT_EQ(::seteuid(65534), 0);
  const TriedSocket tried = TrySocket(path_);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(tried.state, SocketState::kRefused);
  EXPECT_EQ(tried.owner, "root");
}

TEST(SocketsToTry, IsEmptyWhereTheEnvironmentSaysNone) {
  ASSERT_EQ(::setenv("RDMAREADY_SOCKET", "none", 1), 0);
  EXPECT_THAT(SocketsToTry(), IsEmpty());
  ASSERT_EQ(::setenv("RDMAREADY_SOCKET", "/x/agent.sock", 1), 0);
  EXPECT_THAT(SocketsToTry(), testing::ElementsAre("/x/agent.sock"));
  ASSERT_EQ(::unsetenv("RDMAREADY_SOCKET"), 0);
  EXPECT_EQ(SocketsToTry().front(), "/run/rdmaready/apply.sock");
}

}  // namespace
}  // namespace rdmaready::access
