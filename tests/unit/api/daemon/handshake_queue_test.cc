// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/handshake_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kHello = "\x16\x03\x01";  // how a TLS record of a handshake begins

// Callers have names; what they say first is what the queue sees.
class HandshakeQueueTest : public testing::Test {
 protected:
  void Open(HandshakeLimits limits) {
    queue_ = std::make_unique<HandshakeQueue>(
        limits, ends_, [this](UniqueFd fd) { Took(std::move(fd)); },
        [this](const Event& event) {
          const std::scoped_lock lock(mutex_);
          events_.push_back(event);
        });
    ASSERT_TRUE(queue_->Works());
  }

  UniqueFd Call(std::string_view words) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    UniqueFd caller(ends[0]);
    Say(caller, words);
    queue_->Add(UniqueFd(ends[1]));
    return caller;
  }

  static void Say(const UniqueFd& caller, std::string_view words) {
    EXPECT_EQ(::write(caller.get(), words.data(), words.size()), static_cast<ssize_t>(words.size()));
  }

  // What each of the first `count` that were taken had said, in that order; fewer when no more come.
  std::vector<std::string> Taken(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(20), [this, count] { return taken_.size() >= count; });
    std::vector<std::string> said;
    for (const UniqueFd& fd : taken_) {
      std::array<char, 64> text{};
      const ssize_t size = ::recv(fd.get(), text.data(), text.size(), MSG_PEEK | MSG_DONTWAIT);
      said.emplace_back(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
    return said;
  }

  // Nothing is taken for a while: long beside what taking takes, so it would show.
  void ExpectNoMoreThan(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_FALSE(changed_.wait_for(lock, milliseconds(400), [this, count] { return taken_.size() > count; }));
  }

  static bool Closed(const UniqueFd& caller) {
    ::pollfd asked{.fd = caller.get(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&asked, 1, 20'000) == 1;
  }

  std::string Hello(std::string_view name) { return std::string(kHello).append(name); }

  const std::shared_ptr<HandshakeEnds> ends_ = std::make_shared<HandshakeEnds>();
  std::vector<Event> events_{};

 private:
  void Took(UniqueFd fd) {
    const std::scoped_lock lock(mutex_);
    taken_.push_back(std::move(fd));
    changed_.notify_all();
  }

  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::vector<UniqueFd> taken_{};

 protected:
  std::unique_ptr<HandshakeQueue> queue_{};
};

TEST_F(HandshakeQueueTest, SoManyAtATimeInTheOrderOfTheirFirstBytes) {
  Open({.at_once = 2});
  std::vector<UniqueFd> callers;
  for (const char* name : {"a", "b"}) callers.push_back(Call(Hello(name)));
  EXPECT_THAT(Taken(2), testing::UnorderedElementsAre(Hello("a"), Hello("b")));
  callers.push_back(Call(""));
  ExpectNoMoreThan(2);
  callers.push_back(Call(Hello("d")));
  ExpectNoMoreThan(2);
  Say(callers[2], Hello("c"));  // came before d, and speaks after it
  ExpectNoMoreThan(2);
  ends_->TellOne();
  EXPECT_THAT(Taken(3).back(), Hello("d"));
  ExpectNoMoreThan(3);
  ends_->TellOne();
  EXPECT_THAT(Taken(4).back(), Hello("c"));
}

TEST_F(HandshakeQueueTest, WhoSaysNothingIsInNobodysWayAndIsClosedInTheEnd) {
  Open({.at_once = 1, .longest_wait = milliseconds(600)});
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(Call(""));
  const UniqueFd caller = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  for (const UniqueFd& one : silent) EXPECT_TRUE(Closed(one));
  EXPECT_THAT(events_, IsEmpty()) << "nobody was turned away";
}

TEST_F(HandshakeQueueTest, WhatIsNoTlsNeedsNoPlace) {
  Open({.at_once = 1});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd plain = Call("PRI * HTTP/2.0");
  EXPECT_THAT(Taken(2).back(), "PRI * HTTP/2.0");
}

TEST_F(HandshakeQueueTest, WhoLeftTakesNoTurn) {
  Open({.at_once = 1});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  { const UniqueFd left = Call(Hello("b")); }
  const UniqueFd third = Call(Hello("c"));
  ExpectNoMoreThan(1);
  ends_->TellOne();
  EXPECT_THAT(Taken(2), ElementsAre(Hello("a"), Hello("c")));
}

TEST_F(HandshakeQueueTest, WhoGetsNoTurnInTimeIsClosedAndCounted) {
  Open({.at_once = 1, .longest_wait = milliseconds(600)});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd second = Call(Hello("b"));
  const UniqueFd third = Call(Hello("c"));
  EXPECT_TRUE(Closed(second));
  EXPECT_TRUE(Closed(third));
  queue_.reset();
  ASSERT_EQ(events_.size(), 1U) << "once a minute";
  EXPECT_EQ(events_.front().name, kHandshakesLateEvent);
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
}

TEST_F(HandshakeQueueTest, AHandshakeWithoutAnEndGivesItsPlaceBack) {
  Open({.at_once = 1, .given_up_after = milliseconds(600)});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd second = Call(Hello("b"));
  EXPECT_THAT(Taken(2), ElementsAre(Hello("a"), Hello("b")));
}

TEST_F(HandshakeQueueTest, WhoeverWaitsIsClosedWithIt) {
  Open({.at_once = 1});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd waiting = Call(Hello("b"));
  const UniqueFd silent = Call("");
  queue_.reset();
  EXPECT_TRUE(Closed(waiting));
  EXPECT_TRUE(Closed(silent));
}

}  // namespace
}  // namespace rdmaready
