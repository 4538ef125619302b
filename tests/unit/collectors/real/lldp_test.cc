// SPDX-License-Identifier: Apache-2.0
// The real listener, on the loopback interface: there it hears what it would send, and what it would receive.
#include "collectors/real/lldp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "api/base/clock.h"
#include "api/base/handle.h"
#include "api/base/status.h"
#include "tests/support/lldp_wire.h"

namespace rdmaready {
namespace {

using lldp_wire::operator+;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::SizeIs;

// -1 and errno when this process may not.
int PacketSocket() { return ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); }

bool Send(int socket, const lldp_wire::Bytes& frame) {
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = static_cast<int>(::if_nametoindex("lo"));
  return ::sendto(socket, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) ==
         static_cast<ssize_t>(frame.size());
}

// The socket, or a skip of the test; what is without the privilege is tested by WithoutThePrivilege.
#define NEED_PACKET_SOCKET(name)       \
  const UniqueFd name(PacketSocket()); \
  if (!name) GTEST_SKIP() << "no packet socket here: " << std::strerror(errno)

TEST(RealLldp, ReportsAnErrorForAMissingNetdevInsteadOfListening) {
  const auto answers = ListenOnNetdevs({"nowhere0"}, {.longest = std::chrono::hours(1)});
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_FALSE(answers[0].ok()) << "an hour of listening has an answer";
  EXPECT_EQ(Message(answers[0].status()), "listen for LLDP on nowhere0: No such device");
}

TEST(RealLldp, WithoutThePrivilegeItIsDenied) {
  const UniqueFd socket(PacketSocket());
  if (socket) GTEST_SKIP() << "this process has the privilege";
  const auto answers = ListenOnNetdevs({"lo"}, {.longest = std::chrono::hours(1)});
  EXPECT_EQ(MissingFrom(answers.at(0).status()).kind, Missing::Kind::kDenied);
}

// What was heard while `send` went on. What comes before it listens, or while the machine lets it stand with
// its buffer full, is not heard: up to five times, until `enough`.
std::vector<absl::StatusOr<LldpFrames>> HeardWhile(const std::vector<std::string>& netdevs,
                                                   const std::function<void()>& send,
                                                   const std::function<bool(const LldpFrames&)>& enough) {
  std::vector<absl::StatusOr<LldpFrames>> answers;
  for (int tries = 0; tries < 5; ++tries) {
    std::stop_source stop;
    std::jthread listener([&] {
      answers = ListenOnNetdevs(netdevs, {.longest = std::chrono::seconds(60), .stop = stop.get_token()});
    });
    std::this_thread::sleep_for(milliseconds(50));
    send();
    stop.request_stop();
    listener.join();
    if (answers.empty() || !answers[0].ok() || enough(*answers[0])) break;
  }
  return answers;
}

TEST(RealLldp, HearsLldpOnlyBothWaysAndCountsWhatComesAgain) {
  NEED_PACKET_SOCKET(sender);
  const lldp_wire::Bytes frame = lldp_wire::FullFrame();
  const lldp_wire::Bytes other = lldp_wire::Header(0x88b5) + lldp_wire::Raw({1, 2, 3});
  const auto send = [&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(Send(sender.get(), other));
      ASSERT_TRUE(Send(sender.get(), frame));
      std::this_thread::sleep_for(milliseconds(5));
    }
  };
  const auto answers = HeardWhile({"lo", "nowhere0"}, send, [](const LldpFrames& heard) {
    return heard.frames.size() == 2 &&
           std::ranges::all_of(heard.frames, [](const LldpFrame& one) { return one.times > 1; });
  });
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_FALSE(answers[1].ok());
  ASSERT_TRUE(answers[0].ok()) << Message(answers[0].status());
  ASSERT_THAT(answers[0]->frames, SizeIs(2));
  EXPECT_NE(answers[0]->frames[0].sent_here, answers[0]->frames[1].sent_here);
  for (const LldpFrame& heard : answers[0]->frames) {
    EXPECT_EQ(heard.bytes, frame);
    EXPECT_GT(heard.times, 1U);
    EXPECT_LE(heard.times, 100U);
    EXPECT_LE(heard.first_ms, heard.last_ms);
    EXPECT_LE(heard.last_ms, answers[0]->listened_ms);
  }
}

TEST(RealLldp, StopsWhenTheTimeIsUp) {
  NEED_PACKET_SOCKET(unused);
  const Clock::TimePoint begin = RealClock().Now();
  const auto answers = ListenOnNetdevs({"lo"}, {.longest = milliseconds(50)});
  EXPECT_GE(RealClock().Now() - begin, milliseconds(50));
  ASSERT_THAT(answers, SizeIs(1));
  ASSERT_TRUE(answers[0].ok());
  EXPECT_GE(answers[0]->listened_ms, 50U);
}

TEST(RealLldp, AStopThatWasAskedForBeforeEndsItAtOnce) {
  NEED_PACKET_SOCKET(unused);
  std::stop_source stop;
  stop.request_stop();
  const auto answers = ListenOnNetdevs({"lo"}, {.longest = std::chrono::hours(1), .stop = stop.get_token()});
  ASSERT_TRUE(answers.at(0).ok());
  EXPECT_LT(answers[0]->listened_ms, 3'600'000U) << "not for the hour";
}

TEST(RealLldp, ManyDifferentFramesAreBounded) {
  NEED_PACKET_SOCKET(sender);
  const auto send = [&] {
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(Send(sender.get(), lldp_wire::Frame(lldp_wire::Pfc(i >> 8, i & 0xff))));
      std::this_thread::sleep_for(milliseconds(1));
    }
  };
  const auto answers = HeardWhile({"lo"}, send, [](const LldpFrames& heard) { return heard.left_out > 0; });
  ASSERT_TRUE(answers.at(0).ok());
  EXPECT_THAT(answers[0]->frames, SizeIs(kMostLldpFrames));
  EXPECT_GT(answers[0]->left_out, 0U);
}

}  // namespace
}  // namespace rdmaready
