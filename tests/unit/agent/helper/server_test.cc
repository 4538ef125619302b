// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>

#include "agent/helper/asker.h"
#include "agent/helper/peer.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct Name {
  std::string name{};
};

absl::StatusOr<Name> DecodeName(Arguments& arguments) {
  Name name{arguments.Text("name")};
  if (name.name == "nobody") return absl::InvalidArgumentError("nobody is no name");
  return name;
}

absl::StatusOr<Json> Greet(const Name& name, const std::stop_token&) { return Json{{"hello", name.name}}; }

absl::StatusOr<Json> FailFor(const Name& name, const std::stop_token&) {
  return absl::NotFoundError("look for " + name.name + ": No such device");
}

std::atomic<int> listening = 0;  // how often Listen began

// Until it is told to stop.
absl::StatusOr<Json> Listen(const Name& name, const std::stop_token& stop) {
  ++listening;
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait(lock, stop, [] { return false; });
  return Json{{"heard", name.name}};
}

// Says more than anybody listens to.
absl::StatusOr<Work> DecodeCount(Arguments&) {
  return Work([](const std::stop_token&, const Progress& progress) -> absl::StatusOr<Json> {
    for (int i = 0; i < 2 * kMostProgress; ++i) progress("step " + std::to_string(i));
    return Json{{"counted", true}};
  });
}

std::vector<Verb> Verbs() {
  return {Verb{"count", DecodeCount}, MakeVerb<Name>("greet", DecodeName, Greet),
          MakeVerb<Name>("fail", DecodeName, FailFor), MakeVerb<Name>("listen", DecodeName, Listen)};
}

// A helper in this process.
class HelperServerTest : public testing::Test {
 protected:
  static constexpr milliseconds kLong{60'000};  // for what comes: longer than any stall of the machine

  HelperServerTest() { std::filesystem::create_directories(directory_); }
  ~HelperServerTest() override {
    if (server_thread_.valid()) End();
    std::filesystem::remove_all(directory_);
  }

  void Start(ServeOptions options = {}) {
    absl::StatusOr<UniqueFd> listener = ListenOn(directory_ + "/reader.sock");
    ASSERT_TRUE(listener.ok()) << listener.status();
    listening = 0;
    if (options.asker == 0) options.asker = ::geteuid();
    options.end_within = kLong;
    options.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    };
    server_ = std::make_unique<HelperServer>(*std::move(listener), Verbs(), std::move(options));
    server_thread_ = std::async(std::launch::async, [this] { return server_->Run(told_.get()); });
  }
  ServeEnd End() {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(told_.get(), &one, sizeof(one)), 8);
    return server_thread_.get();
  }
  HelperAnswer Ask(std::string_view verb, const Json& arguments, milliseconds longest = kLong,
                   const std::stop_token& stop = {}) {
    return HelperAsker(directory_, "reader", {.last_words = kLong})
        .Ask(verb, arguments, TimedWait({.longest = longest, .stop = stop}));
  }
  // A question that ends only by `stop`, or with the server, and is being worked on.
  std::future<HelperAnswer> AskToListen(const std::stop_token& stop = {}) {
    auto answer = std::async(std::launch::async, [this, stop] {
      return Ask("listen", {{"name", "eth0"}}, kLong, stop);
    });
    Eventually([&] { return listening != 0; });
    EXPECT_EQ(listening, 1);
    return answer;
  }
  // When there is work no more the idle time begins, perhaps after the clock was moved.
  ServeEnd AfterTheIdleTime(FakeClock& clock, milliseconds idle) {
    EXPECT_TRUE(Eventually([&] {
      clock.Advance(idle);
      return server_thread_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }));
    return server_thread_.get();
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  const std::string directory_ = testing::TempDir() + "helpers " + std::to_string(::getpid());
  const UniqueFd told_{::eventfd(0, EFD_CLOEXEC)};
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<HelperServer> server_;
  std::future<ServeEnd> server_thread_;
};

TEST_F(HelperServerTest, AnswersAVerb) {
  Start();
  const HelperAnswer got = Ask("greet", {{"name", "eth0"}});
  ASSERT_TRUE(got.reached.ok()) << got.reached;
  ASSERT_TRUE(got.answer.ok()) << got.answer.status();
  EXPECT_EQ(*got.answer, Json({{"hello", "eth0"}}));
}

