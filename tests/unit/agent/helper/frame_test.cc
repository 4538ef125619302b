// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "api/base/handle.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;

class FrameTest : public testing::Test {
 protected:
  FrameTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    here_ = UniqueFd(ends[0]);
    there_ = UniqueFd(ends[1]);
  }

  absl::StatusOr<std::string> Receive(milliseconds longest = milliseconds(2000), std::size_t most = 1000) {
    return ReceiveFrame(there_.get(), most, TimedWait({.longest = longest, .stop = {}}));
  }
  void SendRaw(std::string_view bytes) {
    EXPECT_EQ(::send(here_.get(), bytes.data(), bytes.size(), 0), static_cast<::ssize_t>(bytes.size()));
  }

  UniqueFd here_;
  UniqueFd there_;
};

TEST_F(FrameTest, CarriesABodyOfAnyBytes) {
  const std::string body("{\"a\":\"\0\xff\"}", 11);
  ASSERT_TRUE(SendFrame(here_.get(), body, TimedWait({.longest = milliseconds(100), .stop = {}})).ok());
  const absl::StatusOr<std::string> got = Receive();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, body);
}

TEST_F(FrameTest, CarriesMoreThanASocketHoldsAtOnce) {
  const std::string body(3'000'000, 'x');
  std::jthread sender([&] {
    EXPECT_TRUE(SendFrame(here_.get(), body, TimedWait({.longest = milliseconds(5000), .stop = {}})).ok());
  });
  const absl::StatusOr<std::string> got = Receive(milliseconds(5000), kMostAnswerBytes);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, body);
}

TEST_F(FrameTest, LongerThanIsTakenIsRefusedBeforeItsBodyCame) {
  SendRaw(std::string("\xff\xff\xff\xff", 4));
  EXPECT_EQ(Receive().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FrameTest, CutShortIsGoneAndNoEmptyBody) {
  SendRaw(std::string("\0\0\0\5ab", 6));
  here_ = UniqueFd();
  EXPECT_EQ(Receive().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(FrameTest, NobodyWhoSendsEndsTheWaitInItsTime) {
  EXPECT_EQ(Receive(milliseconds(20)).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, OneWhoDoesNotReadEndsTheWaitInItsTime) {
  const std::string body(8'000'000, 'x');
  EXPECT_EQ(SendFrame(here_.get(), body, TimedWait({.longest = milliseconds(20), .stop = {}})).code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, AStopEndsTheWaitAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  const absl::Status ended =
      ReceiveFrame(there_.get(), 10, TimedWait({.longest = milliseconds(60'000), .stop = stop.get_token()}))
          .status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kCancelled);
}

TEST(AnswerBodyTest, CarriesAnAnswer) {
  const absl::StatusOr<Json> read = ReadAnswerBody(AnswerBody(Json{{"port", 1}}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, Json({{"port", 1}}));
}

TEST(AnswerBodyTest, CarriesAnErrorWithItsCode) {
  const absl::StatusOr<Json> read =
      ReadAnswerBody(AnswerBody(absl::NotFoundError("query eth7: No such device")));
  EXPECT_EQ(read.status(), absl::NotFoundError("query eth7: No such device"));
}

TEST(AnswerBodyTest, TooLongAnAnswerBecomesItsError) {
  const absl::StatusOr<Json> read = ReadAnswerBody(AnswerBody(Json{{"x", std::string(kMostAnswerBytes, 'x')}}));
  EXPECT_EQ(read.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(AnswerBodyTest, WhatIsNoAnswerIsOurPeersFault) {
  for (const char* body : {"", "[]", "{}", "{\"answer\":1}", "{\"answer\":{},\"more\":1}", "{\"error\":{}}",
                           "{\"error\":{\"code\":\"ok\",\"text\":\"\"}}", "{\"answer\":{}"}) {
    EXPECT_EQ(ReadAnswerBody(body).status().code(), absl::StatusCode::kInternal) << body;
  }
}

}  // namespace
}  // namespace rdmaready::helper
