// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/relay.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <thread>

#include "api/base/status.h"
#include "tests/support/eventually.h"

namespace rdmaready::sim {
namespace {

using testing::HasSubstr;

constexpr int kSoonMs = 10'000;

bool HasNews(int socket, int within_ms) {
  ::pollfd look{.fd = socket, .events = POLLIN, .revents = 0};
  return ::poll(&look, 1, within_ms) == 1;
}

::sockaddr_in OnLoopback(std::uint16_t port) {
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

UniqueFd Call(const std::string& address) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto to = OnLoopback(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const ::sockaddr*>(&to), sizeof to), 0);
  return socket;
}

void Say(const UniqueFd& socket, const std::string& text) {
  EXPECT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<::ssize_t>(text.size()));
}

// What comes until it is that long, or the other end is gone, or nothing comes.
std::string Hear(const UniqueFd& socket, std::size_t bytes) {
  std::string heard;
  while (heard.size() < bytes && HasNews(socket.get(), kSoonMs)) {
    std::string some(std::min(bytes - heard.size(), std::size_t{65536}), '\0');
    const ::ssize_t count = ::recv(socket.get(), some.data(), some.size(), 0);
    if (count <= 0) break;
    heard += some.substr(0, static_cast<std::size_t>(count));
  }
  return heard;
}

bool IsOver(const UniqueFd& socket) {
  char any = 0;
  return HasNews(socket.get(), kSoonMs) && ::recv(socket.get(), &any, 1, 0) <= 0;
}

class RelayTest : public testing::Test {
 protected:
  RelayTest() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ::sockaddr_in own = OnLoopback(0);
    ::socklen_t size = sizeof own;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<::sockaddr*>(&own), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 64), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<::sockaddr*>(&own), &size), 0);
    hub_address_ = fmt::format("127.0.0.1:{}", ntohs(own.sin_port));
    relay_ = *Relay::Start(hub_address_, 2);
  }

  bool IsCalled(int within_ms) const { return HasNews(listener_.get(), within_ms); }
  UniqueFd Answer() const {
    EXPECT_TRUE(IsCalled(kSoonMs));
    return UniqueFd(::accept(listener_.get(), nullptr, nullptr));
  }

  // The relay's one thread takes what comes in its order: when this returns it has dealt with all that was said
  // before. It takes the second line, and no other call to the hub may be open.
  void PassAround() const {
    for (int round = 0; round < 2; ++round) {
      const UniqueFd agent = Call(relay_->address(1));
      Say(agent, "around");
      ASSERT_EQ(Hear(Answer(), 6), "around");
    }
  }
  bool HasNothing(const UniqueFd& socket) const {
    PassAround();
    return !HasNews(socket.get(), 0);
  }
  bool IsNotCalled() const { return HasNothing(listener_); }

  UniqueFd listener_;
  std::string hub_address_{};
  std::unique_ptr<Relay> relay_{};
};

TEST_F(RelayTest, PassesWhatEitherSaysAndThatItIsOver) {
  UniqueFd agent = Call(relay_->address(0));
  UniqueFd hub = Answer();
  Say(agent, "here");
  EXPECT_EQ(Hear(hub, 4), "here");
  Say(hub, "welcome");
  EXPECT_EQ(Hear(agent, 7), "welcome");
  agent = {};
  EXPECT_TRUE(IsOver(hub));
}

TEST_F(RelayTest, HoldsOneDirectionAndLosesNothingOfIt) {
  const UniqueFd agent = Call(relay_->address(0));
  const UniqueFd hub = Answer();
  relay_->Hold(0, {.to_hub = true});
  Say(agent, "not yet ");
  Say(hub, "heard");
  EXPECT_EQ(Hear(agent, 5), "heard");
  EXPECT_TRUE(HasNothing(hub));
  relay_->Hold(0, {.to_agent = true});
  Say(agent, "now");
  EXPECT_EQ(Hear(hub, 11), "not yet now");
  Say(hub, "nobody hears this");
  EXPECT_TRUE(HasNothing(agent));
  relay_->Hold(0, {});
  EXPECT_EQ(Hear(agent, 17), "nobody hears this");
}

TEST_F(RelayTest, HoldsOneLineAndNotTheOther) {
  const UniqueFd held = Call(relay_->address(0));
  const UniqueFd hub_of_held = Answer();
  const UniqueFd whole = Call(relay_->address(1));
  const UniqueFd hub_of_whole = Answer();
  relay_->Hold(0, {.to_hub = true, .to_agent = true});
  Say(held, "held");
  Say(hub_of_held, "held");
  Say(whole, "whole");
  EXPECT_EQ(Hear(hub_of_whole, 5), "whole");
  EXPECT_TRUE(HasNothing(hub_of_held));
  EXPECT_FALSE(HasNews(held.get(), 0));
}