TEST_F(HelperServerTest, TellsHowFarItIsBeforeItAnswersAndNotForEver) {
  Start();
  std::vector<std::string> heard;
  const HelperAnswer got = HelperAsker(directory_, "reader")
                               .Ask("count", Json::object(), TimedWait({.longest = kLong, .stop = {}}),
                                    [&](std::string_view what) { heard.emplace_back(what); });
  ASSERT_TRUE(got.answer.ok()) << got.answer.status();
  EXPECT_EQ(*got.answer, Json({{"counted", true}}));
  ASSERT_EQ(heard.size(), static_cast<std::size_t>(kMostProgress));
  EXPECT_EQ(heard.front(), "step 0");
  EXPECT_EQ(heard.back(), "step 63");
}

TEST_F(HelperServerTest, PassesAnErrorOnAsItIs) {
  Start();
  EXPECT_EQ(Ask("fail", {{"name", "eth7"}}).answer.status(),
            absl::NotFoundError("look for eth7: No such device"));
}

TEST_F(HelperServerTest, RefusesWhatIsNoVerbAndEveryArgumentThatItDoesNotKnow) {
  Start();
  for (const auto& [verb, arguments] :
       std::vector<std::pair<std::string, Json>>{{"shell", {{"name", "eth0"}}},
                                                 {"greet", Json::object()},
                                                 {"greet", {{"name", 7}}},
                                                 {"greet", {{"name", "eth0"}, {"path", "/etc/shadow"}}},
                                                 {"greet", {{"name", "nobody"}}}}) {
    EXPECT_EQ(Ask(verb, arguments).answer.status().code(), absl::StatusCode::kInvalidArgument)
        << verb << Text(arguments);
  }
  // Agents of other versions compare the text.
  EXPECT_EQ(Ask("shell", Json::object()).answer.status(), absl::InvalidArgumentError("no such verb"));
  EXPECT_TRUE(IsNoSuchVerb(Ask("shell", Json::object()).answer.status()));
  EXPECT_FALSE(IsNoSuchVerb(Ask("greet", Json::object()).answer.status()));
  EXPECT_EQ(End(), ServeEnd::kTold);  // it logs after it has answered
  EXPECT_THAT(log(), HasSubstr("refused a question: no such verb"));
}

TEST_F(HelperServerTest, AnswersNobodyButItsUser) {
  Start({.asker = ::geteuid() + 1});
  EXPECT_EQ(Ask("greet", {{"name", "eth0"}}).answer.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(End(), ServeEnd::kTold);
  EXPECT_THAT(log(), HasSubstr("is not answered"));
}

TEST_F(HelperServerTest, OneThatIsAtWorkDoesNotKeepAnotherWaiting) {
  Start();
  std::stop_source stop;
  auto stuck = AskToListen(stop.get_token());
  EXPECT_TRUE(Ask("greet", {{"name", "eth1"}}).answer.ok());
  stop.request_stop();
  EXPECT_EQ(*stuck.get().answer, Json({{"heard", "eth0"}}));
}

TEST_F(HelperServerTest, MoreThanItDoesAtOnceAreAnsweredBusy) {
  Start({.most_at_once = 1});
  std::stop_source stop;
  auto first = AskToListen(stop.get_token());
  const absl::Status second = Ask("fail", {{"name", "eth1"}}).answer.status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.message()), HasSubstr("busy"));
  stop.request_stop();
  first.wait();
}

TEST_F(HelperServerTest, AnAskerThatTakesAllItMayDoesNotKeepRootOut) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr ::uid_t kAsker = 65534;
  std::filesystem::permissions(directory_, std::filesystem::perms(0755));
  Start({.asker = kAsker, .answers_root = true, .most_at_once = 1});
  std::filesystem::permissions(directory_ + "/reader.sock", std::filesystem::perms(0666));
  ASSERT_EQ(::seteuid(kAsker), 0);
  const absl::StatusOr<UniqueFd> held =
      ConnectTo(directory_ + "/reader.sock", TimedWait({.longest = milliseconds(1000), .stop = {}}));
  const absl::Status second = Ask("greet", {{"name", "eth0"}}).answer.status();
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_THAT(std::string(second.message()), HasSubstr("busy"));
  EXPECT_EQ(*Ask("greet", {{"name", "eth0"}}).answer, (Json{{"hello", "eth0"}}));
}

