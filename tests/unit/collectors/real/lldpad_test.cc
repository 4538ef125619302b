// SPDX-License-Identifier: Apache-2.0
// The real question, to a socket of this test.
#include "collectors/real/lldpad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/lldp/lldpad_messages.h"

namespace rdmaready {
namespace {

using testing::Gt;

// Takes one question.
class Server {
 public:
  Server() : name_("/rdmaready-test/" + std::to_string(::getpid())) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name_.data(), name_.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    bound_ = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
  }
  bool bound() const { return bound_; }
  const std::string& name() const { return name_; }

  void AnswerOnce(const std::string& answer) {
    std::array<char, 512> text{};
    sockaddr_un client{};
    socklen_t client_bytes = sizeof client;
    const ssize_t bytes = ::recvfrom(socket_.get(), text.data(), text.size(), 0,
                                     reinterpret_cast<sockaddr*>(&client), &client_bytes);
    question = std::string(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    client_name_bytes = client_bytes - sizeof(sa_family_t);
    ::sendto(socket_.get(), answer.data(), answer.size(), 0, reinterpret_cast<const sockaddr*>(&client),
             client_bytes);
  }

  std::string question{};
  std::size_t client_name_bytes = 0;

 private:
  const UniqueFd socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  const std::string name_;
  bool bound_ = false;
};

absl::StatusOr<std::string> AskFor(Server& server, const std::string& answer) {
  std::jthread serving([&] { server.AnswerOnce(answer); });
  return AskLldpadAt(server.name(), LldpadModeQuestion("dcb0"), RealClock());
}

TEST(RealLldpad, TheQuestionArrivesAndTheAnswerComesBackAsItIs) {
  Server server;
  ASSERT_TRUE(server.bound());
  const std::string answer("R00\0\xff and the rest", 18);
  EXPECT_EQ(*AskFor(server, answer), answer);
  EXPECT_EQ(server.question, LldpadModeQuestion("dcb0"));
  EXPECT_THAT(server.client_name_bytes, Gt(1U));  // without a name nobody could answer us
}

TEST(RealLldpad, AnAnswerThatIsTooLongIsAnError) {
  Server server;
  ASSERT_TRUE(server.bound());
  EXPECT_EQ(AskFor(server, std::string(kLongestLldpadAnswer, 'R'))->size(), kLongestLldpadAnswer);
  EXPECT_EQ(Message(AskFor(server, std::string(kLongestLldpadAnswer + 1, 'R')).status()),
            "ask lldpad: Message too long");
}

TEST(RealLldpad, ASilentOneIsWaitedForShortly) {
  const Server server;
  ASSERT_TRUE(server.bound());
  const Clock::TimePoint begin = RealClock().Now();
  const absl::Status status = AskLldpadAt(server.name(), LldpadModeQuestion("dcb0"), RealClock()).status();
  EXPECT_EQ(status, ErrnoStatus(ETIMEDOUT, "ask lldpad"));
  EXPECT_GE(RealClock().Now() - begin, std::chrono::milliseconds(250));
}

TEST(RealLldpad, OneThatIsNotThereTakesNoTime) {
  EXPECT_EQ(AskLldpadAt("/rdmaready-test/nobody", LldpadModeQuestion("dcb0"), RealClock()).status(),
            ErrnoStatus(ECONNREFUSED, "ask lldpad"));
  EXPECT_EQ(AskLldpadAt(std::string(200, 'x'), LldpadModeQuestion("dcb0"), RealClock()).status(),
            ErrnoStatus(ENAMETOOLONG, "ask lldpad"));
}

TEST(RealLldpad, OrdersAreNotSent) {
  EXPECT_EQ(
      AskLldpadAt("/rdmaready-test/nobody", "M00000001C3040000000c04dcb0000badminStatus0004rxtx", RealClock())
          .status()
          .code(),
      absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmaready
