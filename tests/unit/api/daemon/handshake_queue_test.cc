// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/handshake_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::string_view kHello = "\x16\x03\x01";  // how a TLS record of a handshake begins

// 127.0.0.`last`
::sockaddr_in Loopback(std::uint32_t last) {
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl((127U << 24) | last);
  return address;
}

// Callers have names; what they say first is what the queue sees. Those of Call are all of one address.
class HandshakeQueueTest : public testing::Test {
 protected:
  void Open(std::size_t places, HandshakeLimits limits = {}) {
    ends_ = std::make_shared<HandshakeEnds>(places);
    std::vector<HandshakeQueue::Take> take;
    for (std::size_t place = 0; place < places; ++place)
      take.push_back([this, place](UniqueFd fd) { Took(place, std::move(fd)); });
    queue_ = std::make_unique<HandshakeQueue>(
        limits, ends_, std::move(take),
        [this](const Event& event) {
          const std::scoped_lock lock(mutex_);
          events_.push_back(event);
        },
        *clock_);
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

  // By TCP, from 127.0.0.`last`.
  UniqueFd CallFrom(std::uint32_t last, std::string_view words) {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::sockaddr_in here = Loopback(1);
    ::socklen_t size = sizeof(here);
    auto* name = reinterpret_cast<::sockaddr*>(&here);
    EXPECT_EQ(::bind(listener.get(), name, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), name, &size), 0);
    UniqueFd caller(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const ::sockaddr_in from = Loopback(last);
    EXPECT_EQ(::bind(caller.get(), reinterpret_cast<const ::sockaddr*>(&from), sizeof(from)), 0);
    EXPECT_EQ(::connect(caller.get(), name, size), 0);
    Say(caller, words);
    queue_->Add(UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    return caller;
  }

  static void Say(const UniqueFd& caller, std::string_view words) {
    EXPECT_EQ(::write(caller.get(), words.data(), words.size()), static_cast<ssize_t>(words.size()));
  }

  // What each of the first `count` that were taken had said, in that order; fewer when no more come.
  std::vector<std::string> Taken(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(20), [this, count] { return said_.size() >= count; });
    return said_;
  }

  // Nothing is taken for a while: long beside what taking takes, so it would show.
  void ExpectNoMoreThan(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_FALSE(changed_.wait_for(lock, milliseconds(400), [this, count] { return said_.size() > count; }));
  }

  // The handshake of that one came to the judge.
  void End(const std::string& said) {
    const std::scoped_lock lock(mutex_);
    ends_->Tell(places_.at(said));
  }

  // The server is done with that connection, as gRPC ends one.
  void HangUp(const std::string& said) {
    const std::scoped_lock lock(mutex_);
    ::shutdown(fds_.at(said).get(), SHUT_RDWR);
    fds_.erase(said);
  }

  // The same without a word to the other end: it hears only if nobody else holds the connection.
  void Drop(const std::string& said) {
    const std::scoped_lock lock(mutex_);
    fds_.erase(said);
  }

  static bool Closed(const UniqueFd& caller) {
    ::pollfd asked{.fd = caller.get(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&asked, 1, 20'000) == 1;
  }

  static std::string Hello(std::string_view name) { return std::string(kHello).append(name); }

  FakeClock by_hand_;
  Clock* clock_ = &RealClock();
  std::shared_ptr<HandshakeEnds> ends_{};
  std::vector<Event> events_{};

 private:
  void Took(std::size_t place, UniqueFd fd) {
    std::array<char, 64> text{};
    const ssize_t size = ::recv(fd.get(), text.data(), text.size(), MSG_PEEK | MSG_DONTWAIT);
    const std::string said(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    const std::scoped_lock lock(mutex_);
    said_.push_back(said);
    places_[said] = place;
    fds_.insert_or_assign(said, std::move(fd));
    changed_.notify_all();
  }

  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::vector<std::string> said_{};
  std::map<std::string, std::size_t> places_{};
  std::map<std::string, UniqueFd> fds_{};

 protected:
  std::unique_ptr<HandshakeQueue> queue_{};
};

TEST_F(HandshakeQueueTest, HalfOfThePlacesForAnAddressInTheOrderOfTheFirstBytes) {
  Open(4);
  std::vector<UniqueFd> callers;
  for (const char* name : {"a", "b"}) callers.push_back(Call(Hello(name)));
  EXPECT_THAT(Taken(2), UnorderedElementsAre(Hello("a"), Hello("b")));
  callers.push_back(Call(""));
  callers.push_back(Call(Hello("d")));
  ExpectNoMoreThan(2);
  Say(callers[2], Hello("c"));  // came before d, and speaks after it
  ExpectNoMoreThan(2);
  End(Hello("a"));
  EXPECT_THAT(Taken(3).back(), Hello("d"));
  ExpectNoMoreThan(3);
  End(Hello("b"));
  EXPECT_THAT(Taken(4).back(), Hello("c"));
}

TEST_F(HandshakeQueueTest, AddressesTakeTurns) {
  Open(4);
  std::vector<UniqueFd> callers;
  for (int i = 0; i < 10; ++i) callers.push_back(CallFrom(2, Hello("two")));
  EXPECT_THAT(Taken(2), ElementsAre(Hello("two"), Hello("two")));
  ExpectNoMoreThan(2);  // though two places are free
  callers.push_back(CallFrom(3, Hello("three")));
  EXPECT_THAT(Taken(3).back(), Hello("three"));
  callers.push_back(CallFrom(4, Hello("four")));
  EXPECT_THAT(Taken(4).back(), Hello("four"));
  callers.push_back(CallFrom(5, Hello("five")));
  ExpectNoMoreThan(4);
  End(Hello("three"));
  EXPECT_THAT(Taken(5).back(), Hello("five")) << "those who came long before have had half of the places";
}

TEST_F(HandshakeQueueTest, WhoSaysNothingIsInNobodysWayAndIsClosedInTheEnd) {
  Open(2, {.longest_wait = milliseconds(600)});
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(Call(""));
  const UniqueFd caller = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  for (const UniqueFd& one : silent) EXPECT_TRUE(Closed(one));
  queue_.reset();
  EXPECT_THAT(events_, IsEmpty()) << "nobody was turned away";
}

TEST_F(HandshakeQueueTest, WhatIsNoTlsNeedsNoPlace) {
  Open(2);
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd plain = Call("PRI * HTTP/2.0");
  EXPECT_THAT(Taken(2).back(), "PRI * HTTP/2.0");
}

TEST_F(HandshakeQueueTest, WhoLeftTakesNoTurn) {
  Open(2);
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  { const UniqueFd left = Call(Hello("b")); }
  const UniqueFd third = Call(Hello("c"));
  ExpectNoMoreThan(1);
  End(Hello("a"));
  EXPECT_THAT(Taken(2), ElementsAre(Hello("a"), Hello("c")));
}

TEST_F(HandshakeQueueTest, WhoGetsNoTurnInTimeIsClosedAndCounted) {
  Open(2, {.longest_wait = milliseconds(600)});
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

TEST_F(HandshakeQueueTest, AHandshakeThatFailsGivesItsPlaceBackAtOnce) {
  Open(2, {.longest_handshake = seconds(1000)});
  const UniqueFd first = Call(Hello("a"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("a")));
  const UniqueFd second = Call(Hello("b"));
  HangUp(Hello("a"));
  EXPECT_THAT(Taken(2), ElementsAre(Hello("a"), Hello("b")));
  EXPECT_TRUE(Closed(first));
}

// However many good ones come and go in the other places meanwhile.
TEST_F(HandshakeQueueTest, AHandshakeWithoutAnEndIsClosedAndGivesItsPlaceBack) {
  clock_ = &by_hand_;
  Open(4, {.longest_handshake = milliseconds(1000)});
  const UniqueFd stuck = Call(Hello("stuck"));
  EXPECT_THAT(Taken(1), ElementsAre(Hello("stuck")));
  std::vector<UniqueFd> callers;
  std::size_t taken = 1;
  for (; taken <= 30; ++taken) {
    const std::string name = Hello(std::to_string(taken));
    const UniqueFd caller = Call(name);
    ASSERT_THAT(Taken(taken + 1).back(), name);
    End(name);
    Drop(name);
    by_hand_.Advance(milliseconds(50));
  }
  EXPECT_TRUE(Closed(stuck));
  // Both places of the address are in use again.
  callers.push_back(Call(Hello("x")));
  callers.push_back(Call(Hello("y")));
  EXPECT_EQ(Taken(taken + 2).size(), taken + 2);
}

TEST_F(HandshakeQueueTest, LeavesAConnectionOpenAfterItsHandshake) {
  clock_ = &by_hand_;
  Open(2, {.longest_handshake = milliseconds(500)});
  const UniqueFd caller = Call(Hello("a"));
  ASSERT_THAT(Taken(1), ElementsAre(Hello("a")));
  End(Hello("a"));
  by_hand_.Advance(milliseconds(1500));
  // The queue closes the late ones before it lets the next one in.
  const UniqueFd next = Call(Hello("b"));
  ASSERT_THAT(Taken(2), ElementsAre(Hello("a"), Hello("b")));
  ::pollfd asked{.fd = caller.get(), .events = POLLRDHUP, .revents = 0};
  EXPECT_EQ(::poll(&asked, 1, 0), 0) << "it is open";
  Drop(Hello("a"));
  EXPECT_TRUE(Closed(caller));
}

TEST_F(HandshakeQueueTest, WhoeverWaitsIsClosedWithIt) {
  Open(2);
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