TEST_F(RelayTest, HoldsMoreThanItCouldKeepAndItComesInOrder) {
  const UniqueFd agent = Call(relay_->address(0));
  const UniqueFd hub = Answer();
  std::string much(std::size_t{8} * 1024 * 1024, '\0');
  std::iota(much.begin(), much.end(), '\0');
  relay_->Hold(0, {.to_hub = true});
  Say(agent, much.substr(0, 1'000));
  std::jthread says([&] { Say(agent, much.substr(1'000)); });
  EXPECT_TRUE(HasNothing(hub));
  relay_->Hold(0, {});
  EXPECT_EQ(Hear(hub, 1'000'000), much.substr(0, 1'000'000));
  relay_->Hold(0, {.to_hub = true});
  relay_->Hold(0, {});
  EXPECT_EQ(Hear(hub, much.size() - 1'000'000), much.substr(1'000'000));
}

TEST_F(RelayTest, AnEndThatIsGoneIsHeldToo) {
  UniqueFd agent = Call(relay_->address(0));
  const UniqueFd hub = Answer();
  relay_->Hold(0, {.to_hub = true, .to_agent = true});
  Say(agent, "last");
  agent = {};
  EXPECT_TRUE(HasNothing(hub));
  relay_->Hold(0, {});
  EXPECT_EQ(Hear(hub, 4), "last");
  EXPECT_TRUE(IsOver(hub));
}

TEST_F(RelayTest, OfALongPartitionNothingPilesUp) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  for (const Relay::Held held : {Relay::Held{.to_agent = true}, {.to_hub = true, .to_agent = true}}) {
    for (int i = 0; i < 20; ++i) {
      relay_->Hold(0, {.to_agent = true});
      UniqueFd agent = Call(relay_->address(0));
      UniqueFd hub = Answer();
      relay_->Hold(0, held);
      Say(agent, "hello");
      Say(hub, "welcome");
      agent = {};
    }
  }
  EXPECT_TRUE(
      Eventually([&] { return descriptors() <= before; }));  // less where another test's connections end late
}

TEST_F(RelayTest, NoConnectionReachesAHubThatHearsNothing) {
  relay_->Hold(0, {.to_hub = true});
  const UniqueFd patient = Call(relay_->address(0));
  Say(patient, "patient");
  EXPECT_TRUE(IsNotCalled());
  relay_->Hold(0, {});
  EXPECT_EQ(Hear(Answer(), 7), "patient");
}

TEST_F(RelayTest, AConnectionThatWasGivenUpNeverReachesIt) {
  relay_->Hold(0, {.to_hub = true});
  UniqueFd hasty = Call(relay_->address(0));
  Say(hasty, "hasty");
  hasty = {};
  EXPECT_TRUE(IsNotCalled());
  relay_->Hold(0, {});
  EXPECT_TRUE(IsNotCalled());
}

// The relay's own thread may not have run meanwhile.
TEST_F(RelayTest, NorDoesOneThatWasGivenUpJustBeforeTheLineIsWhole) {
  relay_->Hold(0, {.to_hub = true});
  UniqueFd hasty = Call(relay_->address(0));
  hasty = {};
  relay_->Hold(0, {});
  EXPECT_TRUE(IsNotCalled());
}

TEST_F(RelayTest, AHubThatHearsIsReachedThoughItsAnswerIsHeld) {
  relay_->Hold(0, {.to_agent = true});
  const UniqueFd agent = Call(relay_->address(0));
  Say(agent, "hello");
  const UniqueFd hub = Answer();
  EXPECT_EQ(Hear(hub, 5), "hello");
  Say(hub, "welcome");
  EXPECT_TRUE(HasNothing(agent));
}

TEST_F(RelayTest, AnAgentIsToldThatThereIsNoHub) {
  listener_ = {};
  EXPECT_TRUE(IsOver(Call(relay_->address(0))));
}

TEST(Relay, StandsOnlyBeforeAHubOfThisMachine) {
  const auto far = Relay::Start("192.0.2.1:7473", 1);
  EXPECT_THAT(Message(far.status()), HasSubstr("192.0.2.1: Cannot assign requested address"));
  EXPECT_THAT(Message(Relay::Start("unix:/run/hub.sock", 1).status()), HasSubstr("TCP"));
}

TEST(Relay, KeepsTheNameOfTheHub) {
  EXPECT_THAT((*Relay::Start("localhost:7473", 1))->address(0), testing::StartsWith("localhost:"));
}

}  // namespace
}  // namespace rdmaready::sim