TEST_F(HelperServerTest, SaysWhatItHeardUntilItWasStopped) {
  Start();
  std::stop_source stop;
  auto heard = AskToListen(stop.get_token());
  stop.request_stop();
  const HelperAnswer got = heard.get();
  ASSERT_TRUE(got.answer.ok()) << got.answer.status();
  EXPECT_EQ(*got.answer, Json({{"heard", "eth0"}}));
}

TEST_F(HelperServerTest, AnAskerWhoseTimeIsUpLeavesAndThatEndsTheWork) {
  Start({.most_at_once = 1});
  const absl::Status late = Ask("listen", {{"name", "eth0"}}, milliseconds(2000)).answer.status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(late.message(), "rdmaready-reader did not answer in time");
  EXPECT_EQ(listening, 1);
  // Its place is free again.
  absl::Status next;
  do {
    next = Ask("greet", {{"name", "eth0"}}).answer.status();
  } while (absl::IsUnavailable(next));
  EXPECT_TRUE(next.ok()) << next;
}

TEST_F(HelperServerTest, OneWhoSaysNothingIsLetGo) {
  Start({.most_at_once = 1, .hear_within = milliseconds(500)});
  const absl::StatusOr<UniqueFd> silent =
      ConnectTo(directory_ + "/reader.sock", TimedWait({.longest = milliseconds(1000), .stop = {}}));
  ASSERT_TRUE(silent.ok());
  absl::Status next;
  do {
    next = Ask("greet", {{"name", "eth0"}}).answer.status();
  } while (absl::IsUnavailable(next));
  EXPECT_TRUE(next.ok()) << next;
}

TEST_F(HelperServerTest, LeavesAfterItsIdleTimeAndNotWhileItWorks) {
  FakeClock clock;
  constexpr milliseconds kIdleTime(20);  // the kernel waits for it by the machine's own clock
  Start({.idle = kIdleTime, .clock = &clock});
  std::stop_source leave;
  auto working = AskToListen(leave.get_token());
  clock.Advance(kIdleTime * 2);
  EXPECT_EQ(server_thread_.wait_for(kIdleTime * 2), std::future_status::timeout);
  leave.request_stop();
  working.get();
  EXPECT_TRUE(Ask("greet", {{"name", "eth0"}}).answer.ok());
  EXPECT_EQ(server_thread_.wait_for(kIdleTime * 2), std::future_status::timeout);
  EXPECT_EQ(AfterTheIdleTime(clock, kIdleTime), ServeEnd::kIdle);
}

TEST_F(HelperServerTest, EndsWhenItIsToldWhateverIsAtWork) {
  Start();
  auto heard = AskToListen();
  EXPECT_EQ(End(), ServeEnd::kTold);
  EXPECT_EQ(*heard.get().answer, Json({{"heard", "eth0"}}));
}

TEST_F(HelperServerTest, OneThatIsNotThereIsToldWithWhatToDo) {
  const HelperAnswer nobody = Ask("greet", {{"name", "eth0"}});
  EXPECT_EQ(nobody.reached,
            absl::UnavailableError(
                "rdmaready-reader is not running (systemctl enable --now rdmaready-reader.socket)"));
}

TEST_F(HelperServerTest, ASocketThatNobodyListensOnIsReplacedAndOneInUseIsNot) {
  { ASSERT_TRUE(ListenOn(directory_ + "/reader.sock").ok()); }
  EXPECT_TRUE(absl::IsUnavailable(Ask("greet", {{"name", "eth0"}}).reached));
  Start();
  EXPECT_EQ(ListenOn(directory_ + "/reader.sock").status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Ask("greet", {{"name", "eth0"}}).answer.ok());
}

TEST(AnswerConnectionTest, ABodyThatIsNoQuestionIsAnsweredWithItsError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
  const UniqueFd here(ends[0]);
  const UniqueFd there(ends[1]);
  const TimedWait wait({.longest = milliseconds(2000), .stop = {}});
  ASSERT_TRUE(SendFrame(here.get(), "no JSON at all", wait).ok());
  AnswerConnection(there.get(), Verbs(), {}, {});
  const absl::StatusOr<std::string> body = ReceiveFrame(here.get(), kMostAnswerBytes, wait);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(ReadAnswerBody(*body).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmaready::helper
